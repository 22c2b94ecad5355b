"""What choosing trees gains, and whether ``measured`` chooses well: ``python -m tests.benchmarks.trees``.

First :func:`flexnet.measure_trees` makes its choice, with its own clock and its own runs. Then every
candidate it had, and the trees of GTM's order, are formulated anew and run here: the same steps from the same
start, in turns, in an order shuffled for every round, by processor time. What counts is the time over the
median of its round, and the median of it over the rounds: a busy machine is slow for seconds at a time. The
choice is held against the best of those it was free to take: the ones that kept the error. The chosen trees
run under two names, formulated twice: how far these are apart is the noise of the whole. Words after the
command name the cases; without any, the table of docs/theory/trees.md is written. It takes some twelve
minutes: where time runs short, rounds become fewer.
"""

import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from time import monotonic, process_time

import numpy as np

import flexnet as fx
from flexnet.analysis import Measured
from flexnet.errors import FlexnetError
from flexnet.graph import RULES, LinearGraph, select_trees
from flexnet.integrators import Settings, begin
from tests.benchmarks.table import table
from tests.catalogue import FLEXIBLE, NAMES, NETWORKS, load
from tests.random_graphs import random_mechanism

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "trees.md"
#: processor time of a burst and of all rounds of a case, s; fewest and most rounds; minutes of all cases
BURST, CASE, FEWEST, MOST, MINUTES = 5e-3, 8.0, 6, 60, 12.0
#: name under which the chosen trees run a second time
AGAIN = "chosen, again"


@dataclass(frozen=True, slots=True)
class Row:
    """One case: microseconds a step by candidate, the trees of GTM's order under ``gtm``."""

    name: str
    contest: Measured
    times: Mapping[str, float]
    noise: float
    rounds: int

    @property
    def best(self) -> str:
        """Fastest candidate that ``measured`` was free to take."""
        limit = self.contest.limit
        fair = [n for n, t in self.contest.timings.items() if t.error <= limit and self.times[n] < inf]
        return min(fair, key=self.times.__getitem__)

    @property
    def over_best(self) -> float:
        """How much longer the chosen trees take than the best, as a share of the best."""
        return self.times[self.contest.chosen] / self.times[self.best] - 1.0

    def __str__(self) -> str:
        t, chosen = self.times, self.contest.chosen
        over = self.over_best
        return (
            f"| {self.name} | {t['gtm']:.2f} | {t['default']:.2f} | {t[chosen]:.2f} | {chosen} "
            f"| {t['gtm'] / t[chosen]:.2f} | {t['default'] / t[chosen]:.2f} "
            f"| {100 * over:.1f} % | {'yes' if over <= 0.1 else '**no**'} | {100 * self.noise:.1f} % "
            f"| {len(self.contest.timings)} | {self.contest.seconds:.1f} | {self.rounds} |"
        )


HEADER = (
    "| case | `gtm` | `default` | `measured` | chosen | over `gtm` | over `default` | behind the best "
    "| within 10 % | noise | candidates | contest [s] | rounds |"
)


def measure(name: str, budget: float = CASE, seed: int = 0) -> Row:
    """Let ``measured`` choose, then time everything it chose from, for a budget of processor time [s]."""
    module = load(name)
    system = module.build()
    poses = fx.assemble(system)
    step = getattr(module, "STEP", None) or fx.formulate(system, poses=poses).scale.time / 500
    contest = fx.measure_trees(system, step, end=getattr(module, "END", None))
    trees = {n: (t.equations.T.names, t.equations.R.names) for n, t in contest.timings.items()}
    T, R = select_trees(system.graph, "gtm")
    twin = next((n for n, (t, r) in trees.items() if set(t) == set(T.names) and set(r) == set(R.names)), None)
    if twin is None:
        trees["gtm"] = T.names, R.names
    trees[AGAIN] = trees[contest.chosen]
    made = {n: fx.formulate(system, "default", *pair, poses=poses) for n, pair in trees.items()}
    times, rounds = seconds_of_steps(made, step, contest.steps, budget, random.Random(seed))
    micro = {n: 1e6 * seconds / (contest.steps - 1) for n, seconds in times.items()}
    micro["gtm"] = micro[twin or "gtm"]
    return Row(name, contest, micro, abs(micro[AGAIN] / micro[contest.chosen] - 1.0), rounds)


