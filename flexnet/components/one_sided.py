"""Forces that push and never pull: what contacts, end stops, backlash and cables have in common.

With the depth δ of penetration (or the stretch beyond slackness) and its rate,

    N = k δ₊ⁿ (1 + c δ̇)₊,        V = k δ₊ⁿ⁺¹/(n + 1),        D = k δ₊ⁿ max(c δ̇, -1) δ̇ ≥ 0          (1)

The elastic part comes from V; damping in proportion to the elastic force (Hunt and Crossley 1975) begins and
ends with it at zero, so that N is continuous where a contact is made and where it is left.
"""

from dataclasses import dataclass

from flexnet.algebra import Expr, add, maximum, mul, power, where
from flexnet.errors import ModelError

#: a depth below which nothing is told from touching, m; keeps roots and their derivatives finite
_TOUCH = 1e-100


@dataclass(frozen=True, slots=True, eq=False)
class Push:
    """What a one-sided force does.

    Attributes
    ----------
    force : N ≥ 0.
    potential : J.
    dissipation : W.
    """

    force: Expr
    potential: Expr
    dissipation: Expr


def push(depth: Expr, rate: Expr, stiffness: Expr, damping: Expr, exponent: float) -> Push:
    """(1) of a depth of either sign."""
    if exponent == 1.0:
        deep = maximum(depth, 0)
        elastic = mul(stiffness, deep)
        potential = mul(elastic, deep) / 2
    else:
        deep = maximum(depth, _TOUCH)
        elastic = where(depth > 0, mul(stiffness, power(deep, exponent)), 0)
        potential = mul(elastic, deep) / (exponent + 1.0)
    held = maximum(add(1, mul(damping, rate)), 0)
    return Push(mul(elastic, held), potential, mul(mul(elastic, add(held, -1)), rate))


def check_push(what: str, stiffness: float, damping: float, exponent: float) -> None:
    """Refuse numbers with which (1) would pull, or add energy."""
    if not stiffness > 0.0:
        raise ModelError(f"{what} has the stiffness {stiffness:g}; it is positive")
    if not damping >= 0.0:
        raise ModelError(f"{what} has the damping {damping:g} s/m; it is not negative")
    if not exponent >= 1.0:
        raise ModelError(f"{what} has the exponent {exponent:g}; it is 1 or more")
