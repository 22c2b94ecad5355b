"""Local axes of beam elements, and what carries their end freedoms to the nodes."""

import numpy as np

from flexnet.errors import MeshError
from flexnet.typing import Array, Vector


def beam_axes(X: Array, orientation: Vector | None) -> Array:
    r"""Return the axes of straight elements as rows: e₁ along the line, e₂ and e₃ those of the section.

    Parameters
    ----------
    X : (n_e, 2, 3) array
        End positions [m].
    orientation : (3,) vector or None
        Direction whose part normal to the line is e₂. Without it, e₃ is as near to the body's z axis as it
        can be, so that a beam in the xy plane bends in that plane with I_z; a line along z has e₂ along y.

    Returns
    -------
    (n_e, 3, 3) array
        ``R[e, i]`` is axis i: local components are ``R @ v``.

    Raises
    ------
    MeshError
        If the orientation is parallel to an element, which is named by its place in the region.
    """
    along = X[:, 1] - X[:, 0]
    e1 = along / np.linalg.norm(along, axis=1, keepdims=True)
    if orientation is None:
        upright = np.abs(e1[:, 2:]) > 1.0 - 1e-6
        e3 = np.array([0.0, 0.0, 1.0]) - e1[:, 2:] * e1
        e2 = np.where(upright, np.array([0.0, 1.0, 0.0]), np.cross(e3, e1))
    else:
        v = np.asarray(orientation, dtype=float).reshape(3)
        size = np.linalg.norm(v)
        if not size > 0.0:
            raise MeshError("beam orientation is the zero vector")
        v = v / size
        e2 = v - (e1 @ v)[:, None] * e1
        parallel = np.flatnonzero(np.linalg.norm(e2, axis=1) < 1e-6)
        if parallel.size:
            raise MeshError(
                f"beam orientation {v.tolist()} is parallel to line {parallel[0]} of its region"
                f" (from {X[parallel[0], 0].tolist()} to {X[parallel[0], 1].tolist()})"
            )
    e2 -= (e2 * e1).sum(axis=1, keepdims=True) * e1
    e2 /= np.linalg.norm(e2, axis=1, keepdims=True)
    return np.stack([e1, e2, np.cross(e1, e2)], axis=1)


def nodes_to_ends(R: Array, offset: tuple[float, float]) -> Array:
    r"""Return the matrix T that gives the local end freedoms of the centroid line from the nodal ones.

    Parameters
    ----------
    R : (n_e, 3, 3) array
        Local axes (rows).
    offset : (y, z) of the centroid from the node line, in section axes [m].

    Returns
    -------
    (n_e, 12, 12) array

    Notes
    -----
    The centroid is rigidly carried by the node, o being its offset:

    .. math:: \bar u = R u + (R\theta) \times o, \qquad \bar\theta = R \theta .          \tag{1}
    """
    oy, oz = offset
    # (R θ) × o = A (R θ) with o = (0, oy, oz)
    A = np.array([[0.0, oz, -oy], [-oz, 0.0, 0.0], [oy, 0.0, 0.0]])
    T = np.zeros((len(R), 12, 12))
    for node in (0, 6):
        T[:, node : node + 3, node : node + 3] = R
        T[:, node + 3 : node + 6, node + 3 : node + 6] = R
        T[:, node : node + 3, node + 3 : node + 6] = A @ R
    return T
