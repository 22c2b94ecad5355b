"""Which reader for which file.

A page enters its reader with :func:`reader`; :func:`read_channels` and tests read :data:`READERS`. A user's
own page enters itself in the same way.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from flexnet.errors import FileFormatError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.readers.lines import check_file

Units = Mapping[str, str]
Read = Callable[[Path, Units | None, str | None], ChannelSet]
#: bytes of a file that are looked at to recognise it
_HEAD = 4096


class Reader(NamedTuple):
    """A reader of one kind of file."""

    read: Read
    recognises: Callable[[bytes], bool]  #: whether a file that begins so is of this kind


#: every reader by the ending of its files, filled by the pages of this folder
READERS: dict[str, Reader] = {}


def reader(ending: str, recognises: Callable[[bytes], bool]) -> Callable[[Read], Read]:
    """Enter a reader: a function of a path, units by name and the type of step of an Adams file, or None."""

    def enter(read: Read) -> Read:
        READERS[ending] = Reader(read, recognises)
        return read

    return enter


def read_channels(path: str | Path, units: Units | None = None, steps: str | None = None) -> ChannelSet:
    """Read the channels of a result or reference file of any known kind.

    Parameters
    ----------
    path : ``.h5`` (flexnet), ``.csv``, ``.tab`` (Adams spreadsheet), ``.res`` (Adams XRF), or what a page of
        one's own reads; a file with another ending is recognised by its first bytes.
    units : units of columns by name, for files that do not give them.
    steps : type of step of an Adams result file.

    Raises
    ------
    FileFormatError
        If the file is not what it should be; names the file and the place.
    """
    path = Path(path)
    check_file(path)
    ending = path.suffix.lower()
    if ending == ".py":
        raise FileFormatError(f"{path}: a case, not what came of it; flexnet run {path} writes a result file")
    found = READERS.get(ending) or _recognised(path)
    return found.read(path, units, steps)


def _recognised(path: Path) -> Reader:
    """The first reader that recognises a file; comma-separated values look like nothing in particular."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return next((r for r in READERS.values() if r.recognises(head)), READERS[".csv"])
