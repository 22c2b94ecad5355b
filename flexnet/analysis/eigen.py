"""Eigenvalues of small motions, M s̈ + C ṡ + K s = 0, each with the error of its own.

Coordinates are scaled so that M has a diagonal of ones: what is left is the spread of the frequencies.

*Motions without mass* (M N = 0) have no frequency. Where nothing damps them either they follow the others
statically, s = T s_r with K N-rows in balance, and leave the equations; damped, they creep at a rate of their
own. One with neither mass, damping nor stiffness has no equation at all and is refused.

*Conservative motions* (K symmetric, C = 0, both within the errors of their entries) are a symmetric problem,
K x = ω² M x, and ω² is good to::

    δ(ω²) = |x|ᵀ (δK + ω² δM) |x| + |R|²/gap,          xᵀ M x = 1,                                  (1)

the errors of the entries, of the order ε |x|ᵀ|K||x| ≤ ε ω_max² at least, and what the arithmetic leaves of
the residual R. All others are eigenvalues of the pencil (A, E), with s in units of time in which ω_max = 1::

    A = [0 1; -K -C],   E = [1 0; 0 M],      δs = |y|ᵀ (δA + |s| δE) |x| / |yᴴ E x|                   (2)

with y the left eigenvector.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # its rooms are loaded as they are entered

from flexnet.typing import AnyArray, Array, BoolArray

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Pencil:
    """M s̈ + C ṡ + K s = 0 with the errors of its entries, (f, f) each."""

    M: Array
    C: Array
    K: Array
    M_error: Array
    C_error: Array
    K_error: Array

    def projected(self, left: Array, right: Array) -> "Pencil":
        """The same with s = right @ x, tested by left."""
        L, R = np.abs(left.T), np.abs(right)
        return Pencil(
            *(left.T @ X @ right for X in (self.M, self.C, self.K)),
            *(L @ X @ R for X in (self.M_error, self.C_error, self.K_error)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Eigenvalues by rising imaginary part.

    Attributes
    ----------
    values : (k,) complex, 1/s.
    errors : (k,) estimate of the error of each, 1/s.
    squares, square_errors : (k,) ω², 1/s², and its error; nan where motions are not conservative.
    vectors : (f, k) complex, largest entry one.
    massless : (f, z) motions without mass.
    """

    values: AnyArray
    errors: Array
    squares: Array
    square_errors: Array
    vectors: AnyArray
    massless: Array


class SingularPencil(Exception):
    """A motion with neither mass nor damping nor stiffness: its shape (f,)."""

    def __init__(self, shape: Array) -> None:
        super().__init__("a motion with neither mass nor stiffness")
        self.shape = shape


def spectrum(given: Pencil) -> Spectrum:
    """Find all eigenvalues.

    Raises
    ------
    SingularPencil
        If a motion has neither mass nor damping nor stiffness.
    """
    d, N, R = _split(given)
    scaled = given.projected(np.diag(d), np.diag(d))
    left = right = np.hstack([R, N])
    infinite = 0
    if N.shape[1]:
        if _is_zero(scaled.C @ N, scaled.C_error @ np.abs(N)) and _is_zero(
            N.T @ scaled.C, np.abs(N.T) @ scaled.C_error
        ):
            left, right = _follow(scaled, N, R, d)
        else:
            infinite = N.shape[1]
    p = scaled.projected(left, right)
    is_conservative = infinite == 0 and _is_conservative(scaled)
    values, errors, squares, square_errors, x = _conservative(p) if is_conservative else _general(p, infinite)
    vectors = d[:, None] * (right @ x)
    order = np.lexsort((values.real, values.imag))
    return Spectrum(
        values[order], errors[order], squares[order], square_errors[order],
        _largest_one(vectors[:, order]), d[:, None] * N,
    )  # fmt: skip


def _split(p: Pencil) -> tuple[Array, Array, Array]:
    """Scales (f,) that make the diagonal of M ones, and motions without and with mass."""
    f = len(p.M)
    diagonal = np.diag(p.M)
    heavy: BoolArray = diagonal > 8.0 * np.diag(p.M_error)
    stiff = np.abs(np.diag(p.K))
    light = np.sqrt(np.where(stiff > 0.0, stiff, 1.0))
    d = 1.0 / np.sqrt(np.where(heavy, diagonal, 1.0))
    d[~heavy] = 1.0 / light[~heavy]
    M = np.where(np.outer(heavy, heavy), p.M * np.outer(d, d), 0.0)
    masses, shapes = np.linalg.eigh(0.5 * (M + M.T))
    small = masses <= 8.0 * f * _EPS * max(float(masses.max(initial=0.0)), 0.0)
    return d, shapes[:, small], shapes[:, ~small]


def _follow(p: Pencil, N: Array, R: Array, d: Array) -> tuple[Array, Array]:
    """Test and trial motions in which those without mass are in balance with the others."""
    inner = N.T @ p.K @ N
    _, s, vt = np.linalg.svd(inner)
    floor = float((np.abs(N.T) @ p.K_error @ np.abs(N)).max(initial=0.0)) + len(d) * _EPS * s.max(initial=0.0)
    if s.min(initial=np.inf) <= floor:
        raise SingularPencil(d * (N @ vt[-1]))
    right = R - N @ np.linalg.solve(inner, N.T @ p.K @ R)
    left = R - N @ np.linalg.solve(inner.T, N.T @ p.K.T @ R)
    return left, right


