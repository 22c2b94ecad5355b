"""Stiffness of the facet."""

import numpy as np

from flexnet.fem.shell.kinematics import strain_matrix
from flexnet.fem.shell.section import ShellSection
from flexnet.fem.shell.triangle_rule import MIDSIDES
from flexnet.typing import Array

__all__ = ["stiffness"]


def stiffness(X: Array, section: ShellSection, normals: Array | None = None) -> Array:
    r"""Return the stiffness matrices of a batch of facets.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates in body axes [m], axes (element, node, xyz).
    section : thickness and material.
    normals : (n_e, 3, 3) array, normals of the sides where the facets approximate a curved surface, from
    ``side_normals``;
        default the normals of the facets, which is the same thing in a plane.

    Returns
    -------
    (n_e, 18, 18) array [N/m, N, N·m], freedoms (ux, uy, uz, θx, θy, θz) per node in body axes.

    Notes
    -----
    With the generalised strain e = B q_e and the stiffness C of the section, membrane-bending coupling
    included,

        K = ∫ Bᵀ C B dA,      C = [[A, B], [B, D]].                                            (1)

    B is linear in the triangle; the three midsides are exact.
    """
    facets = section.facets(X)
    n_e = len(facets.area)
    B = strain_matrix(facets, section, MIDSIDES.zeta, normals)  # (element, point, strain, freedom)
    weight = facets.area[:, None] * MIDSIDES.weight
    S = section.ABD @ B * weight[..., None, None]
    return np.asarray(B.reshape(n_e, -1, 18).transpose(0, 2, 1) @ S.reshape(n_e, -1, 18))
