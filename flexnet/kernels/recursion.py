"""M x = b of a tree of rigid bodies in as many steps as it has bodies, without M: articulated bodies.

Body i moves with its parent p, and by its own coordinates,

    V_i = X_i V_p + S_i v_i,        V = (ω, velocity of the centre of mass),                              (1)

X_i the shift from one centre to the other. Eliminated from the tips inwards, with Î_i = I_i at a tip,

    D_i = S_iᵀ Î_i S_i,     K_i = X_iᵀ Î_i S_i D_i⁻¹,     Î_p = I_p + Σ (X_iᵀ Î_i X_i - K_i D_i K_iᵀ),    (2)
    u_i = b_i - S_iᵀ p_i,   p_p = Σ (X_iᵀ p_i + K_i u_i),                                                 (3)

and from the datum outwards x_i = D_i⁻¹ u_i - K_iᵀ V_p, V_i = X_i V_p + S_i x_i (Featherstone, Rigid Body
Dynamics Algorithms, 2008, ch. 7). Vectors are those of the ground; in a plane V = (ω, v_x, v_y).

A sweep is as long as the longest chain of operations that wait for each other: shifts do not wait for pivots,
one sweep inwards takes (2) and (3), and what goes from a body to its neighbour in the list need not be read
from memory.
"""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import inner, kernel
from flexnet.kernels.entry import restore
from flexnet.kernels.kinds import know_lengths
from flexnet.typing import Array, IntArray

#: numbers of a link: nodes of the parent's and its own centre, node where its own frame begins to carry, its
#: orientation, number of coordinates, mass, inertia (9), then kind, edge, axis and sign of each coordinate
NODE_A, NODE_B, PIVOT, TURNED, COUNT, MASS, INERTIA, COORDINATES = 0, 1, 2, 3, 4, 5, 6, 15
#: kinds of coordinates
TURN, SLIDE = 0, 1
#: part of the inertia of a coordinate that elimination must leave
SOUND = 1e-13
#: a row of the table of bodies: shift, mass, inertia about the centre (a number in a plane), and S from here
HEAVY, OWN, PLANE, SPACE = 3, 4, 5, 13


class Recursion(NamedTuple):
    """A tree of bodies, each after its parent, and the arrays of an elimination; d = 6, or 3 in a plane."""

    parent: IntArray  # (bodies,) -1 for the ground
    first: IntArray  # (bodies + 1,) its coordinates
    place: IntArray  # (n,) their places in v
    articulated: Array  # (bodies, 36) Î by rows, or (bodies, 6) its upper half
    own: Array  # (n, d) L⁻¹ Sᵀ Î, D = L diag Lᵀ
    across: Array  # (n, d) the same by X, over the pivot
    small: Array  # (n, 6) L, and one over the pivot on its diagonal
    wrench: Array  # (bodies, d) p
    motion: Array  # (bodies, d) V
    x: Array  # (n,)


know_lengths(Recursion, small=(6,))


def no_recursion() -> Recursion:
    """That of a mechanism whose mass matrix is made and factored."""
    return make_recursion(np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64), _NONE, 3)


def make_recursion(parent: IntArray, first: IntArray, place: IntArray, d: int) -> Recursion:
    """Allocate the arrays of an elimination."""
    z, N, n = np.zeros, len(parent), len(place)
    A = z((N, 6 if d == 3 else 36))
    return Recursion(parent, first, place, A, z((n, d)), z((n, d)), z((n, 6)), z((N, d)), z((N, d)), z(n))


_NONE = np.zeros(0, dtype=np.int64)


def table_width(d: int) -> int:
    """Columns of the table that :func:`articulate` writes: shift, inertia and motion space of a body."""
    return (PLANE if d == 3 else SPACE) + d * d


