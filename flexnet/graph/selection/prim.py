"""Prim's algorithm from the datum, with weights that may change as the tree grows (Léger, figs D.1, 4.9).

Of the edges with exactly one end in the tree the lightest enters. Arms are no choice: each enters as
soon as it reaches the tree, because the formulation needs all of them.
"""

from heapq import heappop, heappush
from typing import Any, Protocol

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.selection.rule import Domain, Entry, Growth, Tie, first_by_name, natural


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
    for edge in graph.edges:
        at[edge.tail].append(edge)
        at[edge.head].append(edge)
    rank = {edge.name: k for k, edge in enumerate(graph.edges)}
    inside = {graph.datum}
    candidates = _Candidates(rank, scale, tie)
    arms: list[tuple[int, Edge]] = []
    names = list[str]()

    def enter(node: str) -> None:
        inside.add(node)
        for edge in at[node]:
            if (edge.head if edge.tail == node else edge.tail) in inside:
                candidates.leave(edge)
            else:
                candidates.join(edge, node)
                if edge.kind is Kind.ARM:
                    heappush(arms, (rank[edge.name], edge))

    enter(graph.datum)
    while len(inside) < len(graph.nodes):
        if arms:
            _, edge = heappop(arms)
            if edge.name not in candidates.near:
                continue
        elif candidates.near:
            edge = graph.edge(candidates.lightest(graph))
        else:
            raise GraphError(f"no edge reaches node {min(set(graph.nodes) - inside)!r}")
        start = candidates.near[edge.name]
        new = edge.head if edge.tail == start else edge.tail
        names.append(edge.name)
        scale.take(edge, start, new)
        enter(new)
    return Growth(domain, tuple(names), tuple(candidates.journal), rank)


class _Candidates:
    """Edges with one end in the tree, the lightest at hand, and a journal of how they came and went.

    Attributes
    ----------
    near : end in the tree of every one.
    """

    def __init__(self, rank: dict[str, int], scale: Scale, tie: Tie) -> None:
        self.near: dict[str, str] = {}
        self.journal: list[Entry] = []
        self._rank, self._scale, self._tie = rank, scale, tie
        self._keys: dict[str, tuple[int, ...]] = {}
        self._heap: list[tuple[tuple[int, ...], Any, str]] = []

    def join(self, edge: Edge, node: str) -> None:
        """An edge of a node that has entered the tree, its other end outside."""
        self.near[edge.name] = node
        if self._scale.is_steady:
            self._weigh(edge, node)

    def leave(self, edge: Edge) -> None:
        """An edge whose other end has entered the tree."""
        if self.near.pop(edge.name, None) is not None:
            self._keys.pop(edge.name, None)
            self.journal.append(("leave", edge.name, 0))

    def lightest(self, graph: LinearGraph) -> str:
        """The edge of least weight; the rule for ties takes one of several."""
        if not self._scale.is_steady:
            self._heap = []
            for name, node in self.near.items():
                self._weigh(graph.edge(name), node)
        found = self._first()
        if self._tie is not first_by_name:
            least = self._keys[found]
            equal = [name for name in self.near if self._keys[name] == least]
            if len(equal) > 1:
                found = self._tie(sorted(equal, key=self._rank.__getitem__))
        self.journal.append(("take", found, 0))
        return found

    def _weigh(self, edge: Edge, node: str) -> None:
        key = self._scale.weigh(edge, node)
        if self._keys.get(edge.name) != key:
            self._keys[edge.name] = key
            self.journal.append(("weigh", edge.name, key[0]))
        heappush(self._heap, (key, natural(edge.name), edge.name))

    def _first(self) -> str:
        """First by weight, then by name; what has left or was weighed anew is passed over."""
        while True:
            key, _, name = self._heap[0]
            if self._keys.get(name) == key:
                return name
            heappop(self._heap)
