"""Figures without a screen: made, saved, and turned into text for a page."""

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexnet.errors import StorageError
from flexnet.store import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1f5fa8", "#d1622b", "#2f8f5b", "#8a4fa3", "#b8342f", "#5f6b76", "#b38f00", "#1a8a99")
ENDINGS = (".png", ".svg", ".pdf", ".jpg")
#: what pictures begin with, by their endings
SIGNATURES = {
    ".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".jpg": b"\xff\xd8\xff", ".gif": b"GIF8",
    ".mp4": b"\0\0\0", ".webm": b"\x1aE\xdf\xa3",
}  # fmt: skip


def new_figure(width: float, height: float) -> "Figure":
    """Make an empty figure, sizes in inches; no window, no state shared with other figures."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def legend_above(ax: "Axes") -> None:
    """Put the legend above a diagram, where it covers no curve, in no more columns than there is room for."""
    names = [str(line.get_label()) for line in ax.get_lines()]
    room = ax.figure.bbox.width / ax.figure.dpi - 1.0  # in; a letter takes some 0.075, line and gap 0.6
    columns = min(len(names), 5, max(1, int(room / (0.6 + 0.075 * max(map(len, names), default=0)))))
    ax.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, fontsize="small", frameon=False,
        borderaxespad=0.1,
    )  # fmt: skip


def save_figure(figure: "Figure", path: str | Path, dpi: float = 130, **how: Any) -> Path:
    """Save a figure; the ending of the path chooses the format.

    Raises
    ------
    StorageError
        If the ending is not one of :data:`ENDINGS`, the path cannot be written, or something else is there.
    """
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise StorageError(f"{path}: a plot ends in one of {', '.join(ENDINGS)}")
    with writing(path, SIGNATURES[path.suffix.lower()]) as draft:
        figure.savefig(draft, dpi=dpi, **how)
    return path


def figure_as_uri(figure: "Figure") -> str:
    """Return a figure as an SVG ``data:`` address, for a page that needs no other file."""
    import matplotlib as mpl

    stream = io.BytesIO()
    # a fixed salt and no date: the same figure gives the same text
    with mpl.rc_context({"svg.hashsalt": "flexnet"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode()
