r"""Functions, each once: its name in every language or its formula, its derivative, its sign under x → -x.

Functions every language has are known by their names. The others are formulas of these, written here and
nowhere else; emitters write a helper function from the formula. Near a removable singularity a formula is a
series with as many terms as a double can hold, and the closed form beyond has nothing left to cancel.

========================  =====================================================================
``wrap(x)``               x less the whole turns in it, in [-π, π]
``inverse(x)``            1/x, 0 where x vanishes: direction of a spring of no length
``turn_factor(x, w)``     φ/s of the rotation φ with quaternion (w, s), s ≥ 0, x = s²
``turn_w(x)``             cos φ/2, x = φ²: with φ ``turn_s`` the unit quaternion of the turn φ
``turn_s(x)``             (sin φ/2)/φ
``turn_f1(x)``            (1 - cos φ)/φ²
``turn_f2(x)``            (φ - sin φ)/φ³
``turn_g1(x)``            f₁'/φ = 2 df₁/dx
``turn_g2(x)``            f₂'/φ = 2 df₂/dx
``turn_c(x)``             (1 - φ/2 cot φ/2)/φ²
========================  =====================================================================

.. math:: f_1 = \sum_k \frac{(-x)^k}{(2k+2)!}, \quad f_2 = \sum_k \frac{(-x)^k}{(2k+3)!}, \quad
          c = \sum_{k \ge 1} \frac{|B_{2k}|}{(2k)!} x^{k-1}. \tag{1}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from flexnet.algebra.scalar import INPUT, SELECT, Expr, Node, call, rebuilt, symbol, where

#: every function by its name
FUNCTIONS: dict[str, Function] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of scalars.

    Attributes
    ----------
    name : in text, and of the helper function where it is a formula.
    parameters : names of its arguments.
    partials : its derivative by each argument; of its formula if left out.
    parity : 1 if it is even, -1 if it is odd, 0 if it is neither.
    formula : what it stands for; None where every language has it.
    numpy, c, fortran : names of a function that every language has; an LLVM intrinsic or a function of C's
        library has the name of C.
    """

    name: str
    parameters: tuple[str, ...] = ("x",)
    partials: Callable[..., tuple[Expr, ...]] | None = None
    parity: int = 0
    formula: Callable[..., Expr] | None = None
    numpy: str = ""
    c: str = ""
    fortran: str = ""

    def __post_init__(self) -> None:
        assert self.name not in FUNCTIONS, f"there are two functions {self.name}"
        FUNCTIONS[self.name] = self

    def __call__(self, *args: Expr) -> Expr:
        """The function of expressions."""
        assert len(args) == len(self.parameters), f"{self.name} takes {len(self.parameters)} arguments"
        return call(self, *args)

    def value(self, *args: float) -> float:
        """Value at numbers."""
        if self.formula is None:
            value: Callable[..., float] = round if self.c == "rint" else getattr(math, self.c)
            return float(value(*args))
        inputs, body = formula_of(self)
        return _evaluate(body, dict(zip(inputs, args, strict=True)))


@cache
def formula_of(function: Function) -> tuple[tuple[Node, ...], Expr]:
    """Arguments of a function as inputs, and its formula in them."""
    assert function.formula is not None
    inputs = tuple(symbol(name) for name in function.parameters)
    return inputs, function.formula(*inputs)


def _evaluate(x: Expr, at: dict[Node, float]) -> float:
    """Value of a formula; of a choice only the branch that is taken."""
    if type(x) is not Node:
        return float(x)
    if x.op == INPUT:
        return at[x]
    if x.op == SELECT:
        left, right = (_evaluate(y, at) for y in x.args[1:3])
        return _evaluate(x.args[3 if left < right or (x.args[0] and left == right) else 4], at)
    return float(rebuilt(x, lambda y: _evaluate(y, at)))


def _named(name: str, partials: Callable[..., tuple[Expr, ...]], parity: int = 0, **names: str) -> Function:
    """A function every language has, under this name where no other is given."""
    languages = {"numpy": name, "c": name, "fortran": name, **names}
    return Function(name, ("x",), partials, parity, None, **languages)


# -- functions every language has --------------------------------------------------------------

sin: Function = _named("sin", lambda x: (cos(x),), -1)
cos: Function = _named("cos", lambda x: (-sin(x),), 1)
tan: Function = _named("tan", lambda x: (1 + tan(x) * tan(x),), -1)
asin: Function = _named("asin", lambda x: (1 / sqrt(1 - x * x),), -1, numpy="arcsin")
acos: Function = _named("acos", lambda x: (-1 / sqrt(1 - x * x),), numpy="arccos")
atan: Function = _named("atan", lambda x: (1 / (1 + x * x),), -1, numpy="arctan")
sinh: Function = _named("sinh", lambda x: (cosh(x),), -1)
cosh: Function = _named("cosh", lambda x: (sinh(x),), 1)
tanh: Function = _named("tanh", lambda x: (1 - tanh(x) * tanh(x),), -1)
exp: Function = _named("exp", lambda x: (exp(x),))
log: Function = _named("log", lambda x: (1 / x,))
sqrt: Function = _named("sqrt", lambda x: (1 / (2 * sqrt(x)),))
absolute: Function = _named("absolute", lambda x: (sgn(x),), 1, numpy="abs", c="fabs", fortran="abs")
nearest: Function = _named("nearest", lambda x: (0,), -1, numpy="rint", c="rint", fortran="ieee_rint")
atan2: Function = Function(
    "atan2", ("y", "x"), lambda y, x: (x / (x * x + y * y), -y / (x * x + y * y)), 0, None,
    "arctan2", "atan2", "atan2",
)  # fmt: skip

