"""Channels of files that are tables."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.readers.table import Table
from flexnet.results.rotation import quaternion_from_313
from flexnet.results.series import ORIENTATION, Channel, Series
from flexnet.units import conversion, parse_unit

COMPONENT = re.compile(r"(?P<base>.*quaternion)[./](?P<part>[wxyz])", re.IGNORECASE)
ANGLE = re.compile(r"(?P<base>.*_XFORM)\.(?P<part>PSI|THETA|PHI)", re.IGNORECASE)
Load = Callable[[str], Series]


def orientations_in(
    channels: Sequence[Channel], load: Load
) -> Iterator[tuple[Channel, Load, tuple[str, ...]]]:
    """Yield each orientation found: its channel, what loads it, and the columns it is made of.

    Parameters
    ----------
    channels : scalar channels of a file.
    load : returns the history of one of them.
    """
    units = {channel.name: channel.unit for channel in channels}
    for base, names in _complete(COMPONENT, ("w", "x", "y", "z"), units):
        channel = Channel(base, "1", ORIENTATION)
        yield channel, _quaternion_loader(channel, names, load), names
    for base, names in _complete(ANGLE, ("psi", "theta", "phi"), units):
        factors = [_to_radians(units[name]) for name in names]
        if all(factors):
            channel = Channel(
                f"{base}.QUATERNION", "1", ORIENTATION, "from the 3-1-3 Euler angles PSI, THETA, PHI"
            )
            yield channel, _angle_loader(channel, names, [f or 0.0 for f in factors], load), names


def _complete(
    pattern: re.Pattern[str], parts: tuple[str, ...], names: dict[str, str | None]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each base name for which every part is there, with the names in the order of the parts."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        if match := pattern.fullmatch(name):
            found.setdefault(match["base"], {})[match["part"].lower()] = name
    for base, named in found.items():
        if len(named) == len(parts):
            yield base, tuple(named[part] for part in parts)


def _to_radians(unit: str | None) -> float | None:
    """Return the factor to radians of an angle's unit; nothing if the file does not say."""
    if unit is None or any(parse_unit(unit).dimension):
        return None
    return conversion(unit, "rad")


def _quaternion_loader(channel: Channel, names: tuple[str, ...], load: Load) -> Load:
    def read(_: str) -> Series:
        parts = [load(name) for name in names]
        return Series(channel, parts[0].time, np.stack([part.values for part in parts], axis=1))

    return read


def _angle_loader(channel: Channel, names: tuple[str, ...], factors: list[float], load: Load) -> Load:
    def read(_: str) -> Series:
        parts = [load(name) for name in names]
        psi, theta, phi = (factor * part.values for factor, part in zip(factors, parts, strict=True))
        return Series(channel, parts[0].time, quaternion_from_313(psi, theta, phi))

    return read


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
