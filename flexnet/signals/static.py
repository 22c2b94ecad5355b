"""Blocks without states: limits, dead zones, look-up tables, a user's own function."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from flexnet.algebra import traced
from flexnet.errors import ModelError
from flexnet.signals.signal import Applied, Number, Signal, SignalLike, _dimension, as_signal, combine
from flexnet.typing import Array
from flexnet.validation import shown

#: a user's function is held against its trace at as many points
_SAMPLES = 9


def limit(signal: SignalLike, low: SignalLike, high: SignalLike) -> Signal:
    """A signal held between two others; numbers are in the SI unit of the signal."""
    if isinstance(low, int | float) and isinstance(high, int | float) and not low < high:
        raise ModelError(f"a limit needs low < high, got {low} and {high}")
    return combine("minimum", combine("maximum", signal, low), high)


def dead_zone(signal: SignalLike, width: float) -> Signal:
    """What of a signal lies outside ± ``width``, counted from there."""
    if not width >= 0:
        raise ModelError(f"a dead zone needs a width of at least zero, got {width}")
    return as_signal(signal) - limit(signal, -width, width) if width else as_signal(signal)


def lookup(
    x: SignalLike, points: Sequence[float], values: Array, y: SignalLike | None = None,
    y_points: Sequence[float] | None = None, unit: str = "",
) -> Signal:  # fmt: skip
    """A table of values, linear between its points; outside it the end values are kept.

    Parameters
    ----------
    x, y : signals the table is read at; ``y`` of a table in two variables.
    points, y_points : where the values are given, increasing, in the SI units of x and y.
    values : one for each point; of two variables a row for each point of x, with one for each of y.
    unit : SI unit of the values; left out, pure numbers.
    """
    table = np.array(values, dtype=float)
    at = [_increasing(points, "points")]
    if y is not None:
        at.append(_increasing([] if y_points is None else y_points, "y_points"))
    if table.shape != tuple(map(len, at)):
        raise ModelError(f"a table has {table.shape} values, expected {tuple(map(len, at))} for its points")
    dimension = _dimension(unit or "1")
    if y is None:
        return _interpolated(as_signal(x), at[0], [Number(v, dimension) for v in table])
    rows = [_interpolated(as_signal(y), at[1], [Number(v, dimension) for v in row]) for row in table]
    return _interpolated(as_signal(x), at[0], rows)


def _increasing(points: Sequence[float], what: str) -> Array:
    x = np.array(points, dtype=float)
    if x.ndim != 1 or len(x) < 2 or not np.all(np.diff(x) > 0):
        raise ModelError(f"{what} of a table must be two or more numbers that increase, got {shown(points)}")
    return x


def _interpolated(x: Signal, points: Array, values: Sequence[Signal]) -> Signal:
    """f₀ + Σ (f_{i+1} - f_i) sᵢ, sᵢ the share of an interval that lies below x."""
    out = values[0]
    for i, (a, b) in enumerate(pairwise(points)):
        share = (limit(x, float(a), float(b)) - float(a)) / Number(float(b - a), x.dimension)
        out = out + (values[i + 1] - values[i]) * share
    return out


def function(call: Callable[..., float], *signals: SignalLike, unit: str = "") -> Signal:
    """A user's function of signals, traced where possible so that it runs compiled, called otherwise.

    Parameters
    ----------
    call : Python function of as many numbers and of nothing else: the same numbers give the same value. Built
        of arithmetic and of functions of ``flexnet.algebra`` it is traced. One that asks whether something is
        true, or calls what knows numbers only, is called at every evaluation, which takes a microsecond and
        more, and Newton's matrix knows no slope of it; the report of the equations names it.
    unit : SI unit of its value; left out, a pure number.

    Raises
    ------
    ModelError
        If it takes another number of arguments.
    """
    given = tuple(map(as_signal, signals))
    rng = np.random.default_rng(0)
    samples = rng.uniform(-2.0, 2.0, (_SAMPLES, len(given))).tolist()
    names = [f"x{i}" for i in range(len(given))]
    made = traced(call, names, samples)
    if made is None:
        _check_call(call, samples[0])
    return Applied(call, made, given, _dimension(unit or "1"))


def _check_call(call: Callable[..., float], sample: Sequence[float]) -> None:
    """Refuse what cannot be called with so many numbers; where it is not defined it may raise."""
    what = f"the function {getattr(call, '__name__', call)!r} of signals"
    try:
        float(call(*sample))
    except TypeError as error:
        raise ModelError(f"{what} cannot be called with {len(sample)} numbers: {error}") from error
    except Exception:  # not defined there
        return
