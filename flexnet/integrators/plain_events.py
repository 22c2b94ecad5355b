"""Zeros of functions inside a step of a method in Python; see :mod:`~flexnet.integrators.event_search`."""

from collections.abc import Callable
from functools import partial

from flexnet.integrators.event_search import DIRECTION, FIRED, NEAR, NOTHING, SIDE, SIZE, VALUE, WAITS
from flexnet.integrators.events import Watch
from flexnet.typing import Array

#: places of a step at which the functions are looked at, part of a step up to which a zero is found
_PLACES, _SHARP, _TRIES = 8, 1e-14, 80

#: state at the part x of a step
Between = Callable[[float], tuple[Array, Array]]


def first_event(watch: Watch, t: float, h: float, between: Between) -> float:
    """Part of a step from t at which the first event fires, which it then has; 2 where none does."""
    if not watch.events.names:
        return 2.0

    def values(x: float) -> Array:
        return watch.events.values(t + x * h, *between(x))

    grid = [(k + 1) / _PLACES for k in range(_PLACES)]
    seen = [values(x) for x in grid]
    first, at = -1, 2.0
    for i, zero in enumerate(watch.zeros):
        if zero[FIRED] == WAITS:
            found = 0.0
        elif zero[DIRECTION] in (0.0, -zero[SIDE]):
            found = _first_zero(zero, partial(_one, values, i), grid, [float(g[i]) for g in seen])
        else:
            continue
        if found < at:
            first, at = i, found
    if first >= 0:
        watch.zeros[first, FIRED] = 1.0
    return at


def wait(watch: Watch) -> None:
    """Let the event that fired at the time of a row act after it: the row shows what was before."""
    watch.zeros[watch.zeros[:, FIRED] == 1.0, FIRED] = WAITS


def _one(values: Callable[[float], Array], i: int, x: float) -> float:
    return float(values(x)[i])


def accept(watch: Watch, t: float, q: Array, v: Array) -> None:
    """Values at an accepted state, and the sides of functions that passed zero without firing."""
    watch.look(t, q, v)
    for zero in watch.zeros:
        if zero[FIRED] == 0.0 and zero[SIDE] * zero[VALUE] < -NEAR * zero[SIZE]:
            zero[SIDE] *= -1.0


def _first_zero(zero: Array, value: Callable[[float], float], grid: list[float], seen: list[float]) -> float:
    """First zero of one function by the places it was looked at; 2 where there is none."""
    side, size = zero[SIDE], zero[SIZE]
    lo, f_lo = 0.0, side * zero[VALUE]
    for x, g in zip(grid, seen, strict=True):
        f = side * g
        if f < -NOTHING * size:
            if lo == 0.0 and f_lo <= NEAR * size:
                lo, f_lo, x, f = _leave(lambda y: side * value(y), x, f)
            return _illinois(lambda y: side * value(y), lo, f_lo, x, f)
        lo, f_lo = x, f
    return 2.0


def _leave(value: Callable[[float], float], hi: float, f_hi: float) -> tuple[float, float, float, float]:
    """Where a function that leaves zero is on its side, before a place where it is not."""
    x = hi
    for _ in range(_TRIES):
        x *= 0.5
        f = value(x)
        if f > 0.0:
            return x, f, hi, f_hi
        hi, f_hi = x, f
    return 0.0, 0.0, hi, f_hi


def _illinois(value: Callable[[float], float], lo: float, f_lo: float, hi: float, f_hi: float) -> float:
    """Zero between two places, by false position with halved ends; the place just behind it."""
    if f_lo <= 0.0:  # round-off: it was there
        return lo
    for _ in range(_TRIES):
        if hi - lo <= _SHARP:
            break
        x = (lo * f_hi - hi * f_lo) / (f_hi - f_lo)
        f = value(x)
        if f < 0.0:
            hi, f_hi, f_lo = x, f, 0.5 * f_lo
        else:
            lo, f_lo, f_hi = x, f, 0.5 * f_hi
        if f == 0.0:
            return x
    return hi
