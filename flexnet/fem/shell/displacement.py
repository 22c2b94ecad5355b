r"""The displacement field of the mid-surface, for everything that is an integral of a displacement.

One cubic basis of the triangle, ζ_i, ζ_i²ζ_j and ζ1ζ2ζ3, carries both parts of the field, in facet axes.

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
from flexnet.fem.shell.opt import hierarchical_rotation
from flexnet.typing import Array

__all__ = ["basis", "coefficients", "midsurface", "midsurface_gradient"]

PAIRS = ((0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))
"""Ordered pairs (i, j) of the functions ζ_i²ζ_j, in the order of the basis."""

PAIR = {pair: 3 + m for m, pair in enumerate(PAIRS)}
BUBBLE = 9


def basis(zeta: Array) -> Array:
    """Return ζ_1, ζ_2, ζ_3, the six ζ_i²ζ_j and ζ1ζ2ζ3, (n_p, 10)."""
    return np.stack(
        [*zeta.T, *(zeta[:, i] ** 2 * zeta[:, j] for i, j in PAIRS), zeta.prod(axis=1)],
        axis=-1,
    )


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


def coefficients(facets: Facets) -> Array:
    """Return the field in the basis, (n_e, 10, 3, 18), axes (element, function, (u, v, w), facet freedom)."""
    C = np.zeros((len(facets.area), 10, 3, 18))
    membrane = C.reshape(-1, 10, 3, 3, 6)[
        ..., (0, 1, 5)
    ]  # a copy: (element, function, component, node, (u, v, θ))
    _add_membrane(facets, membrane)
    C.reshape(-1, 10, 3, 3, 6)[..., (0, 1, 5)] = membrane
    _add_deflection(facets, C)
    return C


def _add_membrane(facets: Facets, C: Array) -> None:
    """Write eq. (1) into C, axes (element, function, component, node, (u, v, θ))."""
    for i in range(3):
        C[:, i, 0, i, 0] = C[:, i, 1, i, 1] = 1.0
    theta = hierarchical_rotation(facets).reshape(-1, 3, 3, 3)
    for i in range(3):
        j = (i + 1) % 3
        m = np.stack([facets.y[:, i] - facets.y[:, j], facets.x[:, j] - facets.x[:, i]], axis=-1)
        # ζ_iζ_j = ζ_i²ζ_j + ζ_iζ_j² + ζ1ζ2ζ3
        for function in (PAIR[i, j], PAIR[j, i], BUBBLE):
            C[:, function, :2, i, 2] += 0.5 * m
            C[:, function, :2, j, 2] -= 0.5 * m
        S_shape = 0.5 * m[:, :, None, None] * (theta[:, i] + theta[:, j])[:, None]
        C[:, PAIR[i, j], :2] += S_shape
        C[:, PAIR[j, i], :2] -= S_shape


def _add_deflection(facets: Facets, C: Array) -> None:
    """Write eq. (2) into C, axes (element, function, component, freedom)."""
    for i in range(3):
        w, theta_x, theta_y = 6 * i + 2, 6 * i + 3, 6 * i + 4
        C[:, i, 2, w] = 1.0
        for j in ((i + 1) % 3, (i + 2) % 3):
            C[:, PAIR[i, j], 2, w] = 1.0
            C[:, PAIR[j, i], 2, w] = -1.0
            for function, weight in ((PAIR[i, j], 1.0), (BUBBLE, 0.5)):
                C[:, function, 2, theta_x] += weight * (facets.y[:, j] - facets.y[:, i])
                C[:, function, 2, theta_y] -= weight * (facets.x[:, j] - facets.x[:, i])


def midsurface(facets: Facets, zeta: Array) -> Array:
    """Return N with (u, v, w)(ζ) = N · q in facet axes, eqs (1) and (2).

    Returns
    -------
    (n_e, n_p, 3, 18) array, axes (element, point, component, facet freedom).
    """
    C = coefficients(facets)
    n_e = len(C)
    return np.asarray((basis(zeta) @ C.reshape(n_e, 10, 54)).reshape(n_e, -1, 3, 18))


def midsurface_gradient(facets: Facets, zeta: Array) -> Array:
    """Return G with ∂(u, v, w)/∂(x, y) = G · q in facet axes.

    Returns
    -------
    (n_e, n_p, 2, 3, 18) array, axes (element, point, derivative, component, facet freedom) [1/m].
    """
    C = coefficients(facets)
    n_e = len(C)
    slopes = np.einsum("pbm,eam->epab", _basis_slopes(zeta), facets.zeta_gradient())
    return np.asarray(
        (slopes.reshape(n_e, -1, 10) @ C.reshape(n_e, 10, 54)).reshape(n_e, len(zeta), 2, 3, 18)
    )
