"""Functions of one variable that a curve or a surface is made of: expressions, or points with a spline."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import Any, TypeAlias

import numpy as np

from flexnet.algebra import Expr, Node, add, mapped, mul, number, substituted, symbol, where
from flexnet.components.time_function import SympyExpression
from flexnet.errors import ModelError
from flexnet.typing import AnyArray, Array

#: more points than this make long code
_POINTS = 200


@dataclass(frozen=True, slots=True)
class Written:
    """What an expression is without its numbers: curves that share it share their machine code.

    Attributes
    ----------
    skeleton : with nodes for the variables and the numbers.
    variables, numbers : these nodes.
    """

    skeleton: Expr
    variables: tuple[Node, ...]
    numbers: tuple[Node, ...]

    def __call__(self, numbers: Sequence[Expr], **variables: Expr) -> Expr:
        """The expression of other expressions."""
        swap: dict[Node, Expr] = dict(zip(self.numbers, numbers, strict=True))
        swap |= {x: variables[x.name] for x in self.variables}
        return substituted([self.skeleton], swap)[0]


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression of sympy with named variables."""

    expression: Any

    @property
    def shape(self) -> Written:
        """What it is but for its numbers."""
        return _split(self.expression)[0]

    @property
    def numbers(self) -> tuple[float, ...]:
        """Its numbers, but for whole ones and exponents, which its shape knows."""
        return _split(self.expression)[1]


@lru_cache(maxsize=256)
def _split(expression: Any) -> tuple[Written, tuple[float, ...]]:
    from flexnet.algebra.exchange import from_sympy  # loads sympy, which points do not need

    nodes, numbers = list[Node](), list[float]()

    def named(x: float) -> Expr:
        numbers.append(float(x))
        nodes.append(symbol(f"number_{len(nodes)}"))
        return nodes[-1]

    (skeleton,) = mapped([from_sympy(expression)], lambda node: None, named)
    names = sorted(str(s) for s in getattr(expression, "free_symbols", ()))
    return Written(skeleton, tuple(map(symbol, names)), tuple(nodes)), tuple(numbers)


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a spline is without its numbers.

    Attributes
    ----------
    count : of its pieces; of a constant 1, or 0 where it is zero.
    is_periodic : as of :class:`Spline`.
    """

    count: int
    is_periodic: bool

    def __call__(self, numbers: Sequence[Expr], x: Expr) -> Expr:
        """The piece that holds x, found by halving, as a choice."""
        if self.count < 2:
            return numbers[0] if self.count else 0
        if self.is_periodic:
            x = where(x < numbers[0], add(x, 2 * pi), x)
        return self._choose(numbers, x, 0, self.count)

    def _choose(self, numbers: Sequence[Expr], x: Expr, first: int, last: int) -> Expr:
        if last - first > 1:
            middle = (first + last) // 2
            halves = (self._choose(numbers, x, *ends) for ends in ((first, middle), (middle, last)))
            return where(x < numbers[middle], *halves)
        u, at = add(x, -numbers[first]), self.count + 4 * first
        value = numbers[at]
        for c in numbers[at + 1 : at + 4]:
            value = add(mul(value, u), c)
        return value


@dataclass(frozen=True, slots=True)
class Spline:
    """A cubic spline: on [kₙ, kₙ₊₁) the polynomial Σ cᵢ (x - kₙ)ⁱ, the outer pieces go on.

    Attributes
    ----------
    knots : kₙ, ascending.
    pieces : coefficients (c₃, c₂, c₁, c₀) of every piece; of a number there is one piece, with c₀ alone.
    is_periodic : of an angle between -π and π; the pieces go once around from the first knot on.
    """

    knots: tuple[float, ...]
    pieces: tuple[tuple[float, float, float, float], ...]
    is_periodic: bool = False

    @property
    def is_zero(self) -> bool:
        """Whether it is nothing."""
        return self.pieces == ((0.0, 0.0, 0.0, 0.0),)

    @property
    def shape(self) -> Pieces:
        """What it is but for its numbers."""
        return Pieces(0 if self.is_zero else len(self.pieces), self.is_periodic)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Its knots and its coefficients, piece by piece; of a number that, where it is not zero."""
        if len(self.pieces) == 1:
            return () if self.is_zero else self.pieces[0][3:]
        return (*self.knots, *(c for piece in self.pieces for c in piece))


#: what users may write where a function of a variable is expected: a number, an expression, or points (n, 2)
CurveLike: TypeAlias = float | SympyExpression | Array


def spline(points: Array, what: str, is_periodic: bool = False) -> Spline:
    """The cubic spline through points (n, 2); one over the angle is periodic and closes."""
    try:
        P: AnyArray = np.array(points, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {points!r}; expected a number, an expression or points (n, 2)") from None
    if P.ndim != 2 or P.shape[1] != 2 or not 3 <= len(P) <= _POINTS or not np.all(np.isfinite(P)):
        raise ModelError(f"{what} needs (n, 2) finite numbers, n from 3 to {_POINTS}, got shape {P.shape}")
    if not np.all(np.diff(P[:, 0]) > 0):
        raise ModelError(f"{what} needs points with ascending first numbers")
    from scipy.interpolate import CubicSpline  # here: most mechanisms have no curve

    if is_periodic:
        if P[0, 0] < -np.pi - 1e-9 or P[-1, 0] > np.pi + 1e-9:
            raise ModelError(f"{what} needs angles from -π to π")
        is_closed = P[-1, 0] - P[0, 0] > 2 * np.pi - 1e-9
        end = [[P[0, 0] + 2 * np.pi, P[0, 1]]]
        closed = np.concatenate([P[:-1] if is_closed else P, end])
        made = CubicSpline(closed[:, 0], closed[:, 1], bc_type="periodic")
    else:
        made = CubicSpline(P[:, 0], P[:, 1])
    knots = tuple(float(k) for k in made.x[:-1])
    pieces = tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in made.c.T)
    return Spline(knots, pieces, is_periodic)


def function(
    value: CurveLike, variables: tuple[str, ...], what: str, is_periodic: bool = False
) -> Formula | Spline:
    """A number, an expression of some variables, or points (n, 2) of one."""
    if isinstance(value, SympyExpression):
        unknown = sorted({str(s) for s in value.free_symbols} - set(variables))
        if unknown:
            raise ModelError(f"{what} may contain {', '.join(variables)} only, not {', '.join(unknown)}")
        return Formula(value)
    if isinstance(value, int | float):
        if not np.isfinite(value):
            raise ModelError(f"{what} is {value}, which is not finite")
        return Spline((0.0,), ((0.0, 0.0, 0.0, float(number(float(value)))),))
    return spline(value, what, is_periodic)


def evaluated(f: Written | Pieces, numbers: Sequence[Expr], variable: str, x: Expr) -> Expr:
    """Value of a function of one variable."""
    return f(numbers, x) if isinstance(f, Pieces) else f(numbers, **{variable: x})
