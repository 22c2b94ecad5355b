"""Results beside a reference: aligned in unit and time, measured channel by channel; and a table of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.matching import match_channels
from flexnet.results.metrics import dominant_frequency, ratio, rms, time_lag
from flexnet.results.rotation import geodesic_angle
from flexnet.results.series import ORIENTATION, Series
from flexnet.results.tolerance import Tolerance
from flexnet.typing import Array
from flexnet.units import conversion

SLACK = 1e-6  # of the length of the result: times printed with few digits may end this much late


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What to compare and how strictly.

    Parameters
    ----------
    columns : column of the reference by channel of the result; matched by name if empty.
    is_all : match every column by name, and not only those that were asked for.
    tolerances : limits by channel; the entry ``""`` is for all others.
    start, end : part of the reference to compare, s.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    start: float = -np.inf
    end: float = np.inf
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Errors:
    """Size of a difference.

    Parameters
    ----------
    maximum : largest difference, in the unit compared.
    at : when it occurs, s.
    rms : root mean square of the difference, in the unit compared.
    peak : largest absolute value of the reference; of an orientation, the largest angle it turns by.
    """

    maximum: float
    at: float
    rms: float
    peak: float

    def measure(self, name: str) -> float:
        """Return one of the measures a tolerance can limit."""
        return {
            "peak": ratio(self.maximum, self.peak),
            "rms": ratio(self.rms, self.peak),
            "max": self.maximum,
        }[name]


@dataclass(frozen=True, slots=True)
class Character:
    """How the shapes of two curves compare; entries that have no meaning for them are ``None``.

    Parameters
    ----------
    peak_ratio : peak of the result over that of the reference.
    lag : delay of the result, s.
    frequency : dominant frequency of the reference, Hz.
    frequency_shift : that of the result less that of the reference, Hz.
    """

    peak_ratio: float | None = None
    lag: float | None = None
    frequency: float | None = None
    frequency_shift: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ChannelComparison:
    """One channel beside its reference, on the reference's times and in its unit.

    Parameters
    ----------
    channel, column : names in the result and in the reference.
    unit : unit compared; ``None`` if neither file says.
    is_unit_assumed : whether one of the files does not give its unit.
    time : (n,) array, s.
    result, reference : (n,) arrays; for an orientation, the angle turned since the reference's start, rad.
    difference : (n,) array, result less reference; for an orientation, the angle between them, rad.
    errors, character : measures.
    tolerance : limit, if there is one.
    """

    channel: str
    column: str
    unit: str | None
    is_unit_assumed: bool
    time: Array
    result: Array
    reference: Array
    difference: Array
    errors: Errors
    character: Character
    tolerance: Tolerance | None

    @property
    def is_within(self) -> bool | None:
        """Whether the tolerance holds; ``None`` if there is none."""
        return (
            None
            if self.tolerance is None
            else self.errors.measure(self.tolerance.measure) <= self.tolerance.value
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """A result beside a reference."""

    result: ChannelSet
    reference: ChannelSet
    channels: tuple[ChannelComparison, ...]

    @property
    def is_within(self) -> bool | None:
        """Whether every tolerance holds; ``None`` if there are none."""
        verdicts = [c.is_within for c in self.channels if c.is_within is not None]
        return all(verdicts) if verdicts else None

    @property
    def verdict(self) -> str:
        """One sentence: how many channels agree."""
        judged = [c for c in self.channels if c.is_within is not None]
        failed = [c.channel for c in judged if not c.is_within]
        if not judged:
            worst = max(self.channels, key=lambda c: c.errors.measure("peak"))
            percent = 100.0 * worst.errors.measure("peak")
            largest = f"largest difference {percent:.3g} % of peak ({worst.channel})"
            return f"{len(self.channels)} channels compared without a tolerance; {largest}"
        if failed:
            return f"{len(failed)} of {len(judged)} channels exceed their tolerance: {', '.join(failed)}"
        if len(judged) == 1:
            return f"the channel {judged[0].channel!r} is within its tolerance"
        return f"all {len(judged)} channels with a tolerance are within it"

    def __repr__(self) -> str:
        places = [HEADINGS.index(heading) for heading in ESSENTIAL]
        rows = [ESSENTIAL, *([table_row(c)[k] for k in places] for c in self.channels)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(places))]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n".join([*lines, self.verdict])


def compare(result: ChannelSet, reference: ChannelSet, options: CompareOptions | None = None) -> Comparison:
    """Compare a result with a reference, channel by channel.

    Raises
    ------
    ResultError
        If channels cannot be matched, units do not measure the same thing, a value is not finite, or the
        result does not cover the times of the reference.
    """
    options = options or CompareOptions()
    pairs = match_channels(result, reference, options.columns, options.is_all)
    unused = options.tolerances.keys() - pairs.keys() - {""}
    if unused:
        raise ResultError(f"tolerance for {min(unused)!r}, which is not compared")
    common = options.tolerances.get("")
    channels = []
    for channel, column in pairs.items():
        expected = reference.read(column).between(options.start, options.end)
        tolerance = options.tolerances.get(channel, common)
        channels.append(compare_series(result.read(channel), expected, tolerance))
    return Comparison(result, reference, tuple(channels))


def compare_series(
    result: Series, reference: Series, tolerance: Tolerance | None = None
) -> ChannelComparison:
    """Compare one history with another, on the times and in the unit of the reference."""
    names = f"{result.channel.name!r} and {reference.channel.name!r}"
    if result.channel.kind != reference.channel.kind:
        raise ResultError(f"{names}: {result.channel.kind} and {reference.channel.kind} cannot be compared")
    for series in (result, reference):
        if not np.isfinite(series.values).all():
            when = series.time[~np.isfinite(series.values.reshape(len(series.time), -1)).all(axis=1)][0]
            raise ResultError(f"{series.channel.name!r} is not finite at t = {when:g} s")
    result, is_assumed = _in_unit_of(result, reference)
    time = _common_times(result, reference)
    has_angles = reference.channel.kind == ORIENTATION
    measured = _angles if has_angles else _numbers
    values, expected, difference = measured(result.at(time), reference.values)
    worst = int(np.abs(difference).argmax())
    peak = float(np.abs(expected).max())
    errors = Errors(float(np.abs(difference[worst])), float(reference.time[worst]), rms(difference), peak)
    character = Character() if has_angles else _character(result, reference, peak)
    return ChannelComparison(
        channel=result.channel.name,
        column=reference.channel.name,
        unit="rad" if has_angles else result.channel.unit,
        is_unit_assumed=is_assumed,
        time=reference.time,
        result=values,
        reference=expected,
        difference=difference,
        errors=errors,
        character=character,
        tolerance=tolerance,
    )


def _in_unit_of(result: Series, reference: Series) -> tuple[Series, bool]:
    """Convert to the reference's unit; where one of them is not given, it is taken to be the other's."""
    have, want = result.channel.unit, reference.channel.unit
    if have is None or want is None:
        unit = have if want is None else want
        return replace(result, channel=replace(result.channel, unit=unit)), True
    try:
        return result.scaled(conversion(have, want), want), False
    except ResultError as error:
        raise ResultError(f"{result.channel.name!r} and {reference.channel.name!r}: {error}") from error


def _common_times(result: Series, reference: Series) -> Array:
    """Return the reference's times, moved by rounding only to where the result is known."""
    if not len(reference.time):
        raise ResultError(f"{reference.channel.name!r} has no rows in the interval compared")
    if not len(result.time):
        raise ResultError(f"{result.channel.name!r} has no rows")
    first, last = result.time[0], result.time[-1]
    slack = SLACK * (last - first)
    if reference.time[0] < first - slack or reference.time[-1] > last + slack:
        raise ResultError(
            f"{reference.channel.name!r} covers {reference.time[0]:g} to {reference.time[-1]:g} s, "
            f"the result only {first:g} to {last:g} s; choose a part of it with --from and --to"
        )
    return np.clip(reference.time, first, last)


def _numbers(values: Array, expected: Array) -> tuple[Array, Array, Array]:
    return values, expected, values - expected


def _angles(values: Array, expected: Array) -> tuple[Array, Array, Array]:
    """Return the angles turned since the reference's start, and the angle between the two."""
    start = expected[:1]
    return geodesic_angle(start, values), geodesic_angle(start, expected), geodesic_angle(values, expected)


def _character(result: Series, reference: Series, peak: float) -> Character:
    """Measure peak, delay and frequency on the interval both histories cover."""
    start = max(float(result.time[0]), float(reference.time[0]))
    end = min(float(result.time[-1]), float(reference.time[-1]))
    size = float(np.abs(result.between(start, end).values).max(initial=0.0))
    peak_ratio = size / peak if peak else None
    if len(reference.time) < 4 or len(result.time) < 4:
        return Character(peak_ratio)
    result, reference = result.with_rates(), reference.with_rates()
    mine = dominant_frequency(result.at, start, end)
    theirs = dominant_frequency(reference.at, start, end)
    shift = None if mine is None or theirs is None else mine - theirs
    return Character(peak_ratio, time_lag(result.at, reference.at, start, end), theirs, shift)


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