@kernel
def articulate(data: IntArray, work: Array, c_q: float, c_v: float, table: Array, numbers: Array) -> None:
    """Write what (1) and (2) need of every body, at the state of the last residual.

    The arguments are those of :attr:`~flexnet.dae.Dae.matrices`.
    """
    _, w = restore(data)
    d = 3 if table.shape[1] < SPACE + 36 else 6
    for i in range(table.shape[0]):
        row, x = table[i], numbers[i]
        a, b, c, turned = int(x[NODE_A]), int(x[NODE_B]), int(x[PIVOT]), int(x[TURNED])
        for j in range(3):
            row[j] = w.p[b, j] - w.p[a, j]
        row[HEAVY] = x[MASS]
        if d == 3:
            row[OWN] = x[INERTIA + 8]
        else:
            R = w.R[turned]
            for j in range(3):
                for k in range(3):
                    total = 0.0
                    for l in range(3):
                        for m in range(3):
                            total += R[j, l] * x[INERTIA + 3 * l + m] * R[k, m]
                    row[OWN + 3 * j + k] = total
        first = PLANE if d == 3 else SPACE
        for l in range(int(x[COUNT])):
            at = COORDINATES + 4 * l
            e, axis, sign = int(x[at + 1]), int(x[at + 2]), x[at + 3]
            s = row[first + d * l : first + d * (l + 1)]
            if x[at] == SLIDE:
                for j in range(d):
                    s[j] = 0.0
                for j in range(d - 3 if d == 6 else 2):
                    s[(3 if d == 6 else 1) + j] = sign * w.d[e, axis, j]
                continue
            u0, u1, u2 = sign * w.u[e, axis, 0], sign * w.u[e, axis, 1], sign * w.u[e, axis, 2]
            r0, r1, r2 = w.p[b, 0] - w.p[c, 0], w.p[b, 1] - w.p[c, 1], w.p[b, 2] - w.p[c, 2]
            if d == 3:
                s[0], s[1], s[2] = u2, -u2 * r1, u2 * r0
            else:
                s[0], s[1], s[2] = u0, u1, u2
                s[3], s[4], s[5] = u1 * r2 - u2 * r1, u2 * r0 - u0 * r2, u0 * r1 - u1 * r0


@kernel
def factor(f: Recursion, table: Array, b: Array) -> float:
    """Equation (2) for all bodies, and (3) of the right-hand side that :func:`outwards` is given then.

    Returns
    -------
    float
        Least part of the inertia of a coordinate that elimination left; 0 where M is singular.
    """
    for i in range(f.articulated.shape[0]):
        for j in range(f.articulated.shape[1]):
            f.articulated[i, j] = 0.0
    _rest(f)
    return _factor_plane(f, table, b) if f.motion.shape[1] == 3 else _factor_space(f, table, b)


@inner
def _rest(f: Recursion) -> None:
    """No wrenches."""
    for i in range(f.wrench.shape[0]):
        for j in range(f.wrench.shape[1]):
            f.wrench[i, j] = 0.0


