"""A spanning tree of a linear graph, rooted at the datum."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import Edge, Kind, LinearGraph


@dataclass(frozen=True, slots=True)
class Branch:
    """A tree edge as met going outwards: ``sign`` is +1 if the edge points away from the datum."""

    edge: Edge
    parent: str
    child: str
    sign: int


@dataclass(frozen=True)
class Tree:
    """A spanning tree: a set of edges that reaches every node and closes no loop.

    Parameters
    ----------
    graph : the graph it spans.
    names : the names of its branches, in the order of the columns wanted in the matrices.

    Raises
    ------
    GraphError
        If the edges close a loop, leave a node out, leave an arm out, or include an edge that can
        never be a branch.
    """

    graph: LinearGraph
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        arms = [e.name for e in self.graph.edges if e.kind is Kind.ARM]
        named = Counter(self.names)
        missing = [name for name in arms if name not in named]
        if missing:
            raise GraphError(f"tree is missing arm {missing[0]!r}: every arm must be a branch")
        twice = [name for name, times in named.items() if times > 1]
        if twice:
            raise GraphError(f"tree names branch {twice[0]!r} twice")
        root = {node: node for node in self.graph.nodes}
        for name in self.names:
            edge = self.graph.edge(name)
            if edge.kind is Kind.DEPENDENT:
                raise GraphError(f"dependent virtual work edge {name!r} cannot be a branch")
            if edge.is_chord:
                raise GraphError(f"edge {name!r} cannot be a branch: it comes and goes")
            tail, head = _find(root, edge.tail), _find(root, edge.head)
            if tail == head:
                loop = _loop(self.graph, self.names, name)
                raise GraphError(f"tree closes a loop: {', '.join(loop)}")
            root[head] = tail
        lost = set(self.graph.nodes) - self.graph.reachable(self.names)
        if lost:
            raise GraphError(f"tree does not reach node {min(lost)!r}")

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """Branches from the datum outwards: a parent is always reached before its children."""
        at: dict[str, list[Edge]] = {node: [] for node in self.graph.nodes}
        for name in self.names:
            edge = self.graph.edge(name)
            at[edge.tail].append(edge)
            at[edge.head].append(edge)
        seen, queue, out = {self.graph.datum}, [self.graph.datum], list[Branch]()
        for node in queue:
            for edge in at[node]:
                child, sign = (edge.head, 1) if edge.tail == node else (edge.tail, -1)
                if child not in seen:
                    seen.add(child)
                    queue.append(child)
                    out.append(Branch(edge, node, child, sign))
        return tuple(out)

    @cached_property
    def chords(self) -> tuple[Edge, ...]:
        """Edges of the cotree, in the order of the graph."""
        inside = set(self.names)
        return tuple(e for e in self.graph.edges if e.name not in inside)

    @cached_property
    def to_parent(self) -> dict[str, Branch]:
        """Branch that reaches each node, the datum excepted."""
        return {branch.child: branch for branch in self.branches}

    def path(self, node: str) -> list[Branch]:
        """Branches from ``node`` back to the datum."""
        out = []
        while node != self.graph.datum:
            branch = self.to_parent[node]
            out.append(branch)
            node = branch.parent
        return out

    def circuit(self, chord: Edge) -> list[tuple[str, int]]:
        """Walk the f-circuit of a chord: the chord, then the branches from its head back to its tail.

        Returns
        -------
        list of (edge name, sign); the sign is +1 where the edge points along the walk.
        """
        up, down = self.path(chord.head), self.path(chord.tail)
        while up and down and up[-1] == down[-1]:
            up.pop()
            down.pop()
        climb = [(b.edge.name, -b.sign) for b in up]
        descend = [(b.edge.name, b.sign) for b in reversed(down)]
        return [(chord.name, 1), *climb, *descend]


def _find(root: dict[str, str], node: str) -> str:
    while root[node] != node:
        root[node] = root[root[node]]
        node = root[node]
    return node


def _loop(graph: LinearGraph, names: Iterable[str], closing: str) -> list[str]:
    """Edges of the loop that edge ``closing`` closes with the edges named before it."""
    edge = graph.edge(closing)
    at: dict[str, list[Edge]] = {node: [] for node in graph.nodes}
    for name in names:
        if name == closing:
            break
        other = graph.edge(name)
        at[other.tail].append(other)
        at[other.head].append(other)
    came: dict[str, Edge | None] = {edge.head: None}
    queue = [edge.head]
    for node in queue:
        for step in at[node]:
            after = step.head if step.tail == node else step.tail
            if after not in came:
                came[after] = step
                queue.append(after)
    loop, node = [closing], edge.tail
    while (back := came[node]) is not None:
        loop.append(back.name)
        node = back.head if back.tail == node else back.tail
    return loop
