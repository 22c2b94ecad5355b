"""What choosing trees gains, and whether ``measured`` chooses well: ``python -m tests.benchmarks.trees``.

First :func:`flexnet.measure_trees` makes its choice, with its own clock and its own runs. Then every
candidate it had, and the trees of GTM's order, are formulated anew and run here: longer, in turns, in an
order shuffled for every round, by processor time, less that of a run of one step beside it. What counts is
the median over the rounds of the time over that of the default in the same round: a busy machine is slow for
seconds at a time. The choice is held against the best of those it was free to take: the ones that kept the
error. Words after the command name the cases; without any, the table of docs/theory/trees.md is written.
It takes some nine minutes: where time runs short, rounds become fewer and runs shorter.
"""

import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from time import monotonic, process_time

import flexnet as fx
from flexnet.analysis import Measured
from flexnet.errors import FlexnetError
from flexnet.graph import RULES, LinearGraph, select_trees
from flexnet.integrators import Settings, begin
from tests.benchmarks.table import table
from tests.catalogue import FLEXIBLE, NAMES, NETWORKS, load
from tests.random_graphs import random_mechanism

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "trees.md"
#: processor time of one run and of all rounds of a case, s; fewest and most rounds; minutes of all cases
RUN, CASE, FEWEST, MOST, MINUTES = 0.01, 6.0, 5, 30, 8.5
#: steps of a run that are enough where a step takes long
ENOUGH = 500


@dataclass(frozen=True, slots=True)
class Row:
    """One case: microseconds a step by candidate, the trees of GTM's order under ``gtm``."""

    name: str
    contest: Measured
    times: Mapping[str, float]
    spread: float
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
            f"| {100 * over:.1f} % | {'yes' if over <= 0.1 else '**no**'} | {100 * self.spread:.1f} % "
            f"| {len(self.contest.timings)} | {self.contest.seconds:.1f} |"
        )


HEADER = (
    "| case | `gtm` | `default` | `measured` | chosen | over `gtm` | over `default` | behind the best "
    "| within 10 % | noise | candidates | contest [s] |"
)


def run(equations: fx.Equations, step: float, steps: int) -> float:
    """Seconds of processor time of a run of HHT-α; infinite where a step fails."""
    integration = begin(equations.dae(), fx.hht(), Settings(step, steps * step, interval=steps * step))
    begun = process_time()
    for _ in integration.blocks():
        pass
    seconds = process_time() - begun
    return seconds if integration.status.is_done else inf


def a_step(equations: fx.Equations, step: float) -> float:
    """Seconds of a step, roughly."""
    for steps in (10, 200):
        seconds = run(equations, step, steps) - run(equations, step, 1)
        if seconds > 0.05:
            break
    return seconds / (steps - 1)


def measure(name: str, budget: float = CASE, seed: int = 0) -> Row:
    """Let ``measured`` choose, then time everything it chose from, for a budget of processor time [s]."""
    module = load(name)
    system = module.build()
    poses = fx.assemble(system)
    step = getattr(module, "STEP", None) or fx.formulate(system, poses=poses).scale.time / 500
    contest = fx.measure_trees(system, step)
    trees = {n: (t.equations.T.names, t.equations.R.names) for n, t in contest.timings.items()}
    T, R = select_trees(system.graph, "gtm")
    twin = next((n for n, (t, r) in trees.items() if set(t) == set(T.names) and set(r) == set(R.names)), None)
    if twin is None:
        trees["gtm"] = T.names, R.names
    made = {n: fx.formulate(system, "default", *pair, poses=poses) for n, pair in trees.items()}
    first = {n: a_step(e, step) for n, e in made.items()}
    # a motion is not looked at beyond the end of its case: it may become faster than the step resolves
    most = max(200, min(5000, int(getattr(module, "END", inf) / step))) if hasattr(module, "END") else 5000
    together = sum(t for t in first.values() if t < inf)
    enough = max(20, min(ENOUGH, int(budget / (FEWEST * together))))
    steps = min(most, max(enough, round(RUN / max(min(first.values()), 1e-7))))
    cost = sum(steps * t + 3e-3 for t in first.values() if t < inf)
    rounds = max(FEWEST, min(MOST, round(budget / cost)))
    rng, failed = random.Random(seed), sum(t == inf for t in first.values())
    ratios, base = {n: list[float]() for n in made}, inf
    for _ in range(rounds):
        times = {}
        for n in rng.sample(sorted(n for n in made if first[n] < inf), len(made) - failed):
            times[n] = max(run(made[n], step, steps) - run(made[n], step, 1), 1e-9)
        base = min(base, times["default"])
        for n, seconds in times.items():
            ratios[n].append(seconds / times["default"])
    micro = {n: 1e6 * base * median(r) / (steps - 1) if r else inf for n, r in ratios.items()}
    micro["gtm"] = micro[twin or "gtm"]
    return Row(name, contest, micro, _noise(ratios[contest.chosen]), rounds)


def _noise(ratios: list[float]) -> float:
    """How far the median of the odd rounds is from that of the even ones."""
    return abs(median(ratios[::2]) / median(ratios[1::2]) - 1.0)


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


def cases() -> list[str]:
    """Every case with bodies, networks beside them included."""
    return [name for name in sorted([*NAMES, *FLEXIBLE, *NETWORKS]) if load(name).build().bodies]


def main(wanted: list[str]) -> None:
    """Run the cases whose names contain one of the wanted words, or all; then the page has the table."""
    chosen = [name for name in cases() if not wanted or any(word in name for word in wanted)]
    rows, begun = list[Row](), monotonic()
    with table("trees", is_whole=not wanted, page=PAGE) as say:
        say(HEADER)
        say("|---" * 12 + "|")
        for k, name in enumerate(chosen):
            left = (MINUTES * 60.0 - (monotonic() - begun)) / (len(chosen) - k)
            try:
                rows.append(measure(name, min(CASE, max(0.5, 0.5 * left))))
            except FlexnetError as error:
                say(f"| {name} | refused: {' '.join(str(error).split())[:80]}" + " |" * 11)
                continue
            if len(rows[-1].contest.timings) == 1:
                say(f"| {name} | one pair of trees: nothing to choose" + " |" * 11)
                rows.pop()
                continue
            say(str(rows[-1]))
        gains = sum(r.times["gtm"] / r.times[r.contest.chosen] >= 1.3 for r in rows)
        near = sum(r.over_best <= 0.1 for r in rows)
        say("")
        say(f"Choosing trees, the slowest rule: {choosing()}.")
        say(
            f"At least 1.3 times as fast as `gtm`: {gains} of {len(rows)}; within 10 % of the best: {near}."
            f" {(monotonic() - begun) / 60:.1f} min in all; µs of processor time a step."
        )


if __name__ == "__main__":
    main(sys.argv[1:])