@inner
def _factor_plane(f: Recursion, table: Array, b: Array) -> float:
    """The same in a plane; c and g are what a body leaves to the one before it in the list."""
    least = 1.0
    c00, c01, c02, c11, c12, c22, g0, g1, g2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(f.motion.shape[0] - 1, -1, -1):
        r, A, p, o = table[i], f.articulated[i], f.wrench[i], f.parent[i]
        first, last, x, y = f.first[i], f.first[i + 1], r[0], r[1]
        a00, a01, a02 = A[0] + r[OWN] + c00, A[1] + c01, A[2] + c02
        a11, a12, a22 = A[3] + r[HEAVY] + c11, A[4] + c12, A[5] + r[HEAVY] + c22
        p0, p1, p2 = p[0] + g0, p[1] + g1, p[2] + g2
        c01, c02, c11, c12, c22 = a01 - y * a11 + x * a12, a02 - y * a12 + x * a22, a11, a12, a22
        c00 = a00 + (x * a02 - y * a01) + (x * c02 - y * c01)
        g0, g1, g2 = p0 + (x * p2 - y * p1), p1, p2
        for l in range(first, last):
            s = r[PLANE + 3 * (l - first) : PLANE + 3 * (l - first + 1)]
            W0 = a00 * s[0] + a01 * s[1] + a02 * s[2]
            W1 = a01 * s[0] + a11 * s[1] + a12 * s[2]
            W2 = a02 * s[0] + a12 * s[1] + a22 * s[2]
            u, whole = b[f.place[l]] - (s[0] * p0 + s[1] * p1 + s[2] * p2), 0.0
            for e in range(first, l):
                U = f.own[e]
                entry = U[0] * s[0] + U[1] * s[1] + U[2] * s[2]
                part = entry * f.small[e, e - first]
                W0, W1, W2 = W0 - part * U[0], W1 - part * U[1], W2 - part * U[2]
                f.small[l, e - first] = part
                whole, u = whole + entry * part, u - part * f.x[e]
            pivot = W0 * s[0] + W1 * s[1] + W2 * s[2]
            whole += pivot
            if not pivot > SOUND * whole:
                return 0.0
            least = least if l == first else min(least, pivot / whole)
            inverse = 1.0 / pivot
            f.small[l, l - first], f.x[l] = inverse, u
            if l + 1 < last:
                f.own[l, 0], f.own[l, 1], f.own[l, 2] = W0, W1, W2
            W0 += x * W2 - y * W1
            k0, k1, k2 = W0 * inverse, W1 * inverse, W2 * inverse
            f.across[l, 0], f.across[l, 1], f.across[l, 2] = k0, k1, k2
            c00, c01, c02 = c00 - W0 * k0, c01 - W0 * k1, c02 - W0 * k2
            c11, c12, c22 = c11 - W1 * k1, c12 - W1 * k2, c22 - W2 * k2
            g0, g1, g2 = g0 + k0 * u, g1 + k1 * u, g2 + k2 * u
        if o != i - 1:
            if o >= 0:
                A, p = f.articulated[o], f.wrench[o]
                A[0], A[1], A[2] = A[0] + c00, A[1] + c01, A[2] + c02
                A[3], A[4], A[5] = A[3] + c11, A[4] + c12, A[5] + c22
                p[0], p[1], p[2] = p[0] + g0, p[1] + g1, p[2] + g2
            c00, c01, c02, c11, c12, c22, g0, g1, g2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return least


@inner
def _factor_space(f: Recursion, table: Array, b: Array) -> float:
    """The same in space."""
    least = 1.0
    for i in range(f.motion.shape[0] - 1, -1, -1):
        r, A, first, last, o = table[i], f.articulated[i], f.first[i], f.first[i + 1], f.parent[i]
        for j in range(3):
            A[7 * (3 + j)] += r[HEAVY]
            for k in range(3):
                A[6 * j + k] += r[OWN + 3 * j + k]
        for l in range(first, last):
            s, W = r[SPACE + 6 * (l - first) : SPACE + 6 * (l - first + 1)], f.own[l]
            for j in range(6):
                total = 0.0
                for k in range(6):
                    total += s[k] * A[6 * k + j]
                W[j] = total
            whole, pivot = 0.0, 0.0
            for e in range(first, l):
                U, entry = f.own[e], 0.0
                for j in range(6):
                    entry += U[j] * s[j]
                part = entry * f.small[e, e - first]
                f.small[l, e - first] = part
                whole += entry * part
                for j in range(6):
                    W[j] -= part * U[j]
            for j in range(6):
                pivot += W[j] * s[j]
            whole += pivot
            if not pivot > SOUND * whole:
                return 0.0
            least = least if l == first else min(least, pivot / whole)
            f.small[l, l - first] = 1.0 / pivot
        if o >= 0:
            _leave(r, A, f.articulated[o])
            for l in range(first, last):
                _share(r, f.own[l], f.small[l, l - first], f.across[l], f.articulated[o])
        _inwards(f, table, b, i, 6)
    return least


