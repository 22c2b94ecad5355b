"""Tables of docs/theory/energy.md: ``python -m tests.energy.study drift|orders|swing|stiff [steps]``."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import flexnet as fx
from cases import swing
from flexnet.dae import Dae
from flexnet.integrators import Settings, begin
from flexnet.view.figure import COLOURS, new_figure, save_figure
from tests.energy.systems import CONSERVATIVE, LARGE, ROTATING, busy, conservative, ringing_panel

SCHEMES = {
    "preserving": fx.energy_preserving(),
    "decaying, ρ∞ = 0.5": fx.energy_decaying(0.5),
    "decaying, ρ∞ = 0": fx.energy_decaying(0.0),
}
REFERENCE = Path("cases/references/swing_bauchau1995.csv")
FIGURE = Path("docs/images/swing_energy.svg")


def drift(steps: int = 2000) -> Iterator[str]:
    """Energy and constraints of conservative mechanisms at large steps, beside HHT-α."""
    yield "| case | tree | step [s] | HHT-α keeps | drift | constraint work a step | position | velocity |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, h in LARGE.items():
        for tree in ("joint", "absolute"):
            made = conservative(name, tree)
            start, every = made.initial.t, max(steps // 2000, 1) * h
            run = fx.simulate(made, start + steps * h, h, fx.energy_preserving(), interval=every)
            found = fx.audit(run)
            total, work = run["energy/total"], run["energy/constraints"]
            held = kept_by_hht(made, start + min(steps, 2000) * h, h, found.scale)
            yield (
                f"| {name} | {tree} | {h:g} | {held} | {np.abs(total - total[0]).max() / found.scale:.1e} "
                f"| {np.abs(np.diff(work)).max() / found.scale:.1e} | {found.position.max():.1e} "
                f"| {found.velocity.max():.1e} |"
            )


def kept_by_hht(made: fx.Equations, end: float, h: float, scale: float) -> str:
    """Share of the energies that go round which HHT-α has not lost at the end."""
    run = fx.simulate(made, end, h, fx.hht(), throw=False)
    if not run.status.is_done:
        return f"stops at {run.status.t:.3g} s"
    total = run["energy/total"]
    return f"{1 - (total[0] - total[-1]) / scale:.3f}"


def orders() -> Iterator[str]:
    """Errors at the end against a reference with tolerance 1e-12, and the slope of the last halving."""
    yield "| case | scheme | q: error, order | v | λ |"
    yield "|---|---|---|---|---|"
    for name, (end, h) in ROTATING.items():
        made = fx.formulate({**CONSERVATIVE, "busy": busy}[name](), "absolute")
        for title, scheme in SCHEMES.items():
            keys, errors = end_errors(made, end, (h / 4, h / 8), scheme)
            slopes = np.log2(errors[0] / errors[1])
            cells = {k: f"{e:.1e}, {s:.2f}" for k, e, s in zip(keys, errors[1], slopes, strict=True)}
            yield f"| {name} | {title} | {cells['q']} | {cells['v']} | {cells.get('lambda', '–')} |"


def end_errors(
    made: fx.Equations, end: float, steps: tuple[float, ...], scheme: object
) -> tuple[list[str], np.ndarray]:
    """Largest errors of q, v and λ (where there are constraints) at the end, one row for each step."""
    exact = fx.simulate(made, end, steps[0], fx.reference(1e-12), interval=end)
    keys = [key for key in ("q", "v", "lambda") if exact[f"state/{key}"].shape[1]]
    runs = [fx.simulate(made, end, step, scheme, interval=end) for step in steps]
    return keys, np.array(
        [[np.abs(r[f"state/{k}"][-1] - exact[f"state/{k}"][-1]).max() for k in keys] for r in runs]
    )


def swing_runs(step: float, end: float) -> dict[str, fx.Run]:
    """The swing by both energy schemes and by the trapezoidal rule."""
    made = fx.formulate(swing.build(), "joint")
    methods = {
        "preserving": fx.energy_preserving(),
        "decaying, ρ∞ = 0.5": fx.energy_decaying(0.5),
        "trapezoidal rule": fx.generalised_alpha(1.0),
    }
    return {name: fx.simulate(made, end, step, method, throw=False) for name, method in methods.items()}


def swing_errors(run: fx.Run, until: float) -> dict[str, float]:
    """Largest distance from the reference up to a time, over the largest displacement, by column."""
    lines = [line for line in REFERENCE.read_text().splitlines() if not line.startswith("#")]
    rows = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    columns = dict(zip(lines[0].split(","), rows.T, strict=True))
    t = columns.pop("t")
    t_in = t[t <= until + 1e-9]
    out = {}
    for column, values in columns.items():
        channel = run.channel(f"{column[1]}_{column[2]}")
        mine = np.interp(t_in, run.t, channel - channel[0])
        size = np.abs(rows[: len(t_in), 1:]).max()
        out[column] = float(np.abs(mine - values[: len(t_in)]).max() / size)
    return out


def swing_table(step: float = 1e-3, end: float = 1.0) -> Iterator[str]:
    """Events, energies, and the figure."""
    runs = swing_runs(step, end)
    yield f"step {step:g} s, end {end:g} s"
    yield "| scheme | reached [s] | off to 0.64 s | energy at 0.256 s [J] | at the end | largest after it |"
    yield "|---|---|---|---|---|---|"
    for name, run in runs.items():
        total = run["energy/total"]
        after = total[run.t >= 0.256]
        worst = max(swing_errors(run, min(0.64, run.t[-1])).values())
        yield (
            f"| {name} | {run.t[-1]:.3f} | {100 * worst:.2f} % | {after[0]:.9f} | {after[-1]:.9f} "
            f"| {after.max():.9f} |"
        )
    figure = new_figure(8.0, 5.5)
    top, bottom = figure.subplots(2, 1, sharex=True)
    for k, (name, run) in enumerate(runs.items()):
        top.plot(
            run.t, run.channel("B_y") - run.channel("B_y")[0], label=name, color=COLOURS[k], linewidth=1.2
        )
        bottom.plot(run.t, run["energy/total"], label=name, color=COLOURS[k], linewidth=1.2)
    top.set_ylabel("u_By [m]")
    top.set_ylim(-0.1, 0.4)
    bottom.set_ylabel("energy [J]")
    bottom.set_xlabel("time [s]")
    reached = runs["preserving"]["energy/total"].max()
    bottom.set_ylim(0.0, 2.0 * reached)
    for ax in (top, bottom):
        ax.grid(alpha=0.3)
        ax.legend(loc="upper left", fontsize="small")
    yield str(save_figure(figure, FIGURE))


def ring(
    scheme: object, step: float, periods: float, is_hinged: bool = False, start: float = 0.01
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Modal amplitudes (rows, 8) over their start, frequencies (rad/s) and the total energy of a panel.

    Every mode begins with the same energy `start`, J.
    """
    dae = fx.formulate(ringing_panel(is_hinged), "joint").dae()
    n, m = dae.n_v, dae.m
    M, K, G = np.zeros((n, n)), np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, 0.0, dae.q, dae.v, np.zeros(n), np.zeros(m), dae.work, np.zeros(n), np.zeros(m))
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    dae.matrices(dae.model, dae.work, 1.0, 0.0, K, G)
    at = [i for i, name in enumerate(dae.equations[:n]) if ".elastic" in name]
    stiffness = np.diag(K - M)[at]
    omega = np.sqrt(stiffness / np.diag(M)[at])
    q = dae.q.copy()
    q[at] = np.sqrt(2 * start / stiffness)
    end = step * round(periods * 2 * np.pi / omega[0] / step)
    march = begin(replace(dae, q=q), scheme, Settings(step, end, interval=step))
    blocks = list(march.blocks())
    x, v = (np.concatenate([getattr(b, key) for b in blocks])[:, at] for key in ("q", "v"))
    amplitude = np.sqrt(x**2 + (v / omega) ** 2) / q[at]
    energy = np.array(
        [
            total_energy(dae, t, a, b)
            for block in blocks
            for t, a, b in zip(block.t, block.q, block.v, strict=True)
        ]
    )
    return amplitude, omega, energy


