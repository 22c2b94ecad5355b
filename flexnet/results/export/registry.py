"""Formats that results can be exported to."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.export.adams_tab import write_adams_tab
from flexnet.results.export.csv_file import write_csv
from flexnet.results.export.json_file import write_json
from flexnet.store import writing

Writer = Callable[[TextIO, ChannelSet, Sequence[str]], None]
#: ending, what such a file of ours begins with, and what writes it
FORMATS: dict[str, tuple[str, bytes, Writer]] = {
    "adams-tab": (".tab", b'"Adams View model name: ', write_adams_tab),
    "csv": (".csv", b"# ", write_csv),
    "json": (".json", b'{\n "schema": "flexnet-export"', write_json),
}


def export_channels(
    channels: ChannelSet, format_name: str, out: str | Path | None = None, names: Sequence[str] = ()
) -> Path:
    """Write channels in another format.

    Parameters
    ----------
    channels : what to write.
    format_name : one of :data:`FORMATS`.
    out : path of the new file; beside the old one, with the format's ending, if not given.
    names : channels to write; if empty those that were asked for, or all of a file that does not say.

    Returns
    -------
    Path of the new file.

    Raises
    ------
    ResultError
        If the format or a channel is unknown.
    StorageError
        If the file cannot be written, or something else is there.
    """
    if format_name not in FORMATS:
        raise ResultError(f"format {format_name!r} is not one of {', '.join(FORMATS)}")
    ending, begins, write = FORMATS[format_name]
    path = Path(out) if out else channels.path.with_suffix(ending)
    with writing(path, begins) as draft, draft.open("w", encoding="utf-8") as file:
        write(file, channels, names)
    return path
