"""From a System to its equations: choose trees, assemble, drop what is redundant."""

import logging
from collections.abc import Sequence

from flexnet.errors import ModelError
from flexnet.formulation.assembly import assembled
from flexnet.formulation.description import describe
from flexnet.formulation.equations import Equations
from flexnet.formulation.joint_loads import refuse_open_loads
from flexnet.formulation.planarity import is_planar_motion
from flexnet.formulation.poses import in_order
from flexnet.formulation.redundancy import redundant_rows
from flexnet.formulation.same_start import recall, remember, start_key
from flexnet.formulation.state import Poses
from flexnet.formulation.turns import start_turns
from flexnet.graph import select_trees
from flexnet.system import System, in_pieces, offer_indirect_joints

log = logging.getLogger("flexnet")


def formulate(
    system: System,
    tree: str = "default",
    translation: Sequence[str] | None = None,
    rotation: Sequence[str] | None = None,
    poses: Poses | None = None,
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
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
    virtual : offer virtual joints to the rule where two pins are parallel, and in a planar system from the
        ground to every body; which and why is logged.

    Returns
    -------
    Equations
        With ``initial`` set to the assembled state, ``redundant`` to the rows that were dropped.
    """
    system = in_pieces(system)
    if virtual:
        system = offer_indirect_joints(system)
    description = describe(system)
    T, R = select_trees(description.graph, tree, translation, rotation, require, counts)
    key = start_key(description, T, R) if poses is None else ()
    if begun := recall(key):
        poses = begun.poses
        equations = Equations(description, T, R, drop=begun.unforced or begun.redundant)
        state = equations.state(poses, None if equations.angles else begun.state)
    else:
        full = None
        if is_own := poses is None:
            poses, nodal = assembled(description)
            is_same = (nodal.T.names, nodal.R.names) == (T.names, R.names)
            full = nodal if is_same and not system.starts and not nodal.angles else None
        full = full or Equations(description, T, R)
        poses = poses if is_own else in_order(full, poses)
        state = full.state(poses)
        drop = redundant_rows(full, state)
        equations = Equations(description, T, R, drop=drop) if drop else full
        if is_own:
            remember(key, poses, equations, state)
    equations.initial = start_turns(equations, state, poses)
    refuse_open_loads(equations)
    if not system.is_planar and is_planar_motion(system, poses):
        log.info("system %r moves in a plane: System(..., planar=True) has fewer equations", system.name)
    return equations


def as_equations(
    system: System | Equations,
    tree: str = "default",
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
) -> Equations:
    """Equations that are given, or those of a System in trees by name; parameters of :func:`formulate`."""
    if isinstance(system, System):
        return formulate(system, tree, require=require, counts=counts, virtual=virtual)
    refuse_trees(system, tree, require, counts, virtual)
    return system


def refuse_trees(equations: Equations, tree: str, require: Sequence[str], counts: str, virtual: bool) -> None:
    """Refuse to choose trees where equations are given: they have theirs.

    Raises
    ------
    ModelError
        Naming what was asked for.
    """
    asked = {"tree": (tree, "default"), "counts": (counts, "spatial"), "virtual": (virtual, False)}
    named = [f"{name}={value!r}" for name, (value, usual) in asked.items() if value != usual]
    named += [f"require={list(require)!r}"] if require else []
    if named:
        raise ModelError(
            f"the equations of {equations.system.name!r} have their trees: {', '.join(named)} is for a System"
        )


def refuse_states(equations: Equations, what: str, remedy: str = "simulate it") -> None:
    """Refuse first-order states where they are not known yet."""
    if equations.n_z:
        raise ModelError(
            f"{what} of {equations.system.name!r} does not take first-order states, such as"
            f" {equations.states.names[0]!r}; {remedy}"
        )
