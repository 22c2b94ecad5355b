"""Tables and figures of docs/verification_flexible.md: ``python -m tests.flexible.convergence [folder]``."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from tests.flexible.reference import Distance, distance, panel_displacements, reference, run

EULER = {"stiffening": False, "shear": False, "rotary_inertia": False}
LINKS = (("coupler_deflection", "vc_mid_m"), ("follower_deflection", "vf_mid_m"))
FOUR_BAR = (
    ("four_bar_linear_2modes", [{"elements": n, **EULER} for n in (2, 4, 8, 16)]),
    ("four_bar_nonlinear", [{"elements": 16, "modes": n} for n in (1, 2, 3, 6, 8, 12)]),
    (
        "four_bar_nonlinear",
        [{"pieces": p, "modes": n, "elements": e, "tree": "joint"}
         for p, n, e in ((2, 0, 8), (2, 2, 8), (4, 0, 8), (4, 2, 16), (8, 0, 8), (16, 0, 16))],
    ),
)  # fmt: skip
PANELS = (
    ("panels_nonlinear", [{"modes": n, "inertia": "consistent"} for n in (2, 4, 6, 12, 20, 30)]),
    (
        "panels_nonlinear",
        [
            {"modes": 20, "triangles": n, "inertia": i}
            for n in (32, 128, 512)
            for i in ("lumped", "consistent")
        ],
    ),
    ("panels_linear_4modes", [{}, {"outer": "rigid"}, {"inertia": "consistent"}, {"stiffening": False}]),
    ("panels_linear_20modes", [{"modes": 20, "stiffening": False}]),
)


def told(far: Distance) -> str:
    return f"{100 * far.largest:6.2f} {100 * far.rms:6.2f} {1e3 * far.low:8.2f} {1e3 * far.high:8.2f}"


def tables() -> None:
    """Largest and rms difference (% of peak), lowest and highest value (mm) of both signals."""
    for name, choices in FOUR_BAR:
        for choice in choices:
            motion = run("four_bar", 0.0598, 1e-5, **choice)
            cells = [told(distance(motion.t, motion.channel(c), reference(name), x)) for c, x in LINKS]
            print(name, choice, *cells, sep=" | ", flush=True)  # noqa: T201 - a script
    for name, choices in PANELS:
        for choice in choices:
            motion = run("panel_deployment", 20.0, 1e-2, **choice)
            moved = panel_displacements(motion)
            cells = [told(distance(motion.t, moved[x], reference(name), x)) for x in moved]
            print(name, choice, *cells, sep=" | ", flush=True)  # noqa: T201 - a script


def figures(folder: Path) -> None:
    """Both headline cases beside their references."""
    curve = reference("four_bar_nonlinear")
    figure, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
    choices = (("one body, 2 modes", {}), ("one body, 12 modes", {"modes": 12, "elements": 16}),
               ("8 pieces", {"pieces": 8, "modes": 0, "tree": "joint"}))  # fmt: skip
    motions = [(label, run("four_bar", 0.0598, 1e-5, **choice)) for label, choice in choices]
    for ax, (channel, column) in zip(axes, LINKS, strict=True):
        ax.plot(210 * curve["t_s"], 1e3 * curve[column], "k", lw=2.5, alpha=0.35, label="geometrically exact")
        for label, motion in motions:
            ax.plot(210 * motion.t, 1e3 * motion.channel(channel), lw=0.9, label=label)
        ax.set_ylabel(f"{channel.split('_')[0]} [mm]")
    axes[0].legend(ncols=4, fontsize=8)
    axes[1].set_xlabel("crank angle [rad]")
    figure.savefig(folder / "four_bar_deflection.svg")
    curve = reference("panels_nonlinear")
    figure, ax = plt.subplots(figsize=(8, 4))
    for column in ("dA", "dC"):
        ax.plot(curve["t_s"], 1e3 * curve[column], "k", lw=2.5, alpha=0.35)
    for modes in (4, 20):
        motion = run("panel_deployment", 20.0, 1e-2, modes=modes, inertia="consistent")
        for column, moved in panel_displacements(motion).items():
            if column in ("dA", "dC"):
                edge = {"dA": "panel 1", "dC": "panel 2"}[column]
                ax.plot(motion.t, 1e3 * moved, lw=0.9, label=f"{edge}, {modes} modes")
    ax.legend(fontsize=8)
    ax.set(xlabel="t [s]", ylabel="displacement of the outer edge [mm]")
    figure.savefig(folder / "panel_deployment.svg")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        figures(Path(sys.argv[1]))
    else:
        tables()
