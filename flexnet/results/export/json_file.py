"""Channels as JSON."""

import json
from collections.abc import Sequence
from typing import TextIO

from flexnet.results.channel_set import ChannelSet
from flexnet.results.export.columns import columns_of
from flexnet.results.export.registry import export_format


@export_format("json", ".json", b'{\n "schema": "flexnet-export"')
def write_json(file: TextIO, channels: ChannelSet, names: Sequence[str] = ()) -> None:
    """Write the named channels, or all of them, to every digit."""
    columns = columns_of(channels, names)
    values = columns.data
    document = {
        "schema": "flexnet-export",
        "schema_version": 1,
        "source": channels.path.name,
        "provenance": dict(channels.provenance),
        "time": {"unit": "s", "values": columns.time.tolist()},
        "channels": [
            {"name": c.name, "unit": c.unit, "description": c.description, "values": x.tolist()}
            for c, x in zip(columns.channels, values.T, strict=True)
        ],
    }
    json.dump(document, file, allow_nan=False, indent=1)
    file.write("\n")
