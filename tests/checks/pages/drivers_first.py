"""Trees with drivers as branches, so that their motions need no multiplier."""

from flexnet.graph import Kind
from flexnet.graph.selection.orders import pair
from flexnet.graph.selection.rule import tree_rule

ORDER = (Kind.ARM, Kind.DRIVER, Kind.JOINT, Kind.BODY, Kind.VIRTUAL, Kind.FORCE)


@tree_rule("drivers_first")
def drivers_first(graph, wishes):
    """Drivers, then joints, then bodies, in both trees."""
    return pair(graph, wishes, rank, rank)


def rank(edge):
    """Edges with a smaller number are taken first."""
    return ORDER.index(edge.kind)
