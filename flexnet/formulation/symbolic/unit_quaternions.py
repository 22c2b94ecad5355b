"""Polynomials in which quaternions have the length one.

    e₀² + e₁² + e₂² + e₃² = 1                                                                            (1)

e₀² is written by (1) wherever a product brings it up. What is left has one form only, so R Rᵀ = 1, and the
inertia that a rotation carries to the ground and back, come by themselves, before anything grows.
"""

from collections import defaultdict
from fractions import Fraction
from typing import Any

import sympy as sp

from flexnet.algebra import Expr, Node, tape
from flexnet.algebra.exchange import to_sympy
from flexnet.algebra.scalar import DIV, INPUT, MUL, SUM, children, number, terms

#: terms of a polynomial on the way, and products of terms in one multiplication, beyond which it is given up
MOST_TERMS, MOST_PRODUCTS = 150, 3000

#: coefficient of every product of letters, which are numbers in ascending order, repeated for powers
Polynomial = dict[tuple[int, ...], Fraction]


class UnitQuaternions:
    """Writes expressions as polynomials, equal ones once.

    Parameters
    ----------
    outputs : expressions that are to be written.
    turns : the four symbols of every quaternion.
    """

    def __init__(self, outputs: list[Expr], turns: list[list[Expr]]) -> None:
        order = list(tape(outputs))
        self._turning = frozenset(x for turn in turns for x in turn)
        inside = {y: None for x in order for y in children(x) if type(y) is Node and y.op == INPUT}
        inside |= {x: None for x in outputs if type(x) is Node and x.op == INPUT}
        inside |= dict.fromkeys(x for turn in turns for x in turn if type(x) is Node)
        whole = [*inside, *(x for x in order if _is_whole(x))]
        below = {x.args[1]: None for x in order if x.op == DIV and type(x.args[1]) is Node}
        self._letters = [*to_sympy(whole), *(1 / e for e in to_sympy(below))]
        place = {x: i for i, x in enumerate(whole)}
        self._below: dict[Node, Polynomial] = {
            x: {(len(whole) + i,): Fraction(1)} for i, x in enumerate(below)
        }
        self._others = {place[first]: [place[x] for x in others] for first, *others in turns}
        self._done: dict[Node, Polynomial | None] = {x: {(i,): Fraction(1)} for x, i in place.items()}

    def written(self, entries: list[Expr]) -> list[Any] | None:
        """Sums of products; None if no quaternion is inside, one is long, or a number no fraction."""
        order = list(tape(entries))
        if not any(y in self._turning for x in order for y in children(x)):
            return None
        for part in order:
            if part not in self._done:
                self._done[part] = self._polynomial(part)
        found = [x for x in map(self._of, entries) if x is not None]
        return [self._written(x) for x in found] if len(found) == len(entries) else None

    def _written(self, polynomial: Polynomial) -> Any:
        products = (
            sp.Mul(sp.Rational(c.numerator, c.denominator), *(self._letters[i] for i in letters))
            for letters, c in polynomial.items()
        )
        return sp.Add(*products)

    def _of(self, x: Expr) -> Polynomial | None:
        if type(x) is Node:
            return self._done[x]
        c = number(x) if isinstance(x, float) else x
        return None if isinstance(c, float) else {(): Fraction(c)} if c else {}

    def _polynomial(self, x: Node) -> Polynomial | None:
        if x.op == SUM:
            parts = [self._of(x.args[0]), *(self._product(self._of(c), self._of(y)) for c, y in terms(x))]
            total: Polynomial = defaultdict(Fraction)
            for part in parts:
                if part is None:
                    return None
                for letters, c in part.items():
                    total[letters] += c
            return _short(total)
        a, b = x.args
        return self._product(self._of(a), self._of(b) if x.op == MUL else self._below[b])

    def _product(self, a: Polynomial | None, b: Polynomial | None) -> Polynomial | None:
        if a is None or b is None or len(a) * len(b) > MOST_PRODUCTS:
            return None
        out: Polynomial = defaultdict(Fraction)
        for x, c in a.items():
            for y, d in b.items():
                self._add(out, tuple(sorted(x + y)), c * d)
        return {letters: c for letters, c in out.items() if c}

    def _add(self, out: Polynomial, letters: tuple[int, ...], c: Fraction) -> None:
        """Add a product in the form of (1)."""
        for i, letter in enumerate(letters[:-1]):
            if letter == letters[i + 1] and letter in self._others:
                rest = letters[:i] + letters[i + 2 :]
                self._add(out, rest, c)
                for other in self._others[letter]:
                    self._add(out, tuple(sorted((*rest, other, other))), -c)
                return
        out[letters] += c


def _short(total: Polynomial) -> Polynomial | None:
    left = {letters: c for letters, c in total.items() if c}
    return left if len(left) <= MOST_TERMS else None


def _is_whole(x: Node) -> bool:
    """Whether a node is no sum and no product."""
    return x.op not in (SUM, MUL) and not (x.op == DIV and type(x.args[1]) is Node)
