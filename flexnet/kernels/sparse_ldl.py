"""Sparse A = L D Lᵀ of a symmetric matrix whose order of elimination is known beforehand.

Column k of L has its rows fixed once and for all; so has the place of every product that elimination
subtracts. What is left at run time is arithmetic along lists, without a search and without allocation.
"""

from mmap import mmap
from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import inner, kernel
from flexnet.typing import Array, IntArray

#: numbers from which a matrix is kept apart from the rest of the memory
_LARGE = 1 << 21


class Plan(NamedTuple):
    """Elimination laid out beforehand; empty for a matrix that is better treated as dense.

    ``values`` of a factorisation holds the N diagonal places first, then the places below it.
    """

    order: IntArray  # (N,) unknown eliminated k-th
    start: IntArray  # (N + 1,) places below the diagonal of column k: [start[k], start[k + 1])
    rows: IntArray  # (places,) their rows, ascending; place p is values[N + p]
    targets: IntArray  # where each product of two entries of one column goes, in the order of use
    mass: IntArray  # (entries, 3) row and column of M, place
    jacobian: IntArray  # (entries, 3) row and column of G, place
    squares: Array  # (N,) what makes the k-th pivot a number without a unit


def no_plan() -> Plan:
    """The plan of a dense matrix."""
    i, e = np.zeros(0, dtype=np.int64), np.zeros((0, 3), dtype=np.int64)
    return Plan(i, np.zeros(1, dtype=np.int64), i, i, e, e, np.zeros(0))


def scattered(rows: int, columns: int) -> Array:
    """Zeros of which only some places will be written: a large array takes memory where it is written only.

    numpy asks for pages of two megabytes, of which a sparse matrix touches all.
    """
    size = rows * columns
    if size < _LARGE:
        return np.zeros((rows, columns))
    room = mmap(-1, 8 * size)
    return np.frombuffer(room, dtype=float).reshape(rows, columns)


@kernel
def gather(plan: Plan, M: Array, G: Array, values: Array) -> None:
    """Write M and G of [M Gᵀ; G 0] into their places."""
    for i in range(values.shape[0]):
        values[i] = 0.0
    for e in range(plan.mass.shape[0]):
        values[plan.mass[e, 2]] = M[plan.mass[e, 0], plan.mass[e, 1]]
    for e in range(plan.jacobian.shape[0]):
        values[plan.jacobian[e, 2]] = G[plan.jacobian[e, 0], plan.jacobian[e, 1]]


@kernel
def factor(plan: Plan, values: Array) -> float:
    """Factor in place.

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
        d = abs(values[k]) * plan.squares[k]
        smallest, largest = min(smallest, d), max(largest, d)
        if d == 0.0 or d != d:
            return 0.0
        inverse = 1.0 / values[k]
        end = N + plan.start[k + 1]
        for p in range(N + plan.start[k], end):
            l = values[p] * inverse
            for r in range(p, end):
                values[plan.targets[t]] -= l * values[r]
                t += 1
            values[p] = l
    return smallest / largest if largest > 0.0 else 0.0


@inner
def go_down(plan: Plan, values: Array, b: Array, work: Array) -> None:
    """Solve L x = P b into ``work`` (N,); L has ones on its diagonal, below it ``values``."""
    N = plan.order.shape[0]
    for k in range(N):
        work[k] = b[plan.order[k]]
    for k in range(N):
        x = work[k]
        for p in range(plan.start[k], plan.start[k + 1]):
            work[plan.rows[p]] -= values[N + p] * x


@kernel
def solve(plan: Plan, values: Array, b: Array, work: Array) -> None:
    """Solve A x = b in place with the factors of :func:`factor`; ``work`` (N,) is overwritten."""
    N = plan.order.shape[0]
    go_down(plan, values, b, work)
    for k in range(N - 1, -1, -1):
        x = work[k] / values[k]
        for p in range(plan.start[k], plan.start[k + 1]):
            x -= values[N + p] * work[plan.rows[p]]
        work[k] = x
        b[plan.order[k]] = x


def across(plan: Plan, G: Array, x: Array) -> Array:
    """G x (m,), of which only the places of a plan are looked at: the rest of a large G is empty pages."""
    if len(plan.order) == 0:
        return np.asarray(G @ x)
    rows, columns, _ = plan.jacobian.T
    return np.asarray(np.bincount(rows, G[rows, columns] * x[columns], minlength=len(G)), dtype=float)
