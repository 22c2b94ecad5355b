r"""The generalised strain of the facet, membrane strain and curvature together, and its stiffness.

    e(ζ) = (εx, εy, γxy, κx, κy, κxy),      ε(ζ, z) = ε(ζ) + z κ(ζ),                         (1)

the first three by the OPT triangle, the last three by the discrete Kirchhoff triangle (DKT), z from the
plane of the nodes. Both are linear in the triangle, exact in rigid motion (zero), constant strain and
constant curvature.

**DKT.** The normal turns by β = (β_x, β_y), a point at height z moves in the plane by z β, and

    κ = (∂β_x/∂x, ∂β_y/∂y, ∂β_x/∂y + ∂β_y/∂x).                                              (2)

Freedoms per node, in facet axes: w, θx = ∂w/∂y, θy = -∂w/∂x. β is quadratic in the triangle; along a side
of tangent s, w is cubic, β_n linear, and Kirchhoff's condition ∂w/∂s + β_s = 0 holds at both ends and at the
middle. Eliminating the midside values of β leaves nine freedoms. The compiled curvatures are in
flexnet.kernels.fem_shell.

References
----------
Batoz, J.-L., Bathe, K.-J., Ho, L.-W., A study of three-node triangular plate bending elements,
Int. J. Numer. Meth. Engng 15 (1980) 1771-1812, eqs (28)-(34).
"""

import numpy as np

from flexnet.fem.shell.facet import Facets
from flexnet.fem.shell.opt import beta_0
from flexnet.fem.shell.section import ShellSection
from flexnet.fem.shell.triangle_rule import MIDSIDES
from flexnet.kernels.fem_shell import curvatures, membrane_strains
from flexnet.typing import Array

__all__ = ["CENTROID", "CORNERS", "stiffness", "strain_matrix", "generalised_strain", "weighted_bending"]

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


def stiffness(
    X: Array, section: ShellSection, normals: Array | None = None, bending_scale: float | Array = 1.0
) -> Array:
    r"""Return the stiffness matrices of a batch of facets.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates in body axes [m], axes (element, node, xyz).
    section : thickness and material.
    normals : (n_e, 3, 3) array, normals of the sides where the facets approximate a curved surface, from
        ``side_normals``; default the normals of the facets, which is the same thing in a plane.
    bending_scale : β_b of :func:`weighted_bending`, of all or of every facet.

    Returns
    -------
    (n_e, 18, 18) array [N/m, N, N·m], freedoms (ux, uy, uz, θx, θy, θz) per node in body axes.

    Notes
    -----
    With the generalised strain e = B q_e and the stiffness C of the section, membrane-bending coupling
    included,

        K = ∫ Bᵀ C B dA,      C = [[A, B], [B, D]].                                            (3)

    B is linear in the triangle; the three midsides are exact.
    """
    facets = section.facets(X)
    B = strain_matrix(facets, section, MIDSIDES.zeta, normals)  # (element, point, strain, freedom)
    weight = facets.area[:, None] * MIDSIDES.weight
    return strain_energy(weighted_bending(B, weight, bending_scale), section, weight)


def strain_energy(B: Array, section: ShellSection, weight: Array) -> Array:
    """Return ∫BᵀCB dA, (n_e, n, n), of strains B (n_e, n_p, 6, n) at points with areas ``weight``."""
    n_e, n = len(B), B.shape[3]
    S = section.ABD @ B * weight[..., None, None]
    return np.asarray(B.reshape(n_e, -1, n).transpose(0, 2, 1) @ S.reshape(n_e, -1, n))


def weighted_bending(B: Array, weight: Array, scale: float | Array) -> Array:
    r"""Return B with its curvatures weighted where they vary, κ̄ + √β_b (κ - κ̄).

    Parameters
    ----------
    B : (n_e, n_p, 6, n) array, strains at integration points.
    weight : (n_e, n_p) array, areas of the points [m²].
    scale : β_b, of all or (n_e,), factor on the stiffness against what is not constant; 1 leaves it.

    Notes
    -----
    The mean κ̄ alone decides the patch test, and κ - κ̄ does no work with it: K = K_basic + β_b K_higher, as
    in the templates of Felippa (C. A. Felippa, Recent advances in finite element templates, 2000). β_n linear
    along the sides is a little soft; β_b > 1 makes up for it.
    """
    if np.all(scale == 1.0):
        return B
    mean = np.einsum("ep,epij->eij", weight, B[:, :, 3:])[:, None] / weight.sum(axis=1)[:, None, None, None]
    out = B.copy()
    out[:, :, 3:] = mean + np.sqrt(np.reshape(scale, (-1, 1, 1, 1))) * (B[:, :, 3:] - mean)
    return out
