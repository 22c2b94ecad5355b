"""How much bending that is not constant in an element weighs (docs/theory/shell.md, S3b and S3c)."""

import numpy as np

from flexnet.fem.shell.drilling import facet_normals, side_normals, surface_normals
from flexnet.typing import Array, IntArray

IN_PLANE = 1.5
"""β_b at which plane waves have no mean error of second order in the size of the cells."""

LEVEL = 5e-7
"""1 - cos of a thousandth of a radian, below which an element and those around it lie in one plane."""


def shell_geometry(nodes: Array, cells: IntArray, fold_angle: float) -> Array:
    """Return nodes, normals of the sides and the mean normal around, (n_e, 2 sides + 1, 3)."""
    around = surface_normals(nodes, cells)[:, None]
    return np.concatenate([nodes[cells], side_normals(nodes, cells, fold_angle), around], axis=1)


def bending_scales(X: Array, asked: float | None) -> Array:
    """Return β_b of every element, (n_e,): what is asked for, or 3/2 in a plane and 1 where it curves.

    Parameters
    ----------
    X : (n_e, 2 sides + 1, 3) array of :func:`shell_geometry`.
    asked : one for all; None leaves it to the surface.
    """
    if asked is not None:
        return np.full(len(X), asked)
    n = facet_normals(X[:, : X.shape[1] // 2])
    return np.where(np.einsum("ei,ei->e", n, X[:, -1]) > 1.0 - LEVEL, IN_PLANE, 1.0)
