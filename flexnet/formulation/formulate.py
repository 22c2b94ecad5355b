"""From a System to its equations: choose trees, assemble, drop what is redundant."""

import logging
from collections.abc import Sequence

import numpy as np

from flexnet.components import RotationDriver, TorsionalSpring
from flexnet.formulation.assembly import assemble
from flexnet.formulation.equations import Equations
from flexnet.formulation.planarity import is_planar_motion
from flexnet.formulation.poses import nearest_turn
from flexnet.formulation.redundancy import redundant_rows
from flexnet.formulation.state import Poses, State
from flexnet.graph import select_trees
from flexnet.kernels import entry
from flexnet.kernels.model import R_DRIVEN
from flexnet.system import System

log = logging.getLogger("flexnet")


def formulate(
    system: System,
    tree: str = "default",
    translation: Sequence[str] | None = None,
    rotation: Sequence[str] | None = None,
    poses: Poses | None = None,
    require: Sequence[str] = (),
    counts: str = "spatial",
) -> Equations:
    """Formulate the equations of motion of a system.

    Parameters
    ----------
    system : the mechanism.
    tree : name of a tree rule, such as ``"default"``, ``"joint"`` or ``"formulation_based"``: one of
        :data:`flexnet.graph.RULES`.
    translation, rotation : explicit branches of the T-tree and the R-tree; arms may be left out.
    poses : a consistent state to start from; assembled from the system's own start if left out.
    require : edges that must be branches of every tree they can be in.
    counts : coordinates the rules of Léger count: ``"spatial"`` or ``"in_plane"``.

    Returns
    -------
    Equations
        With ``initial`` set to the assembled state, ``redundant`` to the rows that were dropped.
    """
    T, R = select_trees(system.graph, tree, translation, rotation, require, counts)
    if poses is None:
        poses = assemble(system)
    full = Equations(system, T, R)
    state = full.state(poses)
    equations = Equations(system, T, R, drop=redundant_rows(full, state))
    equations.initial = _with_turns(equations, state)
    _start_springs(equations)
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


def _start_springs(equations: Equations) -> None:
    """Let the angle of every torsional spring begin nearest the start value or the driver of its joint.

    It begins between -π and π where there is neither.
    """
    state, model, packer = equations.initial, equations.model, equations.packer
    f = equations.work.f[:, 0]
    starts = [s for s in equations.system.starts if s.coordinate == "angle"]
    wanted = {s.joint: s.value for s in starts if s.value is not None}
    branches = [packer.by_name[branch.edge.name] for branch in packer.R.branches]
    rows = [row.component for row in equations.rows]
    for part, record in [*zip(rows, model.rows, strict=True), *zip(branches, model.r_edges, strict=True)]:
        if isinstance(part, RotationDriver) and part.joint is not None:
            wanted[part.joint] = float(f[record["function"]])
    for name, record in zip(equations.element_names, model.elements, strict=True):
        spring = packer.by_name[name]
        if isinstance(spring, TorsionalSpring) and record["turns"][0] >= 0:
            angle = float(record["offset"])
            for turn in model.turns[slice(*record["turns"])]:
                edge = model.r_edges[turn["edge"]]
                is_driven = edge["kind"] == R_DRIVEN
                angle += turn["sense"] * (f[edge["function"]] if is_driven else state.q[edge["q"]])
            record["offset"] += nearest_turn(angle, wanted.get(spring.joint or "", 0.0)) - angle
