"""Multiplying out: expressions as sums of products in one form.

    entry = Σ c x₁x₂…,     cos² = 1 - sin²                                                          (1)

Two expressions in sines and cosines of the same angles are equal if their sums are. The second half of (1)
can be left out, for counts of what no identity has shortened.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from flexnet.algebra import Expr, Node, Number, add, cos, product, sin, tape
from flexnet.algebra.scalar import CALL, DIV, INPUT, MUL, SUM, mul, rebuilt, split, terms

#: variables of a product in ascending order, repeated for powers
Monomial = tuple[int, ...]
#: coefficient of every product
Polynomial = dict[Monomial, float]

ROUND_OFF = 1e-12


@dataclass(slots=True, eq=False)
class Expansion:
    """Multiplies expressions out.

    Attributes
    ----------
    identity : whether squares of cosines are written in sines.
    numbers : variables by what they stand for: inputs, sines and cosines, other functions.
    sine : variable of the sine that belongs to the variable of a cosine.
    """

    identity: bool = True
    numbers: dict[Node, int] = field(default_factory=dict)
    sine: dict[int, int] = field(default_factory=dict)
    _done: dict[Node, Polynomial] = field(default_factory=dict)

    def read(self, outputs: Iterable[Expr]) -> list[Polynomial]:
        """Polynomials of expressions."""
        wanted = list(outputs)
        for x in tape(wanted, self._done):
            self._done[x] = self._expand(x)
        return [self._of(x) for x in wanted]

    def _of(self, x: Expr) -> Polynomial:
        if type(x) is not Node:
            return {(): float(x)} if x != 0 else {}
        return self._variable(x) if x.op == INPUT else self._done[x]

    def _variable(self, x: Node) -> Polynomial:
        if x not in self.numbers:
            self.numbers[x] = len(self.numbers)
            if x.op == CALL and x.args[0] is cos:
                (self.sine[self.numbers[x]],) = next(iter(self._variable(split(sin(x.args[1]))[1])))
        return {(self.numbers[x],): 1.0}

    def _expand(self, x: Node) -> Polynomial:
        if x.op == SUM:
            out: Polynomial = {(): float(x.args[0])} if x.args[0] != 0 else {}
            for factor, y in terms(x):
                for monomial, c in self._of(y).items():
                    out[monomial] = out.get(monomial, 0.0) + float(factor) * c
            return _clean(out)
        if x.op == MUL:
            return self._times(self._of(x.args[0]), self._of(x.args[1]))
        if x.op == DIV:
            return self._times(self._of(x.args[0]), self._function(1 / self.write(self._of(x.args[1]))))
        return self._function(rebuilt(x, lambda y: self.write(self._of(y))))

    def _times(self, first: Polynomial, second: Polynomial) -> Polynomial:
        out: Polynomial = {}
        for a, x in first.items():
            for b, y in second.items():
                self._add(out, tuple(sorted(a + b)), x * y)
        return _clean(out)

    def _add(self, out: Polynomial, monomial: Monomial, c: float) -> None:
        """Add a product in the form of (1)."""
        for i in range(len(monomial) - 1 if self.identity else 0):
            if monomial[i] == monomial[i + 1] and monomial[i] in self.sine:
                rest = monomial[:i] + monomial[i + 2 :]
                s = self.sine[monomial[i]]
                self._add(out, rest, c)
                self._add(out, tuple(sorted((*rest, s, s))), -c)
                return
        out[monomial] = out.get(monomial, 0.0) + c

    def _function(self, x: Expr) -> Polynomial:
        """A function is a variable; signs come out of sines and cosines."""
        factor, rest = split(x)
        if type(rest) is not Node:
            return {(): float(factor)}
        return {monomial: float(factor) for monomial in self._variable(rest)}

    def write(self, polynomial: Polynomial) -> Expr:
        """A polynomial as an expression."""
        names = list(self.numbers)
        return add(
            *(mul(_number(c), product(names[i] for i in monomial)) for monomial, c in polynomial.items())
        )


def _number(c: float) -> Number:
    """A coefficient, exact where it is a simple fraction."""
    near = Fraction(c).limit_denominator(64)
    return near if abs(float(near) - c) <= ROUND_OFF * abs(c) else c


def _clean(polynomial: Polynomial) -> Polynomial:
    """Without what is round-off."""
    least = ROUND_OFF * max(map(abs, polynomial.values()), default=0.0)
    return {monomial: c for monomial, c in polynomial.items() if abs(c) > least}
