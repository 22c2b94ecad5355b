"""A rigid mass on a node."""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.mass_points import MassPoints
from flexnet.mesh import NodeRef
from flexnet.typing import Array


@dataclass(frozen=True, slots=True)
class PointMass:
    r"""A small rigid body carried by one node.

    Parameters
    ----------
    node : the node that carries it.
    mass : [kg].
    inertia : (3, 3) inertia about its own centre of mass, body axes [kg·m²]; or its diagonal.
    offset : centre of mass from the node [m].

    Notes
    -----
    With the principal values λ_i, axes p_i of the second moments :math:`P = \tfrac12 tr(J) 1 - J`, the six
    points :math:`\pm\sqrt{3λ_i/m}\, p_i` of mass m/6 have exactly the mass, centre and inertia of the body.
    """

    node: NodeRef
    mass: float
    inertia: tuple[float, ...] | Array = (0.0, 0.0, 0.0)
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not self.mass > 0.0:
            raise ModelError(f"point mass at node {self.node!r}: mass {self.mass} must be positive")
        J = np.asarray(self.inertia, dtype=float)
        J = np.diag(J) if J.shape == (3,) else J.reshape(3, 3) if J.shape == (9,) else J
        if J.shape != (3, 3) or not np.allclose(J, J.T):
            raise ModelError(f"point mass at node {self.node!r}: inertia must be (3,) or a symmetric (3, 3)")
        if np.linalg.eigvalsh(_second_moments(J)).min() < -1e-12 * max(np.trace(J), 1e-300):
            raise ModelError(
                f"point mass at node {self.node!r}: inertia {np.linalg.eigvalsh(J).tolist()} is of no body"
                " (each principal moment is at most the sum of the two others)"
            )
        object.__setattr__(self, "inertia", tuple(map(float, J.reshape(-1))))

    def mass_points(self, position: Array) -> MassPoints:
        """Return its mass points as an element of one node at ``position`` (3,) [m]."""
        J = np.asarray(self.inertia).reshape(3, 3)
        values, axes = np.linalg.eigh(_second_moments(J))
        spread = np.sqrt(3.0 * np.clip(values, 0.0, None) / self.mass) * axes  # columns
        r = np.asarray(self.offset) + np.concatenate([spread.T, -spread.T])  # (point, xyz), from the node
        N = np.zeros((1, 6, 3, 6))
        N[0, :, :, :3] = np.eye(3)
        # θ × r
        N[0, :, 0, 4], N[0, :, 0, 5] = r[:, 2], -r[:, 1]
        N[0, :, 1, 3], N[0, :, 1, 5] = -r[:, 2], r[:, 0]
        N[0, :, 2, 3], N[0, :, 2, 4] = r[:, 1], -r[:, 0]
        return MassPoints((position + r)[None], N, np.full((1, 6), self.mass / 6.0))


def _second_moments(J: Array) -> Array:
    return np.asarray(0.5 * np.trace(J) * np.eye(3) - J)
