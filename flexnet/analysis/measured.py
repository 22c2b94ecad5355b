"""The trees that run fastest here: candidates timed side by side for some hundred steps.

Counting says how many equations a tree gives, not what a step costs on this machine. So the trees of every
rule run the same steps from the same start; the neighbours of the fastest join them, then those of a faster
one found among these, until none is faster or the budget is used.

A busy machine is slow for seconds at a time, so the best of few runs says little and the best of many favours
who ran often. What is compared is therefore the time over that of the default in the same round, where all
run within a fraction of a second, and the median of it over the rounds. Its standard error is 1.25 σ/√n, with
σ from the median deviation and no less than some percent, so that few rounds that happen to agree are not
believed. Who could be the fastest within two errors runs again, twice as often each time, until one is left,
the errors of those that are left are small, or rounds and budget are used; it replaces the default where it
is faster by more than an error. What a run costs before its first step is timed by runs of one step and taken
off: it is as much as some hundred steps of a small mechanism. A candidate whose end is further from that of
half the step than twice the default's is not taken, however fast it is.
"""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import numpy as np

from flexnet.analysis.engine import make_dae
from flexnet.cache import load, save
from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.formulation import Equations, Poses, State, assemble, formulate
from flexnet.formulation.condition import condition
from flexnet.formulation.model_hash import model_hash
from flexnet.graph import Kind
from flexnet.graph.selection.select import as_wishes, left_out
from flexnet.graph.selection.shortlist import Pair, neighbours, rule_trees, same
from flexnet.integrators import Method, Settings, begin, hht
from flexnet.system import System, offer_indirect_joints

log = logging.getLogger("flexnet")

#: rounds of all candidates, and the most of those that run again: twice as many each time
FIRST, LAST = 3, 24
#: least standard deviation of a round that is believed, and two standard errors at which all is decided
SIGMA, SETTLED = 0.03, 0.02
#: processor time a run should take, s, and how much longer it may become for that: less drowns in noise
SHORTEST, LONGER = 5e-3, 10
#: a challenger must be faster than the default by this, or the default stays: less than this is noise
NOISE = 0.03


@dataclass(frozen=True, slots=True)
class Budget:
    """How much is measured.

    Attributes
    ----------
    steps : of each run, two or more; up to ten times as many where a run would be too short to be timed.
    most : candidates at most.
    seconds : of processor time: half of it for candidates to enter, all of it for the runs.
    seed : which neighbours beyond the first are tried, and who runs before whom.
    """

    steps: int = 500
    most: int = 20
    seconds: float = 10.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.steps < 2 or self.most < 1 or not self.seconds >= 0:
            raise FlexnetError(
                "a budget has two steps, one candidate and no negative seconds at least, got"
                f" steps={self.steps}, most={self.most}, seconds={self.seconds}"
            )


