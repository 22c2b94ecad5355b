"""Through variables: the load of every joint and driver, whatever the tree.

A joint in the cotree has the multipliers of its constraint rows; a joint in a tree has the sum of its
cutset (GTM eq. 78, 84). Where a driver rides on a joint and is the branch, the cutset holds the loads
of both: the driver takes the part in the joint's motion space, the joint the rest.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.components import Component, RotationDriver, TranslationDriver
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import Motion, State
from flexnet.graph import Branch, Kind
from flexnet.kernels.model import COORDINATE
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """What a joint or driver does to its head.

    Attributes
    ----------
    force : (3,) on the head, at the origin of the head frame, in ground axes, N.
    torque : (3,) on the head about that point, in ground axes, N m.
    """

    force: Array
    torque: Array


def reactions(equations: Equations, state: State, motion: Motion | None = None) -> dict[str, Load]:
    """Loads of all joints and motion drivers at a state.

    Parameters
    ----------
    motion : accelerations and multipliers there; computed if left out.
    """
    if motion is None:
        motion = equations.motion(state)
    equations.residual(state, motion.a, motion.lam)
    force = _cutset_forces(equations)
    torque = _cutset_torques(equations)
    _add_multipliers(equations, motion.lam, force, torque)
    _split_between_joint_and_driver(equations, force, torque)
    zero = np.zeros(3)
    parts = [p for p in equations.parts if p.kind in (Kind.JOINT, Kind.DRIVER)]
    return {p.name: Load(force.get(p.name, zero), torque.get(p.name, zero)) for p in parts}


def _cutset_forces(equations: Equations) -> dict[str, Array]:
    node, sums = equations.packer.node, equations.work.force
    return {b.edge.name: -b.sign * sums[node[b.child]] for b in _joint_branches(equations.T.branches)}


def _cutset_torques(equations: Equations) -> dict[str, Array]:
    node, sums = equations.packer.rotation_node, equations.work.torque
    return {b.edge.name: -b.sign * sums[node[b.child]] for b in _joint_branches(equations.R.branches)}


def _joint_branches(branches: tuple[Branch, ...]) -> list[Branch]:
    return [b for b in branches if b.edge.kind in (Kind.JOINT, Kind.DRIVER)]


def _add_multipliers(
    equations: Equations, lam: Array, force: dict[str, Array], torque: dict[str, Array]
) -> None:
    work = equations.work
    axis = {b.edge.name: work.u[i, 0] for i, b in enumerate(equations.R.branches)}
    for i, row in enumerate(equations.rows):
        name = row.component.name
        if row.kind == COORDINATE:
            assert isinstance(row.component, RotationDriver)
            push, turn = np.zeros(3), axis[str(row.component.joint)]
        else:
            push, turn = work.row_force[i], work.row_head[i]
        force[name] = force.get(name, np.zeros(3)) - lam[i] * push
        torque[name] = torque.get(name, np.zeros(3)) - lam[i] * turn


def _split_between_joint_and_driver(
    equations: Equations, force: dict[str, Array], torque: dict[str, Array]
) -> None:
    work = equations.work
    for i, branch in enumerate(equations.T.branches):
        part = _on_joint(equations, branch)
        if isinstance(part, TranslationDriver):
            E = work.e[i, : len(part.directions)]
            own = E.T @ (E @ force[part.name])
            joint = str(part.joint)
            force[joint] = force.get(joint, np.zeros(3)) + force[part.name] - own
            force[part.name] = own
    for i, branch in enumerate(equations.R.branches):
        part = _on_joint(equations, branch)
        if isinstance(part, RotationDriver):
            u = work.u[i, 0]
            own = (u @ torque[part.name]) * u
            joint = str(part.joint)
            torque[joint] = torque.get(joint, np.zeros(3)) + torque[part.name] - own
            torque[part.name] = own


def _on_joint(equations: Equations, branch: Branch) -> Component | None:
    """The driver of a branch, if it rides on a joint."""
    part = equations.system.components.get(branch.edge.name)
    rides = isinstance(part, RotationDriver | TranslationDriver) and part.joint is not None
    return part if rides else None
