"""Result files of flexnet, as one kind of file among others."""

from pathlib import Path

from flexnet.results.channel_set import ChannelSet
from flexnet.results.reader import Results
from flexnet.results.readers.registry import Units, reader


def _is_hdf5(head: bytes) -> bool:
    return head.startswith(b"\x89HDF")


@reader(".hdf5", _is_hdf5)
@reader(".h5", _is_hdf5)
def read_result(path: Path, units: Units | None = None, steps: str | None = None) -> ChannelSet:
    """Read the channels of a result file."""
    return Results.open(path).channel_set()
