"""The energy balance over time: energies, works, and what is left over."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexnet.typing import Array
from flexnet.view.figure import COLOURS, legend_above, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_balance(
    t: Array,
    energies: Mapping[str, Array],
    works: Mapping[str, Array],
    balance: Array,
    norms: Mapping[str, Array],
    title: str = "",
) -> "Figure":
    """Draw energies and works (J), the size of what the balance leaves over (J), and constraint norms."""
    figure = new_figure(9.0, 8.0)
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(2, 1, 1))
    for k, (name, values) in enumerate({**energies, **{f"work of {n}": w for n, w in works.items()}}.items()):
        style = "-" if name in energies else "--"
        top.plot(t, values, style, label=name, linewidth=1.2, color=COLOURS[k % len(COLOURS)])
    top.set_ylabel("energy, work [J]")
    legend_above(top)
    _logarithmic(middle, t, {"balance left over": balance})
    middle.set_ylabel("[J]")
    _logarithmic(bottom, t, norms)
    bottom.set_ylabel("constraint norm")
    bottom.set_xlabel("time [s]")
    for ax in (top, middle, bottom):
        ax.grid(alpha=0.3)
    figure.suptitle(title)
    return figure


def _logarithmic(ax: "Axes", t: Array, series: Mapping[str, Array]) -> None:
    """Sizes on a logarithmic axis; zeros are not drawn."""
    for k, (name, values) in enumerate(series.items()):
        size = np.where(np.abs(values) > 0, np.abs(values), np.nan)
        ax.plot(t, size, label=name, linewidth=1.0, color=COLOURS[k])
        if np.isfinite(size).any():
            ax.set_yscale("log")
    legend_above(ax)


def plot_balance(out: str | Path, *arguments: Mapping[str, Array] | Array | str) -> Path:
    """Draw the balance (arguments of :func:`draw_balance`) and save the figure; returns its path."""
    return save_figure(draw_balance(*arguments), out)  # type: ignore[arg-type]
