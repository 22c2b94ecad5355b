"""Channels laid out as columns of plain numbers over one time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.layout import WXYZ
from flexnet.results.series import ORIENTATION, Channel
from flexnet.typing import Array

#: numbers that are laid out at once
MOST = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns over one time.

    Parameters
    ----------
    time : (n,) array, s.
    channels : channel of each column; the name of a quaternion's component ends in ``/w``, ``/x``, ….
    read : returns some rows of a column, by its number.
    """

    time: Array
    channels: tuple[Channel, ...]
    read: Callable[[int, slice], Array]

    @property
    def data(self) -> Array:
        """(n, columns) array of all of them."""
        rows = slice(len(self.time))
        return np.stack([self.read(k, rows) for k in range(len(self.channels))], axis=1)

    def blocks(self, wanted: Sequence[int] | None = None) -> Iterator[tuple[Array, Array]]:
        """Times (b,) and columns (b, columns), block by block: a long file need not be held as a whole.

        Parameters
        ----------
        wanted : numbers of the columns, all if not given.
        """
        numbers = range(len(self.channels)) if wanted is None else wanted
        size = max(1, MOST // len(numbers))
        for start in range(0, len(self.time), size):
            rows = slice(start, min(start + size, len(self.time)))
            yield self.time[rows], np.stack([self.read(k, rows) for k in numbers], axis=1)


def columns_of(channels: ChannelSet, names: Sequence[str] = ()) -> Columns:
    """Lay out the named channels, or those that were asked for.

    Raises
    ------
    ResultError
        If one is unknown, is not finite, or has other times than the first.
    """
    time = np.zeros(0)
    found, sources = list[Channel](), list[tuple[str, int | None]]()
    for name in names or channels.meant():
        series = channels.read(name)
        if not found:
            time = series.time
        if not np.array_equal(series.time, time):
            raise ResultError(f"{channels.path}: {name!r} has other output times than {found[0].name!r}")
        if not np.isfinite(series.values).all():
            raise ResultError(
                f"{channels.path}: {name!r} is not finite everywhere; export other channels by name"
            )
        if series.channel.kind == ORIENTATION:
            found += [Channel(f"{name}/{part}", "1") for part in WXYZ]
            sources += [(name, k) for k in range(len(WXYZ))]
        else:
            found.append(series.channel)
            sources.append((name, None))
    if not len(time):
        raise ResultError(f"{channels.path}: no rows to export")

    def read(number: int, rows: slice) -> Array:
        name, part = sources[number]
        values = channels.read(name, rows).values
        return values if part is None else values[:, part]

    return Columns(time, tuple(found), read)
