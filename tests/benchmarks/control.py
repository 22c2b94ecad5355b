"""What a controller costs: ``python -m tests.benchmarks.control [rounds]``, some two minutes.

The same mechanism with a torque on one of its pins that is a number, and with one that a PID controller gives
(integral and filter: two states), in turns of some hundredths of a second; the least time of each counts,
which nothing but the code makes longer.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import flexnet as fx
from cases import four_bar, leger_a01_four_bar
from flexnet.integrators import Settings, begin
from tests.benchmarks.table import table


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism, the pin that is driven, its tree, step (s), steps, and what a PID may cost, per cent."""

    name: str
    build: Callable[[], fx.System]
    pin: str
    tree: str
    step: float
    steps: int
    limit: float


CASES = (
    Case("four-bar, rigid", leger_a01_four_bar.build, "h14", "joint", 1e-3, 4000, 25.0),
    Case("four-bar, rigid", leger_a01_four_bar.build, "h14", "absolute", 1e-3, 4000, 25.0),
    Case("four-bar, flexible", four_bar.build, "C", "default", four_bar.STEP, 2000, 5.0),
    Case("four-bar, flexible", four_bar.build, "C", "absolute", four_bar.STEP, 2000, 5.0),
)


def driven(case: Case, has_controller: bool) -> fx.Equations:
    """The mechanism with a small torque on a pin, by a controller or not."""
    s = case.build()
    angle = fx.joint_coordinate(case.pin)
    torque = fx.pid(0.1 - angle, 1e-3, 1e-3, 1e-4, filter=0.01, unit="N*m") if has_controller else 1e-3
    s.torque("control", joint=case.pin, torque=torque)
    return fx.formulate(s, case.tree)


def measure(equations: fx.Equations, case: Case) -> tuple[float, float]:
    """Microseconds of processor time a step in the compiled loop, and iterations a step."""
    end = case.steps * case.step
    settings = Settings(case.step, end, interval=end)
    march = begin(equations.dae(), fx.hht(), settings)
    start = process_time()
    for _ in march.blocks():
        pass
    seconds = process_time() - start
    if not march.status.is_done:
        raise RuntimeError(f"{case.name}: {march.status}")
    return 1e6 * seconds / case.steps, march.status.iterations / case.steps


def compare(case: Case, rounds: int) -> str:
    """One line of the table: both in turns, the least of each."""
    pair = driven(case, False), driven(case, True)
    for equations in pair:
        measure(equations, case)  # compiled from here on
    turns = [[measure(equations, case) for equations in pair] for _ in range(rounds)]
    plain, held = (min(turn[k][0] for turn in turns) for k in (0, 1))
    more = 100.0 * (held / plain - 1.0)
    return (
        f"| {case.name} | {case.tree} | {plain:.1f}, {turns[0][0][1]:.2f} | {held:.1f}, {turns[0][1][1]:.2f}"
        f" | {more:+.1f} % | {case.limit:.0f} % |"
    )


def main(rounds: int = 60) -> None:
    """Write the table."""
    with table("control") as say:
        say("| case | tree | without: µs, iterations a step | with a PID | more | limit |")
        say("|---|---|---|---|---|---|")
        for case in CASES:
            say(compare(case, rounds))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
