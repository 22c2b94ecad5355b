"""Ready-made spanning trees: the preference orders of GTM §4.4, and explicit lists.

A tree grows from the datum; among the edges that reach a new node the most preferred is taken, then
the one nearest the datum, then the one declared first. Each choice is a pair of preference orders.
"""

from collections.abc import Callable, Collection, Sequence

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.tree import Tree

Preference = Callable[[Edge], int]


def _unknowns(edge: Edge) -> int:
    return (edge.unknowns_t or 0) + (edge.unknowns_r or 0)


def _default_translation(edge: Edge) -> int:
    """Arms, position drivers, joints by number of unknowns, bodies, force elements (GTM §4.4)."""
    order = {Kind.ARM: 0, Kind.DRIVER: 10, Kind.JOINT: 20, Kind.BODY: 40, Kind.VIRTUAL: 50, Kind.FORCE: 60}
    return order[edge.kind] + (edge.unknowns_t or 0)


def _default_rotation(edge: Edge) -> int:
    """Rotation drivers, joints that do not turn, bodies, joints that turn, torques (GTM §4.4)."""
    order = {Kind.ARM: 0, Kind.DRIVER: 10, Kind.BODY: 30, Kind.VIRTUAL: 50, Kind.FORCE: 60}
    if edge.kind is Kind.JOINT:
        return 40 + (edge.unknowns_r or 0) if edge.unknowns_r else 20
    return order[edge.kind]


def _joint(edge: Edge) -> int:
    """Arms, joints by number of unknowns, drivers, bodies, force elements; for both trees."""
    order = {Kind.ARM: 0, Kind.JOINT: 10, Kind.DRIVER: 20, Kind.BODY: 40, Kind.VIRTUAL: 50, Kind.FORCE: 60}
    return order[edge.kind] + (_unknowns(edge) if edge.kind is Kind.JOINT else 0)


def _body(edge: Edge) -> int:
    """Arms, bodies, then nothing else is needed."""
    order = {Kind.ARM: 0, Kind.BODY: 10, Kind.JOINT: 20, Kind.DRIVER: 30, Kind.VIRTUAL: 50, Kind.FORCE: 60}
    return order[edge.kind]


#: name of the choice -> preference for the T-tree, preference for the R-tree
CHOICES: dict[str, tuple[Preference, Preference]] = {
    "joint": (_joint, _joint),
    "absolute": (_body, _body),
    "absolute_angular": (_joint, _body),
    "default": (_default_translation, _default_rotation),
}


def select_trees(
    graph: LinearGraph,
    choice: str = "default",
    translation: Sequence[str] | None = None,
    rotation: Sequence[str] | None = None,
) -> tuple[Tree, Tree]:
    """Choose the T-tree and the R-tree of a graph.

    Parameters
    ----------
    graph : the graph of the mechanism.
    choice : one of :data:`CHOICES`, used for a tree that is not given explicitly.
    translation, rotation : explicit branches; arms may be left out, they are always branches.

    Returns
    -------
    T-tree of ``graph.translational``, R-tree of ``graph.rotational``.
    """
    if choice not in CHOICES:
        raise GraphError(f"tree choice is one of {', '.join(CHOICES)}, not {choice!r}")
    prefer_t, prefer_r = CHOICES[choice]
    T = _explicit(graph.translational, translation) or _grow(graph.translational, prefer_t)
    R = _explicit(graph.rotational, rotation) or _grow(graph.rotational, prefer_r, similar_to=T.names)
    return T, R


def _explicit(graph: LinearGraph, names: Sequence[str] | None) -> Tree | None:
    if names is None:
        return None
    arms = [e.name for e in graph.edges if e.kind is Kind.ARM and e.name not in names]
    return Tree(graph, (*arms, *names))


def _grow(graph: LinearGraph, prefer: Preference, similar_to: Collection[str] = ()) -> Tree:
    depth = {graph.datum: 0}
    names: list[str] = []
    candidates = [
        (prefer(e), e.name not in similar_to, k, e)
        for k, e in enumerate(graph.edges)
        if e.kind is not Kind.DEPENDENT
    ]
    while len(depth) < len(graph.nodes):
        best = None
        for rank, differs, k, edge in candidates:
            if (edge.tail in depth) == (edge.head in depth):
                continue
            near = depth[edge.tail] if edge.tail in depth else depth[edge.head]
            key = (rank, differs, near, k)
            if best is None or key < best[0]:
                best = (key, edge, near)
        if best is None:
            lost = min(set(graph.nodes) - set(depth))
            raise GraphError(f"no edge reaches node {lost!r}")
        _, edge, near = best
        names.append(edge.name)
        depth[edge.head if edge.tail in depth else edge.tail] = near + (edge.kind is not Kind.ARM)
    return Tree(graph, tuple(names))
