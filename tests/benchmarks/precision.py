"""Work and precision: processor time to reach an error, method by method.

``python -m tests.benchmarks.precision [word …]`` prints a table for every problem whose name contains one of
the words, about four minutes for all: error of the positions at the end over their sizes, and processor time
of the run without its set-up. The reference is dop853 at 1e-12, radau at 1e-11 where the problem is stiff.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import process_time

import numpy as np

import flexnet as fx
from cases import heavy_top, squeezer
from flexnet.integrators import Method, Settings, begin
from tests.benchmarks import chain
from tests.benchmarks.chain_peers import PEERS, STEPS
from tests.benchmarks.table import table

TOLERANCES = (1e-3, 1e-5, 1e-7, 1e-9)
HALVINGS = 4


@dataclass(frozen=True, slots=True)
class Problem:
    """A mechanism, the end of its run and the largest fixed step, s."""

    name: str
    build: Callable[[], fx.System]
    tree: str
    end: float
    step: float
    is_stiff: bool = False
    links: int = 0  # of a chain that others run, too


def dashpots() -> fx.System:
    """A chain of five pendula whose pins are damped far faster than they swing."""
    s = chain.build(5)
    for i in range(5):
        s.torsional_spring(f"damper{i}", joint=f"joint{i}", stiffness=0.0, damping=1e3)
    return s


PROBLEMS = (
    Problem("chain of 10", partial(chain.build, 10), "joint", 1.0, 4e-3, links=10),
    Problem("chain of 50", partial(chain.build, 50), "joint", 1.0, 4e-3, links=50),
    Problem("chain of 200", partial(chain.build, 200), "joint", 0.2, 4e-3, links=200),
    Problem("heavy top", heavy_top.build, "joint", 0.5, 2e-3),
    Problem("squeezer", squeezer.build, "joint", 0.03, 4e-5),
    Problem("stiff pins", dashpots, "joint", 2.0, 1e-2, is_stiff=True),
)


def run(equations: fx.Equations, method: Method, settings: Settings) -> tuple[float, np.ndarray]:
    """Processor time, and q at the end."""
    march = begin(equations.dae(), method, settings)
    began = process_time()
    rows = list(march.blocks())
    if not march.status.is_done:
        raise RuntimeError(f"{method.name}: {march.status}")
    return process_time() - began, rows[-1].q[-1]


def measure(problem: Problem, say: Callable[[str], None]) -> None:
    """Rows of one problem."""
    equations = fx.formulate(problem.build(), problem.tree)
    oracle = fx.radau() if problem.is_stiff else fx.dop853()
    finest = 1e-11 if problem.is_stiff else 1e-12
    adaptive = [fx.radau()] if problem.is_stiff else [fx.dopri5(), fx.dop853(), fx.radau()]

    def wanted(tolerance: float) -> Settings:
        return Settings(problem.step / 10, problem.end, problem.end, tolerance)

    _, exact = run(equations, oracle, wanted(finest))
    jobs = [(m, wanted(t), f"{t:.0e}") for m in adaptive for t in TOLERANCES]
    alpha = fx.generalised_alpha(0.8)
    steps = [problem.step / 2**k for k in range(HALVINGS)]
    jobs += [(alpha, Settings(h, problem.end, problem.end), f"step {h:g} s") for h in steps]
    say(f"\n{problem.name} ({problem.tree})\n\n| method | asked | error | time [ms] |\n|---|---|---|---|")
    for method, settings, asked in jobs:
        run(equations, method, Settings(problem.step / 10, problem.step, problem.step, settings.tolerance))
        seconds, end = run(equations, method, settings)
        error = float(np.abs((end - exact) / equations.q_sizes).max())
        say(f"| {method.name} | {asked} | {error:.1e} | {1e3 * seconds:.1f} |")
    if problem.links:
        beside(problem, exact - equations.initial.q, say)


def beside(problem: Problem, turned: np.ndarray, say: Callable[[str], None]) -> None:
    """Rows of other programs on the same chain; ``turned`` are its exact angles from the start."""
    for name, peer in PEERS.items():
        for step in STEPS:
            try:
                seconds, angles = peer(problem.links, problem.end, step)
            except ImportError as missing:
                say(f"| {name} | not installed: {missing.name} | | |")
                break
            error = float(np.abs(angles - turned).max())
            say(f"| {name} | step {step:g} s | {error:.1e} | {1e3 * seconds:.1f} |")


def main(words: list[str]) -> None:
    """Measure the problems whose names contain one of the words, or all."""
    with table("precision", is_whole=not words) as say:
        for problem in PROBLEMS:
            if not words or any(word in problem.name for word in words):
                measure(problem, say)


if __name__ == "__main__":
    main(sys.argv[1:])
