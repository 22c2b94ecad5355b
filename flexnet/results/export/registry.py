"""Formats that results can be exported to."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from flexnet.errors import ResultError, StorageError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.export.adams_tab import write_adams_tab
from flexnet.results.export.csv_file import write_csv
from flexnet.results.export.json_file import write_json

Writer = Callable[[TextIO, ChannelSet, Sequence[str]], None]
FORMATS: dict[str, tuple[str, Writer]] = {
    "adams-tab": (".tab", write_adams_tab),
    "csv": (".csv", write_csv),
    "json": (".json", write_json),
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
        If the file cannot be written.
    """
    if format_name not in FORMATS:
        raise ResultError(f"format {format_name!r} is not one of {', '.join(FORMATS)}")
    ending, write = FORMATS[format_name]
    path = Path(out) if out else channels.path.with_suffix(ending)
    draft = path.with_name(f".{path.name}.part")
    try:
        with draft.open("w", encoding="utf-8") as file:
            write(file, channels, names)
        draft.replace(path)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written ({error.strerror})") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return path
