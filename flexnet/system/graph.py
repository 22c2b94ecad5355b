"""From components to the linear graph, dependent virtual work edges included."""

from collections.abc import Sequence

from flexnet.components import Component, RigidArm
from flexnet.components.attachment import Attachment
from flexnet.graph import Edge, Kind, LinearGraph


def derive_graph(nodes: Sequence[str], components: Sequence[Component], is_planar: bool) -> LinearGraph:
    """Derive the linear graph of a mechanism.

    Every component is one edge. A component that acts between two frames also brings a dependent
    virtual work edge from the datum to each end that is not on the ground: the work of its force on
    each body depends on absolute displacements (DynaFlex §2.1).

    Parameters
    ----------
    nodes : names of all frames, the datum first.
    components : every component, bodies and arms included.
    is_planar : whether the terminal equations are restricted to the xy plane.
    """
    datum = nodes[0]
    edges, dependent = list[Edge](), list[Edge]()
    for part in components:
        edges.append(_edge(part, is_planar))
        if part.kind in (Kind.JOINT, Kind.DRIVER, Kind.FORCE) and not part.acts_from_datum:
            ends = [end.name for end in (part.tail, part.head) if end.body != datum]
            dependent += [_dependent(datum, part, end) for end in ends]
    return LinearGraph(tuple(nodes), (*edges, *dependent), datum)


def _edge(part: Component, is_planar: bool) -> Edge:
    terminal = part.terminal
    if is_planar:
        terminal = terminal.in_plane(f"{part.kind.value} {part.name!r}")
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
        is_chord=isinstance(part, Attachment),
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
