"""The equations written out as sums of products, and what they cost then.

Computer algebra that substitutes step into step and optimises afterwards, as Léger's does, meets every entry
as a sum of products of parameters, sines, cosines and rates. The tape never does that: its counts are several
times smaller and hardly depend on the trees. To compare with printed counts, the tape is multiplied out here:

    entry = Σ c x₁x₂…,     cos² = 1 - sin²                                                          (1)

and counted with every product, and every beginning of a product, computed once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import sympy as sp

from flexnet.formulation.symbolic.counts import Counts
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.tape import Expr, needed

#: variables of a product in ascending order, repeated for powers
Monomial = tuple[int, ...]
#: coefficient of every product
Polynomial = dict[Monomial, float]

_ROUND_OFF = 1e-12


@dataclass(slots=True, eq=False)
class Expansion:
    """Multiplies expressions of a tape out.

    Attributes
    ----------
    lines : the tape.
    numbers : variables by what they stand for: symbols, sines and cosines, other functions.
    sine : variable of the sine that belongs to the variable of a cosine.
    """

    lines: dict[Expr, Expr]
    numbers: dict[Expr, int] = field(default_factory=dict)
    sine: dict[int, int] = field(default_factory=dict)
    _done: dict[Expr, Polynomial] = field(default_factory=dict)

    def read(self, outputs: Iterable[Expr]) -> list[Polynomial]:
        """Polynomials of entries of the tape."""
        wanted = list(outputs)
        for name in needed(self.lines, wanted):
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
        for i in range(len(product) - 1):
            if product[i] == product[i + 1] and product[i] in self.sine:
                rest = product[:i] + product[i + 2 :]
                s = self.sine[product[i]]
                self._add(out, rest, c)
                self._add(out, tuple(sorted((*rest, s, s))), -c)
                return
        out[product] = out.get(product, 0.0) + c

    def _function(self, e: Expr) -> Polynomial:
        """A function is a variable; signs come out of sines and cosines."""
        inside = [self._written(self._expand(x)) for x in e.args]
        factor, rest = e.func(*inside).as_coeff_Mul()
        if rest.is_Number:
            return {(): float(factor * rest)}
        return {product: float(factor) for product in self._variable(rest)}

    def _written(self, polynomial: Polynomial) -> Expr:
        names = list(self.numbers)
        return sp.Add(
            *(
                (sp.Integer(round(c)) if abs(c - round(c)) < _ROUND_OFF else sp.Float(c))
                * sp.Mul(*(names[i] for i in product))
                for product, c in polynomial.items()
            )
        )


def _clean(polynomial: Polynomial) -> Polynomial:
    """Without what is round-off."""
    least = _ROUND_OFF * max(map(abs, polynomial.values()), default=0.0)
    return {product: c for product, c in polynomial.items() if abs(c) > least}


def count_written_out(equations: SymbolicEquations) -> Counts:
    """Operations of M, G, F and the bias of Φ̈ written out, and of solving them for v̇ and λ.

    Parameters keep their names: like products of different lengths do not merge, as in a program that does
    not know their values. The system [M Gᵀ; G 0] is eliminated in an order that keeps it sparse.
    """
    n, m = equations.n, equations.m
    expansion = Expansion(equations.tape.lines)
    mass = expansion.read(equations.M[i, j] for i in range(n) for j in range(i + 1))
    G = expansion.read(equations.G.ravel())
    rest = expansion.read([*equations.F, *equations.bias])
    functions = sum(isinstance(e, sp.Function) for e in expansion.numbers)
    lower = [(i, j) for i in range(n) for j in range(i + 1)]
    pattern = {pair for pair, entry in zip(lower, mass, strict=True) if entry}
    pattern |= {(n + k // n, k % n) for k, entry in enumerate(G) if entry}
    return _count([*mass, *G, *rest]) + Counts(functions=functions) + _count_elimination(pattern, n + m)


def _count(polynomials: list[Polynomial]) -> Counts:
    """Additions and multiplications; equal entries once, every beginning of a product once."""
    entries = {tuple(sorted(p.items())) for p in polynomials}
    additions = sum(max(len(entry) - 1, 0) for entry in entries)
    scaled = sum(
        bool(product) and abs(abs(c) - 1.0) > _ROUND_OFF for entry in entries for product, c in entry
    )
    products = {product[:k] for entry in entries for product, _ in entry for k in range(2, len(product) + 1)}
    return Counts(additions, scaled + len(products))


def _count_elimination(pattern: set[tuple[int, int]], size: int) -> Counts:
    """Operations of L D Lᵀ and of its two solutions, always the unknown with the fewest neighbours first."""
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for i, j in pattern:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    left, additions, multiplications = set(range(size)), 0, 0
    # an unknown without an entry on its diagonal waits for one
    is_ready = [(i, i) in pattern for i in range(size)]
    while left:
        k = min(left, key=lambda i: (not is_ready[i], len(neighbours[i])))
        left.remove(k)
        c = len(neighbours[k])
        additions += c * (c + 1) // 2 + 2 * c
        multiplications += c * (c + 1) // 2 + 3 * c + 1
        for i in neighbours[k]:
            is_ready[i] = True
            neighbours[i] |= neighbours[k]
            neighbours[i] -= {i, k}
    return Counts(additions, multiplications)