@inner
def _leave(r: Array, A: Array, B: Array) -> None:
    """Add Xᵀ A X."""
    for j in range(6):
        shift_wrench(r, A[6 * j : 6 * j + 6], 6)
    for k in range(6):
        x, y, z = A[18 + k], A[24 + k], A[30 + k]
        B[k] += A[k] + (r[1] * z - r[2] * y)
        B[6 + k] += A[6 + k] + (r[2] * x - r[0] * z)
        B[12 + k] += A[12 + k] + (r[0] * y - r[1] * x)
        B[18 + k] += x
        B[24 + k] += y
        B[30 + k] += z


@inner
def _share(r: Array, W: Array, inverse: float, K: Array, B: Array) -> None:
    """Take the part of a coordinate, and keep it over the pivot."""
    shift_wrench(r, W, 6)
    for j in range(6):
        K[j] = W[j] * inverse
    for j in range(6):
        for k in range(6):
            B[6 * j + k] -= W[j] * K[k]


@inner
def shift_wrench(r: Array, p: Array, d: int) -> None:
    """Xᵀ p in place: the torque takes r × F."""
    if d == 3:
        p[0] += r[0] * p[2] - r[1] * p[1]
    else:
        p[0] += r[1] * p[5] - r[2] * p[4]
        p[1] += r[2] * p[3] - r[0] * p[5]
        p[2] += r[0] * p[4] - r[1] * p[3]


@inner
def _inwards(f: Recursion, table: Array, b: Array, i: int, d: int) -> None:
    """Equation (3) for a body."""
    r, p, first, last, o = table[i], f.wrench[i], f.first[i], f.first[i + 1], f.parent[i]
    for l in range(first, last):
        at, u = (PLANE if d == 3 else SPACE) + d * (l - first), b[f.place[l]]
        for j in range(d):
            u -= r[at + j] * p[j]
        for e in range(first, l):
            u -= f.small[l, e - first] * f.x[e]
        f.x[l] = u
    if o >= 0:
        q = f.wrench[o]
        shift_wrench(r, p, d)
        for j in range(d):
            q[j] += p[j]
        for l in range(first, last):
            for j in range(d):
                q[j] += f.across[l, j] * f.x[l]


@kernel
def outwards(f: Recursion, table: Array, b: Array) -> None:
    """Write M⁻¹ b into b, which was swept inwards."""
    if f.motion.shape[1] == 3:
        _outwards(f, table, b, 3)
    else:
        _outwards(f, table, b, 6)


@inner
def _outwards(f: Recursion, table: Array, b: Array, d: int) -> None:
    """The same for numbers of a motion that are known when it is compiled: its loops are straight then."""
    for i in range(f.motion.shape[0]):
        V, r, first, last, o = f.motion[i], table[i], f.first[i], f.first[i + 1], f.parent[i]
        for j in range(d):
            V[j] = 0.0 if o < 0 else f.motion[o, j]
        for l in range(first, last):
            u = f.x[l] * f.small[l, l - first]
            if o >= 0:
                for j in range(d):
                    u -= f.across[l, j] * V[j]
            f.x[l] = u
        if d == 3:
            V[1] -= V[0] * r[1]
            V[2] += V[0] * r[0]
        else:
            V[3] += V[1] * r[2] - V[2] * r[1]
            V[4] += V[2] * r[0] - V[0] * r[2]
            V[5] += V[0] * r[1] - V[1] * r[0]
        for l in range(last - 1, first - 1, -1):
            u, at = f.x[l], (PLANE if d == 3 else SPACE) + d * (l - first)
            for e in range(l + 1, last):
                u -= f.small[e, l - first] * f.x[e]
            f.x[l] = b[f.place[l]] = u
            for j in range(d):
                V[j] += r[at + j] * u


@kernel
def solve(f: Recursion, table: Array, b: Array) -> None:
    """Solve M x = b in place for another right-hand side than that of :func:`factor`."""
    _rest(f)
    for i in range(f.motion.shape[0] - 1, -1, -1):
        if f.motion.shape[1] == 3:
            _inwards(f, table, b, i, 3)
        else:
            _inwards(f, table, b, i, 6)
    outwards(f, table, b)
