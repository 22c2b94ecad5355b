"""Channels over time or over each other, those of one unit in one diagram; several files side by side.

Plain arrays over time, frequency responses, comparisons and energy balances have a function each.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.errors import ResultError
from flexnet.results import ChannelSet, Series
from flexnet.results.comparison import ChannelComparison, Comparison
from flexnet.typing import Array
from flexnet.view.figure import COLOURS, legend_above, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST = 40  # channels in one figure
#: lines of the files, one after the other
_STYLES = ("-", "--", ":", "-.")


def draw_channels(
    channels: ChannelSet | Sequence[ChannelSet],
    names: Sequence[str],
    over: str = "",
    start: float = -math.inf,
    end: float = math.inf,
) -> "Figure":
    """Draw the named channels, one diagram per unit, orientations by their components.

    Parameters
    ----------
    channels : of a file, or of several; a channel that a further file lacks is left out of it.
    over : channel along the horizontal axis; time if left out.
    start, end : part of the time to draw, s.

    Raises
    ------
    ResultError
        If there are none, too many, one is unknown or no number, or no row lies between start and end.
    """
    files = [channels] if isinstance(channels, ChannelSet) else list(channels)
    if not 1 <= len(names) <= MOST:
        raise ResultError(f"{len(names)} channels cannot be drawn in one figure; name 1 to {MOST}")
    groups: dict[str, list[tuple[int, Series]]] = {}
    for k, file in enumerate(files):
        for name in names:
            if k and name not in file.names():
                continue
            series = _cut(file.read(name), start, end, file)
            is_number = series.channel.kind == "scalar"
            key = series.channel.unit or "" if is_number else f"quaternion of {name}"
            groups.setdefault(key, []).append((k, series))
    figure = new_figure(9.0, 1.0 + (4.6 if over and len(groups) == 1 else 2.4 * len(groups)))
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    across = [_along(file, over, start, end) for file in files] if over else []
    for ax, (label, members) in zip(axes, groups.items(), strict=True):
        _diagram(ax, members, files, across)
        ax.set_ylabel(f"[{label}]" if label and not label.startswith("quaternion") else label)
    if over and len(groups) == 1 and across[0].channel.unit == members[0][1].channel.unit:
        axes[0].set_aspect("equal", adjustable="datalim")  # a path is not stretched
    axes[-1].set_xlabel(f"{over} [{across[0].channel.unit or '1'}]" if over else "time [s]")
    figure.suptitle(files[0].provenance.get("case") or files[0].path.name)
    return figure


def plot_channels(
    channels: ChannelSet | Sequence[ChannelSet], names: Sequence[str], out: str | Path, **how: Any
) -> Path:
    """Draw the named channels and save the figure; returns its path. See :func:`draw_channels`."""
    return save_figure(draw_channels(channels, names, **how), out)


def _diagram(
    ax: Any, members: Sequence[tuple[int, Series]], files: Sequence[ChannelSet], across: Sequence[Series]
) -> None:
    """Curves of one unit: a colour is a channel, a kind of line a file."""
    shown = list(dict.fromkeys(series.channel.name for _, series in members))
    for k, series in members:
        name = series.channel.name if len(files) == 1 else f"{series.channel.name} ({files[k].path.name})"
        if len(members) == 1 and series.channel.description:
            name += f": {series.channel.description}"  # what stands alone has room for it
        is_number = series.values.ndim == 1
        colours = {"color": COLOURS[shown.index(series.channel.name) % len(COLOURS)]} if is_number else {}
        x: Array = across[k].values if across else series.time
        text = name if is_number else list("wxyz")
        ax.plot(x, series.values, _STYLES[k % len(_STYLES)], label=text, linewidth=1.2, **colours)
    ax.grid(alpha=0.3)
    legend_above(ax)


def _along(file: ChannelSet, over: str, start: float, end: float) -> Series:
    """The channel of the horizontal axis."""
    series = _cut(file.read(over), start, end, file)
    if series.channel.kind != "scalar":
        raise ResultError(f"{file.path}: {over!r} is an orientation; an axis needs a number")
    return series


def _cut(series: Series, start: float, end: float, file: ChannelSet) -> Series:
    """The rows from start to end."""
    if start == -math.inf and end == math.inf:
        return series
    rows = np.flatnonzero((series.time >= start) & (series.time <= end))
    if not len(rows):
        raise ResultError(f"{file.path}: no row lies between {start:g} and {end:g} s")
    return replace(series, time=series.time[rows], values=series.values[rows], rates=None)


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


def plot_bode(
    out: str | Path, frequencies: Array, curves: Mapping[str, tuple[Array, Array]], title: str = ""
) -> Path:
    """Draw magnitude (dB) and phase (degrees) of responses by name over frequency (Hz); returns the path."""
    figure = new_figure(9.0, 6.0)
    top, bottom = figure.subplots(2, 1, sharex=True)
    for k, (name, (magnitude, phase)) in enumerate(curves.items()):
        colour = COLOURS[k % len(COLOURS)]
        top.semilogx(frequencies, magnitude, label=name, color=colour, linewidth=1.2)
        bottom.semilogx(frequencies, phase, color=colour, linewidth=1.2)
    top.set_ylabel("magnitude [dB]")
    bottom.set_ylabel("phase [°]")
    bottom.set_xlabel("frequency [Hz]")
    legend_above(top)
    for ax in (top, bottom):
        ax.grid(alpha=0.3, which="both")
    figure.suptitle(title)
    return save_figure(figure, out)


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


MOST_ROWS = 12  # channels in one figure; the rest are in the table


def draw_comparison(channels: Sequence[ChannelComparison]) -> "Figure":
    """Draw for every channel the overlay and, below it, the difference with its tolerance."""
    channels = channels[:MOST_ROWS]
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