def seconds_of_steps(
    made: Mapping[str, fx.Equations], step: float, steps: int, budget: float, rng: random.Random
) -> tuple[dict[str, float], int]:
    """Processor time of the steps of every candidate, what comes before the first taken off; rounds run."""
    runs = {n: repeatable(e, step, steps) for n, e in made.items()}
    first = {n: run() for n, run in runs.items()}  # not counted: caches fill
    left = [n for n in runs if first[n] < inf]
    bare = {n: (one := repeatable(made[n], step, 1)) and min(one() for _ in range(7)) for n in left}
    repeats = max(1, round(BURST / median(first[n] for n in left)))
    begun, rounds = process_time(), list[list[float]]()
    while len(rounds) < FEWEST or (len(rounds) < MOST and process_time() - begun < budget):
        times = dict.fromkeys(left, 0.0)
        for n in rng.sample(left, len(left)):
            times[n] = sum(runs[n]() for _ in range(repeats)) / repeats
        rounds.append([times[n] - bare[n] for n in left])
    table = np.array(rounds)  # (round, candidate)
    middle = np.median(table, axis=1)
    found = np.median(table / middle[:, None], axis=0) * middle.min()
    return dict.fromkeys(made, inf) | dict(zip(left, found.tolist(), strict=True)), len(rounds)


def repeatable(equations: fx.Equations, step: float, steps: int) -> Callable[[], float]:
    """A run of HHT-α from the same start as often as it is called; gives its processor time, or infinity."""
    march = begin(equations.dae(), fx.hht(), Settings(step, steps * step, interval=steps * step))
    place = [x.copy() for x in march.place]
    memory = {name: x.copy() for name, x in march.memory.items()}

    def run() -> float:
        march.restore(*place, memory, 0)
        begun = process_time()
        for _ in march.blocks():
            pass
        seconds = process_time() - begun
        return seconds if march.status.is_done else inf

    return run


def choosing() -> str:
    """Processor time of the slowest rule on two graphs, in words."""
    graphs = {
        "Stewart–Gough platform": load("leger_a11_stewart").build().mechanism,
        "200 bodies with 60 loops": random_mechanism(random.Random(0), 200, 60),
    }
    slowest = {name: max(map(partial(seconds_of, graph), RULES)) for name, graph in graphs.items()}
    return ", ".join(f"{name} {seconds:.3f} s" for name, seconds in slowest.items())


def seconds_of(graph: LinearGraph, rule: str) -> float:
    """Processor time of choosing both trees by a rule."""
    begun = process_time()
    select_trees(graph, rule)
    return process_time() - begun


def cases(wanted: list[str]) -> list[str]:
    """Every case with bodies whose name contains one of the wanted words, networks beside them included."""
    names = [n for n in sorted([*NAMES, *FLEXIBLE, *NETWORKS]) if not wanted or any(w in n for w in wanted)]
    return [name for name in names if load(name).build().bodies]


def main(wanted: list[str]) -> None:
    """Run the cases whose names contain one of the wanted words, or all; then the page has the table."""
    chosen = cases(wanted)
    rows, begun = list[Row](), monotonic()
    with table("trees", is_whole=not wanted, page=PAGE) as say:
        say(HEADER)
        say("|---" * 13 + "|")
        for k, name in enumerate(chosen):
            left = (MINUTES * 60.0 - (monotonic() - begun)) / (len(chosen) - k)
            try:
                rows.append(measure(name, min(CASE, max(0.5, 0.5 * left))))
            except FlexnetError as error:
                say(f"| {name} | refused: {' '.join(str(error).split())[:80]}" + " |" * 12)
                continue
            if len(rows[-1].contest.timings) == 1:
                say(f"| {name} | one pair of trees: nothing to choose" + " |" * 12)
                rows.pop()
                continue
            say(str(rows[-1]))
        gains = sum(r.times["gtm"] / r.times[r.contest.chosen] >= 1.3 for r in rows)
        near = sum(r.over_best <= 0.1 for r in rows)
        worst, noise = max(r.over_best for r in rows), max(r.noise for r in rows)
        say("")
        say(f"Choosing trees, the slowest rule: {choosing()}.")
        say(
            f"At least 1.3 times as fast as `gtm`: {gains} of {len(rows)}; within 10 % of the best: {near}"
            f" (the furthest {100 * worst:.1f} % behind; noise up to {100 * noise:.1f} %)."
            f" {(monotonic() - begun) / 60:.1f} min in all; µs of processor time a step."
        )


if __name__ == "__main__":
    main(sys.argv[1:])
