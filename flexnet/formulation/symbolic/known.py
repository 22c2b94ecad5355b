"""Known functions of time as expressions of t, where they are formulas."""

import sympy as sp

from flexnet.components import TimeFunction
from flexnet.formulation.symbolic.tape import Expr, number
from flexnet.formulation.symbolic.variables import TIME

#: kinds that a formula of t says everything about
FORMULAS = ("constant", "polynomial", "harmonic", "expression")


def formula(function: TimeFunction) -> Expr | None:
    """f(t) as an expression; None for splines, for functions with pieces and for Python callables."""
    c = [number(x) for x in function.parameters]
    if function.kind == "constant":
        return c[0]
    if function.kind == "polynomial":
        return sp.Add(*(x * TIME**i for i, x in enumerate(c)))
    if function.kind == "harmonic":
        return c[3] + c[0] * sp.sin(c[1] * TIME + c[2])
    if function.kind == "expression":
        return function.expression.subs(dict.fromkeys(function.expression.free_symbols, TIME))
    return None
