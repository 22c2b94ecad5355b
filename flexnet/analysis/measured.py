"""The trees that run fastest here: candidates timed side by side for some hundred steps.

Counting says how many equations a tree gives, not what a step costs on this machine. So the trees of every
rule run side by side (:mod:`~flexnet.analysis.tree_contest`); the neighbours of the fastest join them, then
those of a faster one found among these, until none is faster or the budget is used. Then all begin anew, and
the faster half runs on, twice as often each time: the last few get most of it. A candidate whose end is
further from that of half the step than twice the default's is not taken, however fast it is.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flexnet.analysis.tree_contest import Budget, Contest, Timing, most_error
from flexnet.cache import load, save
from flexnet.formulation import Equations, formulate
from flexnet.formulation.model_hash import model_hash
from flexnet.graph import Kind
from flexnet.graph.selection.select import as_wishes, left_out
from flexnet.graph.selection.shortlist import rule_trees
from flexnet.integrators import Method, hht
from flexnet.system import System, offer_indirect_joints

log = logging.getLogger("flexnet")


@dataclass(frozen=True, slots=True)
class Measured:
    """Outcome of a contest.

    Attributes
    ----------
    timings : by name of the candidate: a rule, or the exchange that leads to it.
    chosen : name of the one taken.
    steps : of every run.
    seconds : processor time of the whole contest, s.
    """

    timings: Mapping[str, Timing]
    chosen: str
    steps: int
    seconds: float

    @property
    def limit(self) -> float:
        """Error up to which a candidate may be taken."""
        return most_error(self.timings["default"].error)

    @property
    def equations(self) -> Equations:
        """In the chosen trees."""
        return self.timings[self.chosen].equations

    def __repr__(self) -> str:
        return str(self)

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
    end: float | None = None,
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
    end : of the motion, s: no run goes beyond it, but for a hundred steps that are always taken.
    """
    system = offer_indirect_joints(system) if virtual else system
    wishes = as_wishes(system.mechanism, require, counts)
    contest = Contest(system, step, method or hht(), engine, budget or Budget(), end)
    for name, pair in rule_trees(system.mechanism, wishes).items():
        contest.enter(name, pair)
    contest.climb(require)
    chosen = contest.decide()
    for note in left_out(*contest.pairs[chosen], require):
        log.warning("%s", note)
    return Measured(contest.timings(), chosen, contest.steps, contest.spent)


def measured(
    system: System,
    step: float | None = None,
    method: Method | None = None,
    engine: str = "numeric",
    require: Sequence[str] = (),
    counts: str = "spatial",
    end: float | None = None,
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
        made = measure_trees(system, step, method, engine, None, require, counts, end=end)
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
