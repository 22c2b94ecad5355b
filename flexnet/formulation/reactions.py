"""Through variables: the load of every joint and driver, whatever the tree.

A joint in the cotree has the multipliers of its constraint rows; a joint in a tree has the sum of its
cutset (GTM eq. 78, 84). Where a driver rides on a joint and is the branch, the cutset holds the loads
of both: the driver takes the part in the joint's motion space, the joint the rest.

A virtual joint carries nothing. Where one is a branch that holds some direction, its cutset tells only
the sum of what the real joints of the loop carry there; the loads then come from the nodal form, in
which every joint is a chord and every body has its own balance (GTM §2.5).
"""

from dataclasses import dataclass

import numpy as np

from flexnet.components import RotationDriver, TranslationDriver
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import Motion, State
from flexnet.graph import Branch, Kind
from flexnet.kernels.dynamics import apply_inertia
from flexnet.kernels.forces import apply_loads
from flexnet.kernels.kinematics import accelerations, positions, velocities
from flexnet.kernels.model import COORDINATE
from flexnet.typing import AnyArray, Array


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
    if _leans_on_virtual(equations):
        return _nodal_loads(equations, state, motion)
    equations.residual(state, motion.a, motion.lam)
    force = _cutset_forces(equations)
    torque = _cutset_torques(equations)
    _add_multipliers(equations, motion.lam, force, torque)
    _split_between_joint_and_driver(equations, force, torque)
    zero = np.zeros(3)
    parts = [p for p in equations.parts if p.kind in (Kind.JOINT, Kind.DRIVER)]
    return {p.name: Load(force.get(p.name, zero), torque.get(p.name, zero)) for p in parts}


def _leans_on_virtual(equations: Equations) -> bool:
    """Whether a virtual branch holds a direction that only the rest of the mechanism should hold."""
    all_t, all_r = (2, 1) if equations.system.is_planar else (3, 3)
    for branch in equations.T.branches:
        t = equations.terminals[branch.edge.name].translation
        if t is not None and len(t.free) + len(t.driven) < all_t and _is_virtual(equations, branch):
            return True
    for branch in equations.R.branches:
        r = equations.terminals[branch.edge.name].rotation
        if r is not None and max(r.unknowns, r.kind == "driven") < all_r and _is_virtual(equations, branch):
            return True
    return False


def _is_virtual(equations: Equations, branch: Branch) -> bool:
    """Whether a branch is a virtual joint or a driver that rides on one."""
    driver = _on_joint(equations, branch)
    if driver is None:
        return branch.edge.kind is Kind.VIRTUAL
    return equations.system.components[str(driver.joint)].kind is Kind.VIRTUAL


def _nodal_loads(equations: Equations, state: State, motion: Motion) -> dict[str, Load]:
    """Loads from the balance of every body, ``A λ = wrench``, least squares where it is redundant."""
    nodal = equations.nodal
    at = nodal.state(equations.poses(state))
    nodal.constraints(at.q, at.t)
    node_of = np.array([equations.packer.node[name] for name in equations.packer.rotation_node])
    p, rows, work = nodal.work.p, nodal.model.rows, nodal.work
    A = np.zeros((len(node_of), 6, nodal.m))
    for i, row in enumerate(rows):
        for node, body, f, tau in (
            (row["head"], row["head_r"], work.row_force[i], work.row_head[i]),
            (row["tail"], row["tail_r"], -work.row_force[i], work.row_tail[i]),
        ):
            A[body, :3, i] += f
            A[body, 3:, i] += tau + np.cross(p[node] - p[node_of[body]], f)
    wrench = _body_wrenches(equations, state, motion, node_of)
    lam = np.asarray(
        np.linalg.lstsq(A[1:].reshape(-1, nodal.m), wrench[1:].ravel(), rcond=1e-12)[0], dtype=float
    )
    force, torque = dict[str, Array](), dict[str, Array]()
    _add_multipliers(nodal, lam, force, torque)
    zero = np.zeros(3)
    parts = [part for part in equations.parts if part.kind in (Kind.JOINT, Kind.DRIVER)]
    return {part.name: Load(force.get(part.name, zero), torque.get(part.name, zero)) for part in parts}


def _body_wrenches(equations: Equations, state: State, motion: Motion, node_of: AnyArray) -> Array:
    """Applied and inertia wrench on every body about its frame, (bodies + 1, 6)."""
    model, work = equations.model, equations.work
    positions(model, float(state.t), state.q, work)
    velocities(model, state.v, work)
    accelerations(model, state.v, motion.a, work)
    apply_loads(model, float(state.t), state.q, state.v, work)
    apply_inertia(model, work)
    out = np.zeros((len(node_of), 6))
    out[:, 3:] = work.torque
    for name, frame in equations.system.frames.items():
        node, body = equations.packer.node[name], equations.packer.body_index(frame)
        out[body, :3] += work.force[node]
        out[body, 3:] += np.cross(work.p[node] - work.p[node_of[body]], work.force[node])
    return out


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
            # the driver's torque is a chord in the cutset of the joint it rides on
            assert isinstance(row.component, RotationDriver)
            joint = str(row.component.joint)
            push, turn = np.zeros(3), axis[joint]
            torque[joint] = torque[joint] + lam[i] * turn
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


def _on_joint(equations: Equations, branch: Branch) -> RotationDriver | TranslationDriver | None:
    """The driver of a branch, if it rides on a joint."""
    part = equations.system.components.get(branch.edge.name)
    if isinstance(part, RotationDriver | TranslationDriver) and part.joint is not None:
        return part
    return None
