"""Formulation-based selection: fewest body torques, body forces and kinematic equations (Léger, ch. 4).

What a tree costs is estimated while it grows: an edge that enters puts the body it brings into its own
dynamic equations and into those of every branch on its path to the datum. So the weight of a potential
edge e whose end in the tree is k is

    W = own + Σ_b CutsetWeight_b NumEQs_b + 10 Σ_{b ∈ path(k)} NumEQs_b
        + KinEQComplexity max(0, TotNumDynEQs + NumDynEQs_e - DOF)                    Léger (4.12)-(4.17)

with own = 9 NumEQs_e for a body in rotation, 0 in translation and 10 NumEQs_e for anything else; then
times ten, and one more if the opposite tree does not hold the edge. The names are those of the thesis.
Rotation is selected, translation with similarity to it, rotation again, until it comes out the same.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.selection.counts import gruebler
from flexnet.graph.selection.prim import grow
from flexnet.graph.selection.rule import (
    Counts,
    Domain,
    Growth,
    Selection,
    Wishes,
    coordinates,
    graph_of,
    is_known,
    make_tree,
    tree_rule,
)
from flexnet.graph.tree import Tree

#: passes of the outer loop (Léger §4.1.6)
CAP = 4
#: weights of the rules that come before the count (Léger §4.2.2, §4.2.5)
FLEXIBLE_TIP, THROUGH_KNOWN, ACROSS_KNOWN, REQUIRED = 100_000, 90_000, -2, -1
#: least weight of a cutset, and that of a body, whose force or torque is written once (Léger §4.2.3, §4.3)
OWN, OF_BODY = 10, {Domain.ROTATION: 9, Domain.TRANSLATION: 0}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the weights of one tree were made of.

    Attributes
    ----------
    growth : the tree.
    NumEQs : how often the cutset equation of an edge is used in building dynamic equations.
    NumInRotEQs : how often the force of a branch appears in the rotational equations; R-tree only.
    CutsetWeight : least weighted number of bodies in the f-cutset of each branch.
    KinEQComplexity : weight of one kinematic equation.
    """

    growth: Growth
    NumEQs: Mapping[str, int]
    NumInRotEQs: Mapping[str, int]
    CutsetWeight: Mapping[str, int]
    KinEQComplexity: int


