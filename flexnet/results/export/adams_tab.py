"""Channels as an Adams spreadsheet, so that the comparison can be made in the other program too."""

import re
from collections.abc import Iterable, Sequence
from typing import TextIO

import numpy as np

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.export.columns import columns_of
from flexnet.results.export.registry import export_format

HEADINGS = ("Result ID", "Result Type", "I Marker ID", "J Marker ID", "Result Title")


@export_format("adams-tab", ".tab", b'"Adams View model name: ')
def write_adams_tab(file: TextIO, channels: ChannelSet, names: Sequence[str] = ()) -> None:
    """Write the named channels, or all of them, one block per group, to every digit.

    A channel ``frames/A/position/x`` becomes ``.case.run.frames_A_position.x``; a channel of the case
    goes to the group ``channels``. The format has no place for units: numbers are in those of the result.
    """
    columns = columns_of(channels, names)
    model = _plain(channels.provenance.get("case") or channels.path.stem)
    groups: dict[str, dict[str, int]] = {}
    for k, channel in enumerate(columns.channels):
        group, _, leaf = channel.name.rpartition("/")
        members = groups.setdefault(_plain(group or "channels"), {})
        if _plain(leaf) in members:
            other = columns.channels[members[_plain(leaf)]].name
            raise ResultError(f"channels {channel.name!r} and {other!r} would have one name in Adams")
        members[_plain(leaf)] = k
    file.write(f'"Adams View model name: {model}"\n')
    file.write(f'\t"{channels.provenance.get("created", "")}"\n')
    for group, members in groups.items():
        file.write("\n" + _quoted(HEADINGS) + "\n")
        file.write(_quoted((group, "Result set", "(N/A)", "(N/A)", "units of the flexnet result")) + "\n\n")
        file.write(_quoted(f".{model}.run.{group}.{leaf}" for leaf in ("TIME", *members)) + "\n")
        for times, rows in columns.blocks(list(members.values())):
            np.savetxt(file, np.column_stack([times, rows]), fmt="%.16e", delimiter="\t")


def _plain(name: str) -> str:
    """Return a name Adams accepts: letters, digits and underscores."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def _quoted(names: Iterable[str]) -> str:
    return "\t".join(f'"{name}"' for name in names)
