"""Order of elimination for [M Gᵀ; G 0], found once from where M and G can be nonzero.

Minimum degree with one rule: a constraint waits for all the coordinates it touches. Eliminating
coordinates first leaves -G M⁻¹ Gᵀ of the constraints that are complete, so with M positive definite
and independent constraints no pivot vanishes, whatever the configuration. A chain in absolute
coordinates costs O(N) this way. A coordinate without inertia has no pivot: the factorisation says so,
and the dense one takes over.
"""

import logging
from functools import cache
from heapq import heapify, heappop, heappush

import numpy as np

from flexnet.dae import DENSE, Sparsity
from flexnet.kernels.sparse_ldl import Plan, no_plan
from flexnet.kernels.sparse_lu import Tangent, no_tangent
from flexnet.typing import Array, IntArray

log = logging.getLogger("flexnet")

#: time of one product of the sparse elimination over one of the dense
_DEARER = 3.0


def plan_elimination(
    sparsity: Sparsity | None, n: int, m: int, weights: Array | None = None, is_symmetric: bool = True
) -> Plan:
    """Plan the elimination of n coordinates and m constraints; empty where a dense one is cheaper.

    Parameters
    ----------
    weights : (n + m,) what makes the matrix one without units (:attr:`~flexnet.dae.Dae.weights`).
    is_symmetric : whether the factors are to be L D Lᵀ; a matrix that has them not is then treated as dense.
        Else the entries of M are those below the diagonal in the order of elimination.
    """
    N = n + m
    if sparsity is None or N == 0 or (is_symmetric and not sparsity.is_symmetric):
        return no_plan()
    lower = sparsity.mass[sparsity.mass[:, 0] > sparsity.mass[:, 1]]
    if n + 2 * len(lower) + 2 * len(sparsity.jacobian) > DENSE * N * N:
        return no_plan()
    below = [(i, j) for i, j in lower.tolist()]
    neighbours: list[set[int]] = [set() for _ in range(N)]
    for i, j in below + [(n + i, j) for i, j in sparsity.jacobian.tolist()]:
        neighbours[i].add(j)
        neighbours[j].add(i)
    order, columns = _minimum_degree(neighbours, n)
    products = sum(len(c) * (len(c) + 1) // 2 for c in columns)
    if _DEARER * products > N**3 / 3:
        return no_plan()
    plan = _lay_out(sparsity, n, order, columns, np.ones(N) if weights is None else weights)
    return plan if is_symmetric else plan._replace(mass=_turned(plan))


def say_elimination(plan: Plan, bodies: int, N: int) -> None:
    """Log how N linear equations are solved: as chosen by the products it takes."""
    way = f"along the tree of {bodies} bodies" if bodies else "dense"
    if len(plan.order):
        way = f"sparse, {len(plan.targets)} products where a dense one takes {N**3 // 3}"
    log.debug("elimination of %d equations: %s", N, way)


def _turned(plan: Plan) -> IntArray:
    """Entries of M, each with the row that is eliminated later first."""
    turn = np.empty(len(plan.order), dtype=np.int64)
    turn[plan.order] = np.arange(len(plan.order))
    i, j, place = plan.mass.T
    is_below = turn[i] >= turn[j]
    return np.ascontiguousarray(np.column_stack([np.where(is_below, i, j), np.where(is_below, j, i), place]))


def plan_tangent(sparsity: Sparsity | None, n: int, m: int, weights: Array | None = None) -> Tangent:
    """Plan tangents by differences, many columns at once, and the elimination of the matrix with them.

    Empty where a dense one is cheaper, or where nothing is known of the tangents.
    """
    if sparsity is None or sparsity.tangent is None:
        return no_tangent()
    found = sparsity.tangent()
    if found is None:
        return no_tangent()
    plan = plan_elimination(Sparsity(found, sparsity.jacobian), n, m, weights)
    if len(plan.order) == 0:
        return no_tangent()
    rows, columns = found.T
    colours = _colours(rows, columns, n)
    order = np.lexsort((rows, columns, colours[columns]))
    rows, columns = rows[order], columns[order]
    # places were found of the lower triangle
    known = plan.mass[:, 0] * n + plan.mass[:, 1]
    sort = np.argsort(known)
    keys = np.maximum(rows, columns) * n + np.minimum(rows, columns)
    places = plan.mass[sort[np.searchsorted(known[sort], keys)], 2]
    turn = np.empty(n + m, dtype=np.int64)
    turn[plan.order] = np.arange(n + m)
    is_right = (turn[rows] < turn[columns]).astype(np.int64)
    on_diagonal = np.flatnonzero(rows == columns)
    bounds = np.arange(colours.max() + 2)
    return Tangent(
        plan,
        np.ascontiguousarray(np.column_stack([rows, columns, places, is_right])),
        np.searchsorted(colours[columns], bounds),
        np.argsort(colours, kind="stable"),
        np.searchsorted(np.sort(colours), bounds),
        on_diagonal[np.argsort(rows[on_diagonal])],
    )


def _colours(rows: IntArray, columns: IntArray, n: int) -> IntArray:
    """Colours of n columns such that no row has an entry in two of one colour; the first that is free."""
    inside: list[list[int]] = [[] for _ in range(n)]
    for i, k in zip(rows.tolist(), columns.tolist(), strict=True):
        inside[k].append(i)
    used: list[set[int]] = [set() for _ in range(n)]  # colours in each row
    out = np.zeros(n, dtype=np.int64)
    for k, mine in enumerate(inside):
        taken = set[int]().union(*(used[i] for i in mine))
        colour = next(c for c in range(len(taken) + 1) if c not in taken)
        out[k] = colour
        for i in mine:
            used[i].add(colour)
    return out


def _minimum_degree(neighbours: list[set[int]], n: int) -> tuple[list[int], list[set[int]]]:
    """Unknowns in the order of elimination, and the neighbours each has left at its turn.

    Coordinates that are coupled with each other and with the same others, as those of one body are, stay so:
    they are taken together.
    """
    members = _alike(neighbours, n)
    group = {i: g for g, inside in enumerate(members) for i in inside}
    linked = [{group[j] for j in neighbours[inside[0]]} - {g} for g, inside in enumerate(members)]
    size = [len(inside) for inside in members]
    is_row = [inside[0] >= n for inside in members]
    awaited = [set(linked[g]) if is_row[g] else set[int]() for g in range(len(members))]

    inside_out = _inside_out(linked)

    def degree(g: int) -> tuple[int, int]:
        return sum(size[i] for i in linked[g]), inside_out[g]

    heap = [(degree(g), g) for g in range(len(members)) if not awaited[g]]
    heapify(heap)
    is_done = [False] * len(members)
    order, columns = list[int](), list[set[int]]()
    while heap:
        least, k = heappop(heap)
        if is_done[k] or least != degree(k):
            continue
        is_done[k] = True
        left = linked[k]
        beyond = {i for g in left for i in members[g]}
        for p, i in enumerate(members[k]):
            order.append(i)
            columns.append(beyond | set(members[k][p + 1 :]))
        for g in left:
            awaited[g].discard(k)
            linked[g] |= left
            linked[g] -= {g, k}
        for g in left:
            if not awaited[g]:
                heappush(heap, (degree(g), g))
    return order, columns


def _inside_out(linked: list[set[int]]) -> list[int]:
    """Number that is the less the nearer a group lies to an end of all that hangs together with it.

    Of groups that are as cheap the outer ones are taken first: of a chain both ends in turn, so that one half
    of the products does not wait for the other.
    """

    def distances(start: int) -> dict[int, int]:
        found = {start: 0}
        for g in (waiting := [start]):
            for h in linked[g]:
                if h not in found:
                    found[h] = found[g] + 1
                    waiting.append(h)
        return found  # the farthest last

    out = dict[int, int]()
    for g in range(len(linked)):
        if g not in out:
            first = distances([*distances(g)][-1])
            last = distances([*first][-1])
            out |= {h: -abs(first[h] - last[h]) for h in first}
    return [out[g] for g in range(len(linked))]


def _alike(neighbours: list[set[int]], n: int) -> list[list[int]]:
    """Unknowns in groups: coordinates with the same neighbours, themselves included; constraints alone."""
    found: dict[frozenset[int], list[int]] = {}
    for i in range(n):
        found.setdefault(frozenset(neighbours[i] | {i}), []).append(i)
    return [*found.values(), *([i] for i in range(n, len(neighbours)))]


def _lay_out(sparsity: Sparsity, n: int, order: list[int], columns: list[set[int]], weights: Array) -> Plan:
    """Number the places of L and find where every product goes."""
    N = len(order)
    turn = np.empty(N, dtype=np.int64)
    turn[order] = np.arange(N)
    rows = [np.sort(turn[list(c)]) if c else np.zeros(0, dtype=np.int64) for c in columns]
    start = np.cumsum([0, *(len(r) for r in rows)], dtype=np.int64)
    below = np.concatenate([*rows, np.zeros(0, dtype=np.int64)])
    keys = np.repeat(np.arange(N), np.diff(start)) * N + below  # ascending, as the places are

    def place(first: IntArray, last: IntArray) -> IntArray:
        """Place of the entry in column ``first`` and row ``last``, both in the order of elimination."""
        found = N + np.searchsorted(keys, first * N + last)
        return np.where(first == last, first, found).astype(np.int64)

    def entry(i: IntArray, j: IntArray) -> IntArray:
        return place(np.minimum(turn[i], turn[j]), np.maximum(turn[i], turn[j]))

    # of every pair of rows of a column, the diagonal first, then those below it
    triangle = cache(np.triu_indices)
    pairs = [(column, *triangle(len(column))) for column in rows]
    none = np.zeros(0, dtype=np.int64)
    mass = sparsity.mass[sparsity.mass[:, 0] >= sparsity.mass[:, 1]]
    jacobian = sparsity.jacobian
    return Plan(
        np.array(order, dtype=np.int64),
        start,
        below,
        place(
            np.concatenate([*(column[i] for column, i, _ in pairs), none]),
            np.concatenate([*(column[j] for column, _, j in pairs), none]),
        ),
        # row by row in memory, whatever the order in which the places were found
        np.ascontiguousarray(np.column_stack([mass, entry(mass[:, 0], mass[:, 1])])),
        np.ascontiguousarray(np.column_stack([jacobian, entry(n + jacobian[:, 0], jacobian[:, 1])])),
        weights[order] ** 2,
    )
