"""Zeros of functions inside a step, for every compiled loop; the step then ends there.

After every step the functions are evaluated at its end and at its middle. Where one has changed its side, or
the parabola through three values does so in between, its first zero is sought on the Hermite polynomial of
the step. The step is then taken again to that time, which is corrected by secants until it stands: what an
event is right to is the method, not the polynomial. The loop returns there; what happens is decided in
Python, and the loop is entered again.

A function has a *side*, the sign it had or is about to take: at a zero that is just being left, its value is
round-off and tells nothing.
"""

from typing import Any, NamedTuple

from flexnet.integrators.rows import DONE
from flexnet.kernels.compile import shared
from flexnet.typing import Array

#: columns of ``zeros``, a row for every function: side, direction, size, whether it fired, value; part of the
#: step where it has its zero, a part before it and the value there
SIDE, DIRECTION, SIZE, FIRED, VALUE, AT, BEFORE, BEFORE_VALUE = range(8)
#: rows of ``g``: values in the middle of a step, at its end, anywhere
MIDDLE, END, ANYWHERE = range(3)
#: part of a step up to which a zero is found
SHARP = 1e-12
#: value over its size below which a function is zero but for round-off, and so near that its side decides
NOTHING, NEAR = 1e-14, 1e-11
#: in the place of FIRED: it has its zero where another fired, and fires there next
WAITS = 0.5
_TRIES = 60
_NONE = 2.0


class Span(NamedTuple):
    """A trial step: where it begins, its increment, where it ends; places and rates in between (scratch)."""

    q: Array
    v: Array
    dq: Array
    q1: Array
    v1: Array
    place: Array
    moved: Array
    rate: Array


class Zeros(NamedTuple):
    """Functions of events, what they receive first, and what is known of each of them."""

    evaluate: Any
    eye: Any
    zeros: Array
    g: Array


@shared
def dense(compose: Any, model: Any, s: Span, x: float, h: float, q: Array, v: Array) -> None:
    """Configuration and velocity at the part x of a trial step, by Hermite interpolation."""
    for i in range(s.v.shape[0]):
        d, v0, v1 = s.dq[i], h * s.v[i], h * s.v1[i]
        s.moved[i] = x * (v0 + x * (3.0 * d - 2.0 * v0 - v1 + x * (v0 + v1 - 2.0 * d)))
        v[i] = (v0 + x * (2.0 * (3.0 * d - 2.0 * v0 - v1) + x * 3.0 * (v0 + v1 - 2.0 * d))) / h
    compose(model, s.q, s.moved, q)


@shared
def _value(compose: Any, model: Any, s: Span, e: Zeros, i: int, t: float, x: float, h: float) -> float:
    """Function i at the part x of the trial step, positive on its side."""
    dense(compose, model, s, x, h, s.place, s.rate)
    e.evaluate(e.eye, t + x * h, s.place, s.rate, e.g[ANYWHERE])
    return float(e.zeros[i, SIDE] * e.g[ANYWHERE, i])


