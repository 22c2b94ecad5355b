"""Drawings of a linear graph as the papers draw it: bodies in dotted lines, the tree in bold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexnet.errors import StorageError
from flexnet.graph import Edge, Kind, LinearGraph, Tree, layout
from flexnet.typing import Array
from flexnet.validation import place_to_write
from flexnet.view.figure import save_figure
from flexnet.view.panel import STROKES, Panel, Text, corners, in_order, make_panel, make_panels, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_graph(
    graph: LinearGraph,
    T: Tree | None = None,
    R: Tree | None = None,
    at: Mapping[str, Array] | None = None,
    title: str = "",
    dependent: bool = False,
    network: LinearGraph | Tree | None = None,
) -> "Figure":
    """Draw a linear graph, or its translational and rotational graphs with their trees in bold.

    Parameters
    ----------
    graph : graph of the whole mechanism.
    T, R : trees; the figure has a panel for each that is given, one panel without bold edges if none.
    at : positions of the nodes in the mechanism, (2,) each; see :func:`flexnet.graph.layout`.
    title : written above the drawing.
    dependent : whether to draw the dependent virtual work edges, dashed.
    network : graph, or tree, of the scalar networks beside the mechanism: a panel of its own, or the only one
        where nothing moves.

    Returns
    -------
    matplotlib Figure, not attached to any window.
    """
    shown = graph if dependent else graph.without(Kind.DEPENDENT)
    panels = make_panels(shown, T, R, layout(graph, at)) if graph.edges or network is None else []
    if isinstance(network, Tree):
        panels.append(make_panel("network, tree in bold", network.graph, network, layout(network.graph)))
    elif network is not None:
        panels.append(make_panel("network", network, None, layout(network)))
    return compose(panels, title)


def compose(panels: Sequence[Panel], title: str = "") -> "Figure":
    """Draw panels beside each other, or below each other where they are wide, with a title and a legend."""
    from matplotlib.figure import Figure

    names = [names_of(panel) for panel in panels]
    boxes = [corners(panel, texts) for panel, texts in zip(panels, names, strict=True)]
    width, height = np.max([high - low for low, high in boxes], axis=0)
    columns = 1 if width > max(1.3 * height, 6.0) else len(panels)
    rows = -(-len(panels) // columns)
    head, foot, caption = (0.45 if title else 0.1), 0.4, 0.3
    size = (max(columns * width, 6.6), rows * (height + caption) + head + foot)
    figure = Figure(figsize=size)
    for k, panel in enumerate(panels):
        row, column = divmod(k, columns)
        w, h = size[0] / columns, height + caption
        box = (column * w / size[0], 1 - (head + (row + 1) * h) / size[1], w / size[0], h / size[1])
        axes = figure.add_axes(box)
        x, y = (boxes[k][0] + boxes[k][1]) / 2
        axes.set(xlim=(x - w / 2, x + w / 2), ylim=(y - height / 2, y + height / 2 + caption))
        axes.axis("off")
        axes.text(x, y + height / 2 + 0.12, panel.title, ha="center", va="center", fontsize=10)
        _draw_panel(axes, panel, names[k])
    if title:
        figure.text(0.5, 1 - 0.22 / size[1], title, ha="center", va="center", fontsize=13, weight="bold")
    _legend(figure, panels)
    return figure


def write_graph(figure: "Figure", prefix: str | Path) -> tuple[Path, Path]:
    """Write a figure as ``prefix.svg``, its names as text, and ``prefix.png``.

    Raises
    ------
    StorageError
        If the files cannot be written.
    """
    import matplotlib as mpl

    svg, png = (place_to_write(prefix, StorageError, ending) for ending in (".svg", ".png"))
    try:
        svg.parent.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "flexnet"}):
            save_figure(figure, svg, figure.dpi, metadata={"Date": None})
            dpi = min(150.0, 8000 / float(max(figure.get_size_inches())))
            save_figure(figure, png, dpi, metadata={"Software": None})
    except OSError as error:
        raise StorageError(f"{svg}: the drawing cannot be written ({error.strerror})") from error
    return svg, png


def _draw_panel(axes: "Axes", panel: Panel, texts: Sequence[Text]) -> None:
    from matplotlib.collections import PolyCollection

    _draw_bodies(axes, panel.graph, panel.outlines)
    for is_bold in (False, True):
        edges = [e for e in reversed(in_order(panel.graph)) if (e.name in panel.bold) == is_bold]
        _draw_edges(axes, edges, panel.router.curves, is_bold)
    _draw_nodes(axes, panel.graph, panel.router.nodes)
    corners = 0.5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    halos = [t.centre + corners * t.size for t in texts]
    axes.add_artist(PolyCollection(halos, facecolor="white", linewidth=0, alpha=0.7, zorder=4.5))
    for t in texts:
        axes.text(t.centre[0], t.centre[1], t.text, ha="center", va="center", zorder=5, **t.style)


def _draw_bodies(axes: "Axes", graph: LinearGraph, outlines: Mapping[str, Array]) -> None:
    from matplotlib.patches import Polygon

    for body, polygon in outlines.items():
        if body == graph.datum:
            axes.add_artist(Polygon(polygon, facecolor="#eeeeea", edgecolor="none", zorder=0))
        else:
            axes.add_artist(
                Polygon(
                    polygon, facecolor="#f6f8fc", edgecolor="#555555", linestyle=(0, (1, 2)),
                    linewidth=1.1, zorder=0.5,
                )
            )  # fmt: skip


def _draw_edges(axes: "Axes", edges: Sequence[Edge], curves: Mapping[str, Array], is_bold: bool) -> None:
    """Curves with arrow tips; artists are added as they are, without the limits of a diagram."""
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    tips, colours = list[Array](), list[str]()
    for edge in edges:
        stroke = STROKES[edge.kind]
        colours.append(bold_colour(edge) if is_bold else stroke.colour)
        width = 3.0 if is_bold else 0.7 if edge.kind is Kind.FORCE else 0.9
        z = 3 if is_bold else 1.5 if edge.kind in (Kind.BODY, Kind.DEPENDENT) else 2
        line = Line2D(
            *curves[edge.name].T, color=colours[-1], linewidth=width, linestyle=stroke.line, zorder=z,
            solid_capstyle="round", snap=False, gid=f"edge {edge.name}",
        )  # fmt: skip
        axes.add_artist(line)
        tips.append(tip(curves[edge.name], 0.055 if is_bold else 0.04))
    axes.add_artist(PolyCollection(tips, facecolors=colours, linewidths=0, zorder=3 if is_bold else 2))


def bold_colour(edge: Edge) -> str:
    """Colour of a branch: bodies are darker than as chords."""
    return "#777777" if edge.kind is Kind.BODY else STROKES[edge.kind].colour


def tip(curve: Array, size: float) -> Array:
    """Arrow tip (3, 2) a little behind the middle of a curve."""
    k = round(0.56 * (len(curve) - 1))
    head, tail = curve[k], curve[k - 1]
    u = (head - tail) / max(float(np.linalg.norm(head - tail)), 1e-9)
    n = np.array([-u[1], u[0]])
    return np.array([head + 1.6 * size * u, head - size * u + size * n, head - size * u - size * n])


def _draw_nodes(axes: "Axes", graph: LinearGraph, nodes: Mapping[str, Array]) -> None:
    from matplotlib.collections import LineCollection

    xy = np.array([p for n, p in nodes.items() if n != graph.datum]).reshape(-1, 2)
    axes.plot(*xy.T, "o", color="black", markersize=4.5, zorder=4)
    axes.plot(*nodes[graph.datum][:, None], "o", color="black", markersize=6.5, zorder=4)
    widths, strokes = zip(*ground_strokes(nodes[graph.datum]), strict=True)
    axes.add_artist(LineCollection(strokes, colors="black", linewidths=widths, zorder=4))


def ground_strokes(point: Array) -> list[tuple[float, Array]]:
    """Widths and lines (2, 2) of the ground symbol: a stem, a bar and its hatching."""
    lines = [(1.2, [(0.0, 0.0), (0.0, -0.17)]), (1.6, [(-0.2, -0.17), (0.2, -0.17)])]
    lines += [(0.9, [(dx, -0.17), (dx - 0.08, -0.26)]) for dx in np.linspace(-0.16, 0.2, 5)]
    return [(width, point + np.array(line)) for width, line in lines]


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
