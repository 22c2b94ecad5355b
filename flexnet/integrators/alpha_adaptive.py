"""Steps of the α-methods that differ: chosen by their error, or fixed but for events.

When the step changes, a is moved along v̈ to where the new step expects it (Arnold and Brüls).
"""

from typing import Any

from flexnet.integrators.alpha_loop import attempt, finish, local_error, write_row
from flexnet.integrators.alpha_state import (
    ALPHA_F,
    ALPHA_M,
    H_MAX,
    H_MIN,
    HAS_OLD,
    POWER,
    REFRESH,
    T_START,
    TANGENT,
    TOLERANCE,
    State,
    restore,
)
from flexnet.integrators.event_search import Span, Zeros, dense
from flexnet.integrators.functions import Functions
from flexnet.integrators.loop import Data, Step, advance
from flexnet.integrators.rows import DONE, H_OLD, WORK, WORKS, H, Output, T
from flexnet.integrators.step_control import (
    FAILED,
    LEAST,
    next_step,
    next_whole,
    step_after_failure,
    step_towards,
)
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array, IntArray


@shared
def _move_acceleration(y: State, c: Array, new: float) -> None:
    """Move a ≈ v̇(t + (αm - αf) h) to where a step of another length expects it."""
    if y.counts[HAS_OLD] > 0:
        shift = c[ALPHA_M] - c[ALPHA_F]
        for i in range(y.a.shape[0]):
            y.a[i] += shift * (new - y.clock[H]) * (y.vdot[i] - y.vdot_old[i]) / y.clock[H_OLD]
    y.clock[H] = new


@shared
def _length(d: Data, t0: float, end: float, cut: float, left: int) -> tuple[float, float]:
    """End and length of the next step."""
    c = d.c
    if c[TOLERANCE] > 0.0:
        h = step_towards(end - t0, d.clock[H])
        return (end if h == end - t0 else t0 + h), h
    t1 = next_whole(c[T_START], c[H_MAX], t0, end)
    h = t1 - t0
    if abs(h - c[H_MAX]) <= 1e-9 * c[H_MAX]:
        h = c[H_MAX]
    return (t1, h) if cut == 1.0 else (t0 + cut * h, cut * h)


@shared
def _attempt(d: Data, t1: float, h: float) -> tuple[int, float]:
    """A step, and its error over what is allowed."""
    _move_acceleration(d.y, d.c, h)
    status = attempt(d.f, d.y, d.s, d.c, t1, h, d.s.needs_matrix[0] == 1)
    if status != DONE:
        return status, FAILED
    return status, (local_error(d.y, d.s, d.c, h) if d.c[TOLERANCE] > 0.0 else 0.0)


@shared
def _again(d: Data, t1: float, h: float) -> int:
    """A step to an event."""
    _move_acceleration(d.y, d.c, h)
    return int(attempt(d.f, d.y, d.s, d.c, t1, h, True))


@shared
def _shorten(d: Data, h: float, error: float, cut: float) -> bool:
    """A smaller step after a failure; half of a fixed one."""
    is_fixed = d.c[TOLERANCE] == 0.0
    new = 0.5 * h if is_fixed else step_after_failure(h, error)
    if (is_fixed and cut < LEAST) or (not is_fixed and new < d.c[H_MIN]):
        return False
    _move_acceleration(d.y, d.c, new)
    d.s.needs_matrix[0] = 1
    return True


@shared
def _between(d: Data, span: Span, out: Output, first: int, row: int, h: float) -> int:
    """Row at a time inside the step, before the step is accepted."""
    y, s, t = d.y, d.s, out.t[row]
    x = (t - y.clock[T]) / h
    dense(d.f.compose, d.f.model, span, x, h, out.q[row], out.v[row])
    for i in range(y.v.shape[0]):
        out.a[row, i] = y.vdot[i] + x * (s.vdot1[i] - y.vdot[i])
    for i in range(y.lam.shape[0]):
        out.lam[row, i] = y.lam[i] + x * (s.lam1[i] - y.lam[i])
    for k in range(WORKS):
        out.work[row, k] = y.clock[WORK + k] + x * h * y.clock[POWER + k]
    out.solver[row, 0] = h
    return DONE


@shared
def _accept(d: Data, out: Output, first: int, row: int, t1: float, h: float) -> None:
    """Take over the step; inside it powers grow linearly, as the trapezoidal rule has it."""
    y, t0 = d.y, d.clock[T]
    copy(y.clock[POWER : POWER + WORKS], d.s.power_before)
    finish(d.f, y, d.s, d.c, t1, h)
    for k in range(first, row):
        grown = 0.5 * (out.t[k] - t0) ** 2 / h
        for j in range(WORKS):
            out.work[k, j] += grown * (y.clock[POWER + j] - d.s.power_before[j])


@shared
def _plan(d: Data, planned: float, tried: float, h: float, error: float, is_ended: bool) -> None:
    """What follows a step."""
    y, c, is_fixed = d.y, d.c, d.c[TOLERANCE] == 0.0
    usual = c[H_MAX] if is_fixed else planned
    is_other = is_fixed and h != usual
    d.s.needs_matrix[0] = 1 if y.counts[REFRESH] == 1 or y.counts[TANGENT] == 1 or is_other else 0
    _move_acceleration(y, c, usual if is_fixed or is_ended else next_step(h, planned, error, c[H_MAX]))


@shared
def _write(d: Data, out: Output, row: int, iterations: int) -> None:
    """Row of the present state."""
    write_row(d.y, out, row, iterations)


_STEP = Step(_length, _attempt, _again, _shorten, _between, _accept, _plan, _write, True, False)


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    evaluate: Any, model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array,
    g: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event."""
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, None, None, model, None, twin, work
    )
    y, s = restore(data)
    s.needs_matrix[0] = 1
    span = Span(y.q, y.v, s.dq, s.q1, s.v1, s.qp, s.vp, s.rp)
    return advance(
        _STEP, Data(f, y, s, None, c, y.clock, y.counts), span, Zeros(evaluate, eye, zeros, g), out, every
    )
