"""Through variables in numbers: the load of every joint and driver, whatever the tree.

The formulas are those of :mod:`~flexnet.formulation.sensed_loads`, read with columns of rows.

A virtual joint carries nothing. Where one is a branch that holds some direction, its cutset tells only
the sum of what the real joints of the loop carry there; the loads then come from the nodal form, in
which every joint is a chord and every body has its own balance (GTM §2.5).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexnet.algebra import Vec
from flexnet.components import FlexibleBody
from flexnet.formulation.equations import Equations
from flexnet.formulation.sensed_loads import OnJoint, SensedLoads
from flexnet.formulation.snapshot import Snapshot
from flexnet.formulation.state import Motion, State
from flexnet.graph import Branch, Kind
from flexnet.kernels import entry
from flexnet.kernels.model import ROW_FORCE, ROW_HEAD, ROW_OTHER, ROW_TAIL
from flexnet.typing import AnyArray, Array


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """What a joint or driver does to its head: at one instant (3,), at many (rows, 3), or in symbols (3,).

    Attributes
    ----------
    force : on the head, at the origin of the head frame, in ground axes, N.
    torque : on the head about that point, in ground axes, N m.
    """

    force: AnyArray
    torque: AnyArray


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
    seen = _of_columns(equations, rows, rows.values.force, rows.values.torque)
    parts = [p for p in equations.parts if p.kind in (Kind.JOINT, Kind.DRIVER)]
    return {p.name: Load(*(_stacked(x, rows) for x in seen.load(p.name))) for p in parts}


def _of_columns(equations: Equations, rows: Snapshot, force: Array, torque: Array) -> SensedLoads:
    """Loads as formulas of columns of numbers, with the given cutset sums, (rows, nodes, 3) each."""
    v = rows.values
    return SensedLoads(
        equations.packer, lambda i: columns(force[:, i]), lambda i: columns(torque[:, i]),
        lambda i: (columns(v.row_force[:, i]), columns(v.row_head[:, i])), list(rows.lam.T),
        lambda i: columns(v.axis[:, i]), lambda i, k: columns(v.driven[:, i, k]),
    )  # fmt: skip


def columns(vectors: Array) -> Vec:
    """A vector at many instants, (rows, 3), as formulas read it: its components, each a column."""
    x, y, z = vectors.T
    return x, y, z


def _stacked(vector: Vec, rows: Snapshot) -> Array:
    """A vector of columns as one array, (rows, 3)."""
    out = np.empty((len(rows.t), 3))
    out[:, 0], out[:, 1], out[:, 2] = vector
    return out


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
    for k, (state, motion) in enumerate(_instants(equations, rows)):
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
    F = _nodal_forces(equations, state, motion, np.zeros(len(nodal.rows)))
    # works of unit changes: forces times the length, and moments
    s, rows = nodal.sizes, nodal.row_sizes
    return np.asarray(np.linalg.lstsq((G * s / rows[:, None]).T, s * F, rcond=1e-12)[0] / rows)


def nodal_sums(equations: Equations, state: State, motion: Motion) -> tuple[Array, Array]:
    """Cutset sums of forces and torques in the nodal form, (nodes, 3) and (rotation nodes, 3)."""
    lam, nodal = _nodal_multipliers(equations, state, motion), equations.nodal
    _nodal_forces(equations, state, motion, lam)
    return nodal.work.force.copy(), nodal.work.torque.copy()


def row_wrenches(equations: Equations) -> tuple[Array, Array]:
    """Unit force and torque of every row on its head at the state now in the workspace, (m, 3) each."""
    rows = equations.work.row
    return rows[:, ROW_FORCE:ROW_TAIL], rows[:, ROW_HEAD:ROW_OTHER]


def _nodal_forces(equations: Equations, state: State, motion: Motion, lam: Array) -> Array:
    """Applied and inertia forces less Gᵀλ on the coordinates of the nodal form, which stands at that state.

    They are those of the given trees: an angle that counts whole turns there does not here.
    """
    work, nodal = equations.work, equations.nodal
    equations.hold_states(state)
    entry.node_forces(equations.handle, float(state.t), state.q, state.v, motion.a)
    nodal.work.force[:], nodal.work.torque[:] = work.force, work.torque
    nodal.work.elastic[nodal.packer.elastic_indices()[1]] = work.elastic[
        equations.packer.elastic_indices()[1]
    ]
    out = np.zeros(nodal.n_v)
    entry.gather(nodal.handle, lam, out)
    return out


def on_joint(equations: Equations, branch: Branch) -> OnJoint | None:
    """The driver of a branch, if it rides on a joint."""
    part = equations.system.components.get(branch.edge.name)
    if isinstance(part, OnJoint) and part.joint is not None:
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
    used, force, torque = equations, rows.values.force, rows.values.torque
    if leans_on_virtual(equations):
        used, (force, torque) = equations.nodal, _nodal(equations, rows)
    pairs = _of_columns(used, rows, force, torque).on_arms(body)
    return np.stack([np.hstack([_stacked(x, rows) for x in pair]) for pair in pairs], axis=1)


def _nodal(equations: Equations, rows: Snapshot) -> tuple[Array, Array]:
    """Cutset sums of the nodal form, one instant at a time."""
    found = [nodal_sums(equations, *at) for at in _instants(equations, rows)]
    return np.array([f for f, _ in found]), np.array([t for _, t in found])


def _instants(equations: Equations, rows: Snapshot) -> Iterator[tuple[State, Motion]]:
    """States of rows and motions there."""
    n = equations.n_v
    for t, q, v, a, lam in zip(rows.t, rows.q, rows.v, rows.a, rows.lam, strict=True):
        yield State(t, q, v[:n], z=v[n:]), Motion(a[:n], lam)
