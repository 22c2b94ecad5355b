"""Known functions of time, kept as data so that compiled code can evaluate them.

Every function knows its value and its first two derivatives. What is a formula of its numbers (constant,
polynomial, harmonic, cycloidal, smooth step) is written in :data:`FORMULAS`, once, and differentiated
exactly; it, a table or a sympy expression runs inside the compiled time loop. Any Python callable works too,
only slower.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from flexnet.algebra import Expr, Node, add, mul, power, sin, where
from flexnet.components.differences import rates_at
from flexnet.errors import ModelError
from flexnet.typing import Array


@runtime_checkable
class SympyExpression(Protocol):
    """A sympy expression."""

    @property
    def free_symbols(self) -> set[Any]:
        """Symbols in it."""


@dataclass(frozen=True, slots=True)
class TimeFunction:
    """A function of time as data.

    Attributes
    ----------
    kind : ``constant``, ``polynomial``, ``harmonic``, ``cycloidal``, ``smooth_step``, ``spline``,
        ``expression``, ``callable`` or ``signal``.
    parameters : the numbers of the kind, in the order of the function that makes it.
    expression : a sympy expression of the symbol ``t``, for kind ``expression``; the signal, for ``signal``.
    call : the Python callable and its derivatives, for kind ``callable``.
    """

    kind: str
    parameters: tuple[float, ...] = ()
    expression: Any = None
    call: tuple[Callable[[float], float], ...] = ()

    def __post_init__(self) -> None:
        if not all(math.isfinite(p) for p in self.parameters):
            raise ModelError(f"{self.kind} function of time has a parameter that is not finite")

    @property
    def is_zero(self) -> bool:
        """Whether it is nothing."""
        return self.kind == "constant" and self.parameters[0] == 0.0

    def formula(self, t: Node) -> Expr | None:
        """f(t), written out; None where it has pieces, and of what is no formula."""
        if self.kind == "expression":
            from flexnet.algebra.exchange import from_sympy  # here: it loads sympy

            return from_sympy(self.expression, {"t": t})
        has_pieces = self.kind in ("cycloidal", "smooth_step")
        return None if has_pieces or self.kind not in FORMULAS else FORMULAS[self.kind](t, self.parameters)


class FunctionOfState(ABC):
    """What may stand where a function of time is expected, and follows from the state."""

    __slots__ = ()

    @property
    @abstractmethod
    def function(self) -> TimeFunction:
        """What stands in its slot."""

    @property
    @abstractmethod
    def unit(self) -> str:
        """SI unit; empty where it takes that of its slot."""

    @abstractmethod
    def prescribed(self, what: str, unit: str) -> TimeFunction:
        """The function of time it is, if it follows nothing else, for a motion in a unit."""


#: what users may write where a function of time is expected: a :class:`TimeFunction`, a number,
#: a sympy expression of t, a Python callable, or a signal
TimeLike: TypeAlias = TimeFunction | FunctionOfState | SympyExpression | float | Callable[[float], float]


def constant(value: float) -> TimeFunction:
    """``f = value``."""
    return TimeFunction("constant", (float(value),))


def polynomial(*coefficients: float) -> TimeFunction:
    """``f = c₀ + c₁ t + c₂ t² + …``."""
    return TimeFunction("polynomial", tuple(float(c) for c in coefficients))


def ramp(rate: float, start: float = 0.0) -> TimeFunction:
    """``f = start + rate t``; rate in unit/s."""
    return polynomial(start, rate)


def harmonic(amplitude: float, omega: float, phase: float = 0.0, offset: float = 0.0) -> TimeFunction:
    """``f = offset + amplitude sin(omega t + phase)``; omega in rad/s, phase in rad."""
    return TimeFunction("harmonic", (float(amplitude), float(omega), float(phase), float(offset)))


def cycloidal(start: float, end: float, duration: float, begin: float = 0.0) -> TimeFunction:
    """Move from ``start`` to ``end`` in ``duration`` [s] with no jump in acceleration.

    ``f = start + (end - start)(τ - sin(2πτ)/2π)``, ``τ = (t - begin)/duration`` held to [0, 1].
    """
    if duration <= 0:
        raise ModelError(f"cycloidal motion needs a positive duration, not {duration}")
    return TimeFunction("cycloidal", (float(start), float(end), float(duration), float(begin)))


def smooth_step(start: float, end: float, duration: float, begin: float = 0.0) -> TimeFunction:
    """Move from ``start`` to ``end`` by the quintic ``6τ⁵ - 15τ⁴ + 10τ³``; duration and begin in s."""
    if duration <= 0:
        raise ModelError(f"smooth step needs a positive duration, not {duration}")
    return TimeFunction("smooth_step", (float(start), float(end), float(duration), float(begin)))


def _rise(t: Node, c: Sequence[Expr], share: Callable[[Expr], Expr]) -> Expr:
    """From c₀ to c₁ by a share of τ = (t - c₃)/c₂, held outside [0, 1]."""
    tau = (t - c[3]) / c[2]
    return where(tau <= 0, c[0], where(tau >= 1, c[1], add(c[0], mul(c[1] - c[0], share(tau)))))


#: f(t; c) of every kind that is a formula of its numbers
FORMULAS: dict[str, Callable[[Node, Sequence[Expr]], Expr]] = {
    "constant": lambda t, c: c[0],
    "polynomial": lambda t, c: add(*(mul(x, power(t, i)) for i, x in enumerate(c))),
    "harmonic": lambda t, c: add(c[3], mul(c[0], sin(add(mul(c[1], t), c[2])))),
    "cycloidal": lambda t, c: _rise(t, c, lambda x: x - sin(2 * math.pi * x) / (2 * math.pi)),
    "smooth_step": lambda t, c: _rise(t, c, lambda x: x**3 * (10 + x * (6 * x - 15))),
}


def table(times: Sequence[float], values: Sequence[float]) -> TimeFunction:
    """Cubic spline through a table of times [s] and values, its end slopes kept outside the table.

    Raises
    ------
    ModelError
        If there are fewer than two rows or times do not increase.
    """
    x, y = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise ModelError(f"a table needs two columns of equal length ≥ 2, got {x.shape} and {y.shape}")
    if not np.all(np.diff(x) > 0):
        row = int(np.argmin(np.diff(x) > 0)) + 1
        raise ModelError(f"times of a table must increase; row {row} does not")
    from scipy.interpolate import CubicSpline  # here: most cases have no table

    c = CubicSpline(x, y).c  # (4, n - 1), highest power first
    return TimeFunction("spline", (*x.tolist(), *c.T.ravel().tolist()))


def accelerogram(
    times: Sequence[float], values: Sequence[float], speed: float = 0.0, corrected: bool = False
) -> TimeFunction:
    """Displacement [m] of a measured acceleration, linear between samples: for a driver that shakes a base.

    Parameters
    ----------
    times, values : s and m/s², times increasing.
    speed : at the first sample, m/s.
    corrected : take a constant off the record, so that the base ends with the speed it began with; a measured
        record drifts without.
    """
    x, a = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if x.ndim != 1 or x.shape != a.shape or len(x) < 2:
        raise ModelError(f"a record needs two columns of equal length ≥ 2, got {x.shape} and {a.shape}")
    if not np.all(np.diff(x) > 0):
        raise ModelError(
            f"times of a record must increase; row {int(np.argmin(np.diff(x) > 0)) + 1} does not"
        )
    h = np.diff(x)
    if corrected:
        a = a - float((h * (a[:-1] + a[1:])).sum()) / (2.0 * float(x[-1] - x[0]))
    v = speed + np.concatenate([[0.0], np.cumsum(h * (a[:-1] + a[1:]) / 2.0)])
    d = np.concatenate([[0.0], np.cumsum(h * v[:-1] + h * h * (2.0 * a[:-1] + a[1:]) / 6.0)])
    c = np.stack([np.diff(a) / (6.0 * h), a[:-1] / 2.0, v[:-1], d[:-1]])  # highest power first
    return TimeFunction("spline", (*x.tolist(), *c.T.ravel().tolist()))


def expression(formula: SympyExpression) -> TimeFunction:
    """Take a sympy expression of the symbol ``t`` [s]; it is differentiated and compiled once."""
    names = {str(s) for s in formula.free_symbols}
    if names - {"t"}:
        raise ModelError(f"an expression of time may contain the symbol t only, not {sorted(names - {'t'})}")
    return TimeFunction("expression", expression=formula)


def from_callable(f: Callable[[float], float], *derivatives: Callable[[float], float]) -> TimeFunction:
    """Any Python function of time, with its first two derivatives where a motion driver needs them.

    Missing derivatives are differences of ``f``, whose step is found at every instant: ten to forty calls,
    so give them where ``f`` takes long.
    """
    if len(derivatives) > 2:
        raise ModelError(f"a function of time takes at most two derivatives, got {len(derivatives)}")
    return TimeFunction("callable", call=(f, *derivatives))


def with_derivatives(function: TimeFunction, time: float) -> tuple[Callable[[float], float], ...]:
    """A Python function and its first two derivatives; those it was not given are central differences.

    Parameters
    ----------
    time : in which things happen in the model, s: where the search for a step begins.
    """
    if len(function.call) == 3:
        return function.call
    f, *given = function.call
    seen: dict[float, tuple[float, float]] = {}

    def rates(t: float) -> tuple[float, float]:
        """Both rates of the last that is given, kept for one instant: they are asked for one by one."""
        if t not in seen:
            found = rates_at((given or [f])[0], t, time)
            seen.clear()
            seen[t] = found
        return seen[t]

    if given:
        return f, given[0], lambda t: rates(t)[0]
    return f, lambda t: rates(t)[0], lambda t: rates(t)[1]


def values_of(function: TimeFunction, times: Array) -> Array:
    """Values at many instants of a table, an expression or a Python function; nan where it has none."""
    if function.kind == "spline":
        from scipy.interpolate import PPoly  # here: most cases have no table

        p = np.array(function.parameters)
        n = (len(p) + 4) // 5
        table = PPoly(p[n:].reshape(n - 1, 4).T, p[:n])
        inside = np.clip(times, p[0], p[n - 1])
        out: Array = table(inside) + table(inside, 1) * (times - inside)
        return out
    call = function.call[0] if function.call else None
    if call is None:
        from flexnet.algebra.exchange import python_function  # here: it loads sympy

        call = python_function(function.expression)
    return np.array([_value(call, float(t)) for t in times])


def _value(call: Callable[[float], float], t: float) -> float:
    try:
        return float(call(t))
    except Exception:  # it is asked again where it matters
        return math.nan


def as_motion(value: TimeLike, what: str, unit: str) -> TimeFunction:
    """The same for a prescribed motion, whose rates are needed: a signal must be one of time alone."""
    if isinstance(value, FunctionOfState):
        return value.prescribed(what, unit)
    return as_time_function(value, what)


def as_time_function(value: TimeLike, what: str) -> TimeFunction:
    """Turn a number, a sympy expression or a Python callable into a :class:`TimeFunction`."""
    if isinstance(value, TimeFunction):
        return value
    if isinstance(value, FunctionOfState):
        return value.function
    if isinstance(value, int | float | np.floating | np.integer):
        if not math.isfinite(value):
            raise ModelError(f"{what} must be finite, got {value}")
        return constant(float(value))
    if isinstance(value, SympyExpression):
        return expression(value)
    if callable(value):
        return from_callable(value)
    raise ModelError(f"{what} must be a number, a time function or a callable, not {type(value).__name__}")
