r"""Natural modes and buckling: a few eigenpairs of large sparse matrices.

Modes solve :math:`K φ = ω^2 M φ` by Lanczos iteration on the inverse of K - σM with σ ≤ 0, which is positive
definite also for a free body and for a mass matrix with massless freedoms. Small problems are solved by a
dense method.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator, eigsh

from flexnet.errors import ModelError
from flexnet.fem.factor import Factor, factorise
from flexnet.fem.structure import Structure
from flexnet.typing import Array

DENSE = 300  # freedoms up to which the dense method is used
NEARLY = 0.99  # of the largest entry of a shape: what may give it its sign


@dataclass(frozen=True, slots=True)
class Modes:
    """Mass-normalised modes in ascending order.

    Attributes
    ----------
    omega : (k,) angular frequencies [rad/s].
    shapes : (6n, k) nodal freedoms, φᵀMφ = 1.
    """

    omega: Array
    shapes: Array

    @property
    def frequency(self) -> Array:
        """Frequencies [Hz]."""
        return np.asarray(self.omega / (2.0 * np.pi))


def natural_modes(structure: Structure, number: int, prestress: csr_array | None = None) -> Modes:
    """Return the lowest modes of a supported or free body; a free body has its rigid motions among them.

    Parameters
    ----------
    structure : supported body.
    number : how many modes.
    prestress : (6n, 6n) matrix added to the stiffness: geometric stiffness, centrifugal softening.

    Raises
    ------
    ModelError
        If there are fewer modes than asked for, or a prestress makes the body unstable beyond the shift.
    """
    K = structure.K
    if prestress is not None:
        K = csr_array(K + structure.T.T @ (prestress @ structure.T))
    lam, z = lowest_modes(K, structure.M, number, is_free=structure.is_free)
    omega = np.sign(lam) * np.sqrt(np.abs(lam))
    return Modes(omega, np.asarray(structure.T @ z))


def lowest_modes(
    K: csr_array,
    M: csr_array,
    number: int,
    *,
    is_free: bool = False,
    factor: Factor | None = None,
    relief: Array | None = None,
) -> tuple[Array, Array]:
    """Return the lowest eigenvalues λ (k,) and M-normalised vectors (n, k) of K φ = λ M φ.

    Parameters
    ----------
    K, M : (n, n) sparse symmetric; M may be singular.
    number : how many.
    is_free : whether K may be singular; then a negative shift is used.
    factor : of K, if at hand and K is not singular.
    relief : (n, r) columns S that take SSᵀ from the mass: K φ = λ (M - SSᵀ) φ.
    """
    n = K.shape[0]
    S = np.zeros((n, 0)) if relief is None else relief
    mass = (
        aslinearoperator(M)
        if not S.shape[1]
        else LinearOperator(
            (n, n),
            matvec=lambda x: M @ x - S @ (S.T @ x),
            matmat=lambda x: M @ x - S @ (S.T @ x),
            dtype=float,
        )
    )
    massive = int(np.count_nonzero(M.diagonal() > 0.0))
    if not 0 <= number <= massive:
        raise ModelError(
            f"{number} modes asked for; the body has {massive} freedoms with mass on its supports"
        )
    if number == 0:
        return np.empty(0), np.empty((n, 0))
    sigma = _shift(K, M) if is_free else 0.0
    A = csr_array(K - sigma * M) if is_free else K
    if n <= DENSE or number > n // 3:
        mu, z = _dense(A.toarray(), M.toarray() - S @ S.T, number)
    else:
        inverse = (factor or factorise(A)).operator()
        v0 = np.random.default_rng(0).normal(size=n)  # the same start gives the same modes
        size = min(n - 1, max(2 * number + 1, number + 20))
        lam, z = eigsh(K, number, mass, sigma=sigma, OPinv=inverse, v0=v0, ncv=size)
        mu = 1.0 / (lam - sigma)
    order = np.argsort(-mu)
    lam, z = sigma + 1.0 / mu[order], z[:, order]
    return lam, signed(z / np.sqrt(np.einsum("ij,ij->j", z, mass @ z)))


def buckling_modes(structure: Structure, geometric: csr_array, number: int) -> tuple[Array, Array]:
    r"""Return load factors (k,) and shapes (6n, k) of :math:`(K + λ K_G) φ = 0`, smallest λ > 0 first.

    Parameters
    ----------
    structure : supported body.
    geometric : (6n, 6n) geometric stiffness of the reference load.
    number : how many; fewer come back if fewer are positive.
    """
    if structure.is_free:
        raise ModelError("the supports leave the body free to move; hold six freedoms or more")
    KG = csr_array(structure.T.T @ (geometric @ structure.T))
    n = structure.n
    if n <= DENSE or number >= n - 1:
        mu, z = eigh(-KG.toarray(), structure.K.toarray())
    else:
        factor = factorise(structure.K).operator()
        v0 = np.random.default_rng(0).normal(size=n)
        mu, z = eigsh(-KG, number, structure.K, Minv=factor, which="LA", v0=v0)
    order = np.argsort(-mu)[:number]
    order = order[mu[order] > 1e-12 * np.abs(mu).max()]
    shapes = np.asarray(structure.T @ z[:, order])
    return 1.0 / mu[order], signed(shapes / np.abs(shapes).max(axis=0, initial=1e-300))


def _dense(A: Array, M: Array, number: int) -> tuple[Array, Array]:
    """Return the largest μ of M φ = μ A φ with A positive definite."""
    n = A.shape[0]
    try:
        mu, z = eigh(M, A, subset_by_index=(n - number, n - 1))
    except np.linalg.LinAlgError as error:
        raise ModelError("the stiffness matrix is not positive definite: unstable or free to move") from error
    if mu[0] <= 1e-15 * mu[-1]:
        finite = int(np.count_nonzero(mu > 1e-15 * mu[-1]))
        raise ModelError(f"{number} modes asked for; the body has {finite} of finite frequency among them")
    return mu, z


def _shift(K: csr_array, M: csr_array) -> float:
    """Return a negative shift far below the elastic frequencies and far above round-off."""
    mass = M.diagonal()
    massive = mass > 0.0
    return -1e-11 * float((K.diagonal()[massive] / mass[massive]).max())


def signed(z: Array) -> Array:
    """Make the largest entry of each vector positive; of those as large but for a hundredth, the first.

    Of entries that are equal and opposite, as in a shape that its body's symmetry turns over, round-off would
    choose, and the sign of a coordinate would jump where a number of the body changes a little.
    """
    size = np.abs(z)
    first = np.argmax(size >= NEARLY * size.max(axis=0, initial=0.0), axis=0)[None]
    return np.asarray(z * np.where(np.take_along_axis(z, first, axis=0) < 0.0, -1.0, 1.0))
