"""Signal: a frozen expression of what is measured, in SI numbers, with a dimension that is checked.

A plain number, or a function of time without a unit, stands for an SI number of whatever it is added to or
compared with, and for a pure number where it is multiplied: ``angle - 0.5``, ``2 * force``. A gain with a
unit is a :func:`quantity`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import flexnet.algebra as algebra
from flexnet.components import TimeFunction, as_time_function
from flexnet.components.time_function import FunctionOfState
from flexnet.errors import ModelError, ResultError
from flexnet.units import NUMBER, Dimension, parse_unit, unit_name
from flexnet.validation import number, shown

#: what a signal is measured in; None where a number takes the unit of what it meets
Measured = Dimension | None


def _where_positive(x: Any, a: Any, b: Any) -> Any:
    return algebra.where(x > 0, a, b)


#: every operation: of expressions, and of arrays
OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (algebra.add, np.add),
    "multiply": (algebra.mul, np.multiply),
    "divide": (algebra.div, np.divide),
    "power": (algebra.power, np.power),
    "maximum": (algebra.maximum, np.maximum),
    "minimum": (algebra.minimum, np.minimum),
    "absolute": (algebra.absolute, np.absolute),
    "sign": (algebra.sgn, np.sign),
    "sqrt": (algebra.sqrt, np.sqrt),
    "arctan2": (algebra.atan2, np.arctan2),
    "select": (_where_positive, lambda x, a, b: np.where(np.asarray(x) > 0, a, b)),
    "sin": (algebra.sin, np.sin), "cos": (algebra.cos, np.cos), "tan": (algebra.tan, np.tan),
    "arcsin": (algebra.asin, np.arcsin), "arccos": (algebra.acos, np.arccos),
    "arctan": (algebra.atan, np.arctan), "sinh": (algebra.sinh, np.sinh), "cosh": (algebra.cosh, np.cosh),
    "tanh": (algebra.tanh, np.tanh), "exp": (algebra.exp, np.exp), "log": (algebra.log, np.log),
}  # fmt: skip
#: operations whose arguments and value are measured in the same
_ALIKE = ("add", "maximum", "minimum")
#: functions of NumPy that are more than one of them
_UFUNCS: dict[str, Callable[..., Any]] = {
    "subtract": lambda a, b: a - b, "negative": lambda a: -a, "true_divide": lambda a, b: a / b,
    "float_power": lambda a, b: a**b, "square": lambda a: a**2, "fabs": abs,
}  # fmt: skip


class Signal(FunctionOfState):
    """A number that follows from the state and time; built by operators and functions, NumPy's included.

    Attributes
    ----------
    dimension : powers of length, mass and time; None where it takes the unit of what it meets.
    needs : signals it is computed from.
    """

    __slots__ = ()
    #: NumPy leaves arithmetic with its numbers to this class
    __array_priority__: ClassVar[float] = 1000.0

    if TYPE_CHECKING:  # fields and class attributes of those that are dataclasses

        @property
        def dimension(self) -> Measured:
            """Powers of length, mass and time."""

        @property
        def needs(self) -> "tuple[Signal, ...]":
            """Signals it is computed from."""

    def __repr__(self) -> str:
        return f"signal in {self.unit or 'SI'}"

    @property
    def unit(self) -> str:
        """SI unit, ``""`` where it takes that of what it meets."""
        return "" if self.dimension is None else unit_name(self.dimension)

    @property
    def function(self) -> TimeFunction:
        """What stands in the slot of a function of time."""
        return TimeFunction("signal", expression=self)

    def prescribed(self, what: str, unit: str) -> TimeFunction:
        """The function of time a motion follows; refused where it follows the state, or is no formula."""
        from flexnet.signals.prescribed import of_time  # here: it rests on this page

        return of_time(self, what, unit)

    def measured_in(self, unit: str) -> "Signal":
        """The same SI numbers in another unit: those of a sensor, or of gains that were not written."""
        return Formula("add", (self,), _dimension(unit))

    def __add__(self, other: Any) -> "Signal":
        return combine("add", self, other)

    def __radd__(self, other: Any) -> "Signal":
        return combine("add", other, self)

    def __sub__(self, other: Any) -> "Signal":
        return combine("add", self, -as_signal(other))

    def __rsub__(self, other: Any) -> "Signal":
        return combine("add", other, -self)

    def __mul__(self, other: Any) -> "Signal":
        return combine("multiply", self, other)

    def __rmul__(self, other: Any) -> "Signal":
        return combine("multiply", other, self)

    def __truediv__(self, other: Any) -> "Signal":
        return combine("divide", self, other)

    def __rtruediv__(self, other: Any) -> "Signal":
        return combine("divide", other, self)

    def __pow__(self, other: Any) -> "Signal":
        return combine("power", self, other)

    def __neg__(self) -> "Signal":
        return Formula("multiply", (Number(-1.0), self), self.dimension)

    def __abs__(self) -> "Signal":
        return combine("absolute", self)

    def __bool__(self) -> bool:
        raise ModelError(
            "a signal is a number in time, neither true nor false; compare it by limit() or an event"
        )

    def _compared(self, other: Any) -> bool:
        raise ModelError("signals are not compared by < and >; where(a - b, …, …) chooses, or an event")

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> "Signal":
        """NumPy's functions of signals are signals."""
        name = ufunc.__name__
        if method != "__call__" or options:
            raise ModelError(f"numpy.{name} of a signal: only the plain call is known")
        if name in _UFUNCS:
            made: Signal = _UFUNCS[name](*map(as_signal, inputs))
            return made
        if name not in OPERATIONS:
            raise ModelError(
                f"numpy.{name} of a signal is not known; there are {', '.join(sorted(OPERATIONS))}"
            )
        return combine(name, *inputs)


