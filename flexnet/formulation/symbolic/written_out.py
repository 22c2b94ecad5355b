"""The equations written out as sums of products, and what they cost then.

Computer algebra that substitutes step into step and optimises afterwards, as Léger's does, meets every entry
as a sum of products of parameters, sines, cosines and rates. The tape never does that: its counts are several
times smaller and hardly depend on the trees. To compare with printed counts, the tape is multiplied out and
counted with every product, and every beginning of a product, computed once.
"""

import sympy as sp

from flexnet.formulation.symbolic.counts import Counts
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.expansion import ROUND_OFF, Polynomial


def count_written_out(equations: SymbolicEquations) -> Counts:
    """Operations of M, G, F and the bias of Φ̈ written out, and of solving them for v̇ and λ.

    Parameters keep their names: like products of different lengths do not merge, as in a program that does
    not know their values. The system [M Gᵀ; G 0] is eliminated in an order that keeps it sparse.
    """
    n, m = equations.n, equations.m
    expansion = equations.expansion
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
    scaled = sum(bool(product) and abs(abs(c) - 1.0) > ROUND_OFF for entry in entries for product, c in entry)
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
