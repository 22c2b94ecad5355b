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

from flexnet.errors import MeshError
from flexnet.fem.shell.facet import FLAT, Facets
from flexnet.typing import Array, IntArray

__all__ = ["FOLD_ANGLE", "facet_normals", "quadrilateral_normals", "side_normals", "surface_normals"]

FOLD_ANGLE = np.radians(30.0)
"""Facets that meet at more than this angle are taken as folded, not as a curved surface [rad]."""


def quadrilateral_normals(X: Array) -> Array:
    """Return the normals (n_e, 3) of quadrilaterals with nodes X (n_e, 4, 3): across both diagonals."""
    n = np.cross(X[:, 2] - X[:, 0], X[:, 3] - X[:, 1])
    size = np.linalg.norm(n, axis=1, keepdims=True)
    longest = np.linalg.norm(X - np.roll(X, 1, axis=1), axis=2).max(axis=1)
    if not np.all(good := size[:, 0] > FLAT * longest**2):
        raise MeshError(f"shell quadrilateral {int(np.argmin(good))} has no area")
    return np.asarray(n / size)


def facet_normals(X: Array) -> Array:
    """Return the normals (n_e, 3) of triangles or quadrilaterals with nodes X (n_e, 3 or 4, 3)."""
    return quadrilateral_normals(X) if X.shape[1] == 4 else Facets.of(X, (1.0, 0.0, 0.0)).R[:, 2]


def surface_normals(nodes: Array, cells: IntArray) -> Array:
    """Return the mean of the normals of all facets that meet at the corners of each, (n_e, 3).

    It is shorter than one where the surface curves, folds, or changes its sense.
    """
    width = cells.shape[1]
    n = np.repeat(facet_normals(nodes[cells]), width, axis=0)
    at = cells.reshape(-1)
    count = np.bincount(at, minlength=len(nodes))[:, None]
    summed = np.stack([np.bincount(at, component, len(nodes)) for component in n.T], axis=1)
    return np.asarray((summed / np.maximum(count, 1))[cells].mean(axis=1))


def side_normals(nodes: Array, cells: IntArray, fold_angle: float = FOLD_ANGLE) -> Array:
    """Return the normal of each side of each facet of a mesh.

    Parameters
    ----------
    nodes : (n, 3) array, coordinates [m].
    cells : (n_e, 3) or (n_e, 4) array, node numbers of the facets.
    fold_angle : facets that meet at more than this angle keep their own normals [rad].

    Returns
    -------
    (n_e, sides, 3) array, axes (element, side 12 23 …, xyz). A side on a boundary, on a fold, shared by more
    than two facets or by facets numbered in opposite senses has the normal of its facet.
    """
    width = cells.shape[1]
    n = facet_normals(nodes[cells])
    # sides of equal ends next to each other
    ends = np.sort(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    key = ends[:, 0] * len(nodes) + ends[:, 1]
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    pairs = starts[np.diff(starts, append=len(key)) == 2]
    first, second = order[pairs], order[pairs + 1]
    smooth = np.einsum("sa,sa->s", n[first // width], n[second // width]) > np.cos(fold_angle)
    first, second = first[smooth], second[smooth]
    normals = np.repeat(n, width, axis=0)
    mean = n[first // width] + n[second // width]
    normals[first] = normals[second] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return normals.reshape(-1, width, 3)