#: what is taken where a signal is expected
SignalLike = Signal | TimeFunction | float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number(Signal):
    """A number, pure or with a unit."""

    value: float
    dimension: Measured = None
    needs: ClassVar[tuple[Signal, ...]] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Time(Signal):
    """Time, s."""

    dimension: ClassVar[Measured] = (0, 0, 1)
    needs: ClassVar[tuple[Signal, ...]] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Known(Signal):
    """A known function of time, or one of its first two derivatives.

    Attributes
    ----------
    of_time : the function.
    order : 0 for its value, 1 and 2 for its derivatives.
    """

    of_time: TimeFunction
    order: int = 0
    dimension: Measured = None
    needs: ClassVar[tuple[Signal, ...]] = ()

    @property
    def rate(self) -> "Known":
        """Its derivative by time."""
        if self.order == 2:
            raise ModelError(
                "a known function of time has a first and a second derivative; the third was asked for"
            )
        d = None if self.dimension is None else (self.dimension[0], self.dimension[1], self.dimension[2] - 1)
        return Known(self.of_time, self.order + 1, d)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Formula(Signal):
    """An operation on signals; ``operation`` is one of :data:`OPERATIONS`."""

    operation: str
    needs: tuple[Signal, ...]
    dimension: Measured = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Applied(Signal):
    """A user's function of signals.

    Attributes
    ----------
    call : of so many numbers.
    traced : the same of expressions; None where it cannot be traced, and is called.
    """

    call: Callable[..., float]
    traced: Callable[..., Any] | None
    needs: tuple[Signal, ...]
    dimension: Measured = None

    @property
    def name(self) -> str:
        """What the function is called."""
        return str(getattr(self.call, "__name__", self.call))


def _dimension(unit: str) -> Dimension:
    try:
        return parse_unit(unit).dimension
    except ResultError as error:
        raise ModelError(f"unit of a signal: {error}") from error


