"""Vectors and dense factorisations for small systems, in place and without allocation."""

from flexnet.kernels.compile import shared
from flexnet.typing import Array, IntArray


@shared
def copy(a: Array, out: Array) -> None:
    """Copy one vector into another."""
    for i in range(a.shape[0]):
        out[i] = a[i]


@shared
def weigh(d: Array, b: Array) -> None:
    """Multiply one vector by another, entry by entry, in place."""
    for i in range(b.shape[0]):
        b[i] *= d[i]


@shared
def add_correction(step: Array, d: Array, a: Array, lam: Array) -> tuple[float, float]:
    """Add (δa, δλ) to a and λ; returns the largest of the step and of both over weights d."""
    n, moved, size = a.shape[0], 0.0, 0.0
    for i in range(n):
        a[i] += step[i]
        moved, size = max(moved, abs(step[i]) / d[i]), max(size, abs(a[i]) / d[i])
    for i in range(lam.shape[0]):
        lam[i] += step[n + i]
        moved, size = max(moved, abs(step[n + i]) / d[n + i]), max(size, abs(lam[i]) / d[n + i])
    return moved, size


@shared
def saddle(M: Array, G: Array, d: Array, A: Array) -> None:
    """Write D [M, Gᵀ; G, 0] D with D = diag d into A: without units, so that pivots do not depend on them."""
    m, n = G.shape
    for i in range(n):
        for j in range(n):
            A[i, j] = d[i] * d[j] * M[i, j]
        for j in range(m):
            A[i, n + j] = A[n + j, i] = d[i] * d[n + j] * G[j, i]
    for i in range(m):
        for j in range(m):
            A[n + i, n + j] = 0.0


@shared
def upper_saddle(M: Array, G: Array, d: Array, A: Array) -> None:
    """The upper triangle of the same."""
    m, n = G.shape
    for i in range(n):
        for j in range(i, n):
            A[i, j] = d[i] * d[j] * M[i, j]
        for j in range(m):
            A[i, n + j] = d[i] * d[n + j] * G[j, i]
    for i in range(m):
        for j in range(i, m):
            A[n + i, n + j] = 0.0


@shared
def lu_factor(A: Array, pivots: IntArray) -> float:
    """Factor A = P L U in place with partial pivoting.

    Returns
    -------
    float
        Smallest pivot over largest, in absolute value; 0 for a singular matrix, 1 for an empty one.
    """
    n = A.shape[0]
    if n == 0:
        return 1.0
    smallest, largest = 1e300, 0.0
    for k in range(n):
        p = k
        best = abs(A[k, k])
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best = abs(A[i, k])
                p = i
        pivots[k] = p
        smallest = min(smallest, best)
        largest = max(largest, best)
        if best == 0.0 or best != best:
            return 0.0
        if p != k:
            for j in range(n):
                A[k, j], A[p, j] = A[p, j], A[k, j]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                factor = A[i, k] * inverse
                A[i, k] = factor
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
    return smallest / largest


@shared
def lu_solve(A: Array, pivots: IntArray, b: Array) -> None:
    """Solve A x = b in place with the factors of :func:`lu_factor`."""
    n = A.shape[0]
    for k in range(n):
        p = pivots[k]
        if p != k:
            b[k], b[p] = b[p], b[k]
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= A[i, j] * b[j]
        b[i] = s
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= A[i, j] * b[j]
        b[i] = s / A[i, i]


@shared
def lu_solve_two(A: Array, pivots: IntArray, b: Array, c: Array) -> None:
    """Solve for two right-hand sides in one pass, in place: their sums do not wait for each other."""
    n = A.shape[0]
    for k in range(n):
        p = pivots[k]
        if p != k:
            b[k], b[p] = b[p], b[k]
            c[k], c[p] = c[p], c[k]
    for i in range(n):
        s, r = b[i], c[i]
        for j in range(i):
            s -= A[i, j] * b[j]
            r -= A[i, j] * c[j]
        b[i], c[i] = s, r
    for i in range(n - 1, -1, -1):
        s, r = b[i], c[i]
        for j in range(i + 1, n):
            s -= A[i, j] * b[j]
            r -= A[i, j] * c[j]
        b[i], c[i] = s / A[i, i], r / A[i, i]


@shared
def ldl_inwards(A: Array, b: Array) -> float:
    """Factor a symmetric A = L D Lᵀ in place, without a choice of pivots, and make D⁻¹ L⁻¹ b of b on the way.

    The upper triangle of A is read, and becomes D Lᵀ; L stands below the diagonal then.

    Returns
    -------
    float
        Smallest pivot over largest, in absolute value; 0 for a matrix that this order cannot factor, 1 for an
        empty one.
    """
    n = A.shape[0]
    smallest, largest = 1e300, 0.0
    for k in range(n):
        d = abs(A[k, k])
        smallest, largest = min(smallest, d), max(largest, d)
        if d == 0.0 or d != d:
            return 0.0
        inverse, x = 1.0 / A[k, k], b[k]
        b[k] = x * inverse
        for i in range(k + 1, n):
            l = A[k, i] * inverse
            A[i, k] = l
            if l != 0.0:
                b[i] -= l * x
                for j in range(i, n):
                    A[i, j] -= l * A[k, j]
    return smallest / largest if n > 0 else 1.0


@shared
def ldl_solve(A: Array, b: Array) -> None:
    """Solve A x = b in place with the factors of :func:`ldl_inwards`."""
    n = A.shape[0]
    for k in range(n):
        x = b[k] / A[k, k]
        for j in range(k + 1, n):
            b[j] -= A[k, j] * x
    for k in range(n - 1, -1, -1):
        x = b[k]
        for j in range(k + 1, n):
            x -= A[k, j] * b[j]
        b[k] = x / A[k, k]


@shared
def ldl_outwards(A: Array, b: Array) -> None:
    """Make the solution of what :func:`ldl_inwards` left in b, by rows of L: no division is waited for."""
    for k in range(A.shape[0] - 1, 0, -1):
        x = b[k]
        for i in range(k):
            b[i] -= A[k, i] * x
