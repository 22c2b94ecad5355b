"""Why a run stopped: the law that gave no number, the law that has a pole there, the freedom that branches.

A law such as 1/x has a value everywhere but at its pole, which a step comes close to and does not hit:
Newton's method fails beside it, or the step falls to nothing, and the worst equation is that of some
coordinate. Along the motion that goes straight on from the last state, q ⊕ s v at t + s, the largest value
of a law on a grid of spacing δ grows like δ⁻ᵖ where the grid is refined about a pole of order p, and nowhere
else.
"""

from dataclasses import replace

import numpy as np

from flexnet.formulation import Equations, State, branching_freedom
from flexnet.integrators import Outcome, Status
from flexnet.typing import Array

#: decades before a step and points of the first grid; times it is refined, points of each
_DECADES, _POINTS, _TIMES, _FINE = 12, 49, 6, 21
#: growth of the largest value by all refinements that is a pole's: of order 1/2 they give 10³
_GROWTH = 100.0


def explained(
    equations: Equations, status: Status, last: State, step: float, is_generated: bool = False
) -> Status:
    """The status of a run with what can be told of why it stopped.

    Parameters
    ----------
    last : state the run came to.
    step : longest step, s.
    is_generated : whether code was generated for the mechanism, which leaves no trace of its laws.
    """
    if status.outcome in (Outcome.DONE, Outcome.EVENT, Outcome.INTERRUPTED, Outcome.ACCUMULATION):
        return status
    if status.outcome is Outcome.NOT_A_NUMBER:
        if is_generated:
            ask_laws(equations, status.t + step, last)
        if law := equations.law_values.why:
            return replace(status, equation=law)
    if (
        status.branch or status.pole or len(last.q) != equations.n_q
    ):  # of a mechanism that something is locked in
        return status
    if told := pole(equations, last, step):
        return replace(status, pole=told)
    branch = "" if status.outcome is Outcome.NOT_A_NUMBER else branching_freedom(equations, last)
    return replace(status, branch=branch)


def ask_laws(equations: Equations, t: float, at: State) -> None:
    """Evaluate all laws and functions of time at a state."""
    dae, n, m = equations.dae(), equations.n_v, equations.m
    r, phi, a, lam = np.zeros(n), np.zeros(m), np.zeros(n), np.zeros(m)
    dae.residual(dae.model, t, at.q, at.v, a, lam, dae.work, r, phi)


def pole(equations: Equations, last: State, step: float) -> str:
    """That a law or function of time has a pole within two steps, which and when; empty if none has."""
    s = np.concatenate([[0.0], step * np.geomspace(10.0**-_DECADES, 2.0, _POINTS)])
    values = np.array([_sizes(equations, last, x) for x in s])
    if not values.size:
        return ""
    usual = np.median(values, axis=0)
    law = int(np.argmax(values.max(axis=0) / np.where(usual > 0.0, usual, np.inf)))
    largest = first = float(values[:, law].max())
    for _ in range(_TIMES):
        k = int(np.argmax(values[:, law]))
        if not np.isfinite(largest):
            break
        s = np.linspace(s[max(k - 1, 0)], s[min(k + 1, len(s) - 1)], _FINE)
        values = np.array([_sizes(equations, last, x) for x in s])
        largest = max(largest, float(values[:, law].max()))
    if not first or largest < _GROWTH * first:
        return ""
    at = last.t + float(s[int(np.argmax(values[:, law]))])
    return f"the law of {equations.law_values.largest()[law][0]} has a pole at t = {at:.6g} s"


def _sizes(equations: Equations, last: State, s: float) -> Array:
    """Largest value of every law and function of time a while after a state, infinite where it is none."""
    ask_laws(equations, last.t + s, replace(last, q=equations.compose(last.q, s * last.v)))
    return np.array([value if np.isfinite(value) else np.inf for _, value in equations.law_values.largest()])
