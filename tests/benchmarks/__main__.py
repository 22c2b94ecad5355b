"""Write the first table of docs/performance.md: ``python -m tests.benchmarks [name …]``."""

import sys
from functools import partial

from cases import n_four_bar, squeezer
from tests.benchmarks import chain
from tests.benchmarks.duel import Case, Score, fight
from tests.benchmarks.table import ROOT, commit_of, put, table

SMALL = ("joint", "absolute_angular")
LARGE = ("joint", "absolute_angular", "absolute")

CASES = (
    Case("four-bar, spatial pins", partial(n_four_bar.build, 1, planar=False), SMALL, 5e-4, 0.5, "bar0"),
    Case("squeezer", squeezer.build, SMALL, 1e-5, 0.03, "K3"),
    *(
        Case(f"{N}-four-bar", partial(n_four_bar.build, N), LARGE, step, 0.5, "bar0")
        for N, step in ((1, 5e-4), (2, 5e-4), (10, 5e-4), (40, 1e-3))
    ),
    *(
        Case(f"chain of {N}", partial(chain.build, N), LARGE, step, 1.0, f"rod{N - 1}")
        for N, step in ((10, 1e-3), (50, 1e-3), (200, 1e-3))
    ),
    # in sparse coordinates alone, to see how the cost grows
    *(
        Case(f"growth, chain of {N}", partial(chain.build, N), ("absolute",), 1e-3, 0.2, f"rod{N - 1}")
        for N in (50, 100, 200, 400)
    ),
)  # fmt: skip

HEADER = (
    "| case | tree | flexnet [steps/s] | Exudyn [steps/s] | ratio | at equal error "
    "| flexnet error [m] | Exudyn error [m] | Exudyn settings | set-up [s] |"
)


def row(score: Score) -> str:
    """One line of the table."""
    return (
        f"| {score.case.name} | {score.tree} | {score.ours:,.0f} | {score.theirs:,.0f} | {score.ratio:.1f} "
        f"| {score.fair_ratio:.1f} | {score.our_error:.1e} | {score.their_error:.1e} | {score.options} "
        f"| {score.setup:.2f} |"
    )


def main(wanted: list[str]) -> None:
    """Run the cases whose names contain one of the wanted words, or all."""
    ratios = []
    with table("mechanisms", is_whole=not wanted) as say:
        say(HEADER)
        say("|---" * 10 + "|")
        for case in CASES:
            if not wanted or any(word in case.name for word in wanted):
                score = fight(case)
                ratios.append(score.ratio)
                say(row(score))
    if not wanted:
        put("speed", [in_short(ratios)], ROOT / "README.md")


def in_short(ratios: list[float]) -> str:
    """What the README says of the table."""
    return (
        f"Rigid mechanisms take {min(ratios):.0f} to {max(ratios):.0f} times as many steps a second as in"
        f" Exudyn, same method and step, measured at commit {commit_of(ROOT)}:"
        " [Performance](docs/performance.md)."
    )


if __name__ == "__main__":
    main(sys.argv[1:])
