r"""Geometric stiffness of a floating body for unit inertia loads and unit loads on its attachment frames.

The body is held in its frame and loaded by the inertia of an acceleration of the frame,

.. math:: -ρ \left(a_0 + \dot ω \times s + ω (ω \cdot s) - ω^2 s\right) ,                 \tag{1}

(flexnet.fem.unit_loads), or by a force or moment on an attachment frame. The internal forces of each unit
load give a matrix; at any instant

.. math:: K_G = \sum_i a_{0i} K^a_i + \sum_i \dot ω_i K^α_i + \sum_k (ωω)_k K^ω_k
               + \sum_{f,i} F_{f,i} K^F_{f,i}                                         \tag{2}

with (ωω) = (ωx², ωy², ωz², ωxωy, ωyωz, ωzωx). Gravity g counts as the acceleration -g. The loads on a moving
body are in balance, so the sum does not depend on where it is held.

By reciprocity the same matrices give the displacement of a frame to second order in q (foreshortening): the
virtual work of a unit force on the second-order displacement u₂ is that of its internal forces on the
second-order strain, with the opposite sign,

.. math:: u_{2,fi} = -\tfrac12 q^T K^F_{f,i} q .                                       \tag{3}
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexnet.fem.attachment import frame_rows
from flexnet.fem.beam.region import arm_geometric_stiffness
from flexnet.fem.body import Body, freedoms, points_of
from flexnet.fem.factor import Factor
from flexnet.fem.links import RigidLink
from flexnet.fem.mass_points import acceleration_load
from flexnet.fem.region import AbstractRegion
from flexnet.fem.structure import Structure
from flexnet.fem.unit_loads import N_INERTIA, unit_accelerations
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True)
class GeometricTensors:
    """The matrices of eq. (2).

    Attributes
    ----------
    acceleration : (3, m, m) per m/s² of the frame.
    angular_acceleration : (3, m, m) per rad/s².
    omega_products : (6, m, m) per (rad/s)², order xx, yy, zz, xy, yz, zx.
    frames : (n_f, 6, m, m) per N and N·m on each attachment frame, body axes.
    """

    acceleration: Array
    angular_acceleration: Array
    omega_products: Array
    frames: Array


def geometric_tensors(held: Structure, factor: Factor, shapes: Array, inertia: str) -> GeometricTensors:
    """Return the geometric stiffness matrices in the basis ``shapes`` (6n, m).

    Parameters
    ----------
    held : the body on supports that leave no rigid motion.
    factor : of its stiffness.
    shapes : (6n, m) basis.
    inertia : ``consistent``, ``linear`` or ``lumped``.
    """
    body = held.body
    F = np.hstack([held.full.unit_loads, frame_rows(held, None).T.toarray()])
    U = np.asarray(held.T @ factor.solve(np.asarray(held.T.T @ F)))
    m = shapes.shape[1]
    G = np.zeros((F.shape[1], m, m))
    for region, cells, X in body.batches():
        _add_elements(G, region, (cells, X), U, shapes, inertia)
    _add_links(G, body, np.asarray(held.full.K @ U - F), shapes)
    G = 0.5 * (G + G.transpose(0, 2, 1))
    return GeometricTensors(
        acceleration=G[:3].copy(),
        angular_acceleration=G[3:6].copy(),
        omega_products=G[6:12].copy(),
        frames=G[N_INERTIA:].reshape(len(body.frames), 6, m, m).copy(),
    )


def _add_elements(
    G: Array, region: AbstractRegion, elements: tuple[IntArray, Array], U: Array, shapes: Array, inertia: str
) -> None:
    """Add Φᵀ K_G Φ of a batch of elements for every load case; K_G is linear in the state."""
    cells, X = elements
    load = np.zeros((len(cells), 6 * cells.shape[1], U.shape[1] if region.has_bow else 0))
    if region.has_bow:
        points = points_of(region, X, inertia)
        load[:, :, :N_INERTIA] = acceleration_load(points, unit_accelerations(points.s))
    where = freedoms(cells)
    state = region.state(X, U[where], load)  # (element, force, load case)
    phi = shapes[where]
    m = shapes.shape[1]
    for force, unit in _unit_states(region, len(cells)):
        reduced = phi.transpose(0, 2, 1) @ (region.geometric_stiffness(X, unit) @ phi)
        G += (state[:, force].T @ reduced.reshape(len(cells), m * m)).reshape(-1, m, m)


def _unit_states(region: AbstractRegion, n_e: int) -> Iterator[tuple[int, Array]]:
    for force in range(region.n_state):
        unit = np.zeros((n_e, region.n_state))
        unit[:, force] = 1.0
        yield force, unit


def _add_links(G: Array, body: Body, forces: Array, shapes: Array) -> None:
    """Add the second-order motion of rigid arms under the forces (6n, n_l) that carried nodes pass on."""
    for link in body.links:
        if isinstance(link, RigidLink):
            master, slaves = body.mesh.find_node(link.master), body.mesh.find_nodes(link.slaves)
            turn = shapes[6 * master + 3 : 6 * master + 6]
            for slave in slaves:
                load = forces[6 * slave : 6 * slave + 3].T
                arm = np.broadcast_to(body.mesh.nodes[slave] - body.mesh.nodes[master], load.shape)
                G += turn.T @ arm_geometric_stiffness(arm, load) @ turn
