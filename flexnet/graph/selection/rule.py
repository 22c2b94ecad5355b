"""What every tree rule is: a function of the graph, with what it gives and what it may be asked for.

A rule registers itself with :func:`tree_rule`; the command line, the documentation and the tests read
:data:`RULES`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.tree import Tree

#: takes one of several edges of the same weight
Tie = Callable[[Sequence[str]], str]


class Domain(Enum):
    """Which of the two trees an edge is looked at for."""

    TRANSLATION = "T"
    ROTATION = "R"


class Counts(Enum):
    """Branch coordinates an edge is counted with."""

    SPATIAL = "spatial"  #: those of the component in space (Léger, table C.1), also in a planar system
    IN_PLANE = "in_plane"  #: those it really brings: in a planar system a body has two and one


def first_by_name(names: Sequence[str]) -> str:
    """Take the edge whose name comes first, j2 before j10: what is done unless another rule is given."""
    return min(names, key=natural)


@lru_cache(maxsize=1 << 16)
def natural(name: str) -> tuple[list[tuple[str, int, str]], str]:
    """Key that orders names by their letters and, where these are the same, by their numbers."""
    parts = re.findall(r"([^0-9]*)0*([0-9]*)", name)
    return [(text, len(number), number) for text, number in parts], name


@dataclass(frozen=True, slots=True)
class Wishes:
    """What may be asked of a rule.

    Attributes
    ----------
    require : edges that must be branches of every tree they can be in.
    counts : branch coordinates the weights are made of.
    T, R : a tree that is given, so that only the other is chosen.
    tie : how one of several edges of equal weight is taken.
    """

    require: tuple[str, ...] = ()
    counts: Counts = Counts.SPATIAL
    T: Tree | None = None
    R: Tree | None = None
    tie: Tie = first_by_name


#: what happened to an edge while a tree grew (``"weigh"``, ``"take"``, ``"leave"``), its name, its weight
Entry = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge enters a tree.

    Attributes
    ----------
    branch : the edge that enters.
    weights : weight of every potential edge: of those with one end in the tree, arms left out.
    """

    branch: str
    weights: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Growth:
    """How one tree was grown.

    Attributes
    ----------
    domain : translation or rotation.
    names : branches in the order they were taken, arms included.
    journal : how the choices came about, entry by entry: an edge is weighed, taken, or leaves because both
        its ends are in the tree.
    rank : place of every edge in the graph.
    """

    domain: Domain
    names: tuple[str, ...]
    journal: tuple[Entry, ...]
    rank: Mapping[str, int]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The choices, each with the weights of all there was to choose from; arms are no choice."""
        out, weights = list[Step](), dict[str, int]()
        for what, name, weight in self.journal:
            if what == "weigh":
                weights[name] = weight
            elif what == "leave":
                weights.pop(name, None)
            else:
                out.append(Step(name, {n: weights[n] for n in sorted(weights, key=self.rank.__getitem__)}))
        return tuple(out)

    @property
    def branches(self) -> frozenset[str]:
        """The branches as a set."""
        return frozenset(self.names)


@dataclass(frozen=True, slots=True)
class Selection:
    """A pair of trees and how a rule came to it.

    Attributes
    ----------
    T, R : trees of ``graph.translational`` and ``graph.rotational``.
    growths : every tree that was grown, in that order; the last of each domain is the one chosen.
    notes : what the user must be told.
    """

    T: Tree
    R: Tree
    growths: tuple[Growth, ...] = ()
    notes: tuple[str, ...] = field(default=())


Rule = Callable[[LinearGraph, Wishes], Selection]
#: every tree rule by name, filled by the pages of this folder
RULES: dict[str, Rule] = {}


def tree_rule(name: str) -> Callable[[Rule], Rule]:
    """Enter a rule under a name; the first sentence of its docstring is shown to users."""

    def enter(rule: Rule) -> Rule:
        RULES[name] = rule
        return rule

    return enter


def follow_rule(name: str, graph: LinearGraph, wishes: Wishes) -> Selection:
    """What a rule chooses; edges that come and go are not shown to it, and are chords."""
    lasting = graph.lasting
    made = RULES[name](lasting, wishes)
    if lasting is graph:
        return made
    return replace(made, T=Tree(graph.translational, made.T.names), R=Tree(graph.rotational, made.R.names))


def summary(name: str) -> str:
    """First sentence of a rule's docstring."""
    return (RULES[name].__doc__ or "").strip().split("\n")[0]


def graph_of(graph: LinearGraph, domain: Domain) -> LinearGraph:
    """The graph of one domain with rigid arms in it (Léger), dependent virtual work left out."""
    edges = (e for e in graph.edges if e.kind is not Kind.DEPENDENT and own_unknowns(e, domain) is not None)
    return LinearGraph(graph.nodes, tuple(edges), graph.datum)


def own_unknowns(edge: Edge, domain: Domain) -> int | None:
    """Unknowns an edge brings to a tree; None if it is not in that graph."""
    return edge.unknowns_t if domain is Domain.TRANSLATION else edge.unknowns_r


def coordinates(edge: Edge, domain: Domain, counts: Counts) -> int:
    """Branch coordinates of an edge in a domain (Léger, table C.1)."""
    if counts is Counts.SPATIAL and edge.in_space is not None:
        return edge.in_space[domain is Domain.ROTATION]
    return own_unknowns(edge, domain) or 0


def is_known(edge: Edge, domain: Domain) -> bool:
    """Whether the across variable is known: an arm, or a driver that leaves no direction free."""
    return edge.kind is Kind.ARM or (edge.kind is Kind.DRIVER and own_unknowns(edge, domain) == 0)


def make_tree(graph: LinearGraph, growth: Growth) -> Tree:
    """The tree of the derived graph: in the R-graph rigid arms are contracted."""
    derived = graph.translational if growth.domain is Domain.TRANSLATION else graph.rotational
    inside = {e.name for e in derived.edges}
    return Tree(derived, tuple(name for name in growth.names if name in inside))


def check_required(graph: LinearGraph, require: Sequence[str]) -> None:
    """Refuse a required edge that is not in the graph or can never be a branch.

    Raises
    ------
    GraphError
        Naming the edge.
    """
    from difflib import get_close_matches

    known = {e.name: e for e in graph.edges if e.kind is not Kind.DEPENDENT}
    for name in require:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise GraphError(f"required edge {name!r} is not in the graph{hint}")
        if known[name].is_chord:
            raise GraphError(f"required edge {name!r} cannot be a branch: it comes and goes")
        if known[name].kind is Kind.FORCE:
            raise GraphError(
                f"required edge {name!r} is a {Kind.FORCE.value}: its through variable is known, so it"
                " must be a chord of both trees"
            )
