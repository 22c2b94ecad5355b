"""Drawings of a linear graph as the papers draw it: bodies in dotted lines, the tree in bold."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.errors import GraphError
from flexnet.graph import Edge, Kind, LinearGraph, Tree, layout
from flexnet.typing import Array
from flexnet.view.routing import Label, Router, beside_curve, beside_node, closed, outline, place_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: distance of an outline from its nodes; sizes of letters, points
OUTLINE, FONT, BODY_FONT = 0.3, 7.5, 9.0
#: a name that more loads than this share is written in the legend only
SHARED = 4
#: distance of a load from the edge of its body, times two
BESIDE = 0.16


@dataclass(frozen=True, slots=True)
class Stroke:
    """How edges of one kind are drawn: colour, line, bends to choose from, weight of a crossing label."""

    colour: str
    line: str | tuple[float, tuple[float, ...]]
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
    Kind.DEPENDENT: Stroke("#b08fc7", (0, (3, 2)), _MANY[3:], 0.5, "dependent virtual work"),
}


def draw_graph(
    graph: LinearGraph,
    T: Tree | None = None,
    R: Tree | None = None,
    at: Mapping[str, Array] | None = None,
    title: str = "",
    dependent: bool = False,
) -> "Figure":
    """Draw a linear graph, or its translational and rotational graphs with their trees in bold.

    Parameters
    ----------
    graph : graph of the whole mechanism.
    T, R : trees; the figure has a panel for each that is given, one panel without bold edges if none.
    at : positions of the nodes in the mechanism, (2,) each; see :func:`flexnet.graph.layout`.
    title : written above the drawing.
    dependent : whether to draw the dependent virtual work edges, dashed.

    Returns
    -------
    matplotlib Figure, not attached to any window.
    """
    from matplotlib.figure import Figure

    place = layout(graph, at)
    panels = [_route(panel, place) for panel in _panels(graph, T, R, dependent)]
    texts = [_texts(panel) for panel in panels]
    corners = [_corners(panel, names) for panel, names in zip(panels, texts, strict=True)]
    width, height = np.max([high - low for low, high in corners], axis=0)
    is_stacked = len(panels) > 1 and width > max(1.3 * height, 6.0)
    rows, columns = (len(panels), 1) if is_stacked else (1, len(panels))
    head, foot, caption = (0.45 if title else 0.1), 0.4, 0.3
    size = (max(columns * width, 6.6), rows * (height + caption) + head + foot)
    figure = Figure(figsize=size)
    for k, panel in enumerate(panels):
        row, column = divmod(k, columns)
        w, h = size[0] / columns, height + caption
        box = (column * w / size[0], 1 - (head + (row + 1) * h) / size[1], w / size[0], h / size[1])
        axes = figure.add_axes(box)
        x, y = (corners[k][0] + corners[k][1]) / 2
        axes.set(xlim=(x - w / 2, x + w / 2), ylim=(y - height / 2, y + height / 2 + caption))
        axes.axis("off")
        axes.text(x, y + height / 2 + 0.12, panel.title, ha="center", va="center", fontsize=10)
        _draw_panel(axes, panel, texts[k])
    if title:
        figure.text(0.5, 1 - 0.22 / size[1], title, ha="center", va="center", fontsize=13, weight="bold")
    _legend(figure, panels)
    return figure


def write_graph(figure: "Figure", prefix: str | Path) -> tuple[Path, Path]:
    """Write a figure as ``prefix.svg``, its names as text, and ``prefix.png``.

    Raises
    ------
    GraphError
        If the files cannot be written.
    """
    import matplotlib as mpl

    base = Path(prefix)
    svg, png = base.with_name(base.name + ".svg"), base.with_name(base.name + ".png")
    try:
        base.parent.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "flexnet"}):
            figure.savefig(svg, metadata={"Date": None})
            dpi = min(150.0, 8000 / float(max(figure.get_size_inches())))
            figure.savefig(png, dpi=dpi, metadata={"Software": None})
    except OSError as error:
        raise GraphError(f"the drawing cannot be written to {str(svg)!r}: {error.strerror}") from None
    return svg, png


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
    """A name, how it is written, and the place (2,) and size (2,) it takes."""

    text: str
    style: Mapping[str, Any]
    centre: Array
    size: Array


def _panels(
    graph: LinearGraph, T: Tree | None, R: Tree | None, dependent: bool
) -> list[tuple[str, LinearGraph, frozenset[str]]]:
    """Title, graph and bold edges of every panel."""
    shown = graph if dependent else graph.without(Kind.DEPENDENT)
    if T is None and R is None:
        return [("linear graph", shown, frozenset())]
    panels = []
    if T is not None:
        panels.append(("translational graph, T-tree in bold", shown.translational, frozenset(T.names)))
    if R is not None:
        panels.append(("rotational graph, R-tree in bold", shown.rotational, frozenset(R.names)))
    return panels


def _route(panel: tuple[str, LinearGraph, frozenset[str]], place: Mapping[str, Array]) -> Panel:
    title, graph, bold = panel
    nodes = {n: place[n] for n in graph.nodes}
    bodies = _bodies(graph)
    outlines = {b: outline(np.array([nodes[n] for n in ns]), OUTLINE) for b, ns in bodies.items()}
    router = Router(nodes, [(outlines[b], set(ns)) for b, ns in bodies.items()])
    loads: Counter[tuple[str, str]] = Counter()
    body_edges = {(e.tail, e.head): e.name for e in graph.edges if e.kind is Kind.BODY}
    for edge in _in_order(graph):
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


def _in_order(graph: LinearGraph) -> list[Edge]:
    order = list(STROKES)
    return sorted(graph.edges, key=lambda e: order.index(e.kind))


def _short(edge: Edge) -> str:
    """Name of an edge without the name of the node it enters."""
    return edge.name.removeprefix(f"{edge.head}.")


def _corners(panel: Panel, texts: Sequence[Text]) -> tuple[Array, Array]:
    """Lower left and upper right corner of all that is drawn, (2,) each."""
    boxes = [t.centre + side * t.size / 2 for t in texts for side in (-1, 1)]
    drawn = np.concatenate([*panel.outlines.values(), *panel.router.curves.values(), boxes])
    return drawn.min(axis=0) - 0.15, drawn.max(axis=0) + 0.15


def _draw_panel(axes: "Axes", panel: Panel, texts: Sequence[Text]) -> None:
    _draw_bodies(axes, panel.graph, panel.outlines)
    for edge in reversed(_in_order(panel.graph)):
        _draw_edge(axes, edge, panel.router.curves[edge.name], edge.name in panel.bold)
    _draw_nodes(axes, panel.graph, panel.router.nodes)
    halo = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
    for t in texts:
        axes.text(*t.centre, t.text, ha="center", va="center", zorder=5, bbox=halo, **t.style)


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


def _draw_bodies(axes: "Axes", graph: LinearGraph, outlines: Mapping[str, Array]) -> None:
    from matplotlib.patches import Polygon

    for body, polygon in outlines.items():
        if body == graph.datum:
            axes.add_patch(Polygon(polygon, facecolor="#eeeeea", edgecolor="none", zorder=0))
        else:
            axes.add_patch(
                Polygon(
                    polygon, facecolor="#f6f8fc", edgecolor="#555555", linestyle=(0, (1, 2)),
                    linewidth=1.1, zorder=0.5,
                )
            )  # fmt: skip


def _draw_edge(axes: "Axes", edge: Edge, curve: Array, is_bold: bool) -> None:
    stroke = STROKES[edge.kind]
    colour = "#777777" if is_bold and edge.kind is Kind.BODY else stroke.colour
    width = 3.0 if is_bold else 0.7 if edge.kind is Kind.FORCE else 0.9
    z = 3 if is_bold else 1.5 if edge.kind in (Kind.BODY, Kind.DEPENDENT) else 2
    axes.plot(
        *curve.T, color=colour, linewidth=width, linestyle=stroke.line, zorder=z,
        solid_capstyle="round", snap=False, gid=f"edge {edge.name}",
    )  # fmt: skip
    k = round(0.56 * (len(curve) - 1))
    head, tail = curve[k], curve[k - 1]
    u = (head - tail) / max(float(np.linalg.norm(head - tail)), 1e-9)
    n = np.array([-u[1], u[0]])
    size = 0.055 if is_bold else 0.04
    tip = np.array([head + 1.6 * size * u, head - size * u + size * n, head - size * u - size * n])
    axes.fill(*tip.T, color=colour, linewidth=0, zorder=z)


def _draw_nodes(axes: "Axes", graph: LinearGraph, nodes: Mapping[str, Array]) -> None:
    xy = np.array([p for n, p in nodes.items() if n != graph.datum]).reshape(-1, 2)
    axes.plot(*xy.T, "o", color="black", markersize=4.5, zorder=4)
    x, y = nodes[graph.datum]
    axes.plot([x], [y], "o", color="black", markersize=6.5, zorder=4)
    # the ground symbol: a stem, a bar and its hatching
    axes.plot([x, x], [y, y - 0.17], color="black", linewidth=1.2, zorder=4)
    axes.plot([x - 0.2, x + 0.2], [y - 0.17, y - 0.17], color="black", linewidth=1.6, zorder=4)
    for dx in np.linspace(-0.16, 0.2, 5):
        axes.plot([x + dx, x + dx - 0.08], [y - 0.17, y - 0.26], color="black", linewidth=0.9, zorder=4)


def _texts(panel: Panel) -> list[Text]:
    """Names of all bodies, frames and edges, each at a place of its own."""
    graph, router = panel.graph, panel.router
    labels, styles = list[Label](), list[dict[str, Any]]()

    def add(text: str, where: Any, source: Array, **style: Any) -> None:
        size = _text_size(text, style["fontsize"], style.get("weight", "normal"))
        labels.append(Label(text, size, where(source, size)))
        styles.append(style)

    for body, members in panel.bodies.items():
        for node in members[1:]:
            text = node.removeprefix(f"{body}.")
            add(text, beside_node, router.nodes[node], fontsize=FONT, color="black", style="italic")
        where = _below_ground if body == graph.datum else _beside_body
        add(body, where, router.nodes[body], fontsize=BODY_FONT, color="black", weight="bold")
    for edge in _in_order(graph):
        text = _short(edge)
        if edge.name != edge.head and edge.kind is not Kind.DEPENDENT and text not in panel.unnamed:
            add(text, beside_curve, router.curves[edge.name], fontsize=FONT, color=STROKES[edge.kind].colour)
    lines = [
        (router.curves[e.name], 4.0 if e.name in panel.bold else STROKES[e.kind].weight) for e in graph.edges
    ]
    lines += [(closed(polygon), 1.2) for body, polygon in panel.outlines.items() if body != graph.datum]
    centres = place_labels(labels, np.array(list(router.nodes.values())), lines)
    return [
        Text(label.text, style, centre, label.size)
        for label, style, centre in zip(labels, styles, centres, strict=True)
    ]


def _beside_body(point: Array, size: Array) -> Array:
    return beside_node(point, size, (0.11, 0.34, 0.22, 0.5))


def _below_ground(point: Array, size: Array) -> Array:
    centres: Array = point + np.array([[0.0, -0.36], [0.5, -0.17], [-0.5, -0.17]])
    return centres


def _text_size(text: str, points: float, weight: str) -> Array:
    """Width and height of a text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=points, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return np.array([width / 72 + 0.02, points * 1.15 / 72])


def _legend(figure: "Figure", panels: Sequence[Panel]) -> None:
    from matplotlib.lines import Line2D

    present = {edge.kind for panel in panels for edge in panel.graph.edges}
    unnamed = sorted(frozenset().union(*(panel.unnamed for panel in panels)))
    told = {Kind.FORCE: f" (without name: {', '.join(unnamed)})" if unnamed else ""}
    handles = [
        Line2D([], [], color=s.colour, linestyle=s.line, linewidth=1.2, label=s.text + told.get(kind, ""))
        for kind, s in STROKES.items()
        if kind in present
    ]
    if any(panel.bold for panel in panels):
        handles.insert(0, Line2D([], [], color="black", linewidth=3.0, label="branch of the tree"))
    per_row = max(1, int(figure.get_figwidth() / 1.15))
    figure.legend(
        handles=handles, loc="lower center", ncols=min(len(handles), per_row), fontsize=7.5, frameon=False,
        handlelength=1.8, columnspacing=1.2,
    )  # fmt: skip
