"""A selection as a strip of drawings: a row for every tree grown, a panel for every edge that enters.

Most of a panel is the same in all of a tree: it stands in the file once and is used by each, so that a strip
of forty panels is written in the time of one.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.errors import GraphError, StorageError
from flexnet.graph import Edge, Kind, LinearGraph, Selection, layout
from flexnet.graph.selection.rule import Domain, Growth
from flexnet.store import write_text
from flexnet.typing import Array
from flexnet.view.figure import SIGNATURES
from flexnet.view.graph import bold_colour, ground_strokes, tip
from flexnet.view.panel import (
    STROKES,
    Dashes,
    Panel,
    Text,
    corners,
    in_order,
    make_panels,
    names_of,
    text_size,
)

#: points of an inch, in which panels are laid out; room for title, captions and legend, and its width, inches
POINTS, HEAD, CAPTION, FOOT, WIDTH = 72.0, 0.45, 0.3, 0.4, 6.6
_FONT = 'font-family="DejaVu Sans, sans-serif"'


def draw_selection(
    made: Selection, graph: LinearGraph, at: Mapping[str, Array] | None = None, title: str = ""
) -> str:
    """Draw how trees were grown, as the text of an SVG file: what is in the tree after each step is bold.

    Parameters
    ----------
    made : trees and how a rule came to them.
    graph : graph of the whole mechanism.
    at : positions of the nodes in the mechanism, (2,) each; see :func:`flexnet.graph.layout`.
    title : written above the drawing.

    Raises
    ------
    GraphError
        If no edge was chosen: the trees were given.
    """
    grown = [growth for growth in made.growths if growth.steps]
    if not grown:
        raise GraphError("there are no steps to draw: both trees were given")
    T, R = make_panels(graph.without(Kind.DEPENDENT), made.T, made.R, layout(graph, at))
    panels = {Domain.TRANSLATION: T, Domain.ROTATION: R}
    names = {domain: names_of(panel) for domain, panel in panels.items()}
    boxes = {domain: corners(panel, names[domain]) for domain, panel in panels.items()}
    width, height = np.max([high - low for low, high in boxes.values()], axis=0)
    columns = max(len(growth.steps) for growth in grown)
    size = np.array([max(columns * width, WIDTH), len(grown) * (height + CAPTION) + HEAD + FOOT])
    middle = {domain: (low + high) / 2 for domain, (low, high) in boxes.items()}
    out = [
        f'<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" {_FONT}'
        f' viewBox="0 0 {_n(*size)}" width="{_n(size[0])}pt" height="{_n(size[1])}pt">',
        f'<rect width="{_n(size[0])}" height="{_n(size[1])}" fill="white"/>',
        _text(title, np.array([size[0] / 2, -0.22]), 13, "bold"),
        "<defs>",
        *(line for d, panel in panels.items() for line in _always(d.value, panel, names[d])),
        "</defs>",
    ]
    for row, growth in enumerate(grown):
        panel = panels[growth.domain]
        for column, (caption, inside) in enumerate(_steps(growth)):
            centre = np.array(
                [(column + 0.5) * width, HEAD + row * (height + CAPTION) + CAPTION + height / 2]
            )
            shift = centre - middle[growth.domain] * [1, -1]
            above = middle[growth.domain] + [0, height / 2 + 0.12]
            out += [
                f'<g class="panel" transform="translate({_n(*shift)})">',
                _text(caption, above, 10),
                *_panel(growth.domain.value, panel, names[growth.domain], inside),
                "</g>",
            ]
    return "\n".join([*out, *_legend(list(panels.values()), size), "</svg>", ""])


def write_drawing(text: str, path: Path) -> Path:
    """Write a drawing; it replaces another one.

    Raises
    ------
    StorageError
        If the file cannot be written, or something else is there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{path}: the drawing cannot be written ({error.strerror})") from error
    write_text(path, text, SIGNATURES[".svg"].decode())
    return path


def _steps(growth: Growth) -> list[tuple[str, frozenset[str]]]:
    """What each step is called, and what is in the tree after it and the arms that follow."""
    ends = [growth.names.index(step.branch) for step in growth.steps[1:]]
    return [
        (
            f"{growth.domain.value}-tree: {step.branch} enters, weight {step.weights[step.branch]}",
            frozenset(growth.names[:end]),
        )
        for step, end in zip(growth.steps, [*ends, None], strict=True)
    ]


