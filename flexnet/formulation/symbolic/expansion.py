"""Multiplying out: entries of a tape as sums of products in one form.

    entry = Σ c x₁x₂…,     cos² = 1 - sin²                                                          (1)

Two expressions in sines and cosines of the same angles are equal if their sums are. The second half of (1)
can be left out, for counts of what no identity has shortened.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import sympy as sp

from flexnet.formulation.symbolic.tape import Expr, needed

#: variables of a product in ascending order, repeated for powers
Monomial = tuple[int, ...]
#: coefficient of every product
Polynomial = dict[Monomial, float]

ROUND_OFF = 1e-12


@dataclass(slots=True, eq=False)
class Expansion:
    """Multiplies expressions of a tape out.

    Attributes
    ----------
    lines : the tape.
    identity : whether squares of cosines are written in sines.
    numbers : variables by what they stand for: symbols, sines and cosines, other functions.
    sine : variable of the sine that belongs to the variable of a cosine.
    """

    lines: dict[Expr, Expr]
    identity: bool = True
    numbers: dict[Expr, int] = field(default_factory=dict)
    sine: dict[int, int] = field(default_factory=dict)
    _done: dict[Expr, Polynomial] = field(default_factory=dict)

    def read(self, outputs: Iterable[Expr]) -> list[Polynomial]:
        """Polynomials of entries of the tape."""
        wanted = list(outputs)
        for name in needed(self.lines, wanted):
            if name not in self._done:
                self._done[name] = self._expand(self.lines[name])
        return [self._expand(e) for e in wanted]

    def _variable(self, e: Expr) -> Polynomial:
        if e not in self.numbers:
            self.numbers[e] = len(self.numbers)
            if isinstance(e, sp.cos):
                (self.sine[self.numbers[e]],) = next(iter(self._variable(sp.sin(e.args[0]))))
        return {(self.numbers[e],): 1.0}

    def _expand(self, e: Expr) -> Polynomial:
        if e.is_Number or e.is_NumberSymbol:
            return {(): float(e)} if e != 0 else {}
        if e.is_Symbol:
            return self._done[e] if e in self._done else self._variable(e)
        if e.is_Add:
            out: Polynomial = {}
            for x in e.args:
                for product, c in self._expand(x).items():
                    out[product] = out.get(product, 0.0) + c
            return _clean(out)
        if e.is_Mul:
            return self._product([self._expand(x) for x in e.args])
        if e.is_Pow and e.exp.is_Integer and e.exp > 0:
            return self._product([self._expand(e.base)] * int(e.exp))
        return self._function(e)

    def _product(self, factors: list[Polynomial]) -> Polynomial:
        first, *rest = factors
        for factor in rest:
            out: Polynomial = {}
            for a, x in first.items():
                for b, y in factor.items():
                    self._add(out, tuple(sorted(a + b)), x * y)
            first = _clean(out)
        return first

    def _add(self, out: Polynomial, product: Monomial, c: float) -> None:
        """Add a product in the form of (1)."""
        for i in range(len(product) - 1 if self.identity else 0):
            if product[i] == product[i + 1] and product[i] in self.sine:
                rest = product[:i] + product[i + 2 :]
                s = self.sine[product[i]]
                self._add(out, rest, c)
                self._add(out, tuple(sorted((*rest, s, s))), -c)
                return
        out[product] = out.get(product, 0.0) + c

    def _function(self, e: Expr) -> Polynomial:
        """A function is a variable; signs come out of sines and cosines."""
        inside = [self.write(self._expand(x)) for x in e.args]
        factor, rest = e.func(*inside).as_coeff_Mul()
        if rest.is_Number:
            return {(): float(factor * rest)}
        return {product: float(factor) for product in self._variable(rest)}

    def write(self, polynomial: Polynomial) -> Expr:
        """A polynomial as an expression."""
        names = list(self.numbers)
        return sp.Add(
            *(_number(c) * sp.Mul(*(names[i] for i in product)) for product, c in polynomial.items())
        )


def _number(c: float) -> Expr:
    """A coefficient, exact where it is a simple fraction."""
    near = sp.Rational(c).limit_denominator(64)
    return near if abs(float(near) - c) <= ROUND_OFF * abs(c) else sp.Float(c)


def _clean(polynomial: Polynomial) -> Polynomial:
    """Without what is round-off."""
    least = ROUND_OFF * max(map(abs, polynomial.values()), default=0.0)
    return {product: c for product, c in polynomial.items() if abs(c) > least}
