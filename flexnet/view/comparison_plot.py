"""A result over its reference, and their difference below."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flexnet.results.comparison import ChannelComparison, Comparison
from flexnet.view.figure import COLOURS, legend_above, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12  # channels in one figure; the rest are in the table


def draw_comparison(channels: Sequence[ChannelComparison]) -> "Figure":
    """Draw for every channel the overlay and, below it, the difference with its tolerance."""
    channels = channels[:MOST]
    figure = new_figure(9.0, 3.6 * len(channels))
    axes = figure.subplots(
        2 * len(channels), 1, squeeze=False, gridspec_kw={"height_ratios": [2.0, 1.0] * len(channels)}
    )[:, 0]
    for k, channel in enumerate(channels):
        overlay, below = axes[2 * k], axes[2 * k + 1]
        unit = f" [{channel.unit}]" if channel.unit else ""
        overlay.plot(
            channel.time, channel.reference, color="#222222", linewidth=2.4, alpha=0.35, label="reference"
        )
        overlay.plot(channel.time, channel.result, color=COLOURS[0], linewidth=1.1, label="result")
        overlay.set_title(channel.channel, loc="left", fontsize="medium")
        overlay.set_ylabel(unit.strip())
        legend_above(overlay)
        below.plot(channel.time, channel.difference, color=COLOURS[1], linewidth=1.0)
        below.set_ylabel(f"difference{unit}", fontsize="small")
        below.set_xlabel("time [s]")
        limit = _limit(channel)
        if limit is not None:
            below.axhspan(-limit, limit, color="#2f8f5b", alpha=0.12)
        for ax in (overlay, below):
            ax.grid(alpha=0.3)
    return figure


def plot_comparison(comparison: Comparison, out: str | Path) -> Path:
    """Draw a comparison and save the figure; returns its path."""
    return save_figure(draw_comparison(comparison.channels), out)


def _limit(channel: ChannelComparison) -> float | None:
    """Return the largest difference that is tolerated at every time, where the tolerance is of that kind."""
    if channel.tolerance is None or channel.tolerance.measure == "rms":
        return None
    scale = 1.0 if channel.tolerance.measure == "max" else channel.errors.peak
    return channel.tolerance.value * scale