def _always(letter: str, panel: Panel, names: Sequence[Text]) -> list[str]:
    """What all panels of a tree share: below the bold edges, and above them."""
    datum, nodes = panel.graph.datum, panel.router.nodes
    dotted = f'stroke="#555555" stroke-width="1.1"{_dashes((0, (1, 2)), 1.1)}'
    below = [
        _polygon(polygon, 'fill="#eeeeea"' if body == datum else f'fill="#f6f8fc" {dotted}')
        for body, polygon in sorted(panel.outlines.items(), key=lambda item: item[0] != datum)
    ]
    below += [
        f'<path d="{_curve(panel.router.curves[e.name])}" stroke="{STROKES[e.kind].colour}"/>'
        for e in reversed(in_order(panel.graph))
    ]
    above = [
        f'<circle cx="{_n(x)}" cy="{_n(-y)}" r="{3.25 if node == datum else 2.25}"/>'
        for node, (x, y) in nodes.items()
    ]
    above += [
        f'<path d="M{_n(x0, -y0)}L{_n(x1, -y1)}" stroke="black" stroke-width="{width}"/>'
        for width, ((x0, y0), (x1, y1)) in ground_strokes(nodes[datum])
    ]
    above += [line for text in names if text.owner in panel.bodies for line in _name(text)]
    return [
        f'<g id="{letter}-below">', *below[: len(panel.outlines)],
        '<g fill="none" stroke-width="0.7" stroke-opacity="0.6">', *below[len(panel.outlines) :], "</g>",
        "</g>", f'<g id="{letter}-above">', *above, "</g>",
    ]  # fmt: skip


def _panel(letter: str, panel: Panel, names: Sequence[Text], inside: frozenset[str]) -> list[str]:
    bold = [e for e in reversed(in_order(panel.graph)) if e.name in inside]
    named = [text for text in names if text.owner in inside and text.owner not in panel.bodies]
    return [
        f'<use href="#{letter}-below"/>',
        *(_bold(e, panel.router.curves[e.name]) for e in bold),
        f'<use href="#{letter}-above"/>',
        *(line for text in named for line in _name(text)),
    ]


def _bold(edge: Edge, curve: Array) -> str:
    colour = bold_colour(edge)
    return (
        f'<path class="edge" data-edge="{escape(edge.name)}" d="{_curve(curve)}" fill="none"'
        f' stroke="{colour}" stroke-width="3" stroke-linecap="round"{_dashes(STROKES[edge.kind].line, 3.0)}/>'
        + _polygon(tip(curve, 0.055), f'fill="{colour}"')
    )


def _name(text: Text) -> list[str]:
    """A name on a white ground."""
    x, y = text.centre - text.size / 2 * [1, -1]
    style: Mapping[str, Any] = text.style
    return [
        f'<rect x="{_n(x)}" y="{_n(-y)}" width="{_n(text.size[0])}" height="{_n(text.size[1])}" fill="white"'
        ' fill-opacity="0.7"/>',
        _text(
            text.text, text.centre, style["fontsize"], style.get("weight", "normal"),
            style.get("style", "normal"), style["color"],
        ),
    ]  # fmt: skip


def _legend(panels: Sequence[Panel], size: Array) -> list[str]:
    """A line for every kind of edge there is, in the middle below the panels."""
    present = {edge.kind for panel in panels for edge in panel.graph.edges}
    shown: list[tuple[str, str, float, Dashes]] = [("branch of the tree", "black", 3.0, "-")]
    shown += [(s.text, s.colour, 1.2, s.line) for kind, s in STROKES.items() if kind in present]
    widths = [0.35 + float(text_size(text, 7.5, "normal")[0]) + 0.2 for text, *_ in shown]
    x, y, out = (size[0] - sum(widths)) / 2, FOOT / 2 - size[1], list[str]()
    for (text, colour, width, line), room in zip(shown, widths, strict=True):
        out.append(
            f'<path d="M{_n(x, -y)}h{_n(0.25)}" stroke="{colour}" stroke-width="{width}"'
            f"{_dashes(line, width)}/>"
            f'<text x="{_n(x + 0.3)}" y="{_n(-y)}" font-size="7.5" dominant-baseline="central">'
            f"{escape(text)}</text>"
        )
        x += room
    return out


def _text(
    text: str,
    centre: Array,
    points: float,
    weight: str = "normal",
    style: str = "normal",
    colour: str = "black",
) -> str:
    return (
        f'<text x="{_n(centre[0])}" y="{_n(-centre[1])}" font-size="{points}" font-weight="{weight}"'
        f' font-style="{style}" fill="{colour}" text-anchor="middle" dominant-baseline="central">'
        f"{escape(text)}</text>"
    )


def _curve(curve: Array) -> str:
    """A quadratic curve by its ends and its control point; its points are those of :func:`bezier`."""
    start, end = curve[0], curve[-1]
    control = 2.0 * curve[len(curve) // 2] - (start + end) / 2
    return f"M{_n(start[0], -start[1])}Q{_n(control[0], -control[1], end[0], -end[1])}"


def _dashes(line: Dashes, width: float) -> str:
    """Dashes as multiples of the width of a line, points."""
    return "" if line == "-" else f' stroke-dasharray="{" ".join(f"{width * x:g}" for x in line[1])}"'


def _polygon(points: Array, style: str) -> str:
    return f'<polygon points="{_n(*(points * [1, -1]).ravel())}" {style}/>'


def _n(*inches: float) -> str:
    """Lengths in points, with a space between."""
    return " ".join(f"{POINTS * x:.2f}" for x in inches)
