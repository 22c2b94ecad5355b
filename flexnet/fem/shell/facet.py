"""The flat facet: its own axes, its plane coordinates, and the change of axes of its freedoms.

A facet has nodes 1, 2, 3, counter-clockwise about its normal n. Its axes (e1, e2, n) do not depend on
the numbering of the nodes: e1 is the projection of a reference direction on the facet, so that ply angles
and stress components mean the same thing in neighbouring facets.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import MeshError, ModelError
from flexnet.typing import Array, Vector

__all__ = ["Facets", "to_body_freedoms", "to_facet_freedoms"]

PARALLEL = np.sin(np.radians(0.1))
"""A reference direction within 0.1 degree of the normal has no usable projection."""

FLAT = 1e-12
"""Twice the area over the longest side squared, below which a triangle is degenerate."""


@dataclass(frozen=True, slots=True)
class Facets:
    """Plane geometry of a batch of facets.

    Attributes
    ----------
    origin : (n_e, 3) array, position of the centroid in body axes [m].
    R : (n_e, 3, 3) array, rows e1, e2, n in body axes: ``v_facet = R @ v_body``.
    x, y : (n_e, 3) arrays, coordinates of the nodes from the centroid in facet axes [m].
    area : (n_e,) array [m²].
    """

    origin: Array
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
        X = np.asarray(X, dtype=float)
        normal = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
        twice_area = np.linalg.norm(normal, axis=1)
        longest = np.linalg.norm(X - np.roll(X, -1, axis=1), axis=2).max(axis=1, initial=0.0)
        # written so that a coordinate that is not a number is caught as well
        if not np.all(good := twice_area > FLAT * longest**2):
            raise MeshError(f"shell triangle {int(np.argmin(good))} has no area: its nodes lie on one line")
        n = normal / twice_area[:, None]
        e1 = _project(n, np.asarray(axis, dtype=float), strict)
        R = np.stack([e1, np.cross(n, e1), n], axis=1)  # (element, facet axis, body axis)
        origin = X.mean(axis=1)
        local = np.einsum("eab,enb->ena", R, X - origin[:, None])
        return cls(origin, R, local[..., 0], local[..., 1], 0.5 * twice_area)

    def zeta_gradient(self) -> Array:
        """Return ∂ζ_m/∂x_a, (n_e, 2, 3) array, axes (element, a, m) [1/m]."""
        x_next, x_last = np.roll(self.x, -1, axis=1), np.roll(self.x, -2, axis=1)
        y_next, y_last = np.roll(self.y, -1, axis=1), np.roll(self.y, -2, axis=1)
        return np.stack([y_next - y_last, x_last - x_next], axis=1) / (2.0 * self.area)[:, None, None]


def _project(n: Array, axis: Array, strict: bool) -> Array:
    """Return the unit projection of ``axis`` on the planes normal to ``n``."""
    e1 = axis - (n @ axis)[:, None] * n
    length = np.linalg.norm(e1, axis=1)
    lost = length < PARALLEL * np.linalg.norm(axis)
    if strict and np.any(lost):
        raise ModelError(
            f"the laminate axis {axis.tolist()} is normal to shell triangle {int(np.argmax(lost))}; "
            "give the section an axis that lies along the surface"
        )
    if np.any(lost):
        other = np.roll(np.eye(3)[np.argmax(np.abs(axis))], 1)
        e1[lost] = other - (n[lost] @ other)[:, None] * n[lost]
        length = np.linalg.norm(e1, axis=1)
    return np.asarray(e1 / length[:, None])


def to_body_freedoms(B: Array, R: Array) -> Array:
    """Rewrite rows acting on facet freedoms as rows acting on body freedoms.

    Parameters
    ----------
    B : (n_e, ..., 18) array, acting on (u, θ) of the three nodes in facet axes.
    R : (n_e, 3, 3) array, facet axes.

    Returns
    -------
    (n_e, ..., 18) array: ``B @ diag(R, R, R, R, R, R)``.
    """
    n_e = B.shape[0]
    return np.asarray((B.reshape(n_e, -1, 3) @ R).reshape(B.shape))


def to_facet_freedoms(q_e: Array, R: Array) -> Array:
    """Resolve element freedoms (n_e, 18), given in body axes, in facet axes."""
    return np.asarray(np.einsum("eab,egb->ega", R, q_e.reshape(-1, 6, 3)).reshape(-1, 18))
