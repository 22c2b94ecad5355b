"""Formats of mechanisms in motion: a page enters what writes its own; command line and tests read them."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from flexnet.errors import StorageError
from flexnet.results import Results

#: writes a result file in motion, to a path, at so many times; returns the path to open
WriteMotion = Callable[[Results, Path, int], Path]


class MovingFormat(NamedTuple):
    """A format of mechanisms in motion: ending of its files, and what writes them."""

    ending: str
    write: WriteMotion


#: every format by name
MOVING: dict[str, MovingFormat] = {}


def moving_format(name: str, ending: str) -> Callable[[WriteMotion], WriteMotion]:
    """Enter what writes a format."""

    def enter(write: WriteMotion) -> WriteMotion:
        MOVING[name] = MovingFormat(ending, write)
        return write

    return enter


def with_ending(out: str | Path, ending: str) -> Path:
    """A path that ends so; one without an ending gets it.

    Raises
    ------
    StorageError
        If it has another one.
    """
    path = Path(out)
    if path.suffix.lower() not in ("", ending):
        raise StorageError(f"{path}: what is written there ends in {ending}")
    return path if path.suffix else path.with_name(path.name + ending)
