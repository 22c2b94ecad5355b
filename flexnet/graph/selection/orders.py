"""Ready-made spanning trees: preference orders (GTM §4.4).

Among the edges that reach a new node the most preferred is taken, then one that is in the other tree, too,
then the one nearest the datum, then the one whose name comes first. Each choice is a pair of such orders.
"""

from collections.abc import Callable, Collection

from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.selection.prim import grow
from flexnet.graph.selection.rule import (
    Domain,
    Growth,
    Selection,
    Wishes,
    make_tree,
    tree_rule,
)

Preference = Callable[[Edge], int]


@tree_rule("joint")
def joint(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Joints by number of unknowns, in both trees: relative coordinates."""
    return pair(graph, wishes, _joint, _joint)


@tree_rule("absolute")
def absolute(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Bodies, in both trees: absolute coordinates."""
    return pair(graph, wishes, _body, _body)


@tree_rule("absolute_angular")
def absolute_angular(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Joints in the T-tree, bodies in the R-tree: absolute angles."""
    return pair(graph, wishes, _joint, _body)


@tree_rule("gtm")
def gtm(graph: LinearGraph, wishes: Wishes) -> Selection:
    """The order printed in GTM §4.4, made for the plane."""
    return pair(graph, wishes, _gtm_translation, _gtm_rotation)


def _unknowns(edge: Edge) -> int:
    return (edge.unknowns_t or 0) + (edge.unknowns_r or 0)


def _gtm_translation(edge: Edge) -> int:
    """Arms, position drivers, joints by number of unknowns, bodies, force elements (GTM §4.4)."""
    order = {Kind.ARM: 0, Kind.DRIVER: 10, Kind.JOINT: 20, Kind.BODY: 40, Kind.VIRTUAL: 50, Kind.FORCE: 60}
    return order[edge.kind] + (edge.unknowns_t or 0)


def _gtm_rotation(edge: Edge) -> int:
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


class _Order:
    """A preference order as weights; required edges come before all others."""

    is_steady = True

    def __init__(
        self, datum: str, prefer: Preference, require: Collection[str], similar: Collection[str]
    ) -> None:
        self._prefer, self._require, self._similar = prefer, frozenset(require), frozenset(similar)
        self._depth = {datum: 0}

    def weigh(self, edge: Edge, near: str) -> tuple[int, ...]:
        rank = -1 if edge.name in self._require else self._prefer(edge)
        return rank, int(edge.name not in self._similar), self._depth[near]

    def take(self, edge: Edge, near: str, new: str) -> None:
        self._depth[new] = self._depth[near] + (edge.kind is not Kind.ARM)


def pair(graph: LinearGraph, wishes: Wishes, prefer_t: Preference, prefer_r: Preference) -> Selection:
    """Both trees by preference orders: of the edges that reach a new node, the one with the least number."""
    growths = list[Growth]()
    T, R = wishes.T, wishes.R
    if T is None:
        growths.append(_grown(graph.translational, Domain.TRANSLATION, prefer_t, wishes, ()))
        T = make_tree(graph, growths[-1])
    if R is None:
        growths.append(_grown(graph.rotational, Domain.ROTATION, prefer_r, wishes, T.names))
        R = make_tree(graph, growths[-1])
    return Selection(T, R, tuple(growths))


def _grown(
    graph: LinearGraph, domain: Domain, prefer: Preference, wishes: Wishes, similar: Collection[str]
) -> Growth:
    part = graph.without(Kind.DEPENDENT)
    return grow(part, domain, _Order(part.datum, prefer, wishes.require, similar), wishes.tie)
