"""Polynomials in which quaternions have the length one.

    e₀² + e₁² + e₂² + e₃² = 1                                                                            (1)

e₀² is written by (1) wherever a product brings it up. What is left has one form only, so R Rᵀ = 1, and the
inertia that a rotation carries to the ground and back, come by themselves, before anything grows.
"""

from typing import Any

import sympy as sp

from flexnet.algebra import Expr, Node, tape
from flexnet.algebra.exchange import to_sympy
from flexnet.algebra.scalar import DIV, INPUT, MUL, SUM, children, number, terms

#: terms of a polynomial on the way, and products of terms in one multiplication, beyond which it is given up
MOST_TERMS, MOST_PRODUCTS = 150, 3000


class UnitQuaternions:
    """Writes expressions as polynomials, equal ones once.

    Parameters
    ----------
    outputs : expressions that are to be written.
    turns : the four symbols of every quaternion.
    """

    def __init__(self, outputs: list[Expr], turns: list[list[Expr]]) -> None:
        order = list(tape(outputs))
        squares = [to_sympy(turn) for turn in turns]
        first = [e[0] for e in squares]
        self._turning = frozenset(x for turn in turns for x in turn)
        inside = {y: None for x in order for y in children(x) if type(y) is Node and y.op == INPUT}
        inside |= {x: None for x in outputs if type(x) is Node and x.op == INPUT}
        self._whole = dict(zip(inside, to_sympy(inside), strict=True))
        self._whole |= {x: sp.Dummy() for x in order if _is_whole(x)}
        self._below = {x.args[1]: sp.Dummy() for x in order if x.op == DIV and type(x.args[1]) is Node}
        rest = sorted(
            {*self._whole.values(), *self._below.values(), *(s for e in squares for s in e)} - {*first},
            key=str,
        )
        self._ring = sp.ring([*first, *rest], sp.QQ, sp.lex)[0]
        self._units = [self._ring.from_expr(sum(s**2 for s in e) - 1) for e in squares]
        letters = dict(zip(self._ring.symbols, self._ring.gens, strict=True))
        self._done: dict[Node, Any] = {x: letters[s] for x, s in self._whole.items()}
        self._back = dict(zip(self._whole.values(), to_sympy(self._whole), strict=True))
        self._back |= {s: 1 / e for s, e in zip(self._below.values(), to_sympy(self._below), strict=True)}

    def written(self, entries: list[Expr]) -> list[Any] | None:
        """Sums of products; None if no quaternion is inside, one is long, or a number no fraction."""
        order = list(tape(entries))
        if not any(y in self._turning for x in order for y in children(x)):
            return None
        for part in order:
            if part not in self._done:
                self._done[part] = self._polynomial(part)
        found = [x for x in map(self._of, entries) if x is not None]
        return [x.as_expr().xreplace(self._back) for x in found] if len(found) == len(entries) else None

    def _of(self, x: Expr) -> Any:
        if type(x) is Node:
            return self._done[x]
        c = number(x) if isinstance(x, float) else x
        return None if isinstance(c, float) else self._ring(sp.QQ(c.numerator, c.denominator))

    def _polynomial(self, x: Node) -> Any:
        if x.op == SUM:
            parts = [self._of(x.args[0]), *(self._product(self._of(c), self._of(y)) for c, y in terms(x))]
            found = [part for part in parts if part is not None]
            total = sum(found, self._ring(0))
            return total if len(found) == len(parts) and len(total) <= MOST_TERMS else None
        a, b = x.args
        below = self._ring.from_expr(self._below[b]) if x.op == DIV else None
        return self._product(self._of(a), self._of(b) if x.op == MUL else below)

    def _product(self, a: Any, b: Any) -> Any:
        if a is None or b is None or len(a) * len(b) > MOST_PRODUCTS:
            return None
        return (a * b).rem(self._units)


def _is_whole(x: Node) -> bool:
    """Whether a node is no sum and no product."""
    return x.op not in (SUM, MUL) and not (x.op == DIV and type(x.args[1]) is Node)