@dataclass(frozen=True, slots=True)
class Timing:
    """One candidate.

    Attributes
    ----------
    equations : in its trees.
    seconds : processor time of a step, s, the beginning of a run taken off; infinite if the run failed.
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
    def limit(self) -> float:
        """Error up to which a candidate may be taken."""
        return _limit(self.timings["default"].error)

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
    virtual: bool = False,
) -> Measured:
    """Time candidate trees side by side and take the fastest that keeps the error.

    Parameters
    ----------
    system : the mechanism.
    step : s; a five-hundredth of the model's time if left out.
    method : HHT-α if left out.
    engine : ``"numeric"``, or ``"symbolic"``.
    budget : how much is measured.
    require, counts, virtual : as in :func:`~flexnet.formulation.formulate`; of every candidate.
    """
    system = offer_indirect_joints(system) if virtual else system
    wishes = as_wishes(system.mechanism, require, counts)
    contest = _Contest(system, step, method or hht(), engine, budget or Budget())
    for name, pair in rule_trees(system.mechanism, wishes).items():
        contest.enter(name, pair)
    contest.run(list(contest.pairs), FIRST)
    contest.climb(require)
    chosen = contest.decide()
    for note in left_out(*contest.pairs[chosen], require):
        log.warning("%s", note)
    return Measured(contest.timings(), chosen, contest.spent)


def measured(
    system: System,
    step: float | None = None,
    method: Method | None = None,
    engine: str = "numeric",
    require: Sequence[str] = (),
    counts: str = "spatial",
) -> Equations:
    """Formulate in the fastest trees: those remembered for this very model, or else measured now."""
    as_wishes(system.mechanism, require, counts)
    engine = "numeric" if engine == "auto" else engine
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
    told["virtual"] = ",".join(sorted(e.name for e in system.mechanism.edges if e.kind is Kind.VIRTUAL))
    return f"{model_hash(formulate(system, 'absolute'))} {json.dumps(told, sort_keys=True)}"


class _Contest:
    """Candidates and their best times."""

    def __init__(
        self, system: System, step: float | None, method: Method, engine: str, budget: Budget
    ) -> None:
        self._begun = time.process_time()
        self.system, self.method, self.engine, self.budget = system, method, engine, budget
        self.poses = assemble(system)
        self.pairs: dict[str, Pair] = {}
        self._equations: dict[str, Equations] = {}
        self._daes: dict[str, Dae] = {}
        self._ratios: dict[str, list[float]] = {}  # time over that of the default, by round
        self._beginning: dict[str, float] = {}  # best processor time of a run of one step, s
        self._best = np.inf  # processor time of a run in the default's trees, s
        self._ends: dict[str, Poses | None] = {}
        self._step = step
        self._fine: Poses | None = None
        self._random = Random(budget.seed)

    @property
    def spent(self) -> float:
        """Processor time since the contest began, s."""
        return time.process_time() - self._begun

    def enter(self, name: str, pair: Pair) -> bool:
        """Add a candidate, unless its trees are there or its equations cannot be made."""
        if any(same(pair, other) for other in self.pairs.values()):
            return False
        try:
            made = formulate(self.system, "default", pair[0].names, pair[1].names, poses=self.poses)
            self._daes[name] = make_dae(made, self.engine)
        except FlexnetError:
            if not self.pairs:
                raise  # what the default cannot do is to be told
            return False  # such as a virtual joint whose coordinates the start does not have
        self.pairs[name], self._equations[name] = pair, made
        self._ratios[name], self._beginning[name] = [], np.inf
        return True

    def run(self, names: Sequence[str], rounds: int) -> None:
        """Let candidates run beside the default, in turns, in another order every time."""
        names = [*names, *({"default"} - set(names))]
        for k in range(rounds):
            if k and self.spent > self.budget.seconds:
                return
            times = {}
            for name in self._random.sample(names, len(names)):
                beginning, _ = self._run(name, self._h, 1)
                whole, self._ends[name] = self._run(name, self._h, self._steps)
                self._beginning[name] = min(self._beginning[name], beginning)
                times[name] = max(whole - self._beginning[name], whole / 10)
            self._best = min(self._best, times["default"])
            for name, seconds in times.items():
                self._ratios[name].append(seconds / times["default"])

    def climb(self, require: Sequence[str]) -> None:
        """Let the neighbours of the fastest enter, then those of a faster one among them."""
        centre = ""
        while centre != self.fastest():
            centre = self.fastest()
            others = neighbours(self.system.mechanism, self.pairs[centre], require)
            # few coordinates first; the seed decides which of the others are reached within the budget
            head, tail = others[: self.budget.most], others[self.budget.most :]
            self._random.shuffle(tail)
            new = []
            for name, pair in head + tail:
                if len(self.pairs) >= self.budget.most or self.spent > self.budget.seconds / 2:
                    break
                told = f"{centre}, {name}"
                new += [told] if self.enter(told, pair) else []
            self.run(new, FIRST)

    def decide(self) -> str:
        """Let those that could be the fastest run again until it is known who is."""
        rounds = FIRST
        while rounds < LAST and (left := self._undecided()) and self.spent < self.budget.seconds:
            rounds *= 2
            self.run(left, rounds)
        best = self.fastest()
        margin = max(NOISE, self._error_of_ratio(best) / 2)
        return best if self._ratio(best) < 1 - margin else "default"

    def _undecided(self) -> list[str]:
        """Those that could be the fastest; none if there is one, or if it makes no difference."""
        best = self.fastest()
        bound = self._ratio(best) * (1 + self._error_of_ratio(best))
        left = [n for n in self.order() if self._ratio(n) * (1 - self._error_of_ratio(n)) <= bound]
        is_known = len(left) < 2 or all(self._error_of_ratio(n) <= SETTLED for n in left)
        return [] if is_known else left

    def _ratio(self, name: str) -> float:
        """Time of a run over that of the default beside it."""
        return float(np.median(self._ratios[name])) if self._ratios[name] else np.inf

    def _error_of_ratio(self, name: str) -> float:
        """Two standard errors of it, as a share of it."""
        if name == "default" or self._ratio(name) == np.inf:  # of a run that failed nothing is in doubt
            return 0.0
        ratios = np.array(self._ratios[name])
        sigma = 1.48 * float(np.median(np.abs(ratios / self._ratio(name) - 1)))
        return 2.5 * max(sigma, SIGMA) / float(np.sqrt(len(ratios)))

    def order(self) -> list[str]:
        """Those that keep the error, the fastest first."""
        limit = _limit(self._error("default"))
        fair = [name for name in self.pairs if self._error(name) <= limit]
        return sorted(fair, key=self._seconds)

    def fastest(self) -> str:
        """Fastest of those that keep the error."""
        return next(iter(self.order()), "default")

    def timings(self) -> dict[str, Timing]:
        """What is known of every candidate."""
        return {
            name: Timing(e, self._seconds(name), self._error(name), condition(e, e.initial))
            for name, e in self._equations.items()
        }

    @property
    def _h(self) -> float:
        return self._step or self._equations["default"].scale.time / 500

    @cached_property
    def _steps(self) -> int:
        """Steps of a run: as many as the budget says, more where those are over at once."""
        steps = self.budget.steps
        self._run("default", self._h, steps)  # what is compiled or loaded at the first use is no cost
        seconds = max(self._run("default", self._h, steps)[0] - self._run("default", self._h, 1)[0], 1e-6)
        return round(steps * min(max(SHORTEST / seconds, 1.0), LONGER))

    def _seconds(self, name: str) -> float:
        """Processor time of a step, s."""
        return self._ratio(name) * self._best / (self._steps - 1)

    def _error(self, name: str) -> float:
        if self._fine is None:
            _, self._fine = self._run("default", self._h / 2, 2 * self._steps)
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
        """Processor time of a run, s, and poses at its end; infinite and None if a step fails."""
        equations = self._equations[name]
        march = begin(self._daes[name], self.method, Settings(h, steps * h, steps * h))
        started, last = time.process_time(), None
        for block in march.blocks():
            last = block
        seconds = time.process_time() - started
        if not march.status.is_done or last is None or not len(last.t):
            return np.inf, None
        end = equations.poses(State(float(last.t[-1]), last.q[-1], last.v[-1]))
        return seconds, replace(end)


def _limit(error: float) -> float:
    """Error up to which a candidate may be taken, by that of the default."""
    return 2.0 * error + 1e-9
