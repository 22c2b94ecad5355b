"""The loop of the energy schemes whose steps differ: chosen by their error, or fixed but for events."""

from math import floor
from typing import Any

from flexnet.integrators.energy_loop import accept, attempt, local_error, record
from flexnet.integrators.energy_state import Scratch, State, restore
from flexnet.integrators.event_search import (
    AT,
    BEFORE,
    BEFORE_VALUE,
    SHARP,
    Span,
    Zeros,
    nearer,
    next_event,
    settle,
)
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import DONE, EVENT, STEP_TOO_SMALL, Output
from flexnet.integrators.step_control import FAILED, next_step, step_after_failure, step_towards
from flexnet.kernels.compile import shared
from flexnet.typing import Array, IntArray

#: part of a fixed step that is not taken by itself
SLIVER = 1e-3
#: a fixed step that does not converge is halved at most so often
_HALVINGS = 12
_TRIES = 60


@shared
def _increment(y: State, s: Scratch) -> None:
    """The increment of the trial step, which projections may have used the place of."""
    k = s.tableau[0]
    for i in range(y.v.shape[0]):
        s.d[i] = k.b_before * s.u_before[i] + k.b * s.u[i]


@shared
def _step_to_event(
    f: Functions, span: Span, e: Zeros, y: State, s: Scratch, c: Any, i: int, h: float
) -> tuple[int, float]:
    """Take the step again to the zero of function i; status and length of the step."""
    t0 = y.clock[0].t
    x, before, f_before = e.zeros[i, AT] * h, e.zeros[i, BEFORE] * h, e.zeros[i, BEFORE_VALUE]
    for _ in range(_TRIES):
        if x <= SHARP * h:
            return DONE, 0.0
        status = attempt(f, y, s, c, t0 + x, x, True)
        if status != DONE:
            return int(status), x
        new, g = nearer(span, e, i, t0, x, before, f_before, h)
        if new == x:
            break
        before, f_before, x = x, g, new
    return DONE, x


@shared
def _length(c: Any, t0: float, end: float, planned: float, cut: float) -> float:
    """Length of the next step: as planned, or to the next whole one where steps are fixed."""
    if c.tolerance > 0.0:
        return float(step_towards(end - t0, planned))
    step = c.h_max
    k = floor((t0 - c.t_start) / step + SLIVER)
    if c.t_start + k * step >= end - 1e-9 * step:
        k -= 1  # nothing comes after it
    return float(cut * min(c.t_start + (k + 1) * step - t0, end - t0))


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    momenta: Any, follow: Any, evaluate: Any, model: Any, kept: Any, counted: Any, work: Any,
    data: IntArray, constants: Any, eye: Any, zeros: Array, g: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event; every row ends a step."""
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, momenta, follow, model, kept, counted, work
    )
    y, s = restore(data)
    span, e = Span(y.q, y.v, s.d, s.q1, s.v1, s.qp, s.up, s.rp), Zeros(evaluate, eye, zeros, g)
    c, clock, is_fresh, cut = constants[0], y.clock[0], True, 1.0
    is_fixed = c.tolerance == 0.0
    for row in range(len(out.t)):
        before, end = y.counts[0].iterations, out.t[row]
        while clock.t < end:
            planned, t0 = clock.h, clock.t
            h = _length(c, t0, end, planned, cut)
            t1 = end if abs(t0 + h - end) <= 1e-9 * h else t0 + h
            # the stiffness in Newton's matrix is for one size of step
            is_fresh = is_fresh or (h != clock.h_old and (y.counts[0].tangent == 1 or c.is_stiff == 1.0))
            status = attempt(f, y, s, c, t1, h, is_fresh)
            error = (0.0 if is_fixed else local_error(y, s, c, h)) if status == DONE else FAILED
            if error > 1.0:
                y.counts[0].rejected += 1
                cut *= 0.5
                new = step_after_failure(h, error)
                if (is_fixed and cut < 0.5**_HALVINGS) or (not is_fixed and new < c.h_min):
                    return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
                clock.h = planned if is_fixed else new
                is_fresh = True
                continue
            cut, fired = 1.0, -1
            if zeros.shape[0] > 0:
                _increment(y, s)
                fired = next_event(compose, model, span, e, t0, h)
            if fired >= 0:
                status, h = _step_to_event(f, span, e, y, s, c, fired, h)
                if status != DONE:
                    return int(status + 16 * row)
                t1 = t0 + h
            if h > 0.0:
                accept(f, y, s, c, t1, h)
            if zeros.shape[0] > 0:
                settle(e, clock.t, y.q, y.v, fired)
            if fired >= 0:
                return EVENT + 16 * row
            is_fresh = y.counts[0].refresh == 1
            clock.h = planned if is_fixed else next_step(h, planned, error, c.h_max)
        is_fresh = record(f, y, s, c, out, row, y.counts[0].iterations - before)
    return DONE + 16 * len(out.t)
