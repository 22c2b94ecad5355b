"""The rule that is used where none is named: the best of the counted candidates.

Of the trees of GTM's printed order, of joint coordinates, of absolute angles and of the variable-based rule
those with the fewest coordinates are taken; of equals those with the fewest body torques, then those with
the fewest body forces, then the first in this list. For one mechanism the number of equations n + m falls
with n: each coordinate more is a constraint more. In space GTM's order, which takes a body (three rotations)
before a pin (one), can have twice as many as are needed.
"""

from flexnet.graph.linear_graph import LinearGraph
from flexnet.graph.selection.counts import count_trees
from flexnet.graph.selection.orders import absolute_angular, gtm, joint
from flexnet.graph.selection.rule import Selection, Wishes, tree_rule
from flexnet.graph.selection.variable_based import variable_based

CANDIDATES = (gtm, joint, absolute_angular, variable_based)


@tree_rule("default")
def default(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Fewest coordinates of gtm, joint, absolute_angular, variable_based; of equals fewest body torques."""

    def cost(made: Selection) -> tuple[int, int, int]:
        count = count_trees(made.T, made.R, graph)
        return count.n, count.torques, count.forces

    return min((rule(graph, wishes) for rule in CANDIDATES), key=cost)
