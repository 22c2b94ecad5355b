"""Channels over time, those of one unit in one diagram."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flexnet.errors import ResultError
from flexnet.results import ChannelSet, Series
from flexnet.view.figure import COLOURS, legend_above, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 40  # channels in one figure


def draw_channels(channels: ChannelSet, names: Sequence[str]) -> "Figure":
    """Draw the named channels over time, one diagram per unit, orientations by their components.

    Raises
    ------
    ResultError
        If there are none, too many, or one is unknown.
    """
    if not 1 <= len(names) <= MOST:
        raise ResultError(f"{len(names)} channels cannot be drawn in one figure; name 1 to {MOST}")
    groups: dict[str, list[Series]] = {}
    for name in names:
        series = channels.read(name)
        key = series.channel.unit or "" if series.channel.kind == "scalar" else f"quaternion of {name}"
        groups.setdefault(key, []).append(series)
    figure = new_figure(9.0, 1.0 + 2.4 * len(groups))
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (label, members) in zip(axes, groups.items(), strict=True):
        for k, series in enumerate(members):
            colours = {"color": COLOURS[k % len(COLOURS)]} if series.values.ndim == 1 else {}
            text = series.channel.name if series.values.ndim == 1 else list("wxyz")
            ax.plot(series.time, series.values, label=text, linewidth=1.2, **colours)
        unit = f"[{label}]" if label and not label.startswith("quaternion") else label
        single = members[0].channel if len(members) == 1 and members[0].channel.kind == "scalar" else None
        told = "" if single is None else single.description or single.name
        ax.set_ylabel(f"{told} {unit}".strip())
        ax.grid(alpha=0.3)
        legend_above(ax)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(channels.provenance.get("case") or channels.path.name)
    return figure


def plot_channels(channels: ChannelSet, names: Sequence[str], out: str | Path) -> Path:
    """Draw the named channels and save the figure; returns its path."""
    return save_figure(draw_channels(channels, names), out)
