"""A contest of trees: candidates that run the same steps from the same start, in turns.

They run in bursts of some milliseconds. Other work makes a machine slow for seconds at a time, and single
bursts by half. What is compared is therefore the time of a burst over the median of all in the same round,
and its median over the rounds, which those that are compared ran side by side. (Of six copies of one tree
beside other work, 48 rounds: 3 % between the least and the most, where the shortest bursts differ by 14 %.)
Its standard error is 1.25 σ/√n, σ from the median deviation of all. It is decided when the first is ahead of
the second by two errors of each, when all that are left take the same time to within some percent, or when
rounds and budget are used; of equals the default is taken, then fewer equations.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np

from flexnet.analysis.engine import make_dae
from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.formulation import Equations, Poses, State, assemble, formulate
from flexnet.formulation.redundancy import condition
from flexnet.graph.selection.shortlist import Pair, neighbours, same
from flexnet.integrators import Method, Settings, begin
from flexnet.system import System

#: processor time of a burst, s: a shorter one drowns in noise, a longer one leaves time for few; steps of a
#: run over those of the budget, at least and at most; runs of a burst at most, where the motion ends early
BURST, SHORTER, LONGER, REPEATS = 6e-3, 0.2, 10.0, 25
#: rounds of all candidates; of the first stage that may decide, and of the last: each has twice those before
FIRST, ENOUGH, LAST = 4, 16, 64
#: share by which times may differ and yet be the same: less is decided by counts, the default first of all
SAME = 0.03
#: steps that are always taken, however soon the end comes
ALWAYS = 100


@dataclass(frozen=True, slots=True)
class Budget:
    """How much is measured.

    Attributes
    ----------
    steps : of each run, two or more; a fifth to ten times as many where a run would be too long or too short
        to be timed.
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


