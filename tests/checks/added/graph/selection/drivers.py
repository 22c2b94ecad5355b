"""Trees with drivers as branches."""

from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.selection.orders import pair
from flexnet.graph.selection.rule import Selection, Wishes, tree_rule

ORDER = (Kind.ARM, Kind.DRIVER, Kind.JOINT, Kind.BODY, Kind.VIRTUAL, Kind.FORCE)


@tree_rule("drivers")
def drivers(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Drivers, then joints, then bodies, in both trees."""
    return pair(graph, wishes, rank, rank)


def rank(edge: Edge) -> int:
    """Edges with a smaller number are taken first."""
    return ORDER.index(edge.kind)
