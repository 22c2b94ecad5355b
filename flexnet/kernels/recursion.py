"""M x = b of a tree of rigid bodies in as many steps as it has bodies, without M: articulated bodies.

Body i moves with its parent p, and by its own coordinates,

    V_i = X_i V_p + S_i v_i,        V = (ω, velocity of the centre of mass),                              (1)

X_i the shift from one centre to the other. Eliminated from the tips inwards, with Î_i = I_i at a tip,

    D_i = S_iᵀ Î_i S_i,     Î_p = I_p + Σ X_iᵀ (Î_i - Î_i S_i D_i⁻¹ S_iᵀ Î_i) X_i,                        (2)
    u_i = b_i - S_iᵀ p_i,   p_p = Σ X_iᵀ (p_i + Î_i S_i D_i⁻¹ u_i),                                       (3)

and from the datum outwards x_i = D_i⁻¹ (u_i - S_iᵀ Î_i X_i V_p), V_i = X_i V_p + S_i x_i (Featherstone, Rigid
Body Dynamics Algorithms, 2008, ch. 7). Vectors are those of the ground; in a plane V = (ω, v_x, v_y).
"""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import inner, kernel
from flexnet.kernels.entry import restore
from flexnet.typing import Array, IntArray

#: numbers of a link: nodes of the parent's and its own centre, node where its own frame begins to carry, its
#: orientation, number of coordinates, mass, inertia (9), then kind, edge, axis and sign of each coordinate
NODE_A, NODE_B, PIVOT, TURNED, COUNT, MASS, INERTIA, COORDINATES = 0, 1, 2, 3, 4, 5, 6, 15
#: kinds of coordinates
TURN, SLIDE = 0, 1
#: part of the inertia of a coordinate that elimination must leave
SOUND = 1e-13


class Recursion(NamedTuple):
    """A tree of bodies, each after its parent, and the arrays of an elimination; d = 6, or 3 in a plane."""

    parent: IntArray  # (bodies,) -1 for the ground
    first: IntArray  # (bodies + 1,) its coordinates
    place: IntArray  # (n,) their places in v
    articulated: Array  # (bodies, d, d) Î
    across: Array  # (n, d) L⁻¹ Sᵀ Î, D = L diag Lᵀ
    small: Array  # (n, 6) L, and the pivot on its diagonal
    wrench: Array  # (bodies, d) p
    motion: Array  # (bodies, d) V
    x: Array  # (n,)


def no_recursion() -> Recursion:
    """That of a mechanism whose mass matrix is made and factored."""
    return make_recursion(np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64), _NONE, 3)


def make_recursion(parent: IntArray, first: IntArray, place: IntArray, d: int) -> Recursion:
    """Allocate the arrays of an elimination."""
    z, N, n = np.zeros, len(parent), len(place)
    return Recursion(parent, first, place, z((N, d, d)), z((n, d)), z((n, 6)), z((N, d)), z((N, d)), z(n))


_NONE = np.zeros(0, dtype=np.int64)


def table_width(d: int) -> int:
    """Columns of the table that :func:`articulate` writes: shift, inertia and motion space of a body."""
    return 3 + 2 * d * d


@kernel
def articulate(data: IntArray, work: Array, c_q: float, c_v: float, table: Array, numbers: Array) -> None:
    """Write what (1) and (2) need of every body, at the state of the last residual.

    The arguments are those of :attr:`~flexnet.dae.Dae.matrices`.
    """
    _, w = restore(data)
    d = 3 if table.shape[1] < 75 else 6
    for i in range(table.shape[0]):
        row, x = table[i], numbers[i]
        a, b, c, turned = int(x[NODE_A]), int(x[NODE_B]), int(x[PIVOT]), int(x[TURNED])
        for j in range(3):
            row[j] = w.p[b, j] - w.p[a, j]
        for j in range(3, 3 + d * d):
            row[j] = 0.0
        if d == 3:
            row[3], row[7], row[11] = x[INERTIA + 8], x[MASS], x[MASS]
        else:
            R = w.R[turned]
            for j in range(3):
                row[3 + 7 * (3 + j)] = x[MASS]
                for k in range(3):
                    total = 0.0
                    for l in range(3):
                        for m in range(3):
                            total += R[j, l] * x[INERTIA + 3 * l + m] * R[k, m]
                    row[3 + 6 * j + k] = total
        for l in range(int(x[COUNT])):
            at = COORDINATES + 4 * l
            e, axis, sign = int(x[at + 1]), int(x[at + 2]), x[at + 3]
            s = row[3 + d * d + d * l : 3 + d * d + d * (l + 1)]
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
def factor(f: Recursion, table: Array) -> float:
    """Equation (2) for all bodies.

    Returns
    -------
    float
        Least part of the inertia of a coordinate that elimination left; 0 where M is singular.
    """
    return _factor(f, table, 3) if f.motion.shape[1] == 3 else _factor(f, table, 6)


