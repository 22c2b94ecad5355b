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

from flexnet.components import Component, RotationDriver, TranslationDriver
from flexnet.formulation.equations import Equations
from flexnet.formulation.snapshot import Snapshot, snapshot
from flexnet.formulation.state import Motion, State
from flexnet.graph import Branch, Kind
from flexnet.kernels.dynamics import apply_inertia
from flexnet.kernels.forces import apply_loads
from flexnet.kernels.kinematics import accelerations, positions, velocities
from flexnet.kernels.model import COORDINATE
from flexnet.typing import AnyArray, Array


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """What a joint or driver does to its head, at one instant (3,) or at many (rows, 3).

    Attributes
    ----------
    force : on the head, at the origin of the head frame, in ground axes, N.
    torque : on the head about that point, in ground axes, N m.
    """

    force: Array
    torque: Array


def reactions(equations: Equations, state: State, motion: Motion | None = None) -> dict[str, Load]:
    """Loads of all joints and motion drivers at a state.

    Parameters
    ----------
    motion : accelerations and multipliers there; computed if left out.
    """
    found = equations.motion(state) if motion is None else motion
    one = snapshot(equations, [state.t], [state.q], [state.v], [found.a], [found.lam])
    return {name: Load(load.force[0], load.torque[0]) for name, load in loads(equations, one).items()}


def loads(equations: Equations, rows: Snapshot) -> dict[str, Load]:
    """Loads of all joints and motion drivers at many instants."""
    if _leans_on_virtual(equations):
        return _nodal_loads_of(equations, rows)
    force = _cutsets(equations.T.branches, equations.packer.node, rows.values.force)
    torque = _cutsets(equations.R.branches, equations.packer.rotation_node, rows.values.torque)
    zero = np.zeros((len(rows.t), 3))
    parts = [p for p in equations.parts if p.kind in (Kind.JOINT, Kind.DRIVER)]
    for part in parts:
        force.setdefault(part.name, zero)
        torque.setdefault(part.name, zero)
    _add_multipliers(equations, rows, force, torque)
    _split_between_joint_and_driver(equations, rows, force, torque)
    return {part.name: Load(force[part.name], torque[part.name]) for part in parts}


def _cutsets(branches: tuple[Branch, ...], index: dict[str, int], sums: Array) -> dict[str, Array]:
    kinds = (Kind.JOINT, Kind.DRIVER)
    return {b.edge.name: -b.sign * sums[:, index[b.child]] for b in branches if b.edge.kind in kinds}


def _leans_on_virtual(equations: Equations) -> bool:
    """Whether a virtual branch holds a direction that only the rest of the mechanism should hold."""
    t, r = (2, 1) if equations.system.is_planar else (3, 3)
    virtual_t = [b.edge for b in equations.T.branches if b.edge.kind is Kind.VIRTUAL]
    virtual_r = [b.edge for b in equations.R.branches if b.edge.kind is Kind.VIRTUAL]
    return any((e.unknowns_t or 0) < t for e in virtual_t) or any((e.unknowns_r or 0) < r for e in virtual_r)


def _nodal_loads_of(equations: Equations, rows: Snapshot) -> dict[str, Load]:
    each = [
        _nodal_loads(equations, State(t, q, v), Motion(a, lam))
        for t, q, v, a, lam in zip(rows.t, rows.q, rows.v, rows.a, rows.lam, strict=True)
    ]
    return {
        name: Load(np.array([x[name].force for x in each]), np.array([x[name].torque for x in each]))
        for name in each[0]
    }


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
    parts = [part for part in equations.parts if part.kind in (Kind.JOINT, Kind.DRIVER)]
    out = {part.name: Load(np.zeros(3), np.zeros(3)) for part in parts}
    for i, row in enumerate(nodal.rows):
        load = out[row.component.name]
        load.force[:] -= lam[i] * work.row_force[i]
        load.torque[:] -= lam[i] * work.row_head[i]
    return out


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


def _add_multipliers(
    equations: Equations, rows: Snapshot, force: dict[str, Array], torque: dict[str, Array]
) -> None:
    axis = {b.edge.name: rows.values.axis[:, i] for i, b in enumerate(equations.R.branches)}
    for i, row in enumerate(equations.rows):
        name, lam = row.component.name, rows.lam[:, i, None]
        if row.kind == COORDINATE:
            # the driver's torque is a chord in the cutset of the joint it rides on
            assert isinstance(row.component, RotationDriver)
            joint = str(row.component.joint)
            torque[name] = torque[name] - lam * axis[joint]
            torque[joint] = torque[joint] + lam * axis[joint]
        else:
            force[name] = force[name] - lam * rows.values.row_force[:, i]
            torque[name] = torque[name] - lam * rows.values.row_head[:, i]


def _split_between_joint_and_driver(
    equations: Equations, rows: Snapshot, force: dict[str, Array], torque: dict[str, Array]
) -> None:
    for i, branch in enumerate(equations.T.branches):
        part = _on_joint(equations, branch)
        if isinstance(part, TranslationDriver):
            E = rows.values.driven[:, i, : len(part.directions)]
            own = np.einsum("rki,rk->ri", E, np.einsum("rki,ri->rk", E, force[part.name]))
            force[str(part.joint)] = force[str(part.joint)] + force[part.name] - own
            force[part.name] = own
    for i, branch in enumerate(equations.R.branches):
        part = _on_joint(equations, branch)
        if isinstance(part, RotationDriver):
            u = rows.values.axis[:, i]
            own = np.einsum("ri,ri->r", u, torque[part.name])[:, None] * u
            torque[str(part.joint)] = torque[str(part.joint)] + torque[part.name] - own
            torque[part.name] = own


def _on_joint(equations: Equations, branch: Branch) -> Component | None:
    """The driver of a branch, if it rides on a joint."""
    part = equations.system.components.get(branch.edge.name)
    rides = isinstance(part, RotationDriver | TranslationDriver) and part.joint is not None
    return part if rides else None
