"""Choose the trees of a graph by the name of a rule, by explicit lists, or by both; tell how they came."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import Kind, LinearGraph
from flexnet.graph.selection.rule import (
    RULES,
    Counts,
    Growth,
    Selection,
    Step,
    Wishes,
    check_required,
    follow_rule,
)
from flexnet.graph.tree import Tree
from flexnet.validation import nearest

log = logging.getLogger("flexnet")


def select(
    graph: LinearGraph,
    choice: str = "default",
    translation: Sequence[str] | None = None,
    rotation: Sequence[str] | None = None,
    require: Sequence[str] = (),
    counts: str = "spatial",
) -> Selection:
    """Choose the T-tree and the R-tree of a graph, and keep how they were chosen.

    Parameters
    ----------
    graph : the graph of the mechanism.
    choice : one of :data:`RULES`, used for a tree that is not given explicitly.
    translation, rotation : explicit branches; arms may be left out, they are always branches.
    require : edges that must be branches of every tree they can be in. One that would close a loop with
        arms, drivers and other required edges is left out, and that is told.
    counts : ``"spatial"``: the weights of the variable-based and the formulation-based rule count the
        coordinates of the components in space, as Léger does for planar mechanisms, too; ``"in_plane"``:
        those a planar system really has.
    """
    if choice == "measured":
        raise GraphError("tree 'measured' times runs: name it in simulate, or use measure_trees(system)")
    if choice not in RULES:
        raise GraphError(f"tree choice is one of {', '.join(RULES)}, not {choice!r}{nearest(choice, RULES)}")
    wishes = as_wishes(graph, require, counts)
    T, R = _explicit(graph.translational, translation), _explicit(graph.rotational, rotation)
    if T is not None and R is not None:
        return Selection(T, R)
    made = _made(choice, graph, replace(wishes, T=T, R=R))
    return Selection(made.T, made.R, made.growths, (*made.notes, *left_out(made.T, made.R, require)))


@lru_cache(maxsize=64)
def _made(choice: str, graph: LinearGraph, wishes: Wishes) -> Selection:
    """What a rule chooses, remembered: a mechanism with other numbers has the same graph."""
    return follow_rule(choice, graph, wishes)


def select_trees(
    graph: LinearGraph,
    choice: str = "default",
    translation: Sequence[str] | None = None,
    rotation: Sequence[str] | None = None,
    require: Sequence[str] = (),
    counts: str = "spatial",
) -> tuple[Tree, Tree]:
    """Choose the T-tree and the R-tree of a graph; what must be told is logged.

    Parameters are those of :func:`select`.

    Returns
    -------
    T-tree of ``graph.translational``, R-tree of ``graph.rotational``.
    """
    made = select(graph, choice, translation, rotation, require, counts)
    for note in made.notes:
        log.warning("%s", note)
    return made.T, made.R


def as_wishes(graph: LinearGraph, require: Sequence[str] = (), counts: str = "spatial") -> Wishes:
    """What is asked of a rule, checked: parameters are those of :func:`select`."""
    if counts not in [c.value for c in Counts]:
        raise GraphError(f"counts are {' or '.join(c.value for c in Counts)}, not {counts!r}")
    check_required(graph, require)
    return Wishes(tuple(require), Counts(counts))


def left_out(T: Tree, R: Tree, require: Sequence[str]) -> tuple[str, ...]:
    """Required edges that a tree has had to do without, and the loops they would close."""
    return (*_left_out(T, "T", require), *_left_out(R, "R", require))


def _explicit(graph: LinearGraph, names: Sequence[str] | None) -> Tree | None:
    if names is None:
        return None
    arms = [e.name for e in graph.edges if e.kind is Kind.ARM and e.name not in names]
    return Tree(graph, (*arms, *names))


def _left_out(tree: Tree, letter: str, require: Sequence[str]) -> list[str]:
    inside = {e.name: e for e in tree.graph.edges}
    out = []
    for name in require:
        if name in inside and name not in tree.names:
            loop = ", ".join(branch for branch, _ in tree.circuit(inside[name])[1:])
            out.append(
                f"required edge {name!r} is no branch of the {letter}-tree: it closes a loop with {loop}"
            )
    return out


def explain(made: Selection, graph: LinearGraph) -> list[str]:
    """Tell a selection step by step; arms, which are no choice, and force elements are left out."""
    forces = {e.name for e in graph.edges if e.kind is Kind.FORCE}
    lines = []
    for growth in made.growths:
        lines.append(f"{growth.domain.value}-tree:")
        lines += [f"  {_told(step, growth, forces)}" for step in growth.steps]
    return lines + list(made.notes)


def _told(step: Step, growth: Growth, forces: set[str]) -> str:
    """One edge enters; the three lightest of the others with their weights."""
    own = step.weights[step.branch]
    others = [(w, name) for name, w in step.weights.items() if name != step.branch and name not in forces]
    text = f"{step.branch} enters the {growth.domain.value}-tree: weight {own}"
    nearest = ", ".join(f"{name} was {w}" for w, name in sorted(others, key=lambda x: x[0])[:3])
    return f"{text}; {nearest}" if nearest else text
