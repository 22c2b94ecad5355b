r"""The drilling rotation where facets approximate a curved surface.

In a plane the drilling rotation of a node is its rotation about the normal n of the facet. Where
neighbouring facets meet at an angle, a bending rotation that differs from node to node has a component
along n, of relative size l/R, which the membrane would resist: the shell locks as (l²/Rh)². The cure is
to measure the *change* of rotation along a side about the normal of that side, n_ij, the mean of the
normals of the two facets that share it,

    θ_i = θ̄ + (d_ki - d_ij)/3,      d_ij = (θ_j - θ_i)·n_ij,      θ̄ = n·(θ_1 + θ_2 + θ_3)/3,           (1)

θ_j - θ_i and θ_1 + θ_2 + θ_3 being rotation vectors. Along a smooth shell that bends without stretching
dθ lies in the tangent plane, and d_ij is zero to leading order. A uniform rotation gives d_ij = 0, so
rigid motion stays strain-free; in a plane (1) is the identity.
"""

import numpy as np

from flexnet.fem.shell.facet import Facets
from flexnet.typing import Array, IntArray

__all__ = ["FOLD_ANGLE", "side_normals", "membrane_freedoms"]

FOLD_ANGLE = np.radians(30.0)
"""Facets that meet at more than this angle are taken as folded, not as a curved surface [rad]."""


def side_normals(nodes: Array, cells: IntArray, fold_angle: float = FOLD_ANGLE) -> Array:
    """Return the normal of each side of each facet of a mesh.

    Parameters
    ----------
    nodes : (n, 3) array, coordinates [m].
    cells : (n_e, 3) array, node numbers of the facets.
    fold_angle : facets that meet at more than this angle keep their own normals [rad].

    Returns
    -------
    (n_e, 3, 3) array, axes (element, side 12 23 31, xyz). A side on a boundary, on a fold, shared by more
    than two facets or by facets numbered in opposite senses has the normal of its facet.
    """
    n = Facets.of(nodes[cells], (1.0, 0.0, 0.0)).R[:, 2]
    # one row per side of a facet, sides of equal ends next to each other
    ends = np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2)
    facet = np.repeat(np.arange(len(cells)), 3)
    _, side, count = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(side.ravel(), kind="stable")
    first, second = order[count[side.ravel()[order]] == 2].reshape(-1, 2).T
    smooth = np.einsum("sa,sa->s", n[facet[first]], n[facet[second]]) > np.cos(fold_angle)
    first, second = first[smooth], second[smooth]
    normals = np.repeat(n, 3, axis=0)
    mean = n[facet[first]] + n[facet[second]]
    normals[first] = normals[second] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return normals.reshape(-1, 3, 3)


def membrane_freedoms(facets: Facets, normals: Array) -> Array:
    """Return P with (u, v, θ)_i = P · q, q in facet axes, θ by eq. (1).

    Parameters
    ----------
    facets : plane geometry.
    normals : (n_e, 3, 3) array, normals of the sides 12, 23, 31 in body axes.

    Returns
    -------
    (n_e, 9, 18) array, axes (element, membrane freedom, facet freedom).
    """
    n_side = np.einsum("eab,esb->esa", facets.R, normals)
    P = np.zeros(
        (len(facets.area), 3, 3, 3, 2, 3)
    )  # (element, node, (u, v, θ), node, translation or rotation, xyz)
    P[:, :, 2, :, 1, 2] = 1.0 / 3.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        P[:, i, 0, i, 0, 0] = P[:, i, 1, i, 0, 1] = 1.0
        P[:, i, 2, i, 1] += (n_side[:, i] + n_side[:, k]) / 3.0
        P[:, i, 2, j, 1] -= n_side[:, i] / 3.0
        P[:, i, 2, k, 1] -= n_side[:, k] / 3.0
    return P.reshape(-1, 9, 18)
