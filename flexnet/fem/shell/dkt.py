r"""Bending: the discrete Kirchhoff triangle (DKT).

Freedoms per node, in facet axes: w, θx = ∂w/∂y, θy = -∂w/∂x. The normal turns by β = (β_x, β_y), a point
at height z moves in the plane by z β, and the curvatures are

    κ = (∂β_x/∂x, ∂β_y/∂y, ∂β_x/∂y + ∂β_y/∂x),      ε(z) = z κ.                              (1)

β is quadratic in the triangle; along a side k of length l_k, tangent s, w is cubic, β_n linear, and
Kirchhoff's condition ∂w/∂s + β_s = 0 holds at both ends and at the middle. Eliminating the midside values
of β leaves nine freedoms; the element is exact for constant curvature on any triangle.

References
----------
Batoz, J.-L., Bathe, K.-J., Ho, L.-W., A study of three-node triangular plate bending elements,
Int. J. Numer. Meth. Engng 15 (1980) 1771-1812, eqs (28)-(34).
"""

import numpy as np

from flexnet.fem.shell.facet import Facets
from flexnet.typing import Array

__all__ = ["quadratic", "collocation", "curvature"]

SIDES = ((1, 2), (2, 0), (0, 1))
"""Sides 4, 5, 6 of the six-node triangle: nodes (2,3), (3,1), (1,2)."""


def quadratic(zeta: Array) -> Array:
    """Return the six-node quadratic functions N_1 … N_6 at ``zeta``, (n_p, 6)."""
    z1, z2, z3 = zeta.T
    corners = [z * (2.0 * z - 1.0) for z in (z1, z2, z3)]
    return np.stack([*corners, 4.0 * z2 * z3, 4.0 * z3 * z1, 4.0 * z1 * z2], axis=-1)


def _quadratic_slopes(zeta: Array) -> Array:
    """Return ∂N_i/∂ζ_m of the quadratic functions, (n_p, 6, 3)."""
    slopes = np.zeros((len(zeta), 6, 3))
    for i in range(3):
        slopes[:, i, i] = 4.0 * zeta[:, i] - 1.0
    for side, (i, j) in enumerate(SIDES):
        slopes[:, 3 + side, i] = 4.0 * zeta[:, j]
        slopes[:, 3 + side, j] = 4.0 * zeta[:, i]
    return slopes


def collocation(facets: Facets) -> Array:
    """Return C with β at the six points = C · (w, θx, θy)_i, so that β(ζ) = Σ_k N_k(ζ) C_k q.

    Returns
    -------
    (n_e, 6, 2, 9) array, axes (element, point, β component, freedom).
    """
    C = np.zeros((len(facets.area), 6, 2, 9))
    # at the corners β_x = θy, β_y = -θx
    for i in range(3):
        C[:, i, 0, 3 * i + 2] = 1.0
        C[:, i, 1, 3 * i + 1] = -1.0
    # at the midsides β_s = -∂w/∂s = 3/(2l)(w_i - w_j) - (β_si + β_sj)/4 and β_n = (β_ni + β_nj)/2
    for side, (i, j) in enumerate(SIDES):
        dx, dy = facets.x[:, j] - facets.x[:, i], facets.y[:, j] - facets.y[:, i]
        l2 = dx**2 + dy**2
        # the part common to both ends: β/2 - (3/4) s (s·β)
        ss = np.stack([dx * dx, dx * dy, dx * dy, dy * dy], axis=-1).reshape(-1, 2, 2) / l2[:, None, None]
        end = 0.5 * np.eye(2) - 0.75 * ss
        slope = 1.5 * np.stack([dx, dy], axis=-1) / l2[:, None]
        for node, sign in ((i, 1.0), (j, -1.0)):
            C[:, 3 + side, :, 3 * node] = sign * slope
            C[:, 3 + side, :, 3 * node + 1] = -end[:, :, 1]
            C[:, 3 + side, :, 3 * node + 2] = end[:, :, 0]
    return C


def curvature(facets: Facets, zeta: Array) -> Array:
    """Return B with κ(ζ) = B · (w, θx, θy)_i, eq. (1).

    Returns
    -------
    (n_e, n_p, 3, 9) array, axes (element, point, (κx, κy, κxy), freedom).
    """
    C = collocation(facets)
    n_e = len(C)
    slopes = np.einsum("pim,eam->epai", _quadratic_slopes(zeta), facets.zeta_gradient())
    # (element, point, derivative, β component, freedom)
    H_grad = (slopes.reshape(n_e, -1, 6) @ C.reshape(n_e, 6, 18)).reshape(n_e, -1, 2, 2, 9)
    return np.stack([H_grad[:, :, 0, 0], H_grad[:, :, 1, 1], H_grad[:, :, 1, 0] + H_grad[:, :, 0, 1]], axis=2)
