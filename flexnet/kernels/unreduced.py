"""Newton's matrix of a mechanism with unreduced bodies, their elastic blocks eliminated first.

The mechanism feels the m elastic coordinates x of a body through a few ports only, y = P x: momentum and
angular momentum E x of the body in its frame, E₁ x of first order, displacement and rotation of each of its
attachment frames. With Q x = (x_rest, P x) the matrix is

    Qᵀ A Q + S,     S = M + c_q K + c_v C,     A = [M_s Gᵀ_s; G_s 0]                                      (1)

A that of a small mechanism whose bodies have their ports as coordinates (and no elastic mass), S sparse and
the same at every state. Given b, with f what the mechanism asks of the ports,

    S x + Pᵀ f = b,   A (x_rest, y, λ) = (b_rest, f, b_λ)   →   y + F f = P S⁻¹ b,   F = P S⁻¹ Pᵀ         (2)

a dense system of x_rest, y and λ: rows y of A are multiplied by F and get a unit on their diagonal, and
x = S⁻¹(b - Pᵀf). S is factored as L D Lᵀ once for a step size (Davis, ACM Trans. Math. Softw. 31 (2005) 587),
once more for the mass alone. docs/theory/unreduced.md derives it.
"""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import kernel
from flexnet.kernels.linear_algebra import lu_factor, lu_solve
from flexnet.typing import Array, IntArray

#: columns of ``Blocks.bodies``: first place in v and number of coordinates; the same of the ports in the
#: small mechanism; where its rows P, its square F, its coordinates, its patterns of S and of L begin
V, COUNT, SMALL, PORTS, AT_P, AT_F, AT_X, AT_S, AT_L, WIDTH = range(10)
#: part of a diagonal entry of S that elimination must leave
SOUND = 1e-13
#: factors that are kept: of the mass, and of S for the last c_q and c_v
MASS, LAST = 0, 1


class Blocks(NamedTuple):
    """Elastic blocks of all unreduced bodies, one after another, and the arrays of their elimination."""

    bodies: IntArray  # (bodies, WIDTH)
    rest: IntArray  # (n_r, 2) places in v, and in the small mechanism, of all other coordinates
    P: Array  # rows of the ports; written by what stands for ``Dae.matrices``, as its work
    Y: Array  # rows S⁻¹Pᵀ, likewise
    F: Array  # squares P S⁻¹ Pᵀ
    order: IntArray  # coordinate eliminated k-th
    start: IntArray  # columns of S above the diagonal, permuted: first entries, m + 1 of each body
    rows: IntArray  # rows of the entries, the diagonal last
    S: Array  # (3, entries) M, K, C there
    parent: IntArray  # column after k in which L has an entry first, -1 for none
    first: IntArray  # columns of L: first entries, m + 1 of each body
    filled: IntArray  # entries of a column so far
    below: IntArray  # (2, entries) rows of L
    L: Array  # (2, entries)
    D: Array  # (2, coordinates)
    key: Array  # (5,) c_q and c_v of LAST, stiffness in MASS (s²), whether MASS is there, which is in use
    flag: IntArray  # scratch
    path: IntArray
    y: Array
    x: Array
    M: Array  # (n_s, n_s) M_s with stiffness and damping of what is not unreduced
    G: Array  # (m, n_s)
    A: Array  # (n_s + m, n_s + m)
    pivots: IntArray
    b: Array  # (n_s + m,)
    scale: Array  # (2, n_s + m) what makes unknowns and rows of A numbers without units


def no_blocks() -> Blocks:
    """Those of a mechanism without unreduced bodies."""
    i, x, A = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0))
    return Blocks(
        np.zeros((0, WIDTH), dtype=np.int64), np.zeros((0, 2), dtype=np.int64), x, x, x, i, i, i, A, i, i, i,
        np.zeros((0, 0), dtype=np.int64), A, A, x, i, i, x, x, A, A, A, i, x, A,
    )  # fmt: skip


@kernel
def find_columns(
    m: int, start: IntArray, rows: IntArray, parent: IntArray, count: IntArray, flag: IntArray
) -> None:
    """Elimination tree and number of entries below the diagonal of every column of L."""
    for k in range(m):
        parent[k], flag[k], count[k] = -1, k, 0
        for e in range(start[k], start[k + 1]):
            i = rows[e]
            while flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                count[i] += 1
                flag[i] = k
                i = parent[i]


