"""From a System to its equations: choose trees, assemble, drop what is redundant."""

import logging
from collections.abc import Sequence

import numpy as np

from flexnet.components import RotationDriver
from flexnet.formulation.assembly import assemble
from flexnet.formulation.equations import Equations
from flexnet.formulation.planarity import is_planar_motion
from flexnet.formulation.poses import nearest_turn
from flexnet.formulation.redundancy import redundant_rows
from flexnet.formulation.state import Poses, State
from flexnet.graph import select_trees
from flexnet.kernels import entry
from flexnet.system import System

log = logging.getLogger("flexnet")


def formulate(
    system: System,
    tree: str = "default",
    translation: Sequence[str] | None = None,
    rotation: Sequence[str] | None = None,
    poses: Poses | None = None,
) -> Equations:
    """Formulate the equations of motion of a system.

    Parameters
    ----------
    system : the mechanism.
    tree : ``"joint"``, ``"absolute"``, ``"absolute_angular"`` or ``"default"`` (GTM §4.4).
    translation, rotation : explicit branches of the T-tree and the R-tree; arms may be left out.
    poses : a consistent state to start from; assembled from the system's own start if left out.

    Returns
    -------
    Equations
        With ``initial`` set to the assembled state, ``redundant`` to the rows that were dropped.
    """
    T, R = select_trees(system.graph, tree, translation, rotation)
    if poses is None:
        poses = assemble(system)
    full = Equations(system, T, R)
    state = full.state(poses)
    equations = Equations(system, T, R, drop=redundant_rows(full, state))
    equations.initial = _with_turns(equations, state)
    if not system.is_planar and is_planar_motion(system, poses):
        log.info("system %r moves in a plane: System(..., planar=True) has fewer equations", system.name)
    return equations


def _with_turns(equations: Equations, state: State) -> State:
    """Add whole turns to angles so that they lie nearest their start value or driver."""
    q = state.q.copy()
    rotation = equations.coordinates.rotation
    for start in equations.system.starts:
        if (
            start.value is not None
            and start.coordinate in ("angle", "alpha", "beta")
            and start.joint in rotation
        ):
            i = rotation[start.joint].q + (start.coordinate == "beta")
            q[i] = nearest_turn(q[i], start.value)
    entry.known_functions(equations.handle, float(state.t))
    for row, record in zip(equations.rows, equations.model.rows, strict=True):
        if isinstance(row.component, RotationDriver) and row.place is not None:
            q[row.place.q] = nearest_turn(q[row.place.q], equations.work.f[record["function"], 0])
    return State(state.t, q, np.asarray(state.v))
