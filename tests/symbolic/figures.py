"""Tables and figure of docs/theory/symbolic.md: ``python -m tests.symbolic.figures [folder]``."""

import sys
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import flexnet as fx
from flexnet.formulation.symbolic import count_operations, count_written_out, symbolic
from tests.catalogue import build
from tests.symbolic.flexible_rod import deflections, reference
from tests.symbolic.leger_tables import TABLES, trees
from tests.symbolic.test_flexible_rod import CASE, finite_elements


def rod(folder: Path) -> None:
    """Deflections of the rod to first and second order beside finite elements and exact beams."""
    systems = {
        "second order": build(CASE),
        "first order": build(CASE, order=1),
        "finite elements": finite_elements(),
    }
    method = fx.generalised_alpha(0.9)
    curves = {
        name: deflections(fx.simulate(system, 0.0837, 2e-5, method=method, tree="joint", throw=False))
        for name, system in systems.items()
    }
    exact = reference("nonlinear")
    figure, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
    for k, (ax, letter) in enumerate(zip(axes, "vw", strict=True), start=1):
        ax.plot(150 * exact[0], 1e3 * exact[k], "k", lw=2.5, alpha=0.3, label="geometrically exact")
        for name, curve in curves.items():
            style = "--" if name == "finite elements" else "-"
            ax.plot(150 * curve[0], 1e3 * curve[k], style, lw=1.0, label=name)
        ax.set(ylabel=f"{letter} [mm]", ylim=(-16, 16))
    axes[0].legend(ncols=4, fontsize=8)
    axes[1].set_xlabel("crank angle [rad]")
    figure.savefig(folder / "dynaflex_rod.svg", metadata={"Date": None})
    for name in ("second order", "first order"):
        for other, curve in (("finite elements", curves["finite elements"]), ("exact beams", exact)):
            _say(f"{name} beside {other}: {', '.join(f'{100 * x:.1f} %' for x in _far(curves[name], curve))}")


def _far(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> list[float]:
    """Rms of the differences of v and w over rms of the other's."""
    out = []
    for k in (1, 2):
        y = other[k]
        x = np.interp(other[0], one[0], one[k])
        out.append(float(np.sqrt(np.mean((x - y) ** 2) / np.mean(y**2))))
    return out


def counts() -> None:
    """Printed counts beside those of the equations written out and of the tape."""
    for table, (case, parameters, rows) in TABLES.items():
        system = build(case, **parameters)
        for row in rows:
            R, T = trees(row)
            begin = perf_counter()
            made = symbolic(system, rotations="xyz", numbers=True, translation=T, rotation=R)
            tape = count_operations(made).total
            seconds = perf_counter() - begin
            out, raw = (count_written_out(made, identity=identity).total for identity in (True, False))
            cells = (
                table,
                row[0],
                "same" if row[1] == "=" else row[1],
                f"{made.n} + {made.m}",
                row[2],
                out,
                raw,
                tape,
            )
            _say(f"| {' | '.join(map(str, cells))} | {seconds:.1f} |")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        rod(Path(sys.argv[1]))
    else:
        counts()
