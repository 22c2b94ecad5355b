"""Pictures of deformed bodies: static answers and mode shapes, from plain arrays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.typing import Array, IntArray
from flexnet.view.figure import save_figure


def draw_shapes(
    path: str | Path,
    nodes: Array,
    cells: Mapping[str, IntArray],
    shapes: Mapping[str, Array],
    scale: float | None = None,
) -> Path:
    """Draw deformed shapes side by side over the undeformed body and write a picture.

    Parameters
    ----------
    path : file to write, such as ``modes.png``.
    nodes : (n, 3) undeformed positions [m].
    cells : ``lines`` (m, 2) and ``triangles`` (k, 3) of node indices, either may be missing.
    shapes : displacements (n, 3) by title [m].
    scale : factor on the displacements; the largest is drawn as a tenth of the body's size if not given.
    """
    from matplotlib.figure import Figure

    columns = min(len(shapes), 4)
    rows = -(-len(shapes) // max(columns, 1))
    figure = Figure(figsize=(3.2 * max(columns, 1), 2.8 * max(rows, 1)), layout="constrained")
    size = float(np.linalg.norm(np.ptp(nodes, axis=0)))
    for number, (title, u) in enumerate(shapes.items(), start=1):
        axes = figure.add_subplot(rows, columns, number, projection="3d")
        largest = float(np.linalg.norm(u, axis=1).max(initial=0.0))
        factor = scale if scale is not None else (0.1 * size / largest if largest > 0.0 else 1.0)
        _draw_body(axes, nodes, cells, {"color": "0.75", "linewidth": 0.6})
        _draw_body(axes, nodes + factor * u, cells, {"color": "tab:blue", "linewidth": 1.2})
        axes.set_title(title, fontsize=9)
        # a flat body still gets a box with three dimensions
        span = np.maximum(np.ptp(nodes, axis=0), 0.25 * size)
        middle = 0.5 * (nodes.min(axis=0) + nodes.max(axis=0))
        axes.set(**{f"{x}lim": (m - s / 2, m + s / 2) for x, m, s in zip("xyz", middle, span, strict=True)})
        axes.set_box_aspect(span)
        axes.set_axis_off()
    return save_figure(figure, path, dpi=150)


def _draw_body(axes: Any, nodes: Array, cells: Mapping[str, IntArray], style: dict[str, Any]) -> None:
    """Draw all edges as one line, broken by points that are not numbers."""
    edges = [np.empty((0, 2), dtype=np.int64), cells.get("lines", np.empty((0, 2), dtype=np.int64))]
    if "triangles" in cells:
        sides = np.sort(cells["triangles"][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        edges.append(np.unique(sides, axis=0))
    ends = nodes[np.concatenate(edges)]  # (edge, end, xyz)
    broken = np.concatenate([ends, np.full((len(ends), 1, 3), np.nan)], axis=1).reshape(-1, 3)
    axes.plot(*broken.T, **style)