@kernel
def factor_body(e: Blocks, body: int, slot: int, c_q: float, c_v: float) -> float:
    """Factor M + c_q K + c_v C of a body; least part of its diagonal that elimination left."""
    o = e.bodies[body]
    m, x0, s0, l0 = o[COUNT], o[AT_X], o[AT_S], o[AT_L]
    least = 1.0
    y = e.y
    for k in range(m):
        y[k] = 0.0
        e.filled[x0 + k] = 0
    for k in range(m):
        top = m
        e.flag[k] = k
        whole = 0.0
        for p in range(e.start[x0 + body + k], e.start[x0 + body + k + 1]):
            i = e.rows[s0 + p]
            value = e.S[0, s0 + p] + c_q * e.S[1, s0 + p] + c_v * e.S[2, s0 + p]
            y[i] += value
            if i == k:
                whole = value
            length = 0
            while e.flag[i] != k:
                e.path[length] = i
                length += 1
                e.flag[i] = k
                i = e.parent[x0 + i]
            while length > 0:
                top -= 1
                length -= 1
                e.path[top] = e.path[length]
        d = y[k]
        y[k] = 0.0
        for t in range(top, m):
            i = e.path[t]
            value = y[i]
            y[i] = 0.0
            begin = l0 + e.first[x0 + body + i]
            end = begin + e.filled[x0 + i]
            for p in range(begin, end):
                y[e.below[slot, p]] -= e.L[slot, p] * value
            l = value / e.D[slot, x0 + i]
            d -= l * value
            e.below[slot, end] = k
            e.L[slot, end] = l
            e.filled[x0 + i] += 1
        if not d > SOUND * whole:
            return 0.0
        least = min(least, d / whole)
        e.D[slot, x0 + k] = d
    return least


@kernel
def solve_body(e: Blocks, body: int, slot: int, b: Array) -> None:
    """Solve with the factors of a body in place."""
    o = e.bodies[body]
    m, x0, l0 = o[COUNT], o[AT_X], o[AT_L]
    y = e.y
    for k in range(m):
        y[k] = b[e.order[x0 + k]]
    for k in range(m):
        value = y[k]
        if value != 0.0:
            for p in range(l0 + e.first[x0 + body + k], l0 + e.first[x0 + body + k + 1]):
                y[e.below[slot, p]] -= e.L[slot, p] * value
    for k in range(m - 1, -1, -1):
        value = y[k] / e.D[slot, x0 + k]
        for p in range(l0 + e.first[x0 + body + k], l0 + e.first[x0 + body + k + 1]):
            value -= e.L[slot, p] * y[e.below[slot, p]]
        y[k] = value
    for k in range(m):
        b[e.order[x0 + k]] = y[k]
        y[k] = 0.0


@kernel
def _factor_bodies(e: Blocks, c_q: float, c_v: float) -> bool:
    """Factors of S for c_q and c_v, where they are not there yet; neither is the mass, MASS."""
    if c_q == 0.0 and c_v == 0.0:
        for k in range(e.bodies.shape[0]):
            if e.key[3] == 0.0 and not factor_body(e, k, MASS, e.key[2], 0.0) > 0.0:
                return False
        e.key[3] = 1.0
        return True
    if e.key[0] == c_q and e.key[1] == c_v:
        return True
    e.key[0] = e.key[1] = 0.0
    for k in range(e.bodies.shape[0]):
        if not factor_body(e, k, LAST, c_q, c_v) > 0.0:
            return False
    e.key[0], e.key[1] = c_q, c_v
    return True


@kernel
def factor(e: Blocks, weights: Array, c_q: float, c_v: float) -> bool:
    """Factor (2) for M, G and P as they are; ``weights`` are those of all coordinates and constraints."""
    if not _factor_bodies(e, c_q, c_v):
        return False
    slot = MASS if c_q == 0.0 and c_v == 0.0 else LAST
    e.key[4] = slot
    n, m = e.M.shape[0], e.G.shape[0]
    n_v = weights.shape[0] - m
    for i in range(n):
        for j in range(n):
            e.A[i, j] = e.M[i, j]
        for j in range(m):
            e.A[i, n + j] = e.A[n + j, i] = e.G[j, i]
    for i in range(m):
        e.scale[0, n + i] = e.scale[1, n + i] = weights[n_v + i]
        for j in range(m):
            e.A[n + i, n + j] = 0.0
    for l in range(e.rest.shape[0]):
        i, k = e.rest[l, 0], e.rest[l, 1]
        e.scale[0, k] = e.scale[1, k] = weights[i]
    for body in range(e.bodies.shape[0]):
        _eliminate(e, body, slot, weights)
    _level(e)
    for i in range(n + m):
        for j in range(n + m):
            e.A[i, j] *= e.scale[1, i] * e.scale[0, j]
    return bool(lu_factor(e.A, e.pivots) > 1e-16)


@kernel
def _level(e: Blocks) -> None:
    """Let rows of ports be as large as others: F is as large as what a port moves is light."""
    for body in range(e.bodies.shape[0]):
        o = e.bodies[body]
        for i in range(o[SMALL], o[SMALL] + o[PORTS]):
            largest = 0.0
            for j in range(e.A.shape[0]):
                largest = max(largest, abs(e.A[i, j] * e.scale[0, j]))
            e.scale[1, i] = 1.0 / largest


