"""Formats that results can be exported to.

A page enters what writes its format with :func:`export_format`; command line, documentation and tests read
:data:`FORMATS`. A user's own page enters itself in the same way.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.store import writing

Writer = Callable[[TextIO, ChannelSet, Sequence[str]], None]


class Format(NamedTuple):
    """A format of channels."""

    ending: str
    begins: bytes  #: what a file of ours begins with, so that nothing else is replaced
    write: Writer


#: every format by name, filled by the pages of this folder
FORMATS: dict[str, Format] = {}


def export_format(name: str, ending: str, begins: bytes) -> Callable[[Writer], Writer]:
    """Enter what writes a format: a function of an open file, the channels and the names of those wanted."""

    def enter(write: Writer) -> Writer:
        FORMATS[name] = Format(ending, begins, write)
        return write

    return enter


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
    with writing(path, begins) as draft, draft.open("w", encoding="utf-8", errors="replace") as file:
        write(file, channels, names)
    return path


def format_by_ending(out: Path | None, others: Mapping[str, str]) -> str:
    """Name of the format that the ending of a file says; csv where it has none.

    Parameters
    ----------
    others : name of further formats by ending, besides those of tables.

    Raises
    ------
    ResultError
        If no format ends so.
    """
    known = {made.ending: name for name, made in FORMATS.items()} | dict(others)
    ending = "" if out is None else out.suffix.lower()
    if ending and ending not in known:
        raise ResultError(f"{out}: no format ends so; expected {', '.join(known)}, or name the format")
    return known.get(ending, "csv")
