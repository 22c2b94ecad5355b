"""A channel and its history: what every reader gives and every comparison takes."""

from dataclasses import dataclass, field, replace

import numpy as np

from flexnet.errors import ResultError
from flexnet.results.interpolation import interpolate, interpolate_rotation, spline_slopes
from flexnet.typing import Array

SCALAR = "scalar"
ORIENTATION = "orientation"


@dataclass(frozen=True, slots=True)
class Channel:
    """What a channel is.

    Parameters
    ----------
    name : name in its file.
    unit : unit of its numbers; ``None`` where the file does not say.
    kind : ``"scalar"`` or ``"orientation"`` (unit quaternions, scalar first, frame to global).
    description : one line, may be empty.
    """

    name: str
    unit: str | None = None
    kind: str = SCALAR
    description: str = ""

    def __post_init__(self) -> None:
        if self.kind not in (SCALAR, ORIENTATION):
            raise ResultError(f"channel {self.name!r}: kind {self.kind!r} is not 'scalar' or 'orientation'")


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A channel's history.

    Parameters
    ----------
    channel : what it is.
    time : (n,) array, increasing, s.
    values : (n,) array in the channel's unit, or (n, 4) unit quaternions of an orientation.
    rates : time derivative of the values where known: (n,), or (n, 3) global angular velocity in rad/s.
    """

    channel: Channel
    time: Array
    values: Array
    rates: Array | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        n = len(self.time)
        shape = (n,) if self.channel.kind == SCALAR else (n, 4)
        if self.values.shape != shape:
            found = self.values.shape
            raise ResultError(f"channel {self.channel.name!r} has shape {found}, expected {shape}")

    def at(self, times: Array) -> Array:
        """Interpolate at the given times, s; exact at the times of the series."""
        if self.channel.kind == ORIENTATION:
            return interpolate_rotation(self.time, self.values, times, self.rates)
        return interpolate(self.time, self.values, times, self.rates)

    def with_rates(self) -> "Series":
        """Return the same history with the slopes of its interpolation, if it has none, found once."""
        if self.rates is not None or self.channel.kind == ORIENTATION or len(self.time) < 2:
            return self
        return replace(self, rates=spline_slopes(self.time, self.values))

    def between(self, start: float, end: float) -> "Series":
        """Return the part from ``start`` to ``end``, s, both included."""
        first, stop = np.searchsorted(self.time, start), np.searchsorted(self.time, end, side="right")
        return self.rows(slice(int(first), int(stop)))

    def rows(self, rows: slice) -> "Series":
        """Return some rows of it."""
        rates = None if self.rates is None else self.rates[rows]
        return replace(self, time=self.time[rows], values=self.values[rows], rates=rates)

    def scaled(self, factor: float, unit: str | None) -> "Series":
        """Return the same history with its numbers multiplied, in another unit."""
        if self.channel.kind == ORIENTATION:
            return self
        rates = None if self.rates is None else factor * self.rates
        channel = replace(self.channel, unit=unit)
        return replace(self, channel=channel, values=np.asarray(factor * self.values), rates=rates)
