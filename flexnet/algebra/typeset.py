"""Expressions as plain text and as LaTeX; those of sympy, and nodes."""

from collections.abc import Callable
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from flexnet.algebra.exchange import to_sympy
from flexnet.algebra.scalar import Expr, Node

Naming = Callable[[str], str]


class _Latex(LatexPrinter):  # type: ignore[misc]
    naming: Naming

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        return self.naming(expr.name)


class _Text(StrPrinter):  # type: ignore[misc]
    naming: Naming

    def _print_Symbol(self, expr: Any) -> str:
        return self.naming(expr.name)


def _expression(e: Expr) -> Any:
    return to_sympy([e])[0] if type(e) is Node else sp.sympify(e)


def to_text(e: Expr, naming: Naming = str) -> str:
    """Plain text of an expression; ``naming`` writes the symbols."""
    printer = _Text()
    printer.naming = naming
    return str(printer.doprint(_expression(e)))


def to_latex(e: Expr, naming: Naming | None = None) -> str:
    """LaTeX of an expression; ``naming`` writes the symbols."""
    printer = _Latex({"fold_short_frac": True})
    printer.naming = naming or (lambda name: str(sp.latex(sp.Symbol(name))))
    return str(printer.doprint(_expression(e)))
