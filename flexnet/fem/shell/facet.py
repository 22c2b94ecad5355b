"""The flat facet: its own axes and its plane coordinates.

A facet has nodes 1, 2, 3, counter-clockwise about its normal n. Its axes (e1, e2, n) do not depend on
the numbering of the nodes: e1 is the projection of a reference direction on the facet, so that ply angles
and stress components mean the same thing in neighbouring facets.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import MeshError, ModelError
from flexnet.kernels.fem_shell import measure_facets
from flexnet.typing import Array, Vector

__all__ = ["Facets"]

PARALLEL = np.sin(np.radians(0.1))
"""A reference direction within 0.1 degree of the normal has no usable projection."""

FLAT = 1e-12
"""Twice the area over the longest side squared, below which a triangle is degenerate."""


@dataclass(frozen=True, slots=True)
class Facets:
    """Plane geometry of a batch of facets.

    Attributes
    ----------
    R : (n_e, 3, 3) array, rows e1, e2, n in body axes: ``v_facet = R @ v_body``.
    x, y : (n_e, 3) arrays, coordinates of the nodes from the centroid in facet axes [m].
    area : (n_e,) array [m²].
    """

    R: Array
    x: Array
    y: Array
    area: Array

    @classmethod
    def of(cls, X: Array, axis: Vector, *, strict: bool = False) -> "Facets":
        """Measure the facets with nodes at ``X``.

        Parameters
        ----------
        X : (n_e, 3, 3) array, node coordinates in body axes [m], axes (element, node, xyz).
        axis : reference direction in body axes; e1 is its projection on the facet. Where it is within
            0.1 degree of the normal, the next body axis is projected instead.
        strict : refuse that replacement (a laminate has no fibre direction then).

        Raises
        ------
        MeshError
            If a facet is degenerate; names the first.
        ModelError
            If ``strict`` and the reference direction is normal to a facet; names the first.
        """
        X = np.ascontiguousarray(X, dtype=float)
        direction = np.array(axis, dtype=float)
        facets, quality = _measured(X, direction)
        # written so that a coordinate that is not a number is caught as well
        if not np.all(good := quality[:, 0] > FLAT):
            raise MeshError(f"shell triangle {int(np.argmin(good))} has no area: its nodes lie on one line")
        lost = np.flatnonzero(quality[:, 1] < PARALLEL * np.linalg.norm(direction))
        if lost.size and strict:
            raise ModelError(
                f"the laminate axis {direction.tolist()} is normal to shell triangle {lost[0]}; "
                "give the section an axis that lies along the surface"
            )
        if lost.size:
            other, _ = _measured(X[lost], np.roll(np.eye(3)[np.argmax(np.abs(direction))], 1))
            facets.R[lost], facets.x[lost], facets.y[lost] = other.R, other.x, other.y
        return facets

    def zeta_gradient(self) -> Array:
        """Return ∂ζ_m/∂x_a, (n_e, 2, 3) array, axes (element, a, m) [1/m]."""
        after, last = [1, 2, 0], [2, 0, 1]
        gradient = np.stack([self.y[:, after] - self.y[:, last], self.x[:, last] - self.x[:, after]], axis=1)
        return np.asarray(gradient / (2.0 * self.area)[:, None, None])


def _measured(X: Array, axis: Array) -> tuple[Facets, Array]:
    """Return the facets, and their flatness and length of the projected axis, (n_e, 2)."""
    n_e = len(X)
    R, x, y = np.empty((n_e, 3, 3)), np.empty((n_e, 3)), np.empty((n_e, 3))
    area, quality = np.empty(n_e), np.empty((n_e, 2))
    measure_facets(X, axis, R, x, y, area, quality)
    return Facets(R, x, y, area), quality
