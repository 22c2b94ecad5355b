"""Surfaces of rigid bodies: what the author gave, else a plate through the frames or a block of inertia."""

import numpy as np

from flexnet.components import RigidBody
from flexnet.system.solid import Surface, box
from flexnet.typing import Array, IntArray

_NONE: Surface = (np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
#: thinnest over longest side of a block, and of a set of frames that is still seen as flat
_THIN, _FLAT = 0.05, 1e-6


def block(part: RigidBody, most: float = 0.0) -> Surface:
    """Points and triangles of the box with the mass and the inertia of a body.

    Where ``most`` is not zero it is drawn smaller if its longest side is above, m.

    Notes
    -----
    A box of sides a, b, c about its axes has J_x = m (b² + c²)/12, so that a² = 6 (J_y + J_z - J_x)/m.
    """
    moments, axes = np.linalg.eigh(part.inertia)
    if part.mass <= 0 or moments[2] <= 0:
        return _NONE
    squares = 6.0 * (moments.sum() - 2.0 * moments) / part.mass
    sides = np.sqrt(np.maximum(squares, 0.0))
    sides = np.maximum(sides, _THIN * sides.max())
    if most:
        sides *= min(1.0, most / sides.max())
    points, corners = box(*sides)
    return points @ axes.T, corners


def plate(points: Array) -> IntArray:
    """Triangles of the convex hull of points, flat or not; none where they lie on a line."""
    centred = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    none = np.zeros((0, 3), dtype=np.int64)
    if len(points) < 3 or sizes[1] <= _FLAT * max(sizes[0], 1e-300):
        return none
    from scipy.spatial import ConvexHull

    if sizes[2] > _FLAT * sizes[0]:
        return np.asarray(ConvexHull(centred).simplices, dtype=np.int64)
    ring = ConvexHull(centred @ axes[:2].T).vertices
    return np.array([[ring[0], ring[i], ring[i + 1]] for i in range(1, len(ring) - 1)], dtype=np.int64)
