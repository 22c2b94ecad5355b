"""The loop of the α-methods for runs with events: zeros are found inside a step, which then ends there.

After every step the functions are evaluated at its end and at its middle. Where one has changed its side, or
the parabola through three values does so in between, its first zero is sought on the dense output of the step
(the Hermite polynomial that writes rows). The step is then taken again to that time, which is corrected by
secants until it stands. The loop returns there: what happens is decided in Python, and the loop is entered
again.

A function has a *side*, the sign it had or is about to take: at a zero that is just being left, its value is
round-off and tells nothing.
"""

from math import floor
from typing import Any

from flexnet.integrators.alpha_loop import (
    attempt,
    dense,
    finish,
    local_error,
    move_acceleration,
    write_between,
    write_row,
)
from flexnet.integrators.alpha_state import (
    ALPHA_F,
    ALPHA_M,
    H_MAX,
    H_MIN,
    POWER,
    REFRESH,
    T_START,
    TANGENT,
    TOLERANCE,
    Scratch,
    State,
    restore,
)
from flexnet.integrators.rows import DONE, EVENT, ITERATIONS, REJECTED, STEP_TOO_SMALL, H, Output, T
from flexnet.integrators.step_control import FAILED, next_step, step_after_failure, step_towards
from flexnet.kernels.compile import shared
from flexnet.typing import Array, IntArray

#: columns of ``zeros``, a row for every function: side, direction, size, whether it fired, value; part of the
#: step where it has its zero, a part before it and the value there
SIDE, DIRECTION, SIZE, FIRED, VALUE, AT, BEFORE, BEFORE_VALUE = range(8)
#: rows of ``g``: values in the middle of a step, at its end, anywhere
MIDDLE, END, ANYWHERE = range(3)
#: part of a step up to which a zero is found
SHARP = 1e-12
#: part of a fixed step that is not taken by itself
SLIVER = 1e-3
#: value over its size below which a function is zero but for round-off, and so near that its side decides
NOTHING, NEAR = 1e-14, 1e-11
#: a fixed step that does not converge is halved at most so often
_HALVINGS = 12
_TRIES = 60
_NONE = 2.0


@shared
def _value(
    evaluate: Any, compose: Any, model: Any, eye: Any, y: State, s: Scratch, zeros: Array, g: Array,
    i: int, x: float, h: float,
) -> float:  # fmt: skip
    """Function i at the part x of the trial step, positive on its side."""
    dense(compose, model, y, s, x, h, s.qp, s.rp)
    evaluate(eye, y.clock[T] + x * h, s.qp, s.rp, g[ANYWHERE])
    return float(zeros[i, SIDE] * g[ANYWHERE, i])


@shared
def _first_zero(
    evaluate: Any, compose: Any, model: Any, eye: Any, y: State, s: Scratch, zeros: Array, g: Array,
    i: int, h: float,
) -> None:  # fmt: skip
    """Seek the first zero of function i in the trial step; its place is ``_NONE`` where it has none."""
    side, noise = zeros[i, SIDE], NOTHING * zeros[i, SIZE]
    g0, gm, g1 = side * zeros[i, VALUE], side * g[MIDDLE, i], side * g[END, i]
    zeros[i, AT] = _NONE
    lo, f_lo, hi, f_hi = 0.0, g0, 0.5, gm
    if gm >= -noise:
        lo, f_lo, hi, f_hi = 0.5, gm, 1.0, g1
        if g1 >= -noise:
            # a parabola that dips below zero between its ends
            bent, slope = 2.0 * (g0 - 2.0 * gm + g1), -3.0 * g0 + 4.0 * gm - g1
            if not (bent > 0.0 and slope < 0.0 and -slope < 2.0 * bent):
                return
            hi = -0.5 * slope / bent
            f_hi = _value(evaluate, compose, model, eye, y, s, zeros, g, i, hi, h)
            if f_hi >= -noise:
                return
            lo, f_lo = 0.0, g0
    if f_lo <= NEAR * zeros[i, SIZE] and lo == 0.0:
        # it leaves zero: somewhere before the next zero it is on its side
        x = hi
        for _ in range(_TRIES):
            x *= 0.5
            f = _value(evaluate, compose, model, eye, y, s, zeros, g, i, x, h)
            if f > 0.0 and f > f_lo:
                lo, f_lo = x, f
                break
            hi, f_hi = x, f
    zeros[i, BEFORE], zeros[i, BEFORE_VALUE] = lo, f_lo
    # rule of Illinois
    for _ in range(_TRIES):
        if hi - lo <= SHARP or f_lo <= 0.0:
            break
        x = (lo * f_hi - hi * f_lo) / (f_hi - f_lo)
        f = _value(evaluate, compose, model, eye, y, s, zeros, g, i, x, h)
        if f < 0.0:
            hi, f_hi = x, f
            f_lo *= 0.5
        else:
            lo, f_lo = x, f
            f_hi *= 0.5
        if f == 0.0:
            hi = x
            break
    zeros[i, AT] = hi


@shared
def _next_event(
    evaluate: Any, compose: Any, model: Any, eye: Any, y: State, s: Scratch, zeros: Array, g: Array,
    t1: float, h: float,
) -> int:  # fmt: skip
    """Number of the event that comes first in the trial step; -1 where there is none."""
    first, at = -1, _NONE
    evaluate(eye, t1, s.q1, s.v1, g[END])
    dense(compose, model, y, s, 0.5, h, s.qp, s.rp)
    evaluate(eye, y.clock[T] + 0.5 * h, s.qp, s.rp, g[MIDDLE])
    for i in range(zeros.shape[0]):
        if zeros[i, DIRECTION] == 0.0 or zeros[i, DIRECTION] == -zeros[i, SIDE]:
            _first_zero(evaluate, compose, model, eye, y, s, zeros, g, i, h)
            if zeros[i, AT] < at:
                first, at = i, zeros[i, AT]
    return first