def as_signal(value: Any) -> Signal:
    """A signal, a number or a known function of time as a signal."""
    if isinstance(value, Signal):
        return value
    if isinstance(value, bool | np.bool_):
        raise ModelError(f"expected a signal or a number, got {shown(value)}")
    if isinstance(value, int | float | np.floating | np.integer):
        if not np.isfinite(value):
            raise ModelError(f"a number in a signal must be finite, got {value}")
        return Number(float(value))
    if isinstance(value, TimeFunction):
        return Known(value)
    raise ModelError(f"expected a signal, a number or a function of time, got {shown(value)}")


def combine(operation: str, *values: Any) -> Signal:
    """An operation on signals and numbers, its units checked."""
    given = tuple(map(as_signal, values))
    return Formula(operation, given, _measured(operation, given))


def _measured(operation: str, given: Sequence[Signal]) -> Measured:
    """What the result of an operation is measured in."""
    units = [s.dimension for s in given]
    if operation in _ALIKE:
        return alike(given, operation)
    if operation == "select":
        return alike(given[1:], operation)
    if operation in ("absolute", "sqrt"):
        return _to_power(units[0], 0.5 if operation == "sqrt" else 1.0, operation)
    if operation in ("multiply", "divide"):
        if all(d is None for d in units):
            return None
        a, b = (NUMBER if d is None else d for d in units)
        sign = 1 if operation == "multiply" else -1
        return a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]
    if operation == "power":
        if isinstance(given[1], Number) and units[1] in (None, NUMBER):
            return _to_power(units[0], given[1].value, operation)
        given, units = given[:1], units[:1]
    if operation == "arctan2":
        alike(given, operation)
        return NUMBER
    if operation != "sign":
        for s in given:
            if s.dimension not in (None, NUMBER):
                raise ModelError(f"{operation} of a signal in {s.unit}; expected a pure number")
    return NUMBER


def _to_power(d: Measured, n: float, operation: str) -> Measured:
    if d is None or d == NUMBER:
        return d
    powers = [n * k for k in d]
    if any(p != round(p) for p in powers):
        raise ModelError(f"{operation} of a signal in {unit_name(d)} has no unit of whole powers")
    return round(powers[0]), round(powers[1]), round(powers[2])


def alike(given: Iterable[Signal], what: str) -> Measured:
    """The one dimension of signals that are added, compared or chosen from."""
    found: Measured = None
    for s in given:
        if s.dimension is None or s.dimension == found:
            continue
        if found is not None:
            sliding = abs(found[0] - s.dimension[0]) == 1 and found[1:] == s.dimension[1:]
            raise ModelError(
                f"{what} of signals in {unit_name(found)} and {s.unit}; expected the same unit: multiply by a"
                ' quantity(…, "…") that converts one to the other'
                + (', and what a joint slides by is joint_coordinate(…, "displacement")' * sliding)
            )
        found = s.dimension
    return found


# -- what users write ----------------------------------------------------------------------------


def where(signal: SignalLike, positive: SignalLike, other: SignalLike) -> Signal:
    """``positive`` where a signal is greater than zero, ``other`` elsewhere; numbers are in SI."""
    return combine("select", signal, positive, other)


def quantity(value: float, unit: str) -> Signal:
    """A number with a unit, such as a gain ``quantity(20, "N*m/rad")``; turned into SI."""
    return Number(number(value, "a quantity") * parse_unit(unit).factor, _dimension(unit))


def time() -> Signal:
    """Time, s."""
    return Time()


def known(function: TimeFunction | Callable[[float], float], unit: str = "") -> Known:
    """A known function of time as a signal; ``.rate`` is its derivative.

    Parameters
    ----------
    function : a function of time such as ``smooth_step(…)`` or ``expression(…)``, or a Python function.
    unit : SI unit of its values; left out, it takes the unit of what it meets.
    """
    if isinstance(function, Signal):
        raise ModelError("a signal is not a known function of time: it follows from the state")
    return Known(as_time_function(function, "signal"), 0, _dimension(unit) if unit else None)