@shared
def _first_zero(compose: Any, model: Any, s: Span, e: Zeros, i: int, t: float, h: float) -> None:
    """Seek the first zero of function i in the trial step; its place is ``_NONE`` where it has none."""
    zeros = e.zeros
    side, noise = zeros[i, SIDE], NOTHING * zeros[i, SIZE]
    g0, gm, g1 = side * zeros[i, VALUE], side * e.g[MIDDLE, i], side * e.g[END, i]
    zeros[i, AT] = _NONE
    if zeros[i, FIRED] == WAITS:
        zeros[i, AT], zeros[i, BEFORE], zeros[i, BEFORE_VALUE] = 0.0, 0.0, 0.0
        return
    lo, f_lo, hi, f_hi = 0.0, g0, 0.5, gm
    if gm >= -noise:
        lo, f_lo, hi, f_hi = 0.5, gm, 1.0, g1
        if g1 >= -noise:
            # a parabola that dips below zero between its ends
            bent, slope = 2.0 * (g0 - 2.0 * gm + g1), -3.0 * g0 + 4.0 * gm - g1
            if not (bent > 0.0 and slope < 0.0 and -slope < 2.0 * bent):
                return
            hi = -0.5 * slope / bent
            f_hi = _value(compose, model, s, e, i, t, hi, h)
            if f_hi >= -noise:
                return
            lo, f_lo = 0.0, g0
    if f_lo <= NEAR * zeros[i, SIZE] and lo == 0.0:
        # it leaves zero: somewhere before the next zero it is on its side
        x, is_left = hi, False
        for _ in range(_TRIES):
            x *= 0.5
            f = _value(compose, model, s, e, i, t, x, h)
            if f > 0.0 and f > f_lo:
                lo, f_lo, is_left = x, f, True
                break
            hi, f_hi = x, f
        if g1 >= -noise and not is_left:
            # it grows as t³ or later, which the polynomial of the step makes dip: it ends on its side
            return
    if lo > 0.0 and f_lo <= 0.0:
        # in the very middle, but for round-off
        zeros[i, AT], zeros[i, BEFORE], zeros[i, BEFORE_VALUE] = lo, 0.0, g0
        return
    zeros[i, BEFORE], zeros[i, BEFORE_VALUE] = lo, f_lo
    # rule of Illinois
    for _ in range(_TRIES):
        if hi - lo <= SHARP or f_lo <= 0.0:
            break
        x = (lo * f_hi - hi * f_lo) / (f_hi - f_lo)
        f = _value(compose, model, s, e, i, t, x, h)
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
def next_event(compose: Any, model: Any, s: Span, e: Zeros, t: float, h: float) -> int:
    """Number of the event that comes first in the trial step from t; -1 where there is none."""
    first, at = -1, _NONE
    e.evaluate(e.eye, t + h, s.q1, s.v1, e.g[END])
    dense(compose, model, s, 0.5, h, s.place, s.rate)
    e.evaluate(e.eye, t + 0.5 * h, s.place, s.rate, e.g[MIDDLE])
    for i in range(e.zeros.shape[0]):
        if e.zeros[i, DIRECTION] == 0.0 or e.zeros[i, DIRECTION] == -e.zeros[i, SIDE]:
            _first_zero(compose, model, s, e, i, t, h)
            if e.zeros[i, AT] < at:
                first, at = i, e.zeros[i, AT]
        else:
            e.zeros[i, AT] = _NONE
    return first


@shared
def nearer(s: Span, e: Zeros, i: int, t: float, x: float, before: float, f_before: float, h: float) -> tuple[
    float, float
]:  # fmt: skip
    """Length of the next try where a step of the length x was taken, and the value it had.

    It is x itself where that stands. Secants through the step before, of the length ``before``.
    """
    e.evaluate(e.eye, t + x, s.q1, s.v1, e.g[ANYWHERE])
    f = e.zeros[i, SIDE] * e.g[ANYWHERE, i]
    if f == 0.0 or f == f_before:
        return x, f
    new = min(max(x - f * (x - before) / (f - f_before), 0.5 * x), h)
    return (x if abs(new - x) <= SHARP * h else new), f


@shared
def step_to_event(again: Any, d: Any, s: Span, e: Zeros, i: int, t: float, h: float) -> tuple[int, float]:
    """Take the trial step again, ``again(d, end, length)``, to the zero of function i; status and length."""
    x, before, f_before = e.zeros[i, AT] * h, e.zeros[i, BEFORE] * h, e.zeros[i, BEFORE_VALUE]
    for _ in range(_TRIES):
        if x <= SHARP * h:
            return DONE, 0.0
        status = again(d, t + x, x)
        if status != DONE:
            return int(status), x
        new, f = nearer(s, e, i, t, x, before, f_before, h)
        if new == x:
            break
        before, f_before, x = x, f, new
    return DONE, x


@shared
def settle(e: Zeros, t: float, q: Array, v: Array, fired: int) -> None:
    """Values at the accepted state, and the sides of functions that passed zero without firing.

    One with its zero where that lies which fired has yet to, whatever the end of the step made of its value.
    """
    e.evaluate(e.eye, t, q, v, e.g[END])
    moved = fired < 0 or e.zeros[fired, AT] > SHARP
    for i in range(e.zeros.shape[0]):
        e.zeros[i, VALUE] = e.g[END, i]
        e.zeros[i, FIRED] = 0.0
        if i == fired:
            continue
        if fired >= 0 and e.zeros[i, AT] < _NONE and abs(e.zeros[i, AT] - e.zeros[fired, AT]) <= SHARP:
            e.zeros[i, FIRED] = WAITS
        elif moved and e.zeros[i, SIDE] * e.g[END, i] < -NEAR * e.zeros[i, SIZE]:
            e.zeros[i, SIDE] = -e.zeros[i, SIDE]
    if fired >= 0:
        e.zeros[fired, FIRED] = 1.0
