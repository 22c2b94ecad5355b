"""What a formulation has made of a mechanism, as plain data and as text a person can read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from flexnet.formulation.assembly import assemble
from flexnet.formulation.equations import Equations
from flexnet.formulation.formulate import formulate
from flexnet.formulation.planarity import is_planar_motion
from flexnet.formulation.self_stress import undetermined
from flexnet.graph import RULES, Edge, Kind, LinearGraph, Tree, TreeCounts, count_trees, gruebler
from flexnet.system import System, offer_indirect_joints

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Report:
    """Summary of one System in the coordinates of one pair of trees.

    Attributes
    ----------
    name, is_planar : of the system.
    frames : nodes of every body, the ground first.
    edges : the edges by kind.
    t_size, r_size : nodes and edges of the T-graph and the R-graph, dependent virtual work left out.
    t_tree, r_tree : branches that are not arms.
    coordinates : names of the n velocities.
    constraints : names of the m constraint equations that are kept, ``joint: direction``.
    redundant : joint and direction of every constraint that was dropped.
    undetermined : components of joint loads that are not determined at the start, in ground axes.
    suggests_planar : a spatial system that moves in a plane.
    counts : body torques and body forces of the trees (Léger §4.1).
    gruebler : freedoms by Gruebler's count, redundant constraints counted as if they were not.
    warnings : what in the description is surely not meant, such as bodies that nothing holds.
    python_laws : elements with a law in Python that is no formula: it is called at every evaluation.
    doubts : questions about what is rarely meant, such as gravity that points up.
    states : names of the first-order states of controllers and networks.
    algebraic : how many of them have no rate.
    """

    name: str
    is_planar: bool
    frames: Mapping[str, tuple[str, ...]]
    edges: Mapping[Kind, tuple[Edge, ...]]
    t_size: tuple[int, int]
    r_size: tuple[int, int]
    t_tree: tuple[str, ...]
    r_tree: tuple[str, ...]
    coordinates: tuple[str, ...]
    constraints: tuple[str, ...]
    redundant: tuple[tuple[str, str], ...]
    undetermined: Mapping[str, tuple[str, ...]]
    suggests_planar: bool
    counts: TreeCounts
    gruebler: int
    warnings: tuple[str, ...] = ()
    python_laws: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    algebraic: int = 0

    @property
    def n(self) -> int:
        """Number of coordinates, and of dynamic equations."""
        return len(self.coordinates)

    @property
    def m(self) -> int:
        """Number of constraint equations."""
        return len(self.constraints)

    @property
    def total(self) -> int:
        """Number of differential-algebraic equations n + m (GTM table 5)."""
        return self.n + self.m

    @property
    def freedoms(self) -> int:
        """Degrees of freedom n - m left by joints and drivers."""
        return self.n - self.m

    def sections(self) -> list[tuple[str, list[str]]]:
        """Headings and their lines, none longer than a terminal is wide, for whoever prints them."""
        nodes = sum(len(names) for names in self.frames.values())
        count = sum(len(found) for found in self.edges.values())
        graphs = [
            f"{nodes} nodes, {count} edges",
            f"T-graph: {self.t_size[0]} nodes, {self.t_size[1]} edges;"
            f" R-graph: {self.r_size[0]} nodes, {self.r_size[1]} edges"
            " (without dependent virtual work)",
        ]
        frames = [f"{body}: {_listed(names)}" for body, names in self.frames.items()]
        edges = [
            f"{kind.value} ({len(found)}): {_listed(_described(e) for e in found)}"
            for kind, found in self.edges.items()
        ]
        arms = len(self.edges.get(Kind.ARM, ()))
        trees = [
            f"T-tree: {_plural(arms, 'arm')} and {_listed(self.t_tree) or 'nothing else'}",
            f"R-tree: {_listed(self.r_tree)}",
        ]
        equations = [
            f"{self.n} dynamic + {self.m} constraint = {_plural(self.total, 'equation')}",
            f"{_plural(self.freedoms, 'degree')} of freedom; Gruebler's count {self.gruebler}",
            f"{_plural(self.counts.torques, 'body torque')}, {_plural(self.counts.forces, 'body force')}",
        ]
        if self.states:
            equations.append(
                f"{_plural(len(self.states), 'state')} of first order, {self.algebraic} of them algebraic"
            )
        out = [
            ("graph", graphs),
            ("nodes", frames),
            ("edges", edges),
            ("trees", trees),
            (f"coordinates ({self.n})", [_listed(self.coordinates) or "none"]),
            (f"constraints ({self.m})", [_listed(self.constraints) or "none"]),
            ("equations", equations),
            (f"redundant constraints ({len(self.redundant)})", self._redundant()),
        ]
        if self.python_laws:
            words = "Python is called at every evaluation, because they ask for more than formulas can tell"
            out.append(("laws in Python", [_listed(self.python_laws), words]))
        if self.doubts:
            out.append(("is this meant?", list(self.doubts)))
        if self.warnings:
            out.append(("warnings", list(self.warnings)))
        if self.undetermined:
            out.append(("loads that are not determined", self._undetermined()))
        if self.suggests_planar:
            out.append(("suggestion", ["the motion is planar: System(..., planar=True) has fewer equations"]))
        return [(heading, [line for text in body for line in _wrapped(text)]) for heading, body in out]

    def _redundant(self) -> list[str]:
        by_joint: dict[str, list[str]] = {}
        for joint, direction in self.redundant:
            by_joint.setdefault(joint, []).append(direction)
        return [f"{joint}: {', '.join(directions)}" for joint, directions in by_joint.items()] or ["none"]

    def _undetermined(self) -> list[str]:
        return [f"{joint}: {', '.join(parts)}" for joint, parts in self.undetermined.items()] + [
            "recorded as NaN; --share, simulate(..., share=True) or reactions(..., shared=True) share them"
        ]

    @property
    def title(self) -> str:
        """One line that says what the system is."""
        kind = "planar" if self.is_planar else "spatial"
        return f"{self.name}: {kind} system, {_plural(len(self.frames) - 1, 'body', 'bodies')}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        lines = [self.title]
        for heading, body in self.sections():
            lines += ["", heading, *(f"  {line}" for line in body)]
        return "\n".join(lines)


def report(equations: Equations) -> Report:
    """Summarise what a formulation has made of a mechanism."""
    system, graph = equations.system, equations.graph
    shown = graph.without(Kind.DEPENDENT)
    redundant = tuple((joint, direction) for joint, direction in map(_split, equations.redundant))
    poses = equations.poses(equations.initial)
    return Report(
        system.name,
        system.is_planar,
        _frames(system),
        {kind: found for kind in Kind if (found := tuple(e for e in graph.edges if e.kind is kind))},
        _size(shown.translational),
        _size(shown.rotational),
        _branches(equations.T),
        _branches(equations.R),
        equations.coordinates.v_names,
        tuple(row.name for row in equations.rows),
        redundant,
        undetermined(equations, equations.initial),
        not system.is_planar and is_planar_motion(system, poses),
        count_trees(equations.T, equations.R, graph),
        gruebler(graph),
        system.warnings,
        tuple(dict.fromkeys(name for name, _, _ in equations.packer.laws.formulas)),
        system.doubts,
        equations.states.names,
        sum(map(bool, equations.states.is_algebraic)),
    )


def compare_trees(
    system: System,
    choices: Iterable[str] = tuple(RULES),
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
) -> dict[str, Report]:
    """Reports of one system for several tree rules, all at the same assembled state.

    Parameters
    ----------
    system : the mechanism.
    choices : names of the rules.
    require, counts, virtual : as in :func:`~flexnet.formulation.formulate`; of every rule.
    """
    system = offer_indirect_joints(system) if virtual else system
    poses = assemble(system)
    return {
        choice: report(formulate(system, choice, poses=poses, require=require, counts=counts))
        for choice in choices
    }


def tree_table(reports: Mapping[str, Report]) -> list[tuple[str, ...]]:
    """Table of tree choices, heading first: numbers of equations (GTM table 5), body torques and forces."""
    head = (
        "tree",
        "T-tree",
        "R-tree",
        "dynamic",
        "constraint",
        "redundant",
        "equations",
        "torques",
        "forces",
    )
    rows = [
        (
            choice,
            _branch_kinds(r.t_tree, r.edges),
            _branch_kinds(r.r_tree, r.edges),
            str(r.n),
            str(r.m),
            str(len(r.redundant)),
            str(r.total),
            str(r.counts.torques),
            str(r.counts.forces),
        )
        for choice, r in reports.items()
    ]
    return [head, *rows]


def format_tree_table(reports: Mapping[str, Report]) -> str:
    """The table of :func:`tree_table` as text."""
    rows = tree_table(reports)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        texts = (
            f"{cell:<{w}}" if k < 3 else f"{cell:>{w}}"
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(texts).rstrip())
    return "\n".join(lines)


def _branch_kinds(branches: Sequence[str], edges: Mapping[Kind, tuple[Edge, ...]]) -> str:
    """Branches counted by kind, such as ``5 joint + 2 body``."""
    counts = {kind: sum(e.name in branches for e in found) for kind, found in edges.items()}
    return " + ".join(f"{count} {kind.value}" for kind, count in counts.items() if count) or "arms only"


def _described(edge: Edge) -> str:
    """Name of an edge, and its ends where the name does not tell them."""
    tells = edge.kind in (Kind.ARM, Kind.BODY, Kind.DEPENDENT) or edge.name.startswith(f"{edge.head}.")
    return edge.name if tells else f"{edge.name} ({edge.tail} → {edge.head})"


def _frames(system: System) -> dict[str, tuple[str, ...]]:
    out: dict[str, list[str]] = {}
    for name, frame in system.frames.items():
        out.setdefault(frame.body, []).append(name)
    return {body: tuple(names) for body, names in out.items()}


def _branches(tree: Tree) -> tuple[str, ...]:
    return tuple(b.edge.name for b in tree.branches if b.edge.kind is not Kind.ARM)


def _size(graph: LinearGraph) -> tuple[int, int]:
    return len(graph.nodes), len(graph.edges)


def _split(row: str) -> tuple[str, str]:
    joint, _, direction = row.partition(": ")
    return joint, direction


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _wrapped(text: str) -> list[str]:
    """Break a list between its items; further lines are indented."""
    first, *rest = text.split(", ")
    lines = [first]
    for item in rest:
        if len(lines[-1]) + len(item) + 3 > _WIDTH:
            lines[-1] += ","
            lines.append("    " + item)
        else:
            lines[-1] += f", {item}"
    return lines
