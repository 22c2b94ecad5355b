"""The trees that run fastest here: candidates timed side by side for some hundred steps.

Counting says how many equations a tree gives, not what a step costs on this machine. So the trees of every
rule, and the neighbours of the fastest of them, run the same steps from the same start, in turns, and the
best time of each counts. A candidate whose end is further from that of half the step than twice the
default's is not taken, however fast it is.
"""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from flexnet.analysis.recording import model_hash
from flexnet.cache import load, save
from flexnet.errors import FlexnetError
from flexnet.formulation import Equations, Poses, State, assemble, formulate
from flexnet.formulation.condition import condition
from flexnet.graph.selection.select import as_wishes, left_out
from flexnet.graph.selection.shortlist import Pair, neighbours, rule_trees, same
from flexnet.integrators import Method, Settings, begin, hht
from flexnet.system import System

log = logging.getLogger("flexnet")

#: rounds of the contest: the best of so many times counts
ROUNDS = 5
#: a challenger must be faster than the default by this, or the default stays: less than this is noise
NOISE = 0.03


@dataclass(frozen=True, slots=True)
class Budget:
    """How much is measured.

    Attributes
    ----------
    steps : of each run.
    most : candidates at most.
    seconds : of processor time after which no candidate is added.
    seed : which neighbours of equal counts are tried first.
    """

    steps: int = 500
    most: int = 16
    seconds: float = 10.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """One candidate.

    Attributes
    ----------
    equations : in its trees.
    seconds : processor time of a step, s; infinite if the run failed.
    error : distance of its end from that of half the step, in lengths of the model or rad.
    condition : of the constraint Jacobian at the start.
    """

    equations: Equations
    seconds: float
    error: float
    condition: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Outcome of a contest.

    Attributes
    ----------
    timings : by name of the candidate: a rule, or the exchange that leads to it.
    chosen : name of the one taken.
    seconds : processor time of the whole contest, s.
    """

    timings: Mapping[str, Timing]
    chosen: str
    seconds: float

    @property
    def equations(self) -> Equations:
        """In the chosen trees."""
        return self.timings[self.chosen].equations

    def __str__(self) -> str:
        best, default = self.timings[self.chosen].seconds, self.timings["default"].seconds
        return (
            f"trees measured: {self.chosen}, {best * 1e6:.2f} µs a step (default {default * 1e6:.2f} µs),"
            f" of {len(self.timings)} candidates in {self.seconds:.1f} s"
        )


def measure_trees(
    system: System,
    step: float | None = None,
    method: Method | None = None,
    engine: str = "numeric",
    budget: Budget | None = None,
    require: Sequence[str] = (),
    counts: str = "spatial",
) -> Measured:
    """Time candidate trees side by side and take the fastest that keeps the error.

    Parameters
    ----------
    system : the mechanism.
    step : s; a five-hundredth of the model's time if left out.
    method : HHT-α if left out.
    engine : ``"numeric"``, or ``"symbolic"``.
    budget : how much is measured.
    require, counts : as in :func:`~flexnet.formulation.formulate`; of every candidate.
    """
    wishes = as_wishes(system.graph, require, counts)
    begun, budget = time.process_time(), budget or Budget()
    poses = assemble(system)
    contest = _Contest(system, poses, step, method or hht(), engine, budget.steps)
    for name, pair in rule_trees(system.graph, wishes).items():
        contest.enter(name, pair)
    contest.rounds(2)
    fastest = contest.best()
    others = neighbours(system.graph, contest.pairs[fastest], require)
    # few coordinates first; the seed decides which of the others are reached within the budget
    head, tail = others[: budget.most], others[budget.most :]
    Random(budget.seed).shuffle(tail)
    for name, pair in head + tail:
        if len(contest.pairs) >= budget.most or time.process_time() - begun > budget.seconds / 2:
            break
        contest.enter(f"{fastest}, {name}", pair)
    contest.rounds(ROUNDS)
    chosen = contest.best()
    for note in left_out(*contest.pairs[chosen], require):
        log.warning("%s", note)
    return Measured(contest.timings(), chosen, time.process_time() - begun)


def measured(
    system: System,
    step: float | None = None,
    method: Method | None = None,
    engine: str = "numeric",
    require: Sequence[str] = (),
    counts: str = "spatial",
) -> Equations:
    """Formulate in the fastest trees: those remembered for this very model, or else measured now."""
    as_wishes(system.graph, require, counts)
    key = _key(system, step, method or hht(), engine, require, counts)
    kept = load("trees", key)
    if kept is not None:
        known = json.loads(kept)
        equations = formulate(system, "default", known["T"], known["R"])
        equations.chosen = f"{known['said']} (remembered)"
        for note in left_out(equations.T, equations.R, require):
            log.warning("%s", note)
    else:
        made = measure_trees(system, step, method, engine, None, require, counts)
        equations = made.equations
        equations.chosen = str(made)
        names = {"T": equations.T.names, "R": equations.R.names, "said": equations.chosen}
        save("trees", key, json.dumps(names).encode())
    log.info("%s", equations.chosen)
    return equations


def _key(
    system: System, step: float | None, method: Method, engine: str, require: Sequence[str], counts: str
) -> str:
    told = {"step": step, "method": method.name, **method.parameters, "engine": engine, "counts": counts}
    told["require"] = ",".join(sorted(require))
    return f"{model_hash(formulate(system, 'absolute'))} {json.dumps(told, sort_keys=True)}"


class _Contest:
    """Candidates and their best times."""

    def __init__(
        self, system: System, poses: Poses, step: float | None, method: Method, engine: str, steps: int
    ) -> None:
        self.system, self.poses, self.method, self.engine, self.steps = system, poses, method, engine, steps
        self.pairs: dict[str, Pair] = {}
        self._equations: dict[str, Equations] = {}
        self._seconds: dict[str, float] = {}
        self._ends: dict[str, Poses | None] = {}
        self._step = step
        self._fine: Poses | None = None

    def enter(self, name: str, pair: Pair) -> None:
        """Add a candidate, unless its trees are there or its equations cannot be made."""
        if any(same(pair, other) for other in self.pairs.values()):
            return
        try:
            made = formulate(self.system, "default", pair[0].names, pair[1].names, poses=self.poses)
        except FlexnetError:
            return  # such as a virtual joint whose coordinates the start does not have
        self.pairs[name], self._equations[name], self._seconds[name] = pair, made, np.inf

    def rounds(self, count: int) -> None:
        """Let every candidate run, in turns."""
        for _ in range(count):
            for name in self.pairs:
                seconds, self._ends[name] = self._run(name, self._h, self.steps)
                self._seconds[name] = min(self._seconds[name], seconds)

    @property
    def _h(self) -> float:
        return self._step or self._equations["default"].scale.time / 500

    def best(self) -> str:
        """Fastest of those that keep the error; the default unless another is faster by more than noise."""
        timings = self.timings()
        limit = 2.0 * timings["default"].error + 1e-9
        fair = {name: t.seconds for name, t in timings.items() if t.error <= limit}
        name = min(fair, key=fair.__getitem__, default="default")
        is_faster = fair.get(name, np.inf) < (1 - NOISE) * timings["default"].seconds
        return name if is_faster else "default"

    def timings(self) -> dict[str, Timing]:
        """What is known of every candidate."""
        if self._fine is None:
            _, self._fine = self._run("default", self._h / 2, 2 * self.steps)
        return {
            name: Timing(e, self._seconds[name], self._error(name), condition(e, e.initial))
            for name, e in self._equations.items()
        }

    def _error(self, name: str) -> float:
        end, fine = self._ends.get(name), self._fine
        if end is None:
            return np.inf
        if fine is None:
            return 0.0
        length = self._equations[name].scale.length
        return max(
            float(np.abs(end.p - fine.p).max(initial=0.0)) / length,
            float(np.abs(end.R - fine.R).max(initial=0.0)),
        )

    def _run(self, name: str, h: float, steps: int) -> tuple[float, Poses | None]:
        """Processor time of a step, s, and poses at the end; infinite and None if a step fails."""
        from flexnet.analysis.simulate import make_dae  # simulate uses this page

        equations = self._equations[name]
        march = begin(make_dae(equations, self.engine), self.method, Settings(h, steps * h, steps * h))
        started, last = time.process_time(), None
        for block in march.blocks():
            last = block
        seconds = (time.process_time() - started) / steps
        if not march.status.is_done or last is None or not len(last.t):
            return np.inf, None
        end = equations.poses(State(float(last.t[-1]), last.q[-1], last.v[-1]))
        return seconds, replace(end)
