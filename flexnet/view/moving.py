"""Formats of mechanisms in motion: a page enters what writes its own; command line and tests read them."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from flexnet.errors import ResultError, StorageError
from flexnet.results import Results
from flexnet.typing import Array
from flexnet.validation import place_to_write

#: writes a result file in motion, to a path, at so many times; returns the path to open
WriteMotion = Callable[[Results, Path, int], Path]
_Writer = TypeVar("_Writer", bound=WriteMotion)


class MovingFormat(NamedTuple):
    """A format of mechanisms in motion: ending of its files, and what writes them."""

    ending: str
    write: WriteMotion


#: every format by name
MOVING: dict[str, MovingFormat] = {}


def moving_format(name: str, ending: str) -> Callable[[_Writer], _Writer]:
    """Enter what writes a format."""

    def enter(write: _Writer) -> _Writer:
        MOVING[name] = MovingFormat(ending, write)
        return write

    return enter


def opened(results: Results, out: str | Path, ending: str, pictures: int) -> tuple[Path, Array]:
    """Path to write, with its ending, and the times of so many pictures, evenly spread over the run, s.

    Raises
    ------
    StorageError
        If the path has another ending.
    ResultError
        If the file holds no rows.
    """
    path = place_to_write(out, StorageError)
    if path.suffix.lower() not in ("", ending):
        raise StorageError(f"{path}: what is written there ends in {ending}")
    if not results.rows:
        raise ResultError(f"{results.path}: no rows to write")
    time = np.linspace(results.time[0], results.time[-1], pictures)
    return path if path.suffix else place_to_write(path, StorageError, ending), time