@kernel
def _eliminate(e: Blocks, body: int, slot: int, weights: Array) -> None:
    """Y, F and the rows of the ports of a body in A."""
    o = e.bodies[body]
    m, p, s, v = o[COUNT], o[PORTS], o[SMALL], o[V]
    for k in range(p):
        P, Y = e.P[o[AT_P] + k * m : o[AT_P] + (k + 1) * m], e.Y[o[AT_P] + k * m : o[AT_P] + (k + 1) * m]
        size = 0.0
        for i in range(m):
            Y[i] = P[i]
            size = max(size, abs(P[i]) * weights[v + i])
        e.scale[0, s + k] = size if size > 0.0 else 1.0
        if size > 0.0:
            solve_body(e, body, slot, Y)
        for l in range(k + 1):
            Q = e.P[o[AT_P] + l * m : o[AT_P] + (l + 1) * m]
            total = 0.0
            for i in range(m):
                total += Q[i] * Y[i]
            e.F[o[AT_F] + k * p + l] = e.F[o[AT_F] + l * p + k] = total
    N = e.A.shape[0]
    for j in range(N):
        for k in range(p):
            total = 0.0
            for l in range(p):
                total += e.F[o[AT_F] + k * p + l] * e.A[s + l, j]
            e.b[k] = total
        for k in range(p):
            e.A[s + k, j] = e.b[k]
    for k in range(p):
        e.A[s + k, s + k] += 1.0


@kernel
def solve(e: Blocks, b: Array) -> None:
    """Solve (1) x = b (n_v + m,) in place with the factors of the last :func:`factor`."""
    slot = int(e.key[4])
    n, m = e.M.shape[0], e.G.shape[0]
    n_v = b.shape[0] - m
    for k in range(e.bodies.shape[0]):
        o = e.bodies[k]
        solve_body(e, k, slot, b[o[V] : o[V] + o[COUNT]])
    gather_ports(e, b)
    for l in range(e.rest.shape[0]):
        e.b[e.rest[l, 1]] = b[e.rest[l, 0]]
    for j in range(m):
        e.b[n + j] = b[n_v + j]
    for i in range(n + m):
        e.b[i] *= e.scale[1, i]
    lu_solve(e.A, e.pivots, e.b)
    for i in range(n + m):
        e.b[i] *= e.scale[0, i]
    for k in range(e.bodies.shape[0]):
        o = e.bodies[k]
        for l in range(o[PORTS]):
            row, f = o[SMALL] + l, 0.0
            for j in range(n):
                f += e.M[row, j] * e.b[j]
            for j in range(m):
                f += e.G[j, row] * e.b[n + j]
            for i in range(o[COUNT]):
                b[o[V] + i] -= f * e.Y[o[AT_P] + l * o[COUNT] + i]
    for l in range(e.rest.shape[0]):
        b[e.rest[l, 0]] = e.b[e.rest[l, 1]]
    for j in range(m):
        b[n_v + j] = e.b[n + j]


@kernel
def gather_ports(e: Blocks, x: Array) -> None:
    """Q x of (1) into ``e.b``."""
    for l in range(e.rest.shape[0]):
        e.b[e.rest[l, 1]] = x[e.rest[l, 0]]
    for k in range(e.bodies.shape[0]):
        o = e.bodies[k]
        m = o[COUNT]
        for l in range(o[PORTS]):
            total = 0.0
            for i in range(m):
                total += e.P[o[AT_P] + l * m + i] * x[o[V] + i]
            e.b[o[SMALL] + l] = total


@kernel
def across(e: Blocks, x: Array, out: Array) -> None:
    """G x (m,)."""
    gather_ports(e, x)
    for j in range(e.G.shape[0]):
        total = 0.0
        for i in range(e.G.shape[1]):
            total += e.G[j, i] * e.b[i]
        out[j] = total


@kernel
def diagonal(e: Blocks, c_q: float, c_v: float, out: Array) -> None:
    """Diagonal (n_v,) of Newton's matrix; of elastic coordinates that of S, without what they carry."""
    for l in range(e.rest.shape[0]):
        out[e.rest[l, 0]] = e.M[e.rest[l, 1], e.rest[l, 1]]
    for body in range(e.bodies.shape[0]):
        o = e.bodies[body]
        for k in range(o[COUNT]):
            p = o[AT_S] + e.start[o[AT_X] + body + k + 1] - 1
            out[o[V] + e.order[o[AT_X] + k]] = e.S[0, p] + c_q * e.S[1, p] + c_v * e.S[2, p]


@kernel
def load_weights(e: Blocks, norm: Array, out: Array) -> None:
    """Largest |G| over the weight of a coordinate, (m,), ports by their largest coordinate."""
    for j in range(e.G.shape[0]):
        out[j] = 0.0
        for l in range(e.rest.shape[0]):
            out[j] = max(out[j], abs(e.G[j, e.rest[l, 1]]) / norm[e.rest[l, 0]])
    for body in range(e.bodies.shape[0]):
        o = e.bodies[body]
        m = o[COUNT]
        for k in range(o[PORTS]):
            moved = 0.0
            for i in range(m):
                moved = max(moved, abs(e.P[o[AT_P] + k * m + i]) / norm[o[V] + i])
            for j in range(e.G.shape[0]):
                out[j] = max(out[j], abs(e.G[j, o[SMALL] + k]) * moved)
