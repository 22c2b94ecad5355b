"""Normal trees of scalar networks, and what no tree can mend.

A normal tree holds every across driver, as many storages of the across kind as can be, then what dissipates;
storages of the through kind are left out where they can be, through drivers always. Its storages are the
states: those of the across kind in the tree, those of the through kind in the cotree (GTM §2.4).
"""

from collections.abc import Iterable

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import Edge, LinearGraph
from flexnet.graph.matrices import f_cutset
from flexnet.graph.tree import Tree, _find, _loop

#: places of the kinds of edges in the order a normal tree takes them
ACROSS_DRIVER, ACROSS_STORAGE, BETWEEN, THROUGH_STORAGE, THROUGH_DRIVER = range(5)


def normal_tree(graph: LinearGraph) -> Tree:
    """The normal tree of a scalar network; among equals, edges are taken in the order of the graph.

    Raises
    ------
    GraphError
        On a loop of across drivers, or a cutset of through drivers, by their names.
    """
    root = {node: node for node in graph.nodes}
    taken: list[Edge] = []
    for edge in sorted(graph.edges, key=lambda e: e.order):
        tail, head = _find(root, edge.tail), _find(root, edge.head)
        if tail != head:
            root[head] = tail
            taken.append(edge)
        elif edge.order == ACROSS_DRIVER:
            loop = _loop(graph, [*(e.name for e in taken), edge.name], edge.name)
            raise GraphError(
                f"{_list(loop)} form a loop of sources that prescribe what is across them; leave one out or"
                " put a resistance in the loop"
            )
    tree = Tree(graph, tuple(e.name for e in taken))
    forced = [e.name for e in taken if e.order == THROUGH_DRIVER]
    if forced:
        cut = f_cutset(tree)
        row = cut.values[cut.rows.index(forced[0])]
        names = [name for name, entry in zip(cut.columns, row, strict=True) if entry]
        raise GraphError(
            f"{_list(names)} cut the network in two and prescribe all that passes between the parts; leave"
            " one out or put a resistance beside it"
        )
    return tree


def _list(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
