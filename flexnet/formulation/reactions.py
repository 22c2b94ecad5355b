"""Through variables: the load of every joint and driver, whatever the tree.

A joint in the cotree has the multipliers of its constraint rows; a joint in a tree has the sum of its
cutset (GTM eq. 78, 84). Where a driver rides on a joint and is the branch, the cutset holds the loads
of both: the driver takes the part in the joint's motion space, the joint the rest.

A virtual joint carries nothing. Where one is a branch that holds some direction, its cutset tells only
the sum of what the real joints of the loop carry there; the loads then come from the nodal form, in
which every joint is a chord and every body has its own balance (GTM §2.5).

A flexible arm is a branch of both trees. Everything beyond it, applied loads, inertia and multipliers,
reaches the body through it: forward arms carry their cutset sum to the body, backward ones its reaction.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.components import FlexibleBody, RotationDriver, TranslationDriver
from flexnet.formulation.equations import Equations
from flexnet.formulation.sensed_stress import arms_of
from flexnet.formulation.snapshot import Snapshot
from flexnet.formulation.state import Motion, State
from flexnet.graph import Branch, Kind
from flexnet.kernels import entry
from flexnet.kernels.model import ROW_FORCE, ROW_HEAD, ROW_OTHER, ROW_TAIL
from flexnet.typing import Array


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


def shared_loads(equations: Equations, state: State, motion: Motion) -> dict[str, Load]:
    """Loads of least norm that balance every body."""
    parts = [part for part in equations.parts if part.kind in (Kind.JOINT, Kind.DRIVER)]
    out = {part.name: Load(np.zeros(3), np.zeros(3)) for part in parts}
    for name, push, turn in _nodal_rows(equations, state, motion):
        out[name] = Load(out[name].force + push, out[name].torque + turn)
    return out


def loads(equations: Equations, rows: Snapshot) -> dict[str, Load]:
    """Loads of all joints and motion drivers at many instants; rows that were left out carry nothing."""
    if leans_on_virtual(equations):
        return nodal_loads(equations, rows)
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


def leans_on_virtual(equations: Equations) -> bool:
    """Whether a virtual branch holds a direction that only the rest of the mechanism should hold."""
    if all(part.kind is not Kind.VIRTUAL for part in equations.parts):
        return False
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
    driver = on_joint(equations, branch)
    if driver is None:
        return branch.edge.kind is Kind.VIRTUAL
    return equations.system.components[str(driver.joint)].kind is Kind.VIRTUAL


def nodal_loads(equations: Equations, rows: Snapshot) -> dict[str, Load]:
    """Loads from the balance of every body, one instant at a time; of least norm where some are open."""
    parts = [part for part in equations.parts if part.kind in (Kind.JOINT, Kind.DRIVER)]
    force = {part.name: np.zeros((len(rows.t), 3)) for part in parts}
    torque = {part.name: np.zeros((len(rows.t), 3)) for part in parts}
    n = equations.n_v
    for k in range(len(rows.t)):
        state = State(rows.t[k], rows.q[k], rows.v[k, :n], z=rows.v[k, n:])
        motion = Motion(rows.a[k, :n], rows.lam[k])
        for name, push, turn in _nodal_rows(equations, state, motion):
            force[name][k] += push
            torque[name][k] += turn
    return {part.name: Load(force[part.name], torque[part.name]) for part in parts}


def _nodal_rows(equations: Equations, state: State, motion: Motion) -> list[tuple[str, Array, Array]]:
    """Forces and torques of all rows of the nodal form, ``Gᵀλ = F - M v̇``.

    Where rows are redundant, the λ of least norm, torques over the length of the model.
    """
    lam, nodal = _nodal_multipliers(equations, state, motion), equations.nodal
    force, head = row_wrenches(nodal)
    return [(row.component.name, -lam[i] * force[i], -lam[i] * head[i]) for i, row in enumerate(nodal.rows)]


def _nodal_multipliers(equations: Equations, state: State, motion: Motion) -> Array:
    """Multipliers of the nodal form, which then stands at the same state."""
    nodal = equations.nodal
    at = nodal.state(equations.poses(state))
    _, G = nodal.mass_and_jacobian(at.q, at.t)
    F = _nodal_forces(equations, state, motion)
    # works of unit changes: forces times the length, and moments
    s, rows = nodal.sizes, nodal.row_sizes
    return np.asarray(np.linalg.lstsq((G * s / rows[:, None]).T, s * F, rcond=1e-12)[0] / rows)


def nodal_sums(equations: Equations, state: State, motion: Motion) -> tuple[Array, Array]:
    """Cutset sums of forces and torques in the nodal form, (nodes, 3) and (rotation nodes, 3)."""
    lam, nodal = _nodal_multipliers(equations, state, motion), equations.nodal
    _set_node_forces(equations, state, motion)
    work = nodal.work
    for row, w, x in zip(nodal.model.rows, work.row, lam, strict=True):
        work.force[row["head"]] -= x * w[ROW_FORCE:ROW_TAIL]
        work.force[row["tail"]] += x * w[ROW_FORCE:ROW_TAIL]
        work.torque[row["head_r"]] -= x * w[ROW_HEAD:ROW_OTHER]
        work.torque[row["tail_r"]] -= x * w[ROW_TAIL:ROW_HEAD]
    entry.gather(nodal.handle, np.zeros(nodal.n_v))
    return work.force.copy(), work.torque.copy()


def row_wrenches(equations: Equations) -> tuple[Array, Array]:
    """Unit force and torque of every row on its head at the state now in the workspace, (m, 3) each."""
    rows = equations.work.row
    return rows[:, ROW_FORCE:ROW_TAIL], rows[:, ROW_HEAD:ROW_OTHER]


def _nodal_forces(equations: Equations, state: State, motion: Motion) -> Array:
    """Applied and inertia forces on the coordinates of the nodal form, which stands at the same state.

    They are those of the given trees: an angle that counts whole turns there does not here.
    """
    _set_node_forces(equations, state, motion)
    out = np.zeros(equations.nodal.n_v)
    entry.gather(equations.nodal.handle, out)
    return out


def _set_node_forces(equations: Equations, state: State, motion: Motion) -> None:
    """Put applied and inertia forces on the nodes of the nodal form."""
    work, nodal = equations.work, equations.nodal
    equations.hold_states(state)
    entry.node_forces(equations.handle, float(state.t), state.q, state.v, motion.a)
    nodal.work.force[:], nodal.work.torque[:] = work.force, work.torque
    nodal.work.elastic[nodal.packer.elastic_indices()[1]] = work.elastic[
        equations.packer.elastic_indices()[1]
    ]


def _cutsets(branches: tuple[Branch, ...], index: dict[str, int], sums: Array) -> dict[str, Array]:
    kinds = (Kind.JOINT, Kind.DRIVER)
    return {b.edge.name: -b.sign * sums[:, index[b.child]] for b in branches if b.edge.kind in kinds}


def _add_multipliers(
    equations: Equations, rows: Snapshot, force: dict[str, Array], torque: dict[str, Array]
) -> None:
    axis = {b.edge.name: rows.values.axis[:, i] for i, b in enumerate(equations.R.branches)}
    for i, row in enumerate(equations.rows):
        name, lam = row.component.name, rows.lam[:, i, None]
        if row.place is not None:
            # the driver's torque is a chord in the cutset of the joint it rides on
            assert isinstance(row.component, RotationDriver)
            joint = str(row.component.joint)
            torque[joint] = torque[joint] + lam * axis[joint]
            torque[name] = torque[name] - lam * axis[joint]
        else:
            force[name] = force[name] - lam * rows.values.row_force[:, i]
            torque[name] = torque[name] - lam * rows.values.row_head[:, i]


def _split_between_joint_and_driver(
    equations: Equations, rows: Snapshot, force: dict[str, Array], torque: dict[str, Array]
) -> None:
    for i, branch in enumerate(equations.T.branches):
        part = on_joint(equations, branch)
        if isinstance(part, TranslationDriver):
            E = rows.values.driven[:, i, : len(part.directions)]
            own = np.einsum("rki,rk->ri", E, np.einsum("rki,ri->rk", E, force[part.name]))
            force[str(part.joint)] = force[str(part.joint)] + force[part.name] - own
            force[part.name] = own
    for i, branch in enumerate(equations.R.branches):
        part = on_joint(equations, branch)
        if isinstance(part, RotationDriver):
            u = rows.values.axis[:, i]
            own = np.einsum("ri,ri->r", u, torque[part.name])[:, None] * u
            torque[str(part.joint)] = torque[str(part.joint)] + torque[part.name] - own
            torque[part.name] = own


def on_joint(equations: Equations, branch: Branch) -> RotationDriver | TranslationDriver | None:
    """The driver of a branch, if it rides on a joint."""
    part = equations.system.components.get(branch.edge.name)
    if isinstance(part, RotationDriver | TranslationDriver) and part.joint is not None:
        return part
    return None


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
