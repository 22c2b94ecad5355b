"""From components to the linear graph, dependent virtual work edges included."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from flexnet.components import (
    Component,
    FlexibleArm,
    FlexibleBody,
    Frame,
    RigidArm,
    RigidBody,
    Terminal,
    Weight,
)
from flexnet.components.attachment import Attachment
from flexnet.graph import Edge, Kind, LinearGraph

if TYPE_CHECKING:
    from flexnet.system.system import System


def parts_of(system: "System") -> list[Component]:
    """Every edge component in order: bodies, arms, joints and forces as declared, weights."""
    frames, declared = system.frames, system.components.values()
    bodies = [c for c in declared if isinstance(c, RigidBody | FlexibleBody)]
    arms = [_arm(system, frames[f.body], f) for f in frames.values() if not f.is_body_frame]
    rest = [c for c in declared if not isinstance(c, RigidBody | FlexibleBody)]
    weights = [
        Weight(f"{b.name}.weight", system.datum, b.head, b.mass * system.g)
        for b in bodies
        if b.mass > 0 and np.any(system.g)
    ]
    return [*bodies, *arms, *rest, *weights]


def _arm(system: "System", tail: Frame, head: Frame) -> Component:
    if not head.is_flexible:
        return RigidArm(head.name, tail, head)
    body = system.components[head.body]
    assert isinstance(body, FlexibleBody)
    return FlexibleArm(head.name, tail, head, body.table.frames.names.index(head.name.split(".", 1)[1]))


def terminals_of(parts: Sequence[Component], is_planar: bool) -> dict[str, Terminal]:
    """Terminal equation of every component; in a planar system, its in-plane part."""
    if not is_planar:
        return {part.name: part.terminal for part in parts}
    return {part.name: part.terminal.in_plane(f"{part.kind.value} {part.name!r}") for part in parts}


def derive_graph(
    nodes: Sequence[str], components: Sequence[Component], terminals: Mapping[str, Terminal],
    freed: Collection[str] = (), known: Mapping[str, tuple[Edge, ...]] | None = None,
) -> LinearGraph:  # fmt: skip
    """Derive the linear graph of a mechanism.

    Every component is one edge. A component that acts between two frames also brings a dependent
    virtual work edge from the datum to each end that is not on the ground: the work of its force on
    each body depends on absolute displacements (DynaFlex §2.1).

    Parameters
    ----------
    nodes : names of all frames, the datum first.
    components : every component, bodies and arms included.
    terminals : terminal equation of every component.
    freed : drivers that events let go.
    known : edges of components by name, as :func:`edges_of` gives them.
    """
    datum, known = nodes[0], known or {}
    found = [known.get(part.name) or edges_of(part, terminals, freed, datum) for part in components]
    own, dependent = [edges[0] for edges in found], [edge for edges in found for edge in edges[1:]]
    return _known(tuple(nodes), (*own, *dependent), datum)


def edges_of(
    part: Component, terminals: Mapping[str, Terminal], freed: Collection[str], datum: str
) -> tuple[Edge, ...]:
    """The edge of a component, and the dependent ones that come with it."""
    own = _edge(part, terminals[part.name], part.name in freed)
    if part.kind not in (Kind.JOINT, Kind.DRIVER, Kind.FORCE) or part.acts_from_datum:
        return (own,)
    ends = [end.name for end in (part.tail, part.head) if end.body != datum]
    return own, *(_dependent(datum, part, end) for end in ends)


@lru_cache(maxsize=64)
def _known(nodes: tuple[str, ...], edges: tuple[Edge, ...], datum: str) -> LinearGraph:
    """A graph, checked once: a mechanism with other numbers has the same."""
    return LinearGraph(nodes, edges, datum)


def _edge(part: Component, terminal: Terminal, is_freed: bool) -> Edge:
    t, r = terminal.translation, terminal.rotation
    return Edge(
        part.name,
        part.tail.name,
        part.head.name,
        part.kind,
        None if t is None else len(t.free),
        None if r is None else r.unknowns,
        isinstance(part, RigidArm),
        part.branch_coordinates,
        len(terminal.rows),
        is_chord=is_freed or isinstance(part, Attachment),
    )


def _dependent(datum: str, part: Component, end: str) -> Edge:
    terminal = part.terminal
    return Edge(
        f"{part.name}@{end}",
        datum,
        end,
        Kind.DEPENDENT,
        None if terminal.translation is None else 3,
        None if terminal.rotation is None else 3,
    )
