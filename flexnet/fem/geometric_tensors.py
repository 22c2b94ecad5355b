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
from flexnet.fem.port import element_loads, free_expansion
from flexnet.fem.region import AbstractRegion
from flexnet.fem.sparse import Tensor
from flexnet.fem.structure import Structure
from flexnet.fem.unit_loads import N_INERTIA, unit_inertia_loads
from flexnet.kernels.fem_scatter import scatter_rows
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

    acceleration: Tensor
    angular_acceleration: Tensor
    omega_products: Tensor
    frames: Tensor

    @property
    def is_known(self) -> bool:
        """Whether any of them is more than zero: imported modes come without."""
        given = (self.acceleration, self.angular_acceleration, self.omega_products, self.frames)
        return any(bool(x.any()) for x in given)


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
    distributed = np.eye(N_INERTIA, F.shape[1])
    for region, cells, X in body.batches():
        state = prestress_state(body, region, cells, X, U, distributed, inertia)
        G += region.reduced_geometric(X, state, shapes[freedoms(cells)])
    for master, blocks in link_blocks(body, np.asarray(held.full.K @ U - F)):
        turn = shapes[6 * master + 3 : 6 * master + 6]
        G += turn.T @ blocks @ turn
    G = 0.5 * (G + G.transpose(0, 2, 1))
    return GeometricTensors(
        acceleration=G[:3].copy(),
        angular_acceleration=G[3:6].copy(),
        omega_products=G[6:12].copy(),
        frames=G[N_INERTIA:].reshape(len(body.attachments), 6, m, m).copy(),
    )


def geometric_loads(
    body: Body, U: Array, forces: Array, distributed: Array, shapes: Array, inertia: str
) -> Array:
    """Return the loads K_G φ (6n, n_l m) of every prestress on every shape.

    Parameters
    ----------
    body : elements and links.
    U : (6n, n_l) displacements whose internal forces prestress the body.
    forces : (6n, n_l) internal minus external loads of the nodes, which rigid links pass on.
    distributed : (12, n_l) accelerations of the frame among the loads of each.
    shapes : (6n, m).
    inertia : ``consistent``, ``linear`` or ``lumped``.
    """
    total = np.zeros((len(shapes), U.shape[1] * shapes.shape[1]))
    for cells, state, basis in prestressed(body, U, distributed, inertia):
        n_e, n_edof = len(cells), 6 * cells.shape[1]
        turned = basis @ shapes[freedoms(cells)][:, None]
        loads = state.transpose(0, 2, 1) @ turned.reshape(n_e, state.shape[1], -1)  # (element, load, i and j)
        loads = loads.reshape(n_e, -1, n_edof, shapes.shape[1]).transpose(0, 2, 1, 3)
        scatter_rows(total, cells, np.ascontiguousarray(loads.reshape(n_e, n_edof, -1)))
    for master, blocks in link_blocks(body, forces):
        place = slice(6 * master + 3, 6 * master + 6)
        total[place] += (blocks @ shapes[place]).transpose(1, 0, 2).reshape(3, -1)
    return total


def prestressed(
    body: Body, U: Array, distributed: Array, inertia: str
) -> Iterator[tuple[IntArray, Array, Array]]:
    """Nodes, states (n_e, n_state, n_l) and K_G of unit states (n_e, n_state, n_edof, n_edof) of batches."""
    for region, cells, X in body.batches():
        yield (
            cells,
            prestress_state(body, region, cells, X, U, distributed, inertia),
            region.geometric_basis(X),
        )


def prestress_state(
    body: Body, region: AbstractRegion, cells: IntArray, X: Array, U: Array, distributed: Array, inertia: str
) -> Array:
    """States (n_e, n_state, n_l) of elements whose body has the displacements U under the loads."""
    where = freedoms(cells)
    load = np.zeros((*where.shape, 0))
    if region.has_bow:
        load = unit_inertia_loads(points_of(region, X, inertia)) @ distributed
        load[:, :, N_INERTIA:] += element_loads(body, region, X)
    u = U[where]
    u[:, :, N_INERTIA:] -= free_expansion(body, region, cells)
    return region.state(X, u, load)


def link_blocks(body: Body, forces: Array) -> Iterator[tuple[int, Array]]:
    """Second-order motion of rigid arms under the forces (6n, n_l) that carried nodes pass on.

    Yields the node that carries and the blocks (n_l, 3, 3) of its rotations.
    """
    for link in body.links:
        if isinstance(link, RigidLink):
            master, slaves = body.mesh.find_node(link.master), body.mesh.find_nodes(link.slaves)
            for slave in slaves:
                load = forces[6 * slave : 6 * slave + 3].T
                arm = np.broadcast_to(body.mesh.nodes[slave] - body.mesh.nodes[master], load.shape)
                yield master, arm_geometric_stiffness(arm, load)
