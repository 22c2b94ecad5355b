r"""Membrane: the optimal ANDES triangle with drilling freedoms (OPT).

Freedoms per node, in facet axes: u, v and the drilling rotation θ = θz. The strain is the sum of a constant
part, which passes the patch test, and of a deviatoric part, linear in the triangle and of zero mean,

    ε(ζ) = ε̄ + (3/2) √β0 ε̃(ζ),     ε̄ = (1/A) Lᵀ v,     ε̃(ζ) = T_e Σ_i ζ_i Q_i θ̃,             (1)

with θ̃_i = θ_i - θ_0, θ_0 = (∂v/∂x - ∂u/∂y)/2 of the straight-sided triangle. L lumps a constant stress on
the freedoms through side displacements in which the drilling rotations enter with weight α_b = 3/2, and
Q_i gives the strains along the three sides. The constants make a rectangle of two triangles, of any aspect
ratio, exact in pure in-plane bending. Because ΣQ_i = 0 the energy of (1) is K_basic + K_higher of the
template, and (1) can be used where a strain is needed: coupling with bending, stress recovery.

References
----------
Felippa, C. A., A study of optimal membrane triangles with drilling freedoms, Comput. Methods Appl. Mech.
Engrg 192 (2003) 2125-2168, sections 4 and 5.
"""

import numpy as np

from flexnet.fem.shell.facet import Facets
from flexnet.typing import Array

__all__ = ["membrane_strain", "hierarchical_rotation", "beta_0"]

ALPHA_B = 1.5
"""Weight of the drilling rotations in the side displacements, optimal value."""

# β1 … β9 = 1, 2, 1, 0, 1, -1, -1, -1, -2 in cyclic order, axes (node i, side 21 32 13, θ̃_j)
BETA = np.array(
    [
        [[1.0, 2.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -1.0, -2.0]],
        [[-2.0, -1.0, -1.0], [1.0, 1.0, 2.0], [-1.0, 0.0, 1.0]],
        [[1.0, -1.0, 0.0], [-1.0, -2.0, -1.0], [2.0, 1.0, 1.0]],
    ]
)

BETA_0_LEAST = 0.01
"""Floor of β0: keeps the rank where the optimum would be zero or negative (ν → 1/2)."""


def beta_0(A: Array) -> float:
    r"""Return the scale of the higher-order stiffness for a membrane of stiffness ``A``.

    Notes
    -----
    A fibre direction φ would want β0 = 2/W(φ) - 3/2 with W = A11(φ) A⁻¹11(φ); the mean of W over all
    directions is used, which is exact for an isotropic sheet, β0 = (1 - 4ν²)/2. W is a trigonometric
    polynomial of degree 4 in 2φ, which five equally spaced directions average exactly.
    """
    phi = np.pi * np.arange(5) / 5.0
    c, s = np.cos(phi), np.sin(phi)
    strain = np.stack([c * c, s * s, 2.0 * c * s], axis=-1)
    stress = np.stack([c * c, s * s, c * s], axis=-1)
    stiff = np.einsum("pi,ij,pj->p", strain, A, strain)
    soft = np.einsum("pi,ij,pj->p", stress, np.linalg.inv(A), stress)
    return float(max(2.0 / np.mean(stiff * soft) - 1.5, BETA_0_LEAST))


def hierarchical_rotation(facets: Facets) -> Array:
    """Return T with θ̃ = T · (u, v, θ)_i: rotations of the nodes beyond the mean rotation of the triangle.

    Returns
    -------
    (n_e, 3, 9) array, axes (element, node, freedom).
    """
    grad = facets.zeta_gradient()
    T = np.zeros((len(facets.area), 3, 9))
    T[:, :, 0::3] = 0.5 * grad[:, None, 1, :]
    T[:, :, 1::3] = -0.5 * grad[:, None, 0, :]
    T[:, :, 2::3] = np.eye(3)
    return T


def _mean_strain(facets: Facets) -> Array:
    """Return (1/A) Lᵀ, axes (element, (εx, εy, γxy), freedom); Felippa (2003) eq. (20)."""
    x, y = facets.x, facets.y
    B = np.zeros((len(facets.area), 3, 9))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x_ij, x_ki, x_kj = x[:, i] - x[:, j], x[:, k] - x[:, i], x[:, k] - x[:, j]
        y_ji, y_ik, y_jk = y[:, j] - y[:, i], y[:, i] - y[:, k], y[:, j] - y[:, k]
        B[:, 0, 3 * i] = B[:, 2, 3 * i + 1] = y_jk
        B[:, 1, 3 * i + 1] = B[:, 2, 3 * i] = x_kj
        B[:, 0, 3 * i + 2] = ALPHA_B / 6.0 * y_jk * (y_ik - y_ji)
        B[:, 1, 3 * i + 2] = ALPHA_B / 6.0 * x_kj * (x_ki - x_ij)
        B[:, 2, 3 * i + 2] = ALPHA_B / 3.0 * (x_ki * y_ik - x_ij * y_ji)
    return np.asarray(B / (2.0 * facets.area)[:, None, None])


def _side_to_cartesian(facets: Facets) -> Array:
    """Return T_e with column of side k divided by l_k², axes (element, strain, side 21 32 13); eq. (15)."""
    x, y = facets.x, facets.y
    T = np.empty((len(facets.area), 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x_jk, x_ik, y_jk, y_ik = x[:, j] - x[:, k], x[:, i] - x[:, k], y[:, j] - y[:, k], y[:, i] - y[:, k]
        T[:, 0, i] = y_jk * y_ik
        T[:, 1, i] = x_jk * x_ik
        T[:, 2, i] = -(y_jk * x_ik + x_jk * y_ik)
    return np.asarray(T / (4.0 * facets.area**2)[:, None, None])


def membrane_strain(facets: Facets, zeta: Array, beta0: float) -> Array:
    """Return B with ε(ζ) = B · (u, v, θ)_i, eq. (1).

    Parameters
    ----------
    facets : plane geometry.
    zeta : (n_p, 3) array, area coordinates.
    beta0 : scale of the higher-order stiffness, :func:`beta_0`.

    Returns
    -------
    (n_e, n_p, 3, 9) array, axes (element, point, (εx, εy, γxy), freedom).
    """
    # ε̃ at the corners first: (element, node, strain, freedom)
    side = np.einsum("esk,iko->eiso", _side_to_cartesian(facets), BETA)
    corner = side @ hierarchical_rotation(facets)[:, None]
    corner *= (1.5 * np.sqrt(beta0) * 2.0 / 3.0) * facets.area[:, None, None, None]
    return np.asarray(np.einsum("pi,eisf->epsf", zeta, corner) + _mean_strain(facets)[:, None])
