"""Order of elimination for [M Gᵀ; G 0], found once from where M and G can be nonzero.

Minimum degree with one rule: a constraint waits for all the coordinates it touches. Eliminating
coordinates first leaves -G M⁻¹ Gᵀ of the constraints that are complete, so with M positive definite
and independent constraints no pivot vanishes, whatever the configuration. A chain in absolute
coordinates costs O(N) this way. A coordinate without inertia has no pivot: the factorisation says so,
and the dense one takes over.
"""

from heapq import heapify, heappop, heappush

import numpy as np

from flexnet.dae import Sparsity
from flexnet.kernels.sparse_ldl import Plan, no_plan
from flexnet.typing import Array, IntArray

#: time of one product of the sparse elimination over one of the dense
_DEARER = 3.0
#: share of nonzeros above which a matrix counts as dense without further analysis
_DENSE = 0.4


def plan_elimination(sparsity: Sparsity | None, n: int, m: int, weights: Array | None = None) -> Plan:
    """Plan the elimination of n coordinates and m constraints; empty where a dense one is cheaper.

    Parameters
    ----------
    weights : (n + m,) what makes the matrix one without units (:attr:`~flexnet.dae.Dae.weights`).
    """
    N = n + m
    if sparsity is None or N == 0:
        return no_plan()
    below = [(i, j) for i, j in sparsity.mass.tolist() if i > j]
    filled = n + 2 * len(below) + 2 * len(sparsity.jacobian)
    if filled > _DENSE * N * N:
        return no_plan()
    neighbours: list[set[int]] = [set() for _ in range(N)]
    for i, j in below + [(n + i, j) for i, j in sparsity.jacobian.tolist()]:
        neighbours[i].add(j)
        neighbours[j].add(i)
    order, columns = _minimum_degree(neighbours, n)
    products = sum(len(c) * (len(c) + 1) // 2 for c in columns)
    if _DEARER * products > N**3 / 3:
        return no_plan()
    return _lay_out(sparsity, n, order, columns, np.ones(N) if weights is None else weights)


def _minimum_degree(neighbours: list[set[int]], n: int) -> tuple[list[int], list[set[int]]]:
    """Unknowns in the order of elimination, and the neighbours each has left at its turn."""
    awaited = [set[int]()] * n + [set(c) for c in neighbours[n:]]
    heap = [(len(c), i) for i, c in enumerate(neighbours) if not awaited[i]]
    heapify(heap)
    is_done = [False] * len(neighbours)
    order, columns = list[int](), list[set[int]]()
    while heap:
        degree, k = heappop(heap)
        if is_done[k] or degree != len(neighbours[k]):
            continue
        is_done[k] = True
        left = neighbours[k]
        order.append(k)
        columns.append(left)
        for i in left:
            if i >= n:
                awaited[i].discard(k)
            neighbours[i] |= left
            neighbours[i] -= {i, k}
        for i in left:
            if not awaited[i]:
                heappush(heap, (len(neighbours[i]), i))
    return order, columns


def _lay_out(sparsity: Sparsity, n: int, order: list[int], columns: list[set[int]], weights: Array) -> Plan:
    """Number the places of L and find where every product goes."""
    N = len(order)
    turn = np.empty(N, dtype=np.int64)
    turn[order] = np.arange(N)
    rows = [np.sort(turn[list(c)]) if c else np.zeros(0, dtype=np.int64) for c in columns]
    start = np.cumsum([0, *(len(r) for r in rows)], dtype=np.int64)
    targets = []
    for column in rows:
        for p, k in enumerate(column):
            # row column[p:] of column k: the diagonal first, then places below it
            below = N + start[k] + np.searchsorted(rows[k], column[p + 1 :])
            targets.append(np.concatenate([[k], below]))

    def place(i: IntArray, j: IntArray) -> IntArray:
        first, last = np.minimum(turn[i], turn[j]), np.maximum(turn[i], turn[j])
        pairs = zip(first, last, strict=True)
        at = [a if a == b else N + start[a] + np.searchsorted(rows[a], b) for a, b in pairs]
        return np.array(at, dtype=np.int64)

    mass = sparsity.mass[sparsity.mass[:, 0] >= sparsity.mass[:, 1]]
    jacobian = sparsity.jacobian
    return Plan(
        np.array(order, dtype=np.int64),
        start,
        np.concatenate([*rows, np.zeros(0, dtype=np.int64)]),
        np.concatenate([*targets, np.zeros(0, dtype=np.int64)]).astype(np.int64),
        # row by row in memory, whatever the order in which the places were found
        np.ascontiguousarray(np.column_stack([mass, place(mass[:, 0], mass[:, 1])])),
        np.ascontiguousarray(np.column_stack([jacobian, place(n + jacobian[:, 0], jacobian[:, 1])])),
        weights[order] ** 2,
    )
