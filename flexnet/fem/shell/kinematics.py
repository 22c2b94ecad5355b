r"""The generalised strain of the facet: membrane strain and curvature together.

    e(ζ) = (εx, εy, γxy, κx, κy, κxy),      ε(ζ, z) = ε(ζ) + z κ(ζ),                         (1)

the first three by the OPT triangle, the last three by the DKT triangle, z from the plane of the nodes.
Both are linear in the triangle, exact in rigid motion (zero), constant strain and constant curvature.
"""

import numpy as np

from flexnet.fem.shell.facet import Facets
from flexnet.fem.shell.opt import beta_0
from flexnet.fem.shell.section import ShellSection
from flexnet.kernels.fem_shell import curvatures, membrane_strains
from flexnet.typing import Array

__all__ = ["CENTROID", "CORNERS", "strain_matrix", "generalised_strain"]

CENTROID = np.full((1, 3), 1.0 / 3.0)
"""Area coordinates of the centroid."""

CORNERS = np.eye(3)
"""Area coordinates of the three nodes."""


def strain_matrix(
    facets: Facets,
    section: ShellSection,
    zeta: Array,
    normals: Array | None = None,
    beta: float | None = None,
) -> Array:
    """Return B with e(ζ) = B · q_e, q_e in body axes, e in facet axes.

    Parameters
    ----------
    facets : plane geometry.
    section : thickness and material.
    zeta : (n_p, 3) array, area coordinates.
    normals : (n_e, 3, 3) array, normals of the sides on a curved surface (``side_normals``); default
    those of the facets.
    beta : scale of the higher-order membrane strain, that of the triangle if not given.

    Returns
    -------
    (n_e, n_p, 6, 18) array, axes (element, point, strain, freedom).
    """
    B = corner_strains(facets, section, normals, beta)
    n_e = len(B)
    return np.asarray((zeta @ B.reshape(n_e, 3, 108)).reshape(n_e, -1, 6, 18))


def corner_strains(
    facets: Facets, section: ShellSection, normals: Array | None = None, beta: float | None = None
) -> Array:
    """Return B of :func:`strain_matrix` at the three nodes, between which it is linear, (n_e, 3, 6, 18)."""
    B = np.empty((len(facets.area), 3, 6, 18))
    sides = np.repeat(facets.R[:, 2:], 3, axis=1) if normals is None else np.ascontiguousarray(normals)
    geometry = facets.R, facets.x, facets.y, facets.area
    membrane_strains(*geometry, sides, beta_0(section.A) if beta is None else beta, B)
    curvatures(*geometry, B)
    return B


def generalised_strain(
    X: Array, section: ShellSection, q_e: Array, zeta: Array = CENTROID, normals: Array | None = None
) -> Array:
    """Return membrane strains and curvatures of the displaced facets.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates [m].
    section : thickness and material.
    q_e : (n_e, 18) array, freedoms of the elements in body axes [m, rad].
    zeta : (n_p, 3) array, area coordinates; the centroid gives the element mean.
    normals : (n_e, 3, 3) array, normals of the sides as given to ``stiffness``.

    Returns
    -------
    (n_e, n_p, 6) array, (εx, εy, γxy, κx, κy, κxy) in facet axes [-, 1/m].
    """
    B = strain_matrix(section.facets(X), section, zeta, normals)
    return np.asarray((B @ q_e[:, None, :, None])[..., 0])
