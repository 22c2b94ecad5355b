"""The linear graph: nodes are frames, directed edges are components.

One graph describes the mechanism. Its *translational* and *rotational* graphs are derived from it
(GTM §4.1): purely rotational edges leave the T-graph; in the R-graph rigid arms are contracted, because
rotation belongs to a whole body, and purely translational edges leave.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from flexnet.errors import GraphError


class Kind(Enum):
    """What an edge stands for; tree selection knows edges by this alone."""

    ARM = "arm"
    BODY = "body"
    JOINT = "joint"
    VIRTUAL = "virtual joint"
    DRIVER = "motion driver"
    FORCE = "force element"
    DEPENDENT = "dependent virtual work"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge from node ``tail`` to node ``head``.

    Attributes
    ----------
    name : unique name of the edge.
    tail, head : nodes the edge leaves and enters.
    kind : what the edge stands for.
    unknowns_t : unknown translational across variables if the edge is a branch of the T-tree;
        None if the edge has no translational terminal equation (it is not in the T-graph).
    unknowns_r : the same for rotation and the R-graph.
    is_rigid : a rigid arm, contracted in the R-graph.
    in_space : branch coordinates (translation, rotation) of the component in space (Léger, table C.1), also
        where the system is planar; the unknowns if left out.
    conditions : constraints it brings besides those of its two reaction spaces.
    domain : scalar domain the edge belongs to (:data:`flexnet.graph.domain.DOMAINS`); empty in space.
    order : of a scalar edge, its place among those a normal tree prefers; the lowest comes first.
    is_chord : it can never be a branch: it comes and goes.
    """

    name: str
    tail: str
    head: str
    kind: Kind = Kind.JOINT
    unknowns_t: int | None = 0
    unknowns_r: int | None = 0
    is_rigid: bool = False
    in_space: tuple[int, int] | None = None
    conditions: int = 0
    domain: str = ""
    order: int = 0
    is_chord: bool = False


@dataclass(frozen=True)
class LinearGraph:
    """Nodes, directed edges and the datum node.

    Raises
    ------
    GraphError
        On a repeated name, an unknown node, an edge whose ends coincide, or an unconnected node.
    """

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    datum: str

    def __post_init__(self) -> None:
        _check_unique("node", self.nodes)
        _check_unique("edge", [edge.name for edge in self.edges])
        known = set(self.nodes)
        if self.datum not in known:
            raise GraphError(f"datum {self.datum!r} is not a node of the graph")
        for edge in self.edges:
            for node in (edge.tail, edge.head):
                if node not in known:
                    raise GraphError(f"edge {edge.name!r} ends at unknown node {node!r}")
            if edge.tail == edge.head:
                raise GraphError(f"edge {edge.name!r} begins and ends at node {edge.tail!r}")
        lost = known - self.reachable(edge.name for edge in self.edges)
        if lost:
            raise GraphError(f"node {min(lost)!r} is not connected to the datum {self.datum!r}")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.nodes, self.edges, self.datum))

    @cached_property
    def _by_name(self) -> dict[str, Edge]:
        return {edge.name: edge for edge in self.edges}

    def edge(self, name: str) -> Edge:
        """Return the edge called ``name``."""
        try:
            return self._by_name[name]
        except KeyError:
            raise GraphError(f"no edge is called {name!r}") from None

    def reachable(self, names: Iterable[str]) -> set[str]:
        """Nodes that can be reached from the datum along the named edges, in either direction."""
        neighbours: dict[str, list[str]] = {node: [] for node in self.nodes}
        for name in names:
            edge = self.edge(name)
            neighbours[edge.tail].append(edge.head)
            neighbours[edge.head].append(edge.tail)
        seen, stack = {self.datum}, [self.datum]
        while stack:
            for node in neighbours[stack.pop()]:
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return seen

    def without(self, *kinds: Kind) -> "LinearGraph":
        """Return the graph without the edges of these kinds."""
        return replace(self, edges=tuple(e for e in self.edges if e.kind not in kinds))

    @property
    def lasting(self) -> "LinearGraph":
        """The graph without the edges that come and go."""
        kept = tuple(e for e in self.edges if not e.is_chord)
        return self if len(kept) == len(self.edges) else replace(self, edges=kept)

    def of(self, domain: str) -> "LinearGraph":
        """The graph of one domain.

        Parameters
        ----------
        domain : ``translational`` or ``rotational`` in space, ``mechanism`` for both; a scalar domain, such
            as ``electrical``; or ``network`` for all scalar ones, which meet at the datum alone.
        """
        if domain in ("translational", "rotational"):
            return self.translational if domain == "translational" else self.rotational
        if domain == "mechanism":
            return self._restricted([e for e in self.edges if not e.domain])
        return self._restricted([e for e in self.edges if e.domain and domain in (e.domain, "network")])

    def _restricted(self, edges: list[Edge]) -> "LinearGraph":
        """The graph of some of the edges, with the nodes they reach and those nothing else does."""
        if len(edges) == len(self.edges):
            return self
        dropped = {id(e) for e in self.edges} - {id(e) for e in edges}
        lost = {n for e in self.edges if id(e) in dropped for n in (e.tail, e.head)}
        kept = {n for e in edges for n in (e.tail, e.head)} | {self.datum}
        nodes = tuple(n for n in self.nodes if n in kept or n not in lost)
        return LinearGraph(nodes, tuple(edges), self.datum)

    @cached_property
    def translational(self) -> "LinearGraph":
        """The T-graph: the edges with a translational terminal equation."""
        own = self.of("mechanism")
        return replace(own, edges=tuple(e for e in own.edges if e.unknowns_t is not None))

    @cached_property
    def rotational(self) -> "LinearGraph":
        """The R-graph: rigid arms contracted, purely translational edges dropped."""
        own = self.of("mechanism")
        owner = own.rotation_nodes
        edges = tuple(
            replace(e, tail=owner[e.tail], head=owner[e.head])
            for e in own.edges
            if e.unknowns_r is not None and not e.is_rigid and owner[e.tail] != owner[e.head]
        )
        nodes = tuple(n for n in own.nodes if owner[n] == n)
        return LinearGraph(nodes, edges, self.datum)

    @cached_property
    def rotation_nodes(self) -> dict[str, str]:
        """Node of the R-graph each node is contracted to: the node its rigid arm starts at."""
        owner = {node: node for node in self.nodes}
        for edge in self.edges:
            if edge.is_rigid:
                owner[edge.head] = owner[edge.tail]
        return owner


def _check_unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise GraphError(f"{what} {name!r} appears twice")
        seen.add(name)
