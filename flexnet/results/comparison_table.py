"""The numbers of a comparison as a table of short texts, for a terminal or a page."""

import math

from flexnet.results.comparison import ChannelComparison

HEADINGS = (
    "channel",
    "unit",
    "max difference",
    "at [s]",
    "RMS",
    "max / peak",
    "RMS / peak",
    "peak ratio",
    "delay [s]",
    "frequency [Hz]",
    "shift [Hz]",
    "tolerance",
    "verdict",
)
# what a narrow terminal shows
ESSENTIAL = ("channel", "unit", "max / peak", "RMS / peak", "delay [s]", "tolerance", "verdict")


def table_row(channel: ChannelComparison) -> tuple[str, ...]:
    """Return the texts of one channel, in the order of :data:`HEADINGS`."""
    errors, character = channel.errors, channel.character
    name = channel.channel if channel.channel == channel.column else f"{channel.channel} ↔ {channel.column}"
    unit = (channel.unit or "?") + (" (assumed)" if channel.is_unit_assumed else "")
    return (
        name,
        unit,
        number(errors.maximum),
        number(errors.at),
        number(errors.rms),
        percent(errors.measure("peak")),
        percent(errors.measure("rms")),
        number(character.peak_ratio, 5),
        number(character.lag),
        number(character.frequency, 5),
        number(character.frequency_shift),
        "" if channel.tolerance is None else str(channel.tolerance),
        {None: "", True: "within", False: "EXCEEDED"}[channel.is_within],
    )


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with few digits; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}g}"


def percent(value: float) -> str:
    """Return a ratio as a percentage."""
    return "∞" if math.isinf(value) else f"{100.0 * value:.3g} %"
