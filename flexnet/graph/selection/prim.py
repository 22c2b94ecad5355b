"""Prim's algorithm from the datum, with weights that may change as the tree grows (Léger, figs D.1, 4.9).

Of the edges with exactly one end in the tree the lightest enters. Arms are no choice: each enters as
soon as it reaches the tree, because the formulation needs all of them.
"""

from typing import Protocol

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.selection.rule import Domain, Growth, Step, Tie, first_by_name


class Scale(Protocol):
    """Weighs the edges of one tree while it grows.

    Attributes
    ----------
    is_steady : whether an edge keeps the weight it had when the tree came to its end.
    """

    is_steady: bool

    def weigh(self, edge: Edge, near: str) -> tuple[int, ...]:
        """Weight of a potential edge whose end ``near`` is in the tree; then what decides between equals."""

    def take(self, edge: Edge, near: str, new: str) -> None:
        """Note that an edge has entered the tree and reached node ``new``."""


def grow(graph: LinearGraph, domain: Domain, scale: Scale, tie: Tie = first_by_name) -> Growth:
    """Grow a spanning tree from the datum.

    Raises
    ------
    GraphError
        If the graph is not connected.
    """
    at: dict[str, list[Edge]] = {node: [] for node in graph.nodes}
    rank = {edge.name: k for k, edge in enumerate(graph.edges)}
    for edge in graph.edges:
        at[edge.tail].append(edge)
        at[edge.head].append(edge)
    inside = {graph.datum}
    near: dict[str, str] = {}  # end in the tree of each potential edge
    keys: dict[str, tuple[int, ...]] = {}  # weight of each
    arms: list[Edge] = []
    names, steps = list[str](), list[Step]()

    def enter(node: str) -> None:
        inside.add(node)
        for edge in at[node]:
            other = edge.head if edge.tail == node else edge.tail
            if other in inside:
                near.pop(edge.name, None)
                keys.pop(edge.name, None)
            else:
                near[edge.name] = node
                if scale.is_steady:
                    keys[edge.name] = scale.weigh(edge, node)
                if edge.kind is Kind.ARM:
                    arms.append(edge)

    enter(graph.datum)
    while len(inside) < len(graph.nodes):
        if arms:
            arms.sort(key=lambda e: -rank[e.name])
            edge = arms.pop()
            if edge.name not in near:
                continue
        elif near:
            if not scale.is_steady:
                keys = {name: scale.weigh(graph.edge(name), node) for name, node in near.items()}
            least = min(keys.values())
            equal = sorted((name for name, key in keys.items() if key == least), key=rank.__getitem__)
            edge = graph.edge(equal[0] if len(equal) == 1 else tie(equal))
            order = sorted(keys, key=rank.__getitem__)
            steps.append(Step(edge.name, {name: keys[name][0] for name in order}))
        else:
            raise GraphError(f"no edge reaches node {min(set(graph.nodes) - inside)!r}")
        start = near[edge.name]
        new = edge.head if edge.tail == start else edge.tail
        names.append(edge.name)
        scale.take(edge, start, new)
        enter(new)
    return Growth(domain, tuple(names), tuple(steps))
