"""Matrices written as text, an entry a line."""

import warnings
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.typing import Array
from flexnet.validation import existing_file


def read_columns(path: Path, width: int, delimiter: str | None = None) -> Array:
    """Return the numbers of a text file, (lines, width); lines that begin with ``*`` are remarks.

    Raises
    ------
    FileFormatError
        If a line does not hold so many numbers; file and line are named.
    """
    path = existing_file(path, FileFormatError)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that a file is empty is said below
            found = np.loadtxt(path, delimiter=delimiter, comments="*", ndmin=2, encoding="latin-1")
    except (ValueError, OverflowError, MemoryError) as error:
        raise FileFormatError(f"{path}{_guilty(path, width, delimiter) or f' ({error})'}") from error
    if found.size == 0:
        raise FileFormatError(f"{path}: it holds no entries")
    if found.shape[1] != width:
        raise FileFormatError(f"{path}{_guilty(path, width, delimiter)}")
    return np.asarray(found)


def whole_numbers(values: Array, path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return columns that must be whole numbers as such."""
    if not (
        np.isfinite(values).all() and (np.abs(values) < 2**53).all() and (values == np.floor(values)).all()
    ):
        line = int(np.argwhere(~(values == np.floor(values)))[0, 0]) if np.isfinite(values).all() else 0
        raise FileFormatError(
            f"{path}: rows, columns, nodes and freedoms are whole numbers; see entry {line + 1}"
        )
    return values.astype(np.int64)


def _guilty(path: Path, width: int, delimiter: str | None) -> str:
    """Name the first line that is not so many numbers."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            line = raw.decode("latin-1").split("*")[0].strip()
            parts = line.split(delimiter)
            try:
                numbers = [float(part) for part in parts] if line else [0.0] * width
            except ValueError:
                numbers = []
            if len(numbers) != width:
                return f", line {number}: {width} numbers were expected, got {line[:60]!r}"
    return ""