# -- functions with a branch -------------------------------------------------------------------

sgn: Function = Function(
    "sgn", partials=lambda x: (0,), parity=-1,
    formula=lambda x: where(x > 0, 1, where(x < 0, -1, 0)),
)  # fmt: skip
heaviside: Function = Function(
    "heaviside", partials=lambda x: (0,),
    formula=lambda x: where(x > 0, 1, where(x < 0, 0, Fraction(1, 2))),
)  # fmt: skip
maximum: Function = Function(
    "maximum", ("a", "b"), lambda a, b: (where(a < b, 0, 1), where(a < b, 1, 0)),
    formula=lambda a, b: where(a < b, b, a),
)  # fmt: skip
minimum: Function = Function(
    "minimum", ("a", "b"), lambda a, b: (where(b < a, 0, 1), where(b < a, 1, 0)),
    formula=lambda a, b: where(b < a, b, a),
)  # fmt: skip
wrap: Function = Function(
    "wrap", partials=lambda x: (1,), parity=-1, formula=lambda x: x - 2 * math.pi * nearest(x / (2 * math.pi))
)
inverse: Function = Function(
    "inverse", partials=lambda x: (-inverse(x) * inverse(x),), formula=lambda x: where(x > 0, 1 / x, 0)
)

# -- functions of rotations --------------------------------------------------------------------

_TERMS = 14


def _horner(coefficients: Sequence[Fraction], x: Expr) -> Expr:
    """Polynomial, lowest power first."""
    out: Expr = 0
    for c in reversed(coefficients):
        out = out * x + float(c)
    return out


def _series(first: int) -> list[Fraction]:
    """Coefficients of f₁ (first = 2), f₂ (first = 3), and of cosine and sine (0 and 1)."""
    return [Fraction((-1) ** k, math.factorial(2 * k + first)) for k in range(_TERMS)]


def _twice_derivative(coefficients: list[Fraction]) -> list[Fraction]:
    return [2 * k * c for k, c in enumerate(coefficients)][1:]


def _bernoulli(n: int) -> list[Fraction]:
    """B₀ … Bₙ."""
    B = [Fraction(1)]
    for m in range(1, n + 1):
        B.append(-sum((math.comb(m + 1, k) * B[k] for k in range(m)), Fraction(0)) / (m + 1))
    return B


def _branched(
    coefficients: list[Fraction], limit: float, closed: Callable[[Expr, Expr], Expr]
) -> Callable[[Expr], Expr]:
    """Series below a limit of x, a formula of x and φ = √x above."""
    return lambda x: where(x < limit, _horner(coefficients, x), closed(x, sqrt(x)))


_F1, _F2 = _series(2), _series(3)
_W, _S = ([c / 4**k for k, c in enumerate(_series(first))] for first in (0, 1))
_B = _bernoulli(2 * _TERMS)
_C = [abs(_B[2 * k]) / math.factorial(2 * k) for k in range(1, _TERMS + 1)]

turn_f1: Function = Function(
    "turn_f1",
    partials=lambda x: (turn_g1(x) / 2,),
    formula=_branched(_F1, 4.0, lambda x, p: (1 - cos(p)) / x),
)
turn_f2: Function = Function(
    "turn_f2", partials=lambda x: (turn_g2(x) / 2,),
    formula=_branched(_F2, 4.0, lambda x, p: (p - sin(p)) / (x * p)),
)  # fmt: skip
turn_g1: Function = Function(
    "turn_g1",
    formula=_branched(_twice_derivative(_F1), 4.0, lambda x, p: (p * sin(p) - 2 * (1 - cos(p))) / (x * x)),
)
turn_g2: Function = Function(
    "turn_g2",
    formula=_branched(
        _twice_derivative(_F2), 4.0, lambda x, p: (3 * sin(p) - 2 * p - p * cos(p)) / (x * x * p)
    ),
)
turn_w: Function = Function(
    "turn_w", partials=lambda x: (-turn_s(x) / 4,), formula=_branched(_W, 4.0, lambda x, p: cos(p / 2))
)
turn_s: Function = Function(
    "turn_s", formula=_branched([c / 2 for c in _S], 4.0, lambda x, p: sin(p / 2) / p)
)  # fmt: skip
turn_c: Function = Function(
    "turn_c",
    formula=_branched(_C, 1.0, lambda x, p: (1 - p / 2 * cos(p / 2) / sin(p / 2)) / x),
)


def _turn_factor(x: Expr, w: Expr) -> Expr:
    """2 atan2(s, w)/s, s² = x, in the half turn where it is continuous, 2/w at s = 0."""
    s = sqrt(x)
    half = [where(x > 1e-24, 2 * atan2(s, side * w) / s, 2 / (side * w)) for side in (1, -1)]
    return where(w < 0, -half[1], half[0])


def _turn_factor_partials(x: Expr, w: Expr) -> tuple[Expr, Expr]:
    """∂f/∂x = (2w/(x + w²) - f)/2x, ∂f/∂w = -2/(x + w²); f = 2/w (1 - u/3 + u²/5 - …), u = x/w²."""
    square, u = x + w * w, x / (w * w)
    near = [Fraction((-1) ** k * 2 * k, 2 * k + 1) for k in range(1, 9)]
    by_x = where(
        u < Fraction(1, 100),
        _horner(near, u) / (w * w * w),
        (2 * w / square - turn_factor(x, w)) / (2 * x),
    )
    return by_x, -2 / square


turn_factor: Function = Function("turn_factor", ("x", "w"), _turn_factor_partials, formula=_turn_factor)
