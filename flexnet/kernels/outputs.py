"""Everything worth knowing at a row of output, for many rows at once."""

from typing import Any, NamedTuple

import numpy as np

from flexnet.kernels import entry
from flexnet.kernels.constraints import constraint_rates
from flexnet.kernels.energy import kinetic_energy, potential_energy
from flexnet.kernels.linear_algebra import copy
from flexnet.kernels.model import ROW_FORCE, ROW_HEAD, ROW_OTHER, ROW_TAIL, Model
from flexnet.kernels.turns import twist
from flexnet.kernels.vector import matrix_to_quaternion, multiply
from flexnet.typing import Array, IntArray


class Rows(NamedTuple):
    """Quantities at the rows of a block; the first axis is the row. All vectors are in ground axes."""

    position: Array  # (rows, nodes, 3) m
    quaternion: Array  # (rows, nodes, 4)
    velocity: Array  # (rows, nodes, 3) m/s
    angular_velocity: Array  # (rows, nodes, 3) rad/s
    acceleration: Array  # (rows, nodes, 3) m/s²
    angular_acceleration: Array  # (rows, nodes, 3) rad/s²
    force: Array  # (rows, nodes, 3) cutset sums of the T-branch that reaches the node, N
    torque: Array  # (rows, rotation nodes, 3) cutset sums of the R-branch that reaches it, N m
    row_force: Array  # (rows, m, 3) unit force of every constraint row
    row_head: Array  # (rows, m, 3) unit torque of every constraint row on its head
    axis: Array  # (rows, R-branches, 3) first axis of every R-branch
    driven: Array  # (rows, T-branches, 3, 3) driven directions of every T-branch
    angle: Array  # (rows, angles) counted angles, rad
    load: Array  # (rows, elements, 12) force and torque of every force element on its head, then on its tail
    energy: Array  # (rows, 3) kinetic, potential and strain energy, J
    norm: Array  # (rows, 2) largest |Φ| and |Φ̇|
    phi: Array  # (m,) scratch
    r: Array  # (n,) scratch


def make_rows(rows: int, model: Model, nodes: int, rotations: int) -> Rows:
    """Allocate the arrays of a block."""
    z = np.zeros
    m, n = len(model.rows), len(model.columns)
    return Rows(
        z((rows, nodes, 3)), z((rows, nodes, 4)), z((rows, nodes, 3)), z((rows, nodes, 3)),
        z((rows, nodes, 3)), z((rows, nodes, 3)),
        z((rows, nodes, 3)), z((rows, rotations, 3)), z((rows, m, 3)), z((rows, m, 3)),
        z((rows, len(model.r_edges), 3)), z((rows, len(model.t_edges), 3, 3)),
        z((rows, len(model.angles))), z((rows, len(model.elements), 12)), z((rows, 3)),
        z((rows, 2)), z(m), z(n),
    )  # fmt: skip


_restore = entry.restore


def evaluate_rows(
    residual: Any, data: IntArray, none: Array, body: IntArray, C: Array,
    t: Array, q: Array, v: Array, a: Array, lam: Array, out: Rows,
) -> int:  # fmt: skip
    """Fill ``out``; ``body`` (nodes,) and ``C`` (nodes, 3, 3) place every node on its body.

    To be compiled by :func:`~flexnet.kernels.compile.specialise`: the residual is a function it receives.
    """
    model, work = _restore(data)
    R = work.tmp[1]
    for i in range(t.shape[0]):
        residual(data, t[i], q[i], v[i], a[i], lam[i], none, out.r, out.phi)
        for k in range(body.shape[0]):
            multiply(work.R[body[k]], C[k], R)
            matrix_to_quaternion(R, out.quaternion[i, k])
            copy(work.omega[body[k]], out.angular_velocity[i, k])
            copy(work.p[k], out.position[i, k])
            copy(work.v[k], out.velocity[i, k])
            copy(work.a[k], out.acceleration[i, k])
            copy(work.omega_dot[body[k]], out.angular_acceleration[i, k])
            copy(work.force[k], out.force[i, k])
        for k in range(work.torque.shape[0]):
            copy(work.torque[k], out.torque[i, k])
        for k in range(model.rows.shape[0]):
            copy(work.row[k][ROW_FORCE:ROW_TAIL], out.row_force[i, k])
            copy(work.row[k][ROW_HEAD:ROW_OTHER], out.row_head[i, k])
            out.norm[i, 0] = max(out.norm[i, 0], abs(out.phi[k]))
        for k in range(model.r_edges.shape[0]):
            copy(work.u[k, 0], out.axis[i, k])
        for k in range(model.t_edges.shape[0]):
            for j in range(model.t_edges[k].n_driven):
                copy(work.e[k, j], out.driven[i, k, j])
        for k in range(model.angles.shape[0]):
            out.angle[i, k] = twist(model, k, q[i], work)
        for k in range(model.elements.shape[0]):
            copy(work.loads[k], out.load[i, k])
        constraint_rates(model, v[i], work, out.phi)
        for k in range(model.rows.shape[0]):
            out.norm[i, 1] = max(out.norm[i, 1], abs(out.phi[k]))
        out.energy[i, 0] = kinetic_energy(model, v[i], work)
        potential_energy(model, q[i], work, out.energy[i, 1:3])
    return len(t)
