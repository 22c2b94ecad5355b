"""When known functions of time begin and cease to change: an adaptive step ends there.

An error estimate knows what a method looked at. A load that is nothing, acts for a hundredth of a second and
is nothing again lies between the instants that a long step looks at, and the estimate of that step is zero.
So a step ends where a function that rested begins to change, at its largest way from there, and where it
rests again. Rises say when they begin; what is no formula is looked at once every first step of the run, of
signals those that follow nothing but time: a window of time on a signal of the state may be passed over. A
step that has seen a function change is chosen by its error as ever.
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


def wakes(functions: Iterable[TimeFunction], start: float, end: float, step: float) -> Array:
    """Instants in a run at which steps end, increasing, s.

    Parameters
    ----------
    step : how densely functions without a formula are looked at, s.
    """
    found: set[float] = set()
    while end - start > _MOST * step:  # by halves, so that a later end rarely moves them
        step *= 2.0
    times: Array = step * np.arange(floor(start / step), ceil(end / step) + 1, dtype=float)
    for given in functions:
        f = _of_time(given)
        p = f.parameters
        if f.kind in ("cycloidal", "smooth_step") and p[0] != p[1]:
            found |= {p[3], p[3] + p[2]}
        elif f.kind in ("spline", "expression", "callable"):
            found |= set(_changes(times, values_of(f, times)).tolist())
    return np.array(sorted(t for t in found if start < t < end))


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
    if not np.isfinite(values).all():
        return np.zeros(0)
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
