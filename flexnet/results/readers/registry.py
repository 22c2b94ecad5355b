"""Which reader for which file."""

from collections.abc import Callable, Mapping
from pathlib import Path

from flexnet.results.channel_set import ChannelSet
from flexnet.results.reader import Results
from flexnet.results.readers.adams_res import read_adams_res
from flexnet.results.readers.adams_tab import read_adams_tab
from flexnet.results.readers.csv_table import read_csv
from flexnet.results.readers.lines import check_file

Units = Mapping[str, str]
READERS: dict[str, Callable[[Path, Units | None, str | None], ChannelSet]] = {
    ".h5": lambda path, units, steps: Results.open(path).channel_set(),
    ".hdf5": lambda path, units, steps: Results.open(path).channel_set(),
    ".csv": lambda path, units, steps: read_csv(path, units),
    ".tab": lambda path, units, steps: read_adams_tab(path, units),
    ".res": lambda path, units, steps: read_adams_res(path, steps, units),
}


def read_channels(path: str | Path, units: Units | None = None, steps: str | None = None) -> ChannelSet:
    """Read the channels of a result or reference file of any known kind.

    Parameters
    ----------
    path : ``.h5`` (flexnet), ``.csv``, ``.tab`` (Adams spreadsheet) or ``.res`` (Adams XRF); a file with
        another ending is recognised by its first bytes.
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
    return READERS[ending if ending in READERS else _recognised(path)](path, units, steps)


def _recognised(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(4096)
    if head.startswith(b"\x89HDF"):
        return ".h5"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return ".res"
    return ".tab" if head.lstrip().startswith(b'"') and b'TIME"' in head else ".csv"
