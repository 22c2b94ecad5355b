"""When known functions of time begin and cease to change: an adaptive step ends there.

An error estimate knows what a method looked at. A load that is nothing, acts for a hundredth of a second and
is nothing again lies between the instants that a long step looks at, and the estimate of that step is zero.
So a step ends where a function that rested begins to change, at its largest way from there, and where it
rests again. Where a function jumps, a step ends at the last instant before, and the next one begins at the
first behind: no step sees both sides. Rises say when they begin; what is no formula is looked at once every
first step of the run, of signals those that follow nothing but time: a window of time on a signal of the
state may be passed over. A step that has seen a function change is chosen by its error as ever.
"""

from collections.abc import Iterable
from math import ceil, floor

import numpy as np

from flexnet.components.time_function import FunctionOfState, TimeFunction, values_of
from flexnet.errors import ModelError
from flexnet.typing import Array

#: change between two instants over the largest value that is none
_REST = 1e-9
#: instants at which a function is looked at, at most: long runs are looked at more coarsely
_MOST = 20_000


#: halves of the interval that holds a jump; intervals that are looked at, the largest changes first
_HALVES, _JUMPS = 64, 1000
#: part of a change that is left of a jump, and of none, between neighbouring instants
_LEFT = 0.5


def wakes(functions: Iterable[TimeFunction], start: float, end: float, step: float) -> Array:
    """Instants in a run at which steps end and begin, s: (any, 2), increasing; unlike where a function jumps.

    Parameters
    ----------
    step : how densely functions without a formula are looked at, s.
    """
    found: dict[float, float] = {}
    while end - start > _MOST * step:  # by halves, so that a later end rarely moves them
        step *= 2.0
    times: Array = step * np.arange(floor(start / step), ceil(end / step) + 1, dtype=float)
    for given in functions:
        f = _of_time(given)
        p = f.parameters
        if f.kind in ("cycloidal", "smooth_step") and p[0] != p[1]:
            rise = (p[3], p[3] + p[2])
            found = dict(zip(rise, rise, strict=True)) | found
        elif f.kind in ("spline", "expression", "callable"):
            values = values_of(f, times)
            if np.isfinite(values).all():
                changes = _changes(times, values).tolist()
                found = dict(zip(changes, changes, strict=True)) | found
                found |= _jumps(f, times, values)
    inside = sorted((t, after) for t, after in found.items() if start < t < end or start == t < after)
    return np.array(inside).reshape(-1, 2)


def _of_time(f: TimeFunction) -> TimeFunction:
    """A signal that follows nothing but time, written out; whatever else as it is."""
    if f.kind != "signal":
        return f
    signal: FunctionOfState = f.expression
    try:
        return signal.prescribed("a load", signal.unit or "1")
    except ModelError:  # it follows the state
        return f


def _changes(times: Array, values: Array) -> Array:
    """Where each change after a rest begins, is largest, and ends."""
    moves = np.abs(np.diff(values)) > _REST * np.abs(values).max()
    edges = np.diff(np.concatenate([[0], moves, [0]]))
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    tops = [
        i + int(np.argmax(np.abs(values[i : j + 1] - values[i])))
        for i, j in zip(begins, ends, strict=True)
        if i > 0 or j < len(moves)  # else it never rests
    ]
    if not tops:
        return np.zeros(0)
    out: Array = times[np.unique(np.concatenate([begins, np.array(tops), ends]))]
    return out


def _jumps(f: TimeFunction, times: Array, values: Array) -> dict[float, float]:
    """Last instant before each jump, and the first one after.

    An interval whose change stands out from those beside it is halved until its ends are neighbours: what
    is left then of a change that is continuous, however steep, is a part that goes with the interval.
    """
    if f.kind == "spline":
        return {}
    moves = np.abs(np.diff(values))
    beside = np.maximum(np.append(moves[1:], 0.0), np.append(0.0, moves[:-1]))
    stands_out = np.flatnonzero((moves > 2.0 * beside) & (moves > _REST * np.abs(values).max()))
    k = stands_out[np.argsort(-moves[stands_out], kind="stable")[:_JUMPS]]
    left, right, whole = times[k], times[k + 1], values[k + 1] - values[k]
    low = values[k]
    for _ in range(_HALVES):
        middle = 0.5 * (left + right)
        is_after = np.abs(values_of(f, middle) - low) > 0.5 * np.abs(whole)
        left, right = np.where(is_after, left, middle), np.where(is_after, middle, right)
    is_jump = np.abs(values_of(f, right) - values_of(f, left)) > _LEFT * np.abs(whole)
    return dict(zip(left[is_jump].tolist(), right[is_jump].tolist(), strict=True))
