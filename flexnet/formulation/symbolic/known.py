"""Known functions of time as formulas of t, where they are such."""

from flexnet.algebra import Expr, add, number, sin
from flexnet.algebra.exchange import from_sympy
from flexnet.components import TimeFunction
from flexnet.formulation.symbolic.variables import TIME

#: formula of every kind that has one, from its numbers
_FORMULAS = {
    "constant": lambda c: c[0],
    "polynomial": lambda c: add(*(x * TIME**i for i, x in enumerate(c))),
    "harmonic": lambda c: c[3] + c[0] * sin(c[1] * TIME + c[2]),
}


def formula(function: TimeFunction) -> Expr | None:
    """f(t); None for splines, for functions with pieces and for Python callables."""
    if function.kind == "expression":
        return from_sympy(function.expression, {"t": TIME})
    if function.kind not in _FORMULAS:
        return None
    return _FORMULAS[function.kind]([number(x) for x in function.parameters])
