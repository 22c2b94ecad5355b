"""One panel of a graph drawing: which edges are bold, which way they go, where the names stand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from flexnet.graph import Edge, Kind, LinearGraph, Tree
from flexnet.typing import Array
from flexnet.view.routing import Label, Router, beside_curve, beside_node, closed, outline, place_labels

#: distance of an outline from its nodes; sizes of letters, points
OUTLINE, FONT, BODY_FONT = 0.3, 7.5, 9.0
#: a name that more loads than this share is written in the legend only
SHARED = 4
#: distance of a load from the edge of its body, times two
BESIDE = 0.16


#: a whole line, or an offset and the lengths of dashes and gaps over the width of the line
Dashes: TypeAlias = Literal["-"] | tuple[float, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Stroke:
    """How edges of one kind are drawn: colour, line, bends to choose from, weight of a crossing label."""

    colour: str
    line: Dashes
    bends: tuple[float, ...]
    weight: float
    text: str


_FEW = (0.0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45)
_MANY = (0.0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.42, -0.42, 0.55, -0.55, 0.7, -0.7)
#: in the order they are routed and listed
STROKES = {
    Kind.ARM: Stroke("#333333", "-", (0.0,), 4.0, "arm"),
    Kind.JOINT: Stroke("#1f5fa8", "-", _FEW, 4.0, "joint"),
    Kind.DRIVER: Stroke("#2a8a4a", "-", _FEW[1:], 4.0, "motion driver"),
    Kind.VIRTUAL: Stroke("#7a4fa3", (0, (6, 2)), _FEW[1:], 4.0, "virtual joint"),
    Kind.BODY: Stroke("#9a9a9a", "-", _MANY[1:], 1.0, "body"),
    Kind.FORCE: Stroke("#c4561a", "-", _FEW[1:], 3.0, "force element"),
    Kind.NETWORK: Stroke("#0f7b83", "-", _MANY, 4.0, "network element"),
    Kind.DEPENDENT: Stroke("#b08fc7", (0, (3, 2)), _MANY[3:], 0.5, "dependent virtual work"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One graph to draw, with the tree that is bold in it and the way it is drawn.

    Attributes
    ----------
    bold : names of the branches.
    bodies : nodes of every body, its own frame first.
    outlines : polygon around every body.
    router : curves of all edges.
    unnamed : short names so many edges share that they are written in the legend only.
    """

    title: str
    graph: LinearGraph
    bold: frozenset[str]
    bodies: Mapping[str, Sequence[str]]
    outlines: Mapping[str, Array]
    router: Router
    unnamed: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A name, what it is the name of, how it is written, and the place (2,) and size (2,) it takes."""

    text: str
    owner: str
    is_of_edge: bool
    style: Mapping[str, Any]
    centre: Array
    size: Array


def make_panels(
    graph: LinearGraph, T: Tree | None, R: Tree | None, place: Mapping[str, Array]
) -> list[Panel]:
    """One panel for each tree that is given, or one of the whole graph."""
    if T is None and R is None:
        return [_route("linear graph", graph, frozenset(), place)]
    panels = []
    if T is not None:
        branches = frozenset(T.names)
        panels.append(_route("translational graph, T-tree in bold", graph.translational, branches, place))
    if R is not None:
        branches = frozenset(R.names)
        panels.append(_route("rotational graph, R-tree in bold", graph.rotational, branches, place))
    return panels


def make_panel(title: str, graph: LinearGraph, tree: Tree | None, place: Mapping[str, Array]) -> Panel:
    """The panel of a graph that has one tree, or none yet."""
    return _route(title, graph, frozenset(tree.names if tree else ()), place)


def _route(title: str, graph: LinearGraph, bold: frozenset[str], place: Mapping[str, Array]) -> Panel:
    nodes = {n: place[n] for n in graph.nodes}
    bodies = _bodies(graph)
    outlines = {b: outline(np.array([nodes[n] for n in ns]), OUTLINE) for b, ns in bodies.items()}
    router = Router(nodes, [(outlines[b], set(ns)) for b, ns in bodies.items()])
    loads: Counter[tuple[str, str]] = Counter()
    body_edges = {(e.tail, e.head): e.name for e in graph.edges if e.kind is Kind.BODY}
    for edge in in_order(graph):
        ends = (edge.tail, edge.head)
        bends: Sequence[float] = STROKES[edge.kind].bends
        if edge.kind is Kind.FORCE and ends in body_edges:
            # loads run beside the edge of their body, on one side and the other
            k = loads[ends] = loads[ends] + 1
            step = BESIDE / float(np.linalg.norm(nodes[edge.head] - nodes[edge.tail]))
            bends = [router.bends[body_edges[ends]] + step * ((k + 1) // 2) * (1 if k % 2 else -1)]
        router.route(edge.name, ends, bends)
    short = Counter(_short(e) for e in graph.edges if e.kind is Kind.FORCE)
    unnamed = frozenset(name for name, count in short.items() if count > SHARED)
    return Panel(title, graph, bold, bodies, outlines, router, unnamed)


def in_order(graph: LinearGraph) -> list[Edge]:
    """Edges in the order they are routed and listed."""
    order = list(STROKES)
    return sorted(graph.edges, key=lambda e: order.index(e.kind))


def _short(edge: Edge) -> str:
    """Name of an edge without the name of the node it enters."""
    return edge.name.removeprefix(f"{edge.head}.")


def corners(panel: Panel, texts: Sequence[Text]) -> tuple[Array, Array]:
    """Lower left and upper right corner of all that is drawn, (2,) each."""
    boxes = [t.centre + side * t.size / 2 for t in texts for side in (-1, 1)]
    drawn = np.concatenate([*panel.outlines.values(), *panel.router.curves.values(), boxes])
    return drawn.min(axis=0) - 0.15, drawn.max(axis=0) + 0.15


def _bodies(graph: LinearGraph) -> dict[str, list[str]]:
    """Nodes of every body, its own frame first."""
    owner = {n: n for n in graph.nodes}
    for edge in graph.edges:
        if edge.kind is Kind.ARM:
            owner[edge.head] = owner[edge.tail]
    out: dict[str, list[str]] = {owner[n]: [] for n in graph.nodes}
    for node in graph.nodes:
        out[owner[node]].append(node)
    return out


def names_of(panel: Panel) -> list[Text]:
    """Names of all bodies, frames and edges, each at a place of its own."""
    graph, router = panel.graph, panel.router
    labels, owners, styles = list[Label](), list[tuple[str, bool]](), list[dict[str, Any]]()

    def add(text: str, owner: str, where: Any, source: Array, **style: Any) -> None:
        size = text_size(text, style["fontsize"], style.get("weight", "normal"))
        labels.append(Label(text, size, where(source, size)))
        owners.append((owner, where is beside_curve))
        styles.append(style)

    for body, members in panel.bodies.items():
        for node in members[1:]:
            text = node.removeprefix(f"{body}.")
            add(text, node, beside_node, router.nodes[node], fontsize=FONT, color="black", style="italic")
        where = _below_ground if body == graph.datum else _beside_body
        add(body, body, where, router.nodes[body], fontsize=BODY_FONT, color="black", weight="bold")
    for edge in in_order(graph):
        text = _short(edge)
        if edge.name != edge.head and edge.kind is not Kind.DEPENDENT and text not in panel.unnamed:
            colour = STROKES[edge.kind].colour
            add(text, edge.name, beside_curve, router.curves[edge.name], fontsize=FONT, color=colour)
    lines = [
        (router.curves[e.name], 4.0 if e.name in panel.bold else STROKES[e.kind].weight) for e in graph.edges
    ]
    lines += [(closed(polygon), 1.2) for body, polygon in panel.outlines.items() if body != graph.datum]
    centres = place_labels(labels, np.array(list(router.nodes.values())), lines)
    return [
        Text(label.text, *owner, style, centre, label.size)
        for label, owner, style, centre in zip(labels, owners, styles, centres, strict=True)
    ]


def _beside_body(point: Array, size: Array) -> Array:
    return beside_node(point, size, (0.11, 0.34, 0.22, 0.5, 0.8, 1.05))


def _below_ground(point: Array, size: Array) -> Array:
    centres: Array = point + np.array([[0.0, -0.36], [0.5, -0.17], [-0.5, -0.17]])
    return centres


def text_size(text: str, points: float, weight: str) -> Array:
    """Width and height of a text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=points, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return np.array([width / 72 + 0.02, points * 1.15 / 72])