def total_energy(dae: Dae, t: float, q: np.ndarray, v: np.ndarray) -> float:
    """Kinetic, potential and strain energy of a state, J."""
    out = np.zeros(3)
    dae.energy(dae.model, t, q, v, dae.work, np.zeros(dae.m), np.zeros(dae.m), out)
    return float(out.sum())


def stiff() -> Iterator[str]:
    """Amplitudes of a panel's modes after 100 periods of the lowest, at a step of 1e-3 s."""
    yield "| scheme | panel | amplitude of modes 1, 2, 5 | largest of the others | energy, end over start |"
    yield "|---|---|---|---|---|"
    for title, scheme in SCHEMES.items():
        for is_hinged in (False, True):
            amplitude, _, energy = ring(scheme, 1e-3, 100.0, is_hinged)
            low = ", ".join(f"{x:.4f}" for x in amplitude[-50:, :3].max(axis=0))
            where = "turning on its hinge" if is_hinged else "clamped"
            high = amplitude[-50:, 3:].max()
            yield f"| {title} | {where} | {low} | {high:.2g} | {energy[-1] / energy[0]:.12f} |"


STUDIES: dict[str, Callable[..., Iterator[str]]] = {
    "drift": drift, "orders": orders, "swing": swing_table, "stiff": stiff,
}  # fmt: skip


def main(name: str, *numbers: str) -> None:
    """Print one study."""
    for line in STUDIES[name](*(int(float(x)) for x in numbers)):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
