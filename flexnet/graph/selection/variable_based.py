"""Variable-based selection: few coordinates, short chains of them, few joints, similar trees (Léger, ch. 3).

Every edge has one fixed weight,

    W = 10⁶ Absolute + 10⁵ EdgeType + 10³ Distance + 10 Joint + Similarity,                    Léger (3.3)

one digit or two for each heuristic in the order of their importance, and Prim's algorithm finds the
lightest tree: rotation first, because it brings the trigonometry, then translation with similarity to it.
"""

from collections.abc import Collection

from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.selection.prim import grow
from flexnet.graph.selection.rule import (
    Counts,
    Domain,
    Growth,
    Selection,
    Wishes,
    coordinates,
    graph_of,
    is_known,
    make_tree,
    tree_rule,
)

#: "very high" of the Joint factor; it must stay within two digits
VERY_HIGH = 50


@tree_rule("variable_based")
def variable_based(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Fewest coordinates, then short chains (Léger 2006, chapter 3)."""
    growths = []
    if wishes.R is None:
        growths.append(_tree(graph, Domain.ROTATION, wishes, None))
    R = make_tree(graph, growths[0]) if wishes.R is None else wishes.R
    if wishes.T is None:
        growths.append(_tree(graph, Domain.TRANSLATION, wishes, R.names))
    T = make_tree(graph, growths[-1]) if wishes.T is None else wishes.T
    return Selection(T, R, tuple(growths))


def variable_weights(
    graph: LinearGraph, domain: Domain, first_tree: Collection[str] | None, counts: Counts = Counts.SPATIAL
) -> dict[str, int]:
    """Weights (3.3) of all edges of a domain.

    Parameters
    ----------
    graph : graph of the whole mechanism.
    first_tree : branches of the tree that was selected first; None while selecting it.
    counts : branch coordinates the factors EdgeType and Distance are made of.
    """
    part = graph_of(graph, domain)
    edge_type = {e.name: coordinates(e, domain, counts) for e in part.edges}
    distance = _shortest(part, domain, edge_type)
    joint = _shortest(part, domain, {e.name: _joint_weight(e) for e in part.edges})
    weights = {}
    for e in part.edges:
        absolute = 0 if is_known(e, domain) else 2 if e.kind is Kind.FORCE else 1
        similarity = 1 if first_tree is None else int(e.name not in first_tree)
        weights[e.name] = (
            1_000_000 * absolute
            + 100_000 * edge_type[e.name]
            + 1_000 * min(distance[e.tail], distance[e.head])
            + 10 * min(joint[e.tail], joint[e.head])
            + similarity
        )
    return weights


def _joint_weight(edge: Edge) -> int:
    """1 for joints and motion drivers, 0 for arms, very high for bodies, virtual joints and forces."""
    return {Kind.ARM: 0, Kind.JOINT: 1, Kind.DRIVER: 1}.get(edge.kind, VERY_HIGH)


class _Reach:
    """Prim's algorithm with the whole path as weight is Dijkstra's (Léger, fig. D.2)."""

    is_steady = True

    def __init__(self, datum: str, weights: dict[str, int]) -> None:
        self.shortest, self._weights = {datum: 0}, weights

    def weigh(self, edge: Edge, near: str) -> tuple[int, ...]:
        return (self.shortest[near] + self._weights[edge.name],)

    def take(self, edge: Edge, near: str, new: str) -> None:
        self.shortest[new] = self.shortest[near] + self._weights[edge.name]


def _shortest(graph: LinearGraph, domain: Domain, weights: dict[str, int]) -> dict[str, int]:
    """Weight of the shortest path from the datum to every node."""
    reach = _Reach(graph.datum, weights)
    grow(graph, domain, reach)
    return reach.shortest


class _Fixed:
    """Weights that do not change while the tree grows; required edges come before all others."""

    is_steady = True

    def __init__(self, weights: dict[str, int], require: Collection[str]) -> None:
        self._weights, self._require = weights, require

    def weigh(self, edge: Edge, near: str) -> tuple[int, ...]:
        return (-1 if edge.name in self._require else self._weights[edge.name],)

    def take(self, edge: Edge, near: str, new: str) -> None:
        pass


def _tree(graph: LinearGraph, domain: Domain, wishes: Wishes, first: Collection[str] | None) -> Growth:
    weights = variable_weights(graph, domain, first, wishes.counts)
    return grow(graph_of(graph, domain), domain, _Fixed(weights, wishes.require), wishes.tie)