class Contest:
    """Candidates and their times."""

    def __init__(
        self,
        system: System,
        step: float | None,
        method: Method,
        engine: str,
        budget: Budget,
        end: float | None,
    ) -> None:
        self._begun = self._ready = time.process_time()
        self.system, self.method, self.engine, self.budget = system, method, engine, budget
        self.poses = assemble(system)
        self.pairs: dict[str, Pair] = {}
        self._equations: dict[str, Equations] = {}
        self._daes: dict[str, Dae] = {}
        self._runs: dict[str, _Run] = {}
        self._times: dict[str, list[float]] = {}  # processor time of bursts since all began anew, s
        self._over_default: dict[str, float] = {}
        self._step, self._end = step, end
        self._random = Random(budget.seed)

    @property
    def spent(self) -> float:
        """Processor time since the contest began, s."""
        return time.process_time() - self._begun

    @property
    def _used(self) -> float:
        """Processor time of the budget, s."""
        return time.process_time() - self._ready

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
        if len(self.pairs) == 1:
            self._trial(name, self._h, 2).time()
            self._ready = time.process_time()  # what is compiled at the first use is not of the budget
        return True

    def climb(self, require: Sequence[str]) -> None:
        """Let the neighbours of the fastest enter, then those of a faster one among them."""
        self._run_anew(list(self.pairs))
        centre, best = "", self._order(self.pairs)[0]
        while best != centre:
            centre = best
            others = neighbours(self.system.mechanism, self.pairs[centre], require)
            # few coordinates first; the seed decides which of the others are reached within the budget
            head, tail = others[: self.budget.most], others[self.budget.most :]
            self._random.shuffle(tail)
            new = []
            for name, pair in head + tail:
                if len(self.pairs) >= self.budget.most or self._used > self.budget.seconds / 2:
                    break
                told = f"{centre}, {name}"
                new += [told] if self.enter(told, pair) else []
            if new:
                self._run_anew([centre, *new])
                best = self._order([centre, *new])[0]

    def decide(self) -> str:
        """Let the faster half run on, twice as often each time, until it is known who is the fastest."""
        self._run_anew(list(self.pairs))
        left, rounds = self._order(self.pairs), FIRST
        while rounds < LAST and self._used < self.budget.seconds:
            if rounds >= ENOUGH and self._is_known(left):
                break
            rounds *= 2
            left = left[: max(2, (len(left) + 1) // 2)]
            self._run_on(left, rounds)
            left = self._order(left)
        left = self._order({*left, "default"})
        bound = (1 + SAME) * self._over_default[left[0]]
        equal = [name for name in left if self._over_default[name] <= bound]
        return min(equal, key=lambda name: (name != "default", self._size(name), equal.index(name)))

    def timings(self) -> dict[str, Timing]:
        """What is known of every candidate."""
        beginning = min(self._trial("default", self._h, 1).time() for _ in range(FIRST))
        default = min(self._times["default"]) / self._repeats - beginning
        seconds = max(default, min(self._times["default"]) / 10) / max(self.steps - 1, 1)
        return {
            name: Timing(
                e,
                seconds * self._over_default.get(name, np.inf),
                self._error(name),
                condition(e, e.initial),
            )
            for name, e in self._equations.items()
        }

    @cached_property
    def steps(self) -> int:
        """Steps of a run: neither too long nor too short, and none that the default does not get to."""
        most = np.inf
        if self._end is not None:
            most = max(ALWAYS, int((self._end - self._equations["default"].initial.t) / self._h))
        steps = int(min(self.budget.steps, most))
        seconds = self._trial("default", self._h, steps).time()  # what is loaded at the first use is no cost
        while seconds == np.inf and steps > 2:
            steps //= 2
            seconds = self._trial("default", self._h, steps).time()
        seconds = self._trial("default", self._h, steps).time()
        wanted = int(min(max(round(steps * min(max(BURST / seconds, SHORTER), LONGER)), 2), most))
        while wanted > steps and self._trial("default", self._h, wanted).time() == np.inf:
            wanted = max(wanted // 2, steps)
        return wanted

    @cached_property
    def _repeats(self) -> int:
        """Runs of a burst."""
        return max(1, min(REPEATS, round(BURST / self._trial("default", self._h, self.steps).time())))

    def _run_anew(self, names: Sequence[str]) -> None:
        """First rounds of candidates, whatever was measured of them before."""
        for name in {*names, "default"}:
            self._times[name] = []
        self._run_on(names, FIRST)

    def _run_on(self, names: Sequence[str], rounds: int) -> None:
        """Let candidates and the default run, in turns, in another order every time."""
        names = [*names, *({"default"} - set(names))]
        for k in range(rounds):
            if k and self._used > self.budget.seconds:
                return
            for name in self._random.sample(names, len(names)):
                if name not in self._runs:
                    self._runs[name] = self._trial(name, self._h, self.steps)
                self._times[name].append(sum(self._runs[name].time() for _ in range(self._repeats)))

    def _order(self, names: Collection[str]) -> list[str]:
        """Those that keep the error, the fastest first."""
        limit = most_error(self._error("default"))
        fair = [name for name in self.pairs if name in names and self._error(name) <= limit]
        scores, _ = self._scores([*fair, *({"default"} - set(fair))])
        for name in fair:
            self._over_default[name] = scores[name] / scores["default"]
        default = self._times["default"]
        for name in set(names) - set(fair):  # not to be chosen, but to be told
            if len(self._times[name]) == len(default):
                self._over_default[name] = float(np.median(np.divide(self._times[name], default)))
        return sorted(fair, key=scores.__getitem__) or ["default"]

    def _scores(self, names: Sequence[str]) -> tuple[dict[str, float], float]:
        """Times over the median of their rounds, and two standard errors of them, as a share."""
        times = np.array([self._times[name] for name in names])  # (candidate, round)
        ratios = times / np.median(times, axis=0)
        score = np.median(ratios, axis=1)
        sigma = 1.48 * float(np.median(np.abs(ratios / score[:, None] - 1.0)))
        return dict(zip(names, score.tolist(), strict=True)), 2.5 * sigma / times.shape[1] ** 0.5

    def _is_known(self, order: Sequence[str]) -> bool:
        """Whether the first is ahead of the second, or it makes no difference."""
        if len(order) < 2:
            return True
        scores, error = self._scores(order)
        first, second, last = (scores[order[k]] for k in (0, 1, -1))
        return second > (1 + 2 * error) * first or (last <= (1 + SAME) * first and error <= SAME)

    def _size(self, name: str) -> int:
        """Number of equations."""
        return self._equations[name].n_v + self._equations[name].m

    @property
    def _h(self) -> float:
        return self._step or self._equations["default"].scale.time / 500

    def _trial(self, name: str, h: float, steps: int) -> "_Run":
        return _Run(self._equations[name], self._daes[name], self.method, h, steps)

    @cached_property
    def _fine(self) -> Poses | None:
        """End of a run of half the step."""
        return self._trial("default", self._h / 2, 2 * self.steps).end

    def _error(self, name: str) -> float:
        end, fine = self._runs[name].end if name in self._runs else None, self._fine
        if end is None:
            return np.inf
        if fine is None:
            return 0.0
        length = self._equations[name].scale.length
        return max(
            float(np.abs(end.p - fine.p).max(initial=0.0)) / length,
            float(np.abs(end.R - fine.R).max(initial=0.0)),
        )


class _Run:
    """A run that begins where it began as often as it is asked to."""

    def __init__(self, equations: Equations, dae: Dae, method: Method, h: float, steps: int) -> None:
        self._equations = equations
        self._march = begin(dae, method, Settings(h, dae.t + steps * h, steps * h))
        self._q, self._v = (x.copy() for x in self._march.place)
        self._memory = {name: x.copy() for name, x in self._march.memory.items()}

    def time(self) -> float:
        """Processor time of the run, s; infinite if a step fails."""
        self._march.restore(self._q, self._v, self._memory, 0)
        started = time.process_time()
        for _ in self._march.blocks():
            pass
        seconds = time.process_time() - started
        return seconds if self._march.status.is_done else np.inf

    @cached_property
    def end(self) -> Poses | None:
        """Poses at the end; None if a step fails."""
        if self.time() == np.inf:
            return None
        q, v = (x.copy() for x in self._march.place)
        return self._equations.poses(State(self._march.t, q, v))


def most_error(error: float) -> float:
    """Error up to which a candidate may be taken, by that of the default."""
    return 2.0 * error + 1e-9
