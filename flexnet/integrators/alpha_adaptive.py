"""The loop of the α-methods whose steps differ: chosen by their error, or fixed but for events."""

from math import floor
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
    Scratch,
    State,
    restore,
)
from flexnet.integrators.event_search import (
    AT,
    BEFORE,
    BEFORE_VALUE,
    SHARP,
    Span,
    Zeros,
    dense,
    nearer,
    next_event,
    settle,
)
from flexnet.integrators.rows import (
    DONE,
    EVENT,
    H_OLD,
    ITERATIONS,
    REJECTED,
    STEP_TOO_SMALL,
    WORK,
    WORKS,
    H,
    Output,
    T,
)
from flexnet.integrators.step_control import FAILED, next_step, step_after_failure, step_towards
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array, IntArray

#: part of a fixed step that is not taken by itself
SLIVER = 1e-3
#: a fixed step that does not converge is halved at most so often
_HALVINGS = 12
_TRIES = 60


@shared
def _move_acceleration(y: State, h: float, new: float, shift: float) -> None:
    """Move a ≈ v̇(t + shift h) to v̇(t + shift new), for a step of another length."""
    if y.counts[HAS_OLD] > 0:
        for i in range(y.a.shape[0]):
            y.a[i] += shift * (new - h) * (y.vdot[i] - y.vdot_old[i]) / y.clock[H_OLD]
    y.clock[H] = new


@shared
def _write_between(
    compose: Any, model: Any, span: Span, y: State, s: Scratch, out: Output, row: int, h: float
) -> None:
    """Row at a time inside the step, before the step is accepted."""
    t = out.t[row]
    x = (t - y.clock[T]) / h
    dense(compose, model, span, x, h, out.q[row], out.v[row])
    for i in range(y.v.shape[0]):
        out.a[row, i] = y.vdot[i] + x * (s.vdot1[i] - y.vdot[i])
    for i in range(y.lam.shape[0]):
        out.lam[row, i] = y.lam[i] + x * (s.lam1[i] - y.lam[i])
    for k in range(WORKS):
        out.work[row, k] = y.clock[WORK + k] + x * h * y.clock[POWER + k]
    out.solver[row, 0] = h


@shared
def _step_to_event(
    residual: Any, matrices: Any, compose: Any, rates: Any, model: Any, work: Any,
    span: Span, e: Zeros, y: State, s: Scratch, c: Array, i: int, h: float,
) -> tuple[int, float]:  # fmt: skip
    """Take the step again to the zero of function i; status and length of the step."""
    shift, t0 = c[ALPHA_M] - c[ALPHA_F], y.clock[T]
    x, before, f_before = e.zeros[i, AT] * h, e.zeros[i, BEFORE] * h, e.zeros[i, BEFORE_VALUE]
    for _ in range(_TRIES):
        if x <= SHARP * h:
            return DONE, 0.0
        _move_acceleration(y, y.clock[H], x, shift)
        status = attempt(residual, matrices, compose, rates, model, work, y, s, c, t0 + x, x, True)
        if status != DONE:
            return status, x
        new, f = nearer(span, e, i, t0, x, before, f_before, h)
        if new == x:
            break
        before, f_before, x = x, f, new
    return DONE, x


@shared
def _fixed(c: Array, t0: float, end: float, cut: float) -> tuple[float, float]:
    """End and length of the next fixed step: to the next whole one, which a sliver is added to."""
    step = c[H_MAX]
    k = floor((t0 - c[T_START]) / step + SLIVER)
    if c[T_START] + k * step >= end - 1e-9 * step:
        k -= 1  # nothing comes after it
    t1 = c[T_START] + (k + 1) * step
    h = t1 - t0
    if abs(h - step) <= 1e-9 * step:
        h = step
    return (t1, h) if cut == 1.0 else (t0 + cut * h, cut * h)


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, count: Any, evaluate: Any,
    model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array, g: Array,
    out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event.

    Steps are chosen by their error, or, without a tolerance, end at t_start + k h; after an event the next
    one is shorter. When the step changes, a is moved along v̈ to where the new step expects it (Arnold and
    Brüls).
    """
    y, s = restore(data)
    span, e = Span(y.q, y.v, s.dq, s.q1, s.v1, s.qp, s.vp, s.rp), Zeros(evaluate, eye, zeros, g)
    row, rows, end = 0, len(out.t), out.t[len(out.t) - 1]
    is_fresh, iterations, cut = True, 0, 1.0
    shift, is_fixed = c[ALPHA_M] - c[ALPHA_F], c[TOLERANCE] == 0.0
    while row < rows:
        placed, t0 = y.clock[H], y.clock[T]
        planned = c[H_MAX] if is_fixed else placed
        if is_fixed:
            t1, h = _fixed(c, t0, end, cut)
        else:
            # the block ends on its last row
            h = step_towards(end - t0, placed)
            t1 = end if h == end - t0 else t0 + h
        _move_acceleration(y, placed, h, shift)
        before = y.counts[ITERATIONS]
        status = attempt(residual, matrices, compose, rates, model, work, y, s, c, t1, h, is_fresh)
        error = (0.0 if is_fixed else local_error(y, s, c, h)) if status == DONE else FAILED
        if error > 1.0:
            y.counts[REJECTED] += 1
            new = 0.5 * h if is_fixed else step_after_failure(h, error)
            cut *= 0.5
            if (is_fixed and cut < 0.5**_HALVINGS) or (not is_fixed and new < c[H_MIN]):
                return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
            _move_acceleration(y, h, new, shift)
            is_fresh = True
            continue
        cut, fired = 1.0, -1
        if zeros.shape[0] > 0:
            fired = next_event(compose, model, span, e, t0, h)
        if fired >= 0:
            status, h = _step_to_event(
                residual, matrices, compose, rates, model, work, span, e, y, s, c, fired, h
            )  # fmt: skip
            if status != DONE:
                return int(status + 16 * row)
            t1 = t0 + h
        iterations += y.counts[ITERATIONS] - before
        if h > 0.0:
            first_row = row
            copy(y.clock[POWER : POWER + WORKS], s.power_before)
            while row < rows and out.t[row] < t1 - 1e-9 * h:
                _write_between(compose, model, span, y, s, out, row, h)
                out.solver[row, 1] = iterations
                iterations = 0
                row += 1
            finish(residual, matrices, compose, rates, power, count, model, twin, work, y, s, c, t1, h)
            for k in range(first_row, row):
                # inside the step powers grow linearly, as the trapezoidal rule has it
                grown = 0.5 * (out.t[k] - t0) ** 2 / h
                for j in range(WORKS):
                    out.work[k, j] += grown * (y.clock[POWER + j] - s.power_before[j])
        if zeros.shape[0] > 0:
            settle(e, y.clock[T], y.q, y.v, fired)
        new = planned if is_fixed or fired >= 0 else next_step(h, placed, error, c[H_MAX])
        is_fresh = y.counts[REFRESH] == 1 or y.counts[TANGENT] == 1 or (is_fixed and h != planned)
        if fired < 0 and row < rows and abs(out.t[row] - t1) <= 1e-9 * h:
            write_row(y, out, row, iterations)
            iterations = 0
            row += 1
        _move_acceleration(y, y.clock[H], new, shift)
        if fired >= 0:
            return EVENT + 16 * row
    return DONE + 16 * rows
