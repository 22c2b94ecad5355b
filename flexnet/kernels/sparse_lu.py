"""Sparse A = L U of a matrix whose places, not whose values, are symmetric: Newton's, with all tangents.

The order of elimination and the places of all products are those of a symmetric matrix
(:mod:`flexnet.kernels.sparse_ldl`); what is below the diagonal and what is right of it are kept apart.
"""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import inner, kernel
from flexnet.kernels.sparse_ldl import Plan, go_down, no_plan
from flexnet.typing import Array, IntArray


class Tangent(NamedTuple):
    """Where ∂r/∂q and ∂r/∂v can be nonzero, and which columns no row has two of: those of one colour.

    Empty where a dense matrix is cheaper.
    """

    plan: Plan  # of [M + c_v D + c_q K, Gᵀ; G 0]
    entries: IntArray  # (entries, 4) row, column, place, is it right of the diagonal; colour by colour
    first_entry: IntArray  # (colours + 1,) entries of a colour
    columns: IntArray  # (n,) coordinates, colour by colour
    first_column: IntArray  # (colours + 1,) coordinates of a colour
    diagonal: IntArray  # (n,) entry on the diagonal


def no_tangent() -> Tangent:
    """That of a dense matrix."""
    i, none = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Tangent(no_plan(), np.zeros((0, 4), dtype=np.int64), none, i, none, i)


@inner
def _constraints(plan: Plan, G: Array, lower: Array, upper: Array) -> None:
    """Write Gᵀ and G into their places, and zero into all others."""
    for i in range(lower.shape[0]):
        lower[i] = upper[i] = 0.0
    for e in range(plan.jacobian.shape[0]):
        i, j, place = plan.jacobian[e]
        lower[place] = upper[place] = G[i, j]


@kernel
def gather_plain(plan: Plan, M: Array, G: Array, lower: Array, upper: Array) -> None:
    """Write [M Gᵀ; G 0] into its places; the entries of the plan are those below the diagonal."""
    _constraints(plan, G, lower, upper)
    for e in range(plan.mass.shape[0]):
        i, j, place = plan.mass[e]
        lower[place], upper[place] = M[i, j], M[j, i]


@kernel
def gather(
    tangent: Tangent, M: Array, G: Array, slopes: Array, c_q: float, c_v: float, lower: Array, upper: Array
) -> None:
    """Write [M + c_v D + c_q K, Gᵀ; G 0] into its places; ``slopes`` (2, entries) holds K and D."""
    plan = tangent.plan
    _constraints(plan, G, lower, upper)
    for e in range(tangent.entries.shape[0]):
        i, j, place, is_right = tangent.entries[e]
        value = M[i, j] + (c_v * slopes[1, e] + c_q * slopes[0, e])
        if is_right == 1:
            upper[place] = value
        else:
            lower[place] = value


@kernel
def factor(plan: Plan, lower: Array, upper: Array) -> float:
    """Factor in place: L has ones on its diagonal, that of U is in ``lower``.

    Returns
    -------
    float
        Smallest pivot over largest, without units and in absolute value; 0 for a matrix this order cannot
        factor.
    """
    N = plan.order.shape[0]
    smallest, largest = 1e300, 0.0
    t = 0
    for k in range(N):
        d = abs(lower[k]) * plan.squares[k]
        smallest, largest = min(smallest, d), max(largest, d)
        if d == 0.0 or d != d:
            return 0.0
        inverse = 1.0 / lower[k]
        end = N + plan.start[k + 1]
        for p in range(N + plan.start[k], end):
            l, u = lower[p] * inverse, upper[p] * inverse
            for r in range(p, end):
                place = plan.targets[t]
                upper[place] -= l * upper[r]
                lower[place] -= u * lower[r]
                t += 1
            lower[p] = l
    return smallest / largest if largest > 0.0 else 0.0


@kernel
def solve(plan: Plan, lower: Array, upper: Array, b: Array, work: Array) -> None:
    """Solve A x = b in place with the factors of :func:`factor`; ``work`` (N,) is overwritten."""
    N = plan.order.shape[0]
    go_down(plan, lower, b, work)
    for k in range(N - 1, -1, -1):
        x = work[k]
        for p in range(plan.start[k], plan.start[k + 1]):
            x -= upper[N + p] * work[plan.rows[p]]
        work[k] = x / lower[k]
        b[plan.order[k]] = work[k]
