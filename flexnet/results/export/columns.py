"""Channels laid out as columns of plain numbers over one time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.layout import WXYZ
from flexnet.results.series import ORIENTATION, Channel
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns over one time.

    Parameters
    ----------
    time : (n,) array, s.
    channels : channel of each column; the name of a quaternion's component ends in ``/w``, ``/x``, ….
    data : (n, columns) array.
    """

    time: Array
    channels: tuple[Channel, ...]
    data: Array


def columns_of(channels: ChannelSet, names: Sequence[str] = ()) -> Columns:
    """Lay out the named channels, or those that were asked for.

    Raises
    ------
    ResultError
        If one is unknown, is not finite, or has other times than the first.
    """
    time, data = np.zeros(0), list[Array]()
    found: list[Channel] = []
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
            data += list(series.values.T)
        else:
            found.append(series.channel)
            data.append(series.values)
    if not len(time):
        raise ResultError(f"{channels.path}: no rows to export")
    return Columns(time, tuple(found), np.stack(data, axis=1))
