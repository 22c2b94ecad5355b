"""Loads on the attachment frames of flexible bodies: the cutsets of their arms, whatever the tree.

A flexible arm is a branch of both trees. Everything beyond it, applied loads, inertia and multipliers,
reaches the body through it: forward arms carry their cutset sum to the body, backward ones its reaction.
"""

import numpy as np

from flexnet.components import FlexibleBody
from flexnet.formulation.equations import Equations
from flexnet.formulation.reactions import leans_on_virtual, nodal_sums
from flexnet.formulation.sensed_stress import arms_of
from flexnet.formulation.snapshot import Snapshot
from flexnet.formulation.state import Motion, State
from flexnet.typing import Array


def arm_loads(equations: Equations, body: FlexibleBody, rows: Snapshot) -> Array:
    """Forces and torques on the attachment frames of a flexible body, about their origins.

    Returns
    -------
    (rows, n_f, 6) array
        In ground axes, N and N m, in the order of the table's frames; zero where nothing is attached. Loads
        that redundant constraints leave open are those of the rows that were kept.
    """
    out = np.zeros((len(rows.t), len(body.table.frames.names), 6))
    nodal = equations.nodal if leans_on_virtual(equations) else None
    force, torque = rows.values.force, rows.values.torque
    if nodal is not None:
        force, torque = _nodal(equations, rows)
    used = equations if nodal is None else nodal
    places = (
        (slice(0, 3), used.T, used.packer.node, force),
        (slice(3, 6), used.R, used.packer.rotation_node, torque),
    )
    arms = arms_of(body, used.parts)
    for where, tree, index, sums in places:
        for branch in tree.branches:
            if branch.edge.name in arms:
                out[:, arms[branch.edge.name], where] = branch.sign * sums[:, index[branch.child]]
    return out


def _nodal(equations: Equations, rows: Snapshot) -> tuple[Array, Array]:
    """Cutset sums of the nodal form, one instant at a time."""
    n, found = equations.n_v, []
    for k in range(len(rows.t)):
        state = State(rows.t[k], rows.q[k], rows.v[k, :n], rows.v[k, n:])
        found.append(nodal_sums(equations, state, Motion(rows.a[k, :n], rows.lam[k])))
    return np.array([f for f, _ in found]), np.array([t for _, t in found])