@shared
def _step_to_event(
    residual: Any, matrices: Any, compose: Any, rates: Any, evaluate: Any, model: Any, work: Any, eye: Any,
    y: State, s: Scratch, c: Array, zeros: Array, g: Array, i: int, h: float,
) -> tuple[int, float]:  # fmt: skip
    """Take the step again to the zero of function i, corrected by secants; status and length of the step."""
    shift, t0, side = c[ALPHA_M] - c[ALPHA_F], y.clock[T], zeros[i, SIDE]
    longest, x = h, zeros[i, AT] * h
    before, f_before = zeros[i, BEFORE] * h, zeros[i, BEFORE_VALUE]
    for k in range(_TRIES):
        if x <= SHARP * longest:
            return DONE, 0.0
        move_acceleration(y, y.clock[H], x, shift)
        y.clock[H] = x
        status = attempt(residual, matrices, compose, rates, model, work, y, s, c, t0 + x, x, True)
        if status != DONE:
            return status, x
        evaluate(eye, t0 + x, s.q1, s.v1, g[ANYWHERE])
        f = side * g[ANYWHERE, i]
        if f == 0.0 or f == f_before or k == _TRIES - 1:
            break
        new = min(max(x - f * (x - before) / (f - f_before), 0.5 * x), longest)
        if abs(new - x) <= SHARP * longest:
            break
        before, f_before, x = x, f, new
    return DONE, x


@shared
def _settle(evaluate: Any, eye: Any, y: State, zeros: Array, g: Array, fired: int) -> None:
    """Values at the accepted state, and the sides of functions that passed zero without firing."""
    evaluate(eye, y.clock[T], y.q, y.v, g[END])
    for i in range(zeros.shape[0]):
        zeros[i, VALUE] = g[END, i]
        if i != fired and zeros[i, SIDE] * g[END, i] < -NEAR * zeros[i, SIZE]:
            zeros[i, SIDE] = -zeros[i, SIDE]


def run_events(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, count: Any, evaluate: Any,
    model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array, g: Array,
    out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, by fixed or adaptive steps, up to an event.

    Fixed steps end at t_start + k h; after an event the next one is shorter.
    """
    y, s = restore(data)
    row, rows, end = 0, len(out.t), out.t[len(out.t) - 1]
    is_fresh, iterations, cut = True, 0, 1.0
    shift, is_fixed = c[ALPHA_M] - c[ALPHA_F], c[TOLERANCE] == 0.0
    while row < rows:
        placed, t0 = y.clock[H], y.clock[T]
        planned = c[H_MAX] if is_fixed else placed
        if is_fixed:
            t1, h = _fixed(c, t0, end, cut)
        else:
            h = step_towards(end - t0, placed)
            t1 = end if h == end - t0 else t0 + h
        move_acceleration(y, placed, h, shift)
        y.clock[H] = h
        before = y.counts[ITERATIONS]
        status = attempt(residual, matrices, compose, rates, model, work, y, s, c, t1, h, is_fresh)
        error = (0.0 if is_fixed else local_error(y, s, c, h)) if status == DONE else FAILED
        if error > 1.0:
            y.counts[REJECTED] += 1
            new = 0.5 * h if is_fixed else step_after_failure(h, error)
            cut *= 0.5
            if (is_fixed and cut < 0.5**_HALVINGS) or (not is_fixed and new < c[H_MIN]):
                return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
            move_acceleration(y, h, new, shift)
            y.clock[H] = new
            is_fresh = True
            continue
        cut = 1.0
        fired = _next_event(evaluate, compose, model, eye, y, s, zeros, g, t1, h)
        if fired >= 0:
            status, h = _step_to_event(
                residual, matrices, compose, rates, evaluate, model, work, eye, y, s, c, zeros, g, fired, h
            )  # fmt: skip
            if status != DONE:
                return int(status + 16 * row)
            t1 = t0 + h
            zeros[fired, FIRED] = 1.0
        iterations += y.counts[ITERATIONS] - before
        if h > 0.0:
            first_row = row
            p0, p1, p2, p3 = y.clock[POWER], y.clock[POWER + 1], y.clock[POWER + 2], y.clock[POWER + 3]
            while row < rows and out.t[row] < t1 - 1e-9 * h:
                write_between(compose, model, y, s, out, row, out.t[row], h)
                out.solver[row, 1] = iterations
                iterations = 0
                row += 1
            finish(residual, matrices, compose, rates, power, count, model, twin, work, y, s, c, t1, h)
            for k in range(first_row, row):
                grown = 0.5 * (out.t[k] - t0) ** 2 / h
                out.work[k, 0] += grown * (y.clock[POWER] - p0)
                out.work[k, 1] += grown * (y.clock[POWER + 1] - p1)
                out.work[k, 2] += grown * (y.clock[POWER + 2] - p2)
                out.work[k, 3] += grown * (y.clock[POWER + 3] - p3)
        _settle(evaluate, eye, y, zeros, g, fired)
        new = planned if is_fixed or fired >= 0 else next_step(h, placed, error, c[H_MAX])
        move_acceleration(y, y.clock[H], new, shift)
        y.clock[H] = new
        if fired >= 0:
            return EVENT + 16 * row
        is_fresh = y.counts[REFRESH] == 1 or y.counts[TANGENT] == 1 or (is_fixed and h != planned)
        if row < rows and abs(out.t[row] - t1) <= 1e-9 * h:
            write_row(y, out, row, iterations)
            iterations = 0
            row += 1
    return DONE + 16 * rows


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
