"""Tables and figure of docs/theory/symbolic.md: ``python -m tests.symbolic.figures [folder]``."""

import sys
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from flexnet.formulation.symbolic import count_operations, symbolic
from tests.catalogue import build
from tests.symbolic.flexible_rod import far, reference
from tests.symbolic.leger_tables import TABLES, trees
from tests.symbolic.test_flexible_rod import CASE, curves, finite_elements
from tests.symbolic.whole_energy import Rod
from tests.symbolic.written_out import count_written_out


def rod(folder: Path) -> None:
    """Deflections of the rod to first and second order beside finite elements and exact beams."""
    found = {
        "second order": curves(build(CASE)),
        "first order": curves(build(CASE, order=1)),
        "finite elements": curves(finite_elements()),
    }
    exact, whole = reference("nonlinear"), Rod().deflections(0.0837)
    figure, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
    for k, (ax, letter) in enumerate(zip(axes, "vw", strict=True), start=1):
        ax.plot(150 * exact[0], 1e3 * exact[k], "k", lw=2.5, alpha=0.3, label="geometrically exact")
        for name, curve in found.items():
            style = "--" if name == "finite elements" else "-"
            ax.plot(150 * curve[0], 1e3 * curve[k], style, lw=1.0, label=name)
        ax.plot(150 * whole[0], 1e3 * whole[k], ":", lw=1.2, label="second order, whole energy")
        ax.set(ylabel=f"{letter} [mm]", ylim=(-16, 16))
    axes[0].legend(ncols=3, fontsize=8)
    axes[1].set_xlabel("crank angle [rad]")
    figure.savefig(folder / "dynaflex_rod.svg", metadata={"Date": None})
    elements = found["finite elements"]
    for name, curve in (*found.items(), ("second order, whole energy", whole)):
        _say(f"| {name} | {_percent(curve, elements)} | {_percent(curve, exact)} |")
    for modes in (6, 8, 10, 12, 16, 20, 24):
        fewer = curves(finite_elements(modes))
        _say(f"{modes} modes: {_percent(found['second order'], fewer)}")
    for shapes in (3, 5, 7):
        more = curves(build(CASE, shapes=shapes, functions="chebyshev"))
        _say(f"{2 * shapes} polynomials: {_percent(more, elements)}")


def _percent(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> str:
    return ", ".join(f"{100 * x:.1f} %" for x in far(one, other))


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
