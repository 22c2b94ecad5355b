"""Channels as comma-separated values, with units in the header."""

import csv
from collections.abc import Sequence
from typing import TextIO

from flexnet.results.channel_set import ChannelSet
from flexnet.results.export.columns import columns_of
from flexnet.results.export.registry import export_format


@export_format("csv", ".csv", b"# ")
def write_csv(file: TextIO, channels: ChannelSet, names: Sequence[str] = ()) -> None:
    """Write the named channels, or all of them, to every digit."""
    columns = columns_of(channels, names)
    writer = csv.writer(file, lineterminator="\n")
    heads = (f"{c.name} [{c.unit}]" if c.unit is not None else c.name for c in columns.channels)
    file.write(f"# {channels.format} {' '.join(channels.path.name.split())}\n")
    writer.writerow(["time [s]", *heads])
    for times, rows in columns.blocks():
        for t, row in zip(times, rows, strict=True):
            writer.writerow([f"{t:.17g}", *(f"{value:.17g}" for value in row)])
