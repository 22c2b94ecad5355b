"""The rule that is used where none is named: the best of the counted candidates.

Of the trees of GTM's printed order, of joint coordinates, of absolute angles and of the variable-based rule
those with the fewest coordinates are taken; of equals those with the fewest body torques, then the first in
this list. For one mechanism the number of equations n + m falls with n: each coordinate more is a constraint
more. In space GTM's order, which takes a body (three rotations) before a pin (one), can have twice as many as
are needed. The variable-based rule knows nothing of flexible bodies (Léger §3.4) and is asked for rigid ones
only.
"""

from flexnet.graph.linear_graph import Kind, LinearGraph
from flexnet.graph.selection.counts import count_trees
from flexnet.graph.selection.orders import absolute_angular, gtm, joint
from flexnet.graph.selection.rule import Rule, Selection, Wishes, tree_rule
from flexnet.graph.selection.variable_based import variable_based


@tree_rule("default")
def default(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Fewest coordinates of gtm, joint, absolute_angular, variable_based; of equals fewest body torques."""
    is_flexible = any(e.kind is Kind.ARM and not e.is_rigid for e in graph.edges)
    rules: list[Rule] = [gtm, joint, absolute_angular, *([] if is_flexible else [variable_based])]

    def cost(made: Selection) -> tuple[int, int]:
        count = count_trees(made.T, made.R, graph)
        return count.n, count.torques

    return min((rule(graph, wishes) for rule in rules), key=cost)