@tree_rule("formulation_based")
def formulation_based(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Fewest body torques, body forces and kinematic equations (Léger 2006, chapter 4)."""
    if wishes.R is not None or wishes.T is not None:
        return _complete(graph, wishes)
    made, is_done = iterate(graph, wishes)
    told = () if is_done else (
        f"formulation-based trees have not settled in {CAP} passes: the last R-tree with its T-tree is taken",
    )  # fmt: skip
    T, R = (make_tree(graph, _last(made, d)) for d in Domain)
    return Selection(T, R, tuple(e.growth for e in made), told)


def iterate(graph: LinearGraph, wishes: Wishes) -> tuple[list[Estimate], bool]:
    """Select R, T, R, T, … until R comes out as before; every tree made, and whether it settled."""
    made = [estimate(graph, Domain.ROTATION, wishes)]
    for _ in range(CAP):
        made.append(estimate(graph, Domain.TRANSLATION, wishes, made[-1].growth.branches, made[-1]))
        made.append(estimate(graph, Domain.ROTATION, wishes, made[-1].growth.branches))
        if made[-1].growth.branches == made[-3].growth.branches:
            return made, True
    made.append(estimate(graph, Domain.TRANSLATION, wishes, made[-1].growth.branches, made[-1]))
    return made, False


def estimate(
    graph: LinearGraph,
    domain: Domain,
    wishes: Wishes,
    opposite: Collection[str] | None = None,
    rotation: Estimate | None = None,
) -> Estimate:
    """Grow one tree by its estimated cost (Léger, fig. 4.9).

    Parameters
    ----------
    opposite : branches of the other tree; None if there is none yet.
    rotation : the R-tree, where the T-tree is grown.
    """
    part = graph_of(graph, domain)
    scale = _Cost(graph, part, domain, wishes, opposite, rotation)
    growth = grow(part, domain, scale, wishes.tie)
    return Estimate(growth, scale.NumEQs, scale.NumInRotEQs, scale.CutsetWeight, scale.KinEQComplexity)


class _Cost:
    """Characteristics of edges and graph while one tree grows (Léger, figs 4.12, 4.13, 4.15, 4.17)."""

    is_steady = False

    def __init__(
        self,
        graph: LinearGraph,
        part: LinearGraph,
        domain: Domain,
        wishes: Wishes,
        opposite: Collection[str] | None,
        rotation: Estimate | None,
    ) -> None:
        self.domain, self.require, self.opposite = domain, wishes.require, opposite
        self.NumDynEQs = {e.name: coordinates(e, domain, wishes.counts) for e in part.edges}
        self.NumEQs = _num_eqs(part, self.NumDynEQs, rotation)
        self.NumInRotEQs: dict[str, int] = {}
        self.CutsetWeight: dict[str, int] = {}
        self.DOF = max(0, gruebler(graph, wishes.counts))
        self.KinEQComplexity = 3 if rotation is None else _complexity(graph, rotation.growth, wishes.counts)
        self.TotNumDynEQs = _total(graph, domain, opposite, wishes.counts)
        self._tips = {e.head for e in part.edges if e.kind is Kind.ARM and not e.is_rigid}
        self._path: dict[str, tuple[str, ...]] = {part.datum: ()}  # branches to the datum that are no arms
        self._on_path = {part.datum: 0}  # Σ NumEQs of them
        self._all = 0  # Σ CutsetWeight NumEQs over the branches

    def weigh(self, edge: Edge, near: str) -> tuple[int, ...]:
        count = self._dynamic(edge, near)
        weight = count
        if edge.tail in self._tips or edge.head in self._tips:
            weight = FLEXIBLE_TIP
        elif is_known(edge, self.domain):
            weight = ACROSS_KNOWN
        elif edge.kind is Kind.FORCE:
            weight = THROUGH_KNOWN
        elif edge.name in self.require:
            weight = REQUIRED
        differs = self.opposite is not None and edge.name not in self.opposite
        # where a flexible body is held at tips only, the count decides between edges that must not be leaves
        return 10 * weight + differs, count

    def _dynamic(self, edge: Edge, near: str) -> int:
        kinematic = max(0, self.TotNumDynEQs + self.NumDynEQs[edge.name] - self.DOF)
        return (
            self._own(edge) * self.NumEQs[edge.name]
            + self._all
            + OWN * self._on_path[near]
            + self.KinEQComplexity * kinematic
        )

    def _own(self, edge: Edge) -> int:
        return OF_BODY[self.domain] if edge.kind is Kind.BODY else OWN

    def take(self, edge: Edge, near: str, new: str) -> None:
        name, eqs, path = edge.name, self.NumEQs[edge.name], self._path[near]
        if self.domain is Domain.ROTATION and (edge.kind is Kind.ARM or _allows_translation(edge)):
            self.NumInRotEQs[name] = self._on_path[near]
        self._path[new] = path
        self._on_path[new] = self._on_path[near] + eqs
        if edge.kind is Kind.ARM:
            return
        self._path[new] = (*path, name)
        self.CutsetWeight[name] = self._own(edge)
        for branch in path:
            self.CutsetWeight[branch] += OWN
        self._all += self.CutsetWeight[name] * eqs + OWN * self._on_path[near]
        self.TotNumDynEQs += self.NumDynEQs[name]


def _num_eqs(part: LinearGraph, dynamic: dict[str, int], rotation: Estimate | None) -> dict[str, int]:
    """NumEQs at the start (Léger, fig. 4.12): in translation with the forces the R-tree's equations hold."""
    if rotation is None:
        return dict(dynamic)
    held = rotation.NumInRotEQs
    at: dict[str, int] = {}  # NumInRotEQs of the arms whose head a node is
    for e in part.edges:
        if e.kind is Kind.ARM:
            at[e.head] = at.get(e.head, 0) + held.get(e.name, 0)
    return {
        e.name: 0 if e.kind is Kind.ARM
        else dynamic[e.name] + held.get(e.name, 0) + at.get(e.tail, 0) + at.get(e.head, 0)
        for e in part.edges
    }  # fmt: skip


def _complexity(graph: LinearGraph, rotation: Growth, counts: Counts) -> int:
    """Ten times the most rotations round the f-circuit of a rotational chord (Léger, fig. 4.17)."""
    tree = Tree(graph_of(graph, Domain.ROTATION), rotation.names)
    angles = {e.name: coordinates(e, Domain.ROTATION, counts) for e in tree.graph.edges}
    rounds = (sum(angles[name] for name, _ in tree.circuit(c)[1:]) for c in tree.chords)
    return 10 * max(rounds, default=0)


def _total(graph: LinearGraph, domain: Domain, opposite: Collection[str] | None, counts: Counts) -> int:
    """Coordinates of the opposite tree."""
    other = Domain.TRANSLATION if domain is Domain.ROTATION else Domain.ROTATION
    return sum(coordinates(graph.edge(name), other, counts) for name in opposite or ())


def _allows_translation(edge: Edge) -> bool:
    return coordinates(edge, Domain.TRANSLATION, Counts.SPATIAL) > 0


def _last(made: list[Estimate], domain: Domain) -> Growth:
    return next(e.growth for e in reversed(made) if e.growth.domain is domain)


def _complete(graph: LinearGraph, wishes: Wishes) -> Selection:
    """Choose the tree that is not given, with similarity to the one that is."""
    if wishes.R is None:
        T = wishes.T
        assert T is not None
        made = [estimate(graph, Domain.ROTATION, wishes, T.names)]
        return Selection(T, make_tree(graph, made[0].growth), tuple(e.growth for e in made))
    arms = tuple(e.name for e in graph.edges if e.kind is Kind.ARM and e.is_rigid)
    rotation = _retrace(graph, wishes, (*arms, *wishes.R.names))
    if wishes.T is not None:
        return Selection(wishes.T, wishes.R)
    growth = estimate(graph, Domain.TRANSLATION, wishes, rotation.growth.branches, rotation).growth
    return Selection(make_tree(graph, growth), wishes.R, (growth,))


def _retrace(graph: LinearGraph, wishes: Wishes, names: tuple[str, ...]) -> Estimate:
    """What the R-tree of these branches would have been estimated at."""
    part = graph_of(graph, Domain.ROTATION)
    inside = {e.name for e in part.edges} & set(names)
    only = LinearGraph(part.nodes, tuple(e for e in part.edges if e.name in inside), part.datum)
    scale = _Cost(graph, part, Domain.ROTATION, wishes, None, None)
    growth = grow(only, Domain.ROTATION, scale)
    return Estimate(growth, scale.NumEQs, scale.NumInRotEQs, scale.CutsetWeight, scale.KinEQComplexity)
