"""The equations written out as sums of products, and what they cost then.

Computer algebra that substitutes step into step and optimises afterwards, as Léger's does, meets every entry
as a sum of products of parameters, sines, cosines and rates. The tape never does that: its counts are several
times smaller and hardly depend on the trees. To compare with printed counts, the tape is multiplied out and
counted with every product, and every beginning of a product, computed once.

A joint that holds all translation has the same reaction space in any axes. The tape takes those of the joint;
written out, its circuit equation is shortest in ground axes, a sum of arms:

    Φ = p_B - p_A,     G_j = ∂p_B/∂q_j - ∂p_A/∂q_j,     bias = a_B - a_A at v̇ = 0                      (1)
"""

from flexnet.algebra import add, forward_each, substituted
from flexnet.algebra.scalar import INPUT
from flexnet.formulation.symbolic.counts import Counts
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.expansion import ROUND_OFF, Expansion, Polynomial
from flexnet.typing import AnyArray


def count_written_out(equations: SymbolicEquations, identity: bool = True) -> Counts:
    """Operations of M, G, F and the bias of Φ̈ written out, and of solving them for v̇ and λ.

    With ``numbers`` in the equations like products merge whatever lengths and masses they have; with names
    they do so only where the names are the same. The system [M Gᵀ; G 0] is eliminated in an order that keeps
    it sparse.

    Parameters
    ----------
    identity : use cos² + sin² = 1.
    """
    n, m = equations.n, equations.m
    expansion = Expansion(identity)
    mass = expansion.read(equations.M[i, j] for i in range(n) for j in range(i + 1))
    jacobian, bias = _in_ground_axes(equations)
    G = expansion.read(jacobian.ravel())
    rest = expansion.read([*equations.F, *bias])
    functions = sum(x.op != INPUT for x in expansion.numbers)
    lower = [(i, j) for i in range(n) for j in range(i + 1)]
    pattern = {pair for pair, entry in zip(lower, mass, strict=True) if entry}
    pattern |= {(n + k // n, k % n) for k, entry in enumerate(G) if entry}
    return _count([*mass, *G, *rest]) + Counts(functions=functions) + _count_elimination(pattern, n + m)


def _in_ground_axes(equations: SymbolicEquations) -> tuple[AnyArray, AnyArray]:
    """G and the bias, rows of joints that hold all translation by (1)."""
    G, bias = equations.G.copy(), equations.bias.copy()
    held: dict[str, list[int]] = {}
    for i, row in enumerate(equations.numeric.rows):
        if row.is_translation and row.function is None:
            held.setdefault(row.component.name, []).append(i)
    velocities, accelerations = (x.ravel() for x in (equations.work.v, equations.work.a))
    moves = forward_each(velocities, [{v: 1} for v in equations.variables.v])
    drift = substituted(accelerations, dict.fromkeys(equations.variables.a, 0))
    size = 2 if equations.numeric.system.is_planar else 3
    for rows in held.values():
        if len(rows) < size:
            continue
        for axis, i in enumerate(rows):
            B, A = (int(equations.numeric.model.rows[i][end]) for end in ("head", "tail"))
            head, tail = 3 * B + axis, 3 * A + axis
            G[i] = [add(x, -y) for x, y in zip(moves[head], moves[tail], strict=True)]
            bias[i] = add(drift[head], -drift[tail])
    return G, bias


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
