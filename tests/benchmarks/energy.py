"""Cost of the energy schemes beside HHT-α: ``python -m tests.benchmarks.energy [name …]``."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import process_time

import flexnet as fx
from cases import four_bar, n_four_bar, panel_deployment
from flexnet.integrators import Method, Settings, begin
from tests.benchmarks.table import table


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism and how it is run: its tree, step and end (s)."""

    name: str
    build: Callable[[], fx.System]
    tree: str
    step: float
    end: float


CASES = (
    Case("four-bar, rigid", partial(n_four_bar.build, 1), "joint", 5e-4, 0.5),
    Case("four-bar, flexible", four_bar.build, "default", four_bar.STEP, four_bar.END),
    Case("four-bar, flexible", four_bar.build, "absolute", four_bar.STEP, four_bar.END),
    Case(
        "four-bar, eight pieces a link", partial(four_bar.build, pieces=8, modes=0), "joint",
        four_bar.STEP, 0.01,
    ),
    Case("panels", panel_deployment.build, "default", panel_deployment.STEP, panel_deployment.END),
    Case("panels", panel_deployment.build, "absolute", panel_deployment.STEP, panel_deployment.END),
)  # fmt: skip
METHODS: tuple[Method, ...] = (fx.hht(), fx.energy_preserving(), fx.energy_decaying(0.0))


def measure(equations: fx.Equations, case: Case, method: Method) -> tuple[float, float]:
    """Microseconds of processor time a step in the compiled loop, and iterations a step."""
    steps = round(case.end / case.step)
    settings = Settings(case.step, steps * case.step, interval=steps * case.step)
    integration = begin(equations.dae(), method, settings)
    start = process_time()
    for _ in integration.blocks():
        pass
    seconds = process_time() - start
    if not integration.status.is_done:
        raise RuntimeError(f"{case.name}: {integration.status}")
    return 1e6 * seconds / steps, integration.status.iterations / steps


def compare(case: Case, rounds: int = 5) -> str:
    """One line of the table: the methods in turns, medians of the rounds."""
    equations = fx.formulate(case.build(), case.tree)
    for method in METHODS:
        measure(equations, case, method)  # compiled from here on
    turns = [[measure(equations, case, method) for method in METHODS] for _ in range(rounds)]
    times = [median(turn[k][0] for turn in turns) for k in range(len(METHODS))]
    ratios = [median(turn[k][0] / turn[0][0] for turn in turns) for k in range(len(METHODS))]
    cells = [
        f"{time:.1f}, {turns[0][k][1]:.2f}" + (f", **{ratios[k]:.2f}**" if k else "")
        for k, time in enumerate(times)
    ]
    return f"| {case.name} | {case.tree} | " + " | ".join(cells) + " |"


def main(wanted: list[str]) -> None:
    """Run the cases whose names contain one of the wanted words, or all."""
    with table("energy", is_whole=not wanted) as say:
        say("| case | tree | HHT-α: µs, iterations a step | preserving: µs, iterations, ratio | decaying |")
        say("|---" * 5 + "|")
        for case in CASES:
            if not wanted or any(word in case.name for word in wanted):
                say(compare(case))


if __name__ == "__main__":
    main(sys.argv[1:])
