"""Channels of files that are tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from flexnet.errors import FileFormatError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.readers.orientations import Load, orientations_in
from flexnet.results.readers.table import Table
from flexnet.results.series import Channel, Series


def channels_of_tables(
    path: Path, kind: str, tables: Sequence[Table], provenance: Mapping[str, str]
) -> ChannelSet:
    """Return the columns of tables as channels; quaternion components become one orientation.

    Raises
    ------
    FileFormatError
        If two tables share the name of a column.
    """
    series: dict[str, Series] = {}
    for table in tables:
        for k, (name, unit) in enumerate(zip(table.names, table.units, strict=True)):
            if name in series:
                raise FileFormatError(f"{path}: column {name!r} is in two blocks")
            series[name] = Series(Channel(name, unit), table.time, table.data[:, k])
    return with_orientations(path, kind, [s.channel for s in series.values()], series.__getitem__, provenance)


def with_orientations(
    path: Path, kind: str, channels: Sequence[Channel], load: Load, provenance: Mapping[str, str]
) -> ChannelSet:
    """Return scalar channels and the orientations found in them, each after its last component."""
    listed = {channel.name: channel for channel in channels}
    loaders: dict[str, Load] = {}
    spent: set[str] = set()
    for orientation, loader, parts in orientations_in(channels, load):
        loaders[orientation.name] = loader
        listed[orientation.name] = orientation
        if "_XFORM" not in parts[0].upper():
            spent.update(parts)
    kept = tuple(channel for name, channel in listed.items() if name not in spent)
    return ChannelSet(path, kind, kept, lambda name: loaders.get(name, load)(name), provenance)
