"""Functions of one variable that a curve or a surface is made of: expressions, or points with a spline."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Any, TypeAlias

import numpy as np

from flexnet.algebra import Expr, add, mul, number, where
from flexnet.components.time_function import SympyExpression
from flexnet.errors import ModelError
from flexnet.typing import AnyArray, Array

#: more points than this make long code
_POINTS = 200


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression of sympy with named variables."""

    expression: Any

    def __call__(self, **variables: Expr) -> Expr:
        """The expression of other expressions."""
        from flexnet.algebra.exchange import from_sympy  # loads sympy, which points do not need

        return from_sympy(self.expression, dict(variables))


@dataclass(frozen=True, slots=True)
class Spline:
    """A cubic spline: on [kₙ, kₙ₊₁) the polynomial Σ cᵢ (x - kₙ)ⁱ, the outer pieces go on.

    Attributes
    ----------
    knots : kₙ, ascending.
    pieces : coefficients (c₃, c₂, c₁, c₀) of every piece.
    is_periodic : of an angle between -π and π; the pieces go once around from the first knot on.
    """

    knots: tuple[float, ...]
    pieces: tuple[tuple[float, float, float, float], ...]
    is_periodic: bool = False

    def __call__(self, x: Expr) -> Expr:
        """The piece that holds x, found by halving, as a choice."""
        if self.is_periodic:
            x = where(x < self.knots[0], add(x, 2 * pi), x)
        return self._choose(x, 0, len(self.pieces))

    def _choose(self, x: Expr, first: int, last: int) -> Expr:
        if last - first > 1:
            middle = (first + last) // 2
            return where(
                x < self.knots[middle], self._choose(x, first, middle), self._choose(x, middle, last)
            )
        u = add(x, -self.knots[first])
        value: Expr = 0
        for c in self.pieces[first]:
            value = add(mul(value, u), c)
        return value


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


def evaluated(f: Formula | Spline, variable: str, others: Mapping[str, Expr]) -> Expr:
    """Value of a function of one variable, or of an expression of several."""
    return f(others[variable]) if isinstance(f, Spline) else f(**others)