@inner
def _factor(f: Recursion, table: Array, d: int) -> float:
    """The same for numbers of a motion that are known when it is compiled: its loops are straight then."""
    N = f.motion.shape[0]
    least = 1.0
    for i in range(N):
        for j in range(d):
            for k in range(d):
                f.articulated[i, j, k] = table[i, 3 + d * j + k]
    for i in range(N - 1, -1, -1):
        A, first, last = f.articulated[i], f.first[i], f.first[i + 1]
        for l in range(first, last):
            s = table[i, 3 + d * d + d * (l - first) : 3 + d * d + d * (l - first + 1)]
            W = f.across[l]
            for j in range(d):
                total = 0.0
                for k in range(d):
                    total += s[k] * f.articulated[i, k, j]
                W[j] = total
            # A is what earlier coordinates of the body left: its row l is that of L⁻¹ Sᵀ Î already
            pivot, whole = 0.0, 0.0
            for j in range(d):
                pivot += W[j] * s[j]
            for o in range(first, l):
                entry = 0.0
                for j in range(d):
                    entry += f.across[o, j] * s[j]
                f.small[l, o - first] = entry / f.small[o, o - first]
                whole += entry * entry / f.small[o, o - first]
            whole += pivot
            if not pivot > SOUND * whole:
                return 0.0
            least = min(least, pivot / whole)
            f.small[l, l - first] = pivot
            for j in range(d):
                scaled = W[j] / pivot
                for k in range(d):
                    A[j, k] -= scaled * W[k]
        p = f.parent[i]
        if p >= 0:
            shift_inertia(table[i], A)
            for j in range(d):
                for k in range(d):
                    f.articulated[p, j, k] += A[j, k]
    return least


@kernel
def shift_inertia(r: Array, A: Array) -> None:
    """Xᵀ A X in place; velocity rows of X take ω × r."""
    if A.shape[0] == 3:
        for j in range(3):
            A[j, 0] += -r[1] * A[j, 1] + r[0] * A[j, 2]
        for j in range(3):
            A[0, j] += -r[1] * A[1, j] + r[0] * A[2, j]
        return
    for j in range(6):
        x, y, z = A[j, 3], A[j, 4], A[j, 5]
        A[j, 0] += r[1] * z - r[2] * y
        A[j, 1] += r[2] * x - r[0] * z
        A[j, 2] += r[0] * y - r[1] * x
    for j in range(6):
        x, y, z = A[3, j], A[4, j], A[5, j]
        A[0, j] += r[1] * z - r[2] * y
        A[1, j] += r[2] * x - r[0] * z
        A[2, j] += r[0] * y - r[1] * x


@kernel
def solve(f: Recursion, table: Array, b: Array) -> None:
    """Solve M x = b in place, (3) inwards and (1) outwards."""
    if f.motion.shape[1] == 3:
        _solve(f, table, b, 3)
    else:
        _solve(f, table, b, 6)


@inner
def _solve(f: Recursion, table: Array, b: Array, d: int) -> None:
    """The same for numbers of a motion that are known when it is compiled."""
    N = f.motion.shape[0]
    for i in range(N):
        for j in range(d):
            f.wrench[i, j] = 0.0
    for i in range(N - 1, -1, -1):
        p, r, first = f.wrench[i], table[i], f.first[i]
        for l in range(first, f.first[i + 1]):
            u = b[f.place[l]]
            for j in range(d):
                u -= r[3 + d * d + d * (l - first) + j] * p[j]
            f.x[l] = u
        # with p as it is when the body is reached: later coordinates feel earlier ones by L
        for l in range(first, f.first[i + 1]):
            for o in range(first, l):
                f.x[l] -= f.small[l, o - first] * f.x[o]
        for l in range(first, f.first[i + 1]):
            u = f.x[l] / f.small[l, l - first]
            for j in range(d):
                p[j] += f.across[l, j] * u
        o = f.parent[i]
        if o >= 0:
            q = f.wrench[o]
            for j in range(d):
                q[j] += p[j]
            if d == 3:
                q[0] += r[0] * p[2] - r[1] * p[1]
            else:
                q[0] += r[1] * p[5] - r[2] * p[4]
                q[1] += r[2] * p[3] - r[0] * p[5]
                q[2] += r[0] * p[4] - r[1] * p[3]
    for i in range(N):
        V, r, first, last = f.motion[i], table[i], f.first[i], f.first[i + 1]
        if f.parent[i] < 0:
            for j in range(d):
                V[j] = 0.0
        else:
            U = f.motion[f.parent[i]]
            for j in range(d):
                V[j] = U[j]
            if d == 3:
                V[1] -= U[0] * r[1]
                V[2] += U[0] * r[0]
            else:
                V[3] += U[1] * r[2] - U[2] * r[1]
                V[4] += U[2] * r[0] - U[0] * r[2]
                V[5] += U[0] * r[1] - U[1] * r[0]
        for l in range(first, last):
            u = f.x[l]
            for j in range(d):
                u -= f.across[l, j] * V[j]
            f.x[l] = u / f.small[l, l - first]
        for l in range(last - 1, first - 1, -1):
            for o in range(l + 1, last):
                f.x[l] -= f.small[o, l - first] * f.x[o]
        for l in range(first, last):
            b[f.place[l]] = f.x[l]
            for j in range(d):
                V[j] += r[3 + d * d + d * (l - first) + j] * f.x[l]
