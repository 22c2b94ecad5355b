r"""The displacement field of the mid-surface, for everything that is an integral of a displacement.

One cubic basis of the triangle, ζ_i, ζ_i²ζ_j and ζ1ζ2ζ3, carries both parts of the field. The equations
are in facet axes, the results in body axes.

In the plane, with d = x_j - x_i the side from i to j and m = (-d_y, d_x),

    (u, v) = Σ_i ζ_i (u, v)_i + Σ_ij [ ζ_iζ_j (θ_i - θ_j)/2 + ζ_iζ_j(ζ_i - ζ_j) (θ̃_i + θ̃_j)/2 ] m,      (1)

Allman's quadratic sides plus the S-shape of a cubic one. θ̃ = θ - θ_0 is zero in a rigid rotation and in
a constant strain, so both are exact; the S-shape gives the drilling freedom common to all nodes its
inertia.

Across the plane the nine-term cubic of Bazeley, Cheung, Irons and Zienkiewicz, whose sides are the cubic
sides of the DKT triangle, with j, k the other two nodes and ∇w_i = (-θy_i, θx_i),

    w = Σ_i [ ζ_i + ζ_i²ζ_j + ζ_i²ζ_k - ζ_iζ_j² - ζ_iζ_k² ] w_i
      + Σ_i≠j [ ζ_i²ζ_j + ζ1ζ2ζ3/2 ] (x_j - x_i)·∇w_i.                                              (2)

References
----------
Allman, D. J., A compatible triangular element including vertex rotations for plane elasticity analysis,
Comput. Struct. 19 (1984) 1-8. Bazeley, G. P., Cheung, Y. K., Irons, B. M., Zienkiewicz, O. C., Triangular
elements in plate bending: conforming and non-conforming solutions, Proc. Conf. Matrix Methods in
Structural Mechanics, Wright-Patterson AFB (1965) 547-576.
"""

import numpy as np

from flexnet.fem.shell.facet import Facets
from flexnet.kernels.fem_shell import BUBBLE, field_coefficients
from flexnet.typing import Array

__all__ = ["basis", "coefficients", "gradient_of", "midsurface", "midsurface_gradient", "quadratic"]

PAIRS = ((0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))
"""Ordered pairs (i, j) of the functions ζ_i²ζ_j, in the order of the basis."""

PAIR = {pair: 3 + m for m, pair in enumerate(PAIRS)}


def basis(zeta: Array) -> Array:
    """Return ζ_1, ζ_2, ζ_3, the six ζ_i²ζ_j and ζ1ζ2ζ3, (n_p, 10)."""
    return np.stack(
        [*zeta.T, *(zeta[:, i] ** 2 * zeta[:, j] for i, j in PAIRS), zeta.prod(axis=1)],
        axis=-1,
    )


def quadratic(zeta: Array) -> Array:
    """Return the six-node quadratic functions of the normal's turn β: corners, sides 23, 31, 12, (n_p, 6)."""
    z1, z2, z3 = zeta.T
    corners = [z * (2.0 * z - 1.0) for z in (z1, z2, z3)]
    return np.stack([*corners, 4.0 * z2 * z3, 4.0 * z3 * z1, 4.0 * z1 * z2], axis=-1)


def _basis_slopes(zeta: Array) -> Array:
    """Return the derivatives of the basis by ζ_m, (n_p, 10, 3)."""
    slopes = np.zeros((len(zeta), 10, 3))
    slopes[:, :3] = np.eye(3)
    for (i, j), m in PAIR.items():
        slopes[:, m, i] = 2.0 * zeta[:, i] * zeta[:, j]
        slopes[:, m, j] = zeta[:, i] ** 2
    for i in range(3):
        slopes[:, BUBBLE, i] = zeta[:, (i + 1) % 3] * zeta[:, (i + 2) % 3]
    return slopes


def coefficients(facets: Facets, functions: int = 10) -> Array:
    """Return the field in the basis, (n_e, functions, 3, 18), in body axes.

    Axes (element, function, (ux, uy, uz), freedom); functions beyond the ten of the basis are left zero.
    """
    C = np.zeros((len(facets.area), functions, 3, 18))
    field_coefficients(facets.R, facets.x, facets.y, facets.area, C)
    return C


def midsurface(facets: Facets, zeta: Array) -> Array:
    """Return N with (ux, uy, uz)(ζ) = N · q in body axes, eqs (1) and (2).

    Returns
    -------
    (n_e, n_p, 3, 18) array, axes (element, point, component, freedom).
    """
    C = coefficients(facets)
    n_e = len(C)
    return np.asarray((basis(zeta) @ C.reshape(n_e, 10, 54)).reshape(n_e, -1, 3, 18))


def midsurface_gradient(facets: Facets, zeta: Array) -> Array:
    """Return G with ∂(ux, uy, uz)/∂(x, y) = G · q, derivatives along facet axes, the rest in body axes.

    Returns
    -------
    (n_e, 2, n_p, 3, 18) array, axes (element, derivative, point, component, freedom) [1/m].
    """
    n_e = len(facets.area)
    G = gradient_of(coefficients(facets).reshape(n_e, 10, 54), facets, zeta)
    return G.reshape(n_e, 2, len(zeta), 3, 18)


def gradient_of(C: Array, facets: Facets, zeta: Array) -> Array:
    """Return derivatives by (x, y) at ``zeta`` of fields in the basis (n_e, 10, k): (n_e, two by n_p, k)."""
    slopes = facets.zeta_gradient() @ _basis_slopes(zeta).reshape(-1, 3).T
    return np.asarray(slopes.reshape(len(C), -1, 10) @ C)