def _is_zero(X: Array, error: Array) -> bool:
    return bool(np.all(np.abs(X) <= 4.0 * error))


def _is_conservative(p: Pencil) -> bool:
    """Whether C is zero and K symmetric within the errors of their entries and of the arithmetic.

    Each entry is judged beside the stiffnesses of its own two coordinates: a stiff neighbour hides no force
    that follows the motion of a soft one.
    """
    own = np.sqrt(np.abs(np.diag(p.K)))
    floor = 64.0 * len(p.K) * _EPS * np.outer(own, own)
    return _is_zero(p.C, p.C_error) and _is_zero(p.K - p.K.T, p.K_error + p.K_error.T + floor)


def _conservative(p: Pencil) -> tuple[AnyArray, Array, Array, Array, AnyArray]:
    """ω² and errors (1), as pairs of eigenvalues."""
    squares, error, x = symmetric(p.K, p.M, p.K_error + 0.5 * np.abs(p.K - p.K.T), p.M_error)
    s = np.sqrt(-squares.astype(complex))
    size = np.abs(s)
    errors = np.where(np.abs(squares) > error, error / np.where(size > 0.0, 2.0 * size, 1.0), np.sqrt(error))
    twice = [np.concatenate([y, y]) for y in (errors, squares, error)]
    return np.concatenate([s, -s]), twice[0], twice[1], twice[2], np.hstack([x, x]).astype(complex)


def symmetric(K: Array, M: Array, K_error: Array, M_error: Array) -> tuple[Array, Array, Array]:
    """Eigenvalues (f,) of K x = κ M x, their errors (f,) and x (f, f), xᵀ M x = 1.

    What the arithmetic makes of the stiffest motion is in the residual R = K x - κ M x of every other; κ is
    read as xᵀKx / xᵀMx, which is off by |R|² over the distance to the next eigenvalue only.
    """
    K, M = 0.5 * (K + K.T), 0.5 * (M + M.T)
    kappa, x = scipy.linalg.eigh(K, M)
    a = np.abs(x)
    heavy = np.einsum("ik,ij,jk->k", x, M, x)
    kappa = np.einsum("ik,ij,jk->k", x, K, x) / heavy
    rounding = 4.0 * max(len(x), 4) * _EPS
    own = np.einsum("ik,ij,jk->k", a, K_error + rounding * np.abs(K), a)
    own += np.abs(kappa) * np.einsum("ik,ij,jk->k", a, M_error + rounding * np.abs(M), a)
    left = np.linalg.norm(x.T @ (K @ x - M @ x * kappa), axis=0)  # in the norm of M⁻¹: x xᵀ = M⁻¹
    apart = np.abs(kappa[:, None] - kappa[None, :]) + np.where(np.eye(len(x), dtype=bool), np.inf, 0.0)
    gap = np.maximum(apart.min(axis=1, initial=np.inf), left)
    return kappa, own + left**2 / np.where(gap > 0.0, gap, 1.0), x


def _general(p: Pencil, infinite: int) -> tuple[AnyArray, Array, Array, Array, AnyArray]:
    """Eigenvalues of the pencil (2), the infinite ones left out."""
    f = len(p.M)
    # the unit of time makes stiffness and damping of the order of the mass
    rate = max(float(np.sqrt(np.abs(p.K).max(initial=0.0))), float(np.abs(p.C).max(initial=0.0)))
    rate = rate if rate > 0.0 else 1.0
    one, none = np.eye(f), np.zeros((f, f))
    A = np.block([[none, one], [-p.K / rate**2, -p.C / rate]])
    E = np.block([[one, none], [none, p.M]])
    A_error = np.block([[none, none], [p.K_error / rate**2, p.C_error / rate]])
    E_error = np.block([[none, none], [none, p.M_error]])
    (alpha, beta), y, x = scipy.linalg.eig(A, E, left=True, right=True, homogeneous_eigvals=True)
    kept = np.sort(np.argsort(-np.abs(beta) / np.hypot(np.abs(alpha), np.abs(beta)))[: 2 * f - infinite])
    s, y, x = alpha[kept] / beta[kept], y[:, kept], x[:, kept]
    error = A_error[None] + np.abs(s)[:, None, None] * E_error[None]
    lost = 4.0 * f * _EPS * np.linalg.norm(y, axis=0) * np.linalg.norm(x, axis=0)
    lost *= np.linalg.norm(A, 2) + np.abs(s) * np.linalg.norm(E, 2)
    entries = np.einsum("ik,kij,jk->k", np.abs(y), error, np.abs(x))
    weight = np.abs(np.einsum("ik,ij,jk->k", y.conj(), E, x))
    nothing = np.full(len(s), np.nan)
    # a double eigenvalue has no weight: its error is the root of what it would be
    errors = np.minimum(
        (lost + entries) / np.where(weight > 0.0, weight, np.inf) + np.where(weight > 0.0, 0.0, np.inf),
        np.sqrt(lost + entries),
    )
    return s * rate, errors * rate, nothing, nothing, x[:f]


def _largest_one(shapes: AnyArray) -> AnyArray:
    """Shapes with the largest entry of each one."""
    if not shapes.size:
        return shapes
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(shapes.shape[1])]
    out: AnyArray = shapes / np.where(np.abs(largest) > 0.0, largest, 1.0)
    return out
