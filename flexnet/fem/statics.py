"""Static deformation under loads at nodes, prescribed accelerations, or both."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_array, csr_array

from flexnet.errors import ModelError
from flexnet.fem.assembly import geometric_stiffness
from flexnet.fem.beam.region import arm_geometric_stiffness
from flexnet.fem.body import Body
from flexnet.fem.factor import Factor, factorise
from flexnet.fem.links import RigidLink
from flexnet.fem.structure import Structure
from flexnet.fem.unit_loads import omega_products
from flexnet.mesh import NodeRef
from flexnet.typing import Array, Vector


@dataclass(frozen=True, slots=True)
class Loads:
    r"""Loads on a body held in its frame.

    Parameters
    ----------
    nodes : force and moment (6,) on a node, or on each node of a group, in body axes [N, N·m].
    acceleration : a₀ of the frame [m/s²]; gravity g is the acceleration -g.
    angular_velocity : ω of the frame [rad/s].
    angular_acceleration : ω̇ of the frame [rad/s²].

    Notes
    -----
    The inertia load of the undeformed body is

    .. math:: -\int ρ N^T \left(a_0 + \dot ω \times s_0 + ω \times (ω \times s_0)\right) dV .   \tag{1}
    """

    nodes: Mapping[NodeRef, Vector] = field(default_factory=dict)
    acceleration: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    angular_acceleration: Vector = (0.0, 0.0, 0.0)

    @property
    def motion(self) -> Array:
        """Acceleration of the frame as the twelve numbers of flexnet.fem.unit_loads."""
        a, alpha = (np.asarray(x, dtype=float) for x in (self.acceleration, self.angular_acceleration))
        return np.concatenate([a, alpha, omega_products(self.angular_velocity)])


def node_load(body: Body, loads: Loads) -> Array:
    """Return the (6n,) load vector of forces and moments on nodes."""
    f = np.zeros(6 * len(body.mesh.nodes))
    for where, values in loads.nodes.items():
        load = np.asarray(values, dtype=float)
        if load.shape != (6,):
            raise ModelError(f"load on node {where!r} has shape {load.shape}, expected force and moment (6,)")
        for node in body.mesh.find_nodes(where):
            f[6 * node : 6 * node + 6] += load
    return f


def load_vector(structure: Structure, loads: Loads) -> Array:
    """Return the (6n,) load vector of all loads."""
    return np.asarray(node_load(structure.body, loads) + structure.full.unit_loads @ loads.motion)


def solve_static(structure: Structure, loads: Loads) -> Array:
    """Return the static displacement (6n,) of a supported body [m, rad].

    Raises
    ------
    ModelError
        If the supports leave the body free to move.
    """
    f = load_vector(structure, loads)
    return np.asarray(structure.T @ stiffness_factor(structure).solve(structure.T.T @ f))


def stiffness_factor(structure: Structure) -> Factor:
    """Return the factorised stiffness, or raise ModelError if a rigid motion is left."""
    if structure.is_free:
        raise ModelError("the supports leave the body free to move; hold six freedoms or more")
    return factorise(structure.K)


def reactions(structure: Structure, u: Array, loads: Loads) -> Array:
    """Return the (6n,) forces that supports and links exert, K u - f; zero at unconstrained freedoms."""
    return np.asarray(structure.full.K @ u - load_vector(structure, loads))


def prestress(structure: Structure, u: Array, loads: Loads) -> csr_array:
    """Return the geometric stiffness (6n, 6n) of a static state, that of rigid links included.

    Parameters
    ----------
    structure : supported body.
    u : (6n,) displacement under ``loads``.
    loads : what caused it; inertia loads act between the nodes.
    """
    body, inertia = structure.body, structure.full.inertia
    elements = geometric_stiffness(body, u, loads.motion, inertia)
    return csr_array(elements + link_stiffness(body, reactions(structure, u, loads)))


def link_stiffness(body: Body, forces: Array) -> csr_array:
    """Return the (6n, 6n) geometric stiffness of rigid links.

    A carried node moves to second order by ½θ×(θ×r) with the rotation of its master, against the force its
    elements exert: ``forces`` (6n,) are the internal minus the external loads of the nodes.
    """
    size = 6 * len(body.mesh.nodes)
    total = csr_array((size, size))
    for link in body.links:
        if isinstance(link, RigidLink):
            master, slaves = body.mesh.find_node(link.master), body.mesh.find_nodes(link.slaves)
            arm = body.mesh.nodes[slaves] - body.mesh.nodes[master]
            block = arm_geometric_stiffness(arm, forces.reshape(-1, 6)[slaves, :3]).sum(axis=0)
            place = 6 * master + 3 + np.arange(3)
            row, column = np.repeat(place, 3), np.tile(place, 3)
            total = total + csr_array(coo_array((block.reshape(-1), (row, column)), shape=(size, size)))
    return total
