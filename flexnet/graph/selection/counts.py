"""What a pair of trees costs, counted on the graph alone: freedoms, coordinates, body torques, body forces.

A *body torque* is one occurrence of the torque of a body in a rotational dynamic equation: the f-cutset
of an R-branch with r unknowns gives r equations, and holds the bodies whose path to the datum goes through
the branch (Léger §4.1.2). Each brings the forces of the arms of that body; the T-tree expresses each of
those by the bodies of its f-cutset: the *body forces* in rotational equations. A T-branch with t unknowns
gives t more equations. Bodies that are branches themselves cost no force (Léger §4.1.3).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.selection.rule import Counts, Domain, coordinates, natural
from flexnet.graph.tree import Tree


@dataclass(frozen=True, slots=True)
class TreeCounts:
    """Counts of a pair of trees.

    Attributes
    ----------
    n : coordinates of the branches, elastic ones left out.
    chord_torques, branch_torques : torques of bodies that are chords and branches of the R-tree, in the
        rotational equations.
    rotation_forces, translation_forces : forces of bodies that are chords of the T-tree, in the
        rotational and in the translational equations.
    """

    n: int
    chord_torques: int
    branch_torques: int
    rotation_forces: int
    translation_forces: int

    @property
    def torques(self) -> int:
        """Body torques in all."""
        return self.chord_torques + self.branch_torques

    @property
    def forces(self) -> int:
        """Body forces in all."""
        return self.rotation_forces + self.translation_forces


def gruebler(graph: LinearGraph, counts: Counts = Counts.IN_PLANE) -> int:
    """Freedoms by Gruebler's count: those of the bodies less the constraints of joints and drivers (4.14).

    Redundant constraints are counted as if they were not, so a planar mechanism counted in space comes
    out negative. A driver that rides on a joint takes the freedoms the joint has left and it has not.
    """
    full = {d: max((coordinates(e, d, counts) for e in _of(graph, Kind.BODY)), default=0) for d in Domain}
    freedoms = sum(full.values()) * len(list(_of(graph, Kind.BODY)))
    joints: dict[frozenset[str], Edge] = {}
    for e in sorted(_of(graph, Kind.JOINT), key=lambda e: (e.conditions, natural(e.name))):
        joints.setdefault(frozenset((e.tail, e.head)), e)
        freedoms -= e.conditions + sum(full[d] - coordinates(e, d, counts) for d in Domain if _is_in(e, d))
    for e in _of(graph, Kind.DRIVER):
        joint = joints.get(frozenset((e.tail, e.head)))
        for d in Domain:
            if _is_in(e, d):
                whole = full[d] if joint is None else coordinates(joint, d, counts)
                freedoms -= whole - coordinates(e, d, counts)
    return freedoms


def _is_in(edge: Edge, domain: Domain) -> bool:
    """Whether an edge is in the graph of a domain."""
    return (edge.unknowns_t if domain is Domain.TRANSLATION else edge.unknowns_r) is not None


def count_trees(T: Tree, R: Tree, graph: LinearGraph) -> TreeCounts:
    """Count what a pair of trees of a graph costs."""
    held = {body.head: _turns(R, body.head) for body in _of(graph, Kind.BODY)}
    chords = [body for body in _of(graph, Kind.BODY) if body.name not in T.names]
    carried = dict.fromkeys(T.names, 0)  # chord bodies in the f-cutset of each T-branch
    for body in chords:
        for branch in T.path(body.head):
            carried[branch.edge.name] += 1
    owner = graph.rotation_nodes
    in_rotation = sum(held.get(owner[e.tail], 0) * carried.get(e.name, 0) for e in _of(graph, Kind.ARM))
    return TreeCounts(
        n=sum(T.graph.edge(name).unknowns_t or 0 for name in T.names)
        + sum(R.graph.edge(name).unknowns_r or 0 for name in R.names),
        chord_torques=sum(held[b.head] for b in _of(graph, Kind.BODY) if b.name not in R.names),
        branch_torques=sum(held[b.head] for b in _of(graph, Kind.BODY) if b.name in R.names),
        rotation_forces=in_rotation,
        translation_forces=sum((T.graph.edge(name).unknowns_t or 0) * carried[name] for name in T.names),
    )


def _turns(R: Tree, node: str) -> int:
    """Rotational equations a body's torque is in: the unknowns of the R-branches on its path."""
    return sum(branch.edge.unknowns_r or 0 for branch in R.path(node))


def _of(graph: LinearGraph, kind: Kind) -> Iterator[Edge]:
    return (e for e in graph.edges if e.kind is kind)
