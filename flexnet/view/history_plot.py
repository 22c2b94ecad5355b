"""Quantities over time, from plain arrays."""

from collections.abc import Mapping
from pathlib import Path

from flexnet.typing import Array
from flexnet.view.figure import COLOURS, legend_above, new_figure, save_figure


def plot_histories(out: str | Path, t: Array, histories: Mapping[str, Array], title: str = "") -> Path:
    """Draw histories (rows,) over time (rows,), s, one diagram, and save the figure; returns its path."""
    figure = new_figure(9.0, 4.0)
    ax = figure.subplots(1, 1)
    for k, (name, values) in enumerate(histories.items()):
        ax.plot(t, values, label=name, linewidth=1.2, color=COLOURS[k % len(COLOURS)])
    ax.set_xlabel("time [s]")
    ax.grid(alpha=0.3)
    legend_above(ax)
    figure.suptitle(title)
    return save_figure(figure, out)
