"""Through variables: the load of every joint and driver, whatever the tree.

A joint in the cotree has the multipliers of its constraint rows; a joint in a tree has the sum of its
cutset (GTM eq. 78, 84). Where a driver rides on a joint and is the branch, the cutset holds the loads
of both: the driver takes the part in the joint's motion space, the joint the rest.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.components import Component, RotationDriver, TranslationDriver
from flexnet.formulation.equations import Equations
from flexnet.formulation.snapshot import Snapshot, snapshot
from flexnet.formulation.state import Motion, State
from flexnet.graph import Branch, Kind
from flexnet.kernels.model import COORDINATE
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


def _add_multipliers(
    equations: Equations, rows: Snapshot, force: dict[str, Array], torque: dict[str, Array]
) -> None:
    axis = {b.edge.name: rows.values.axis[:, i] for i, b in enumerate(equations.R.branches)}
    for i, row in enumerate(equations.rows):
        name, lam = row.component.name, rows.lam[:, i, None]
        if row.kind == COORDINATE:
            assert isinstance(row.component, RotationDriver)
            torque[name] = torque[name] - lam * axis[str(row.component.joint)]
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
