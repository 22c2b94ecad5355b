"""Frequency responses: magnitude and phase over frequency."""

from collections.abc import Mapping
from pathlib import Path

from flexnet.typing import Array
from flexnet.view.figure import COLOURS, legend_above, new_figure, save_figure


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
