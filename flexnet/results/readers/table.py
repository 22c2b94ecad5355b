"""Tables of numbers from outside: a time column that increases, and further columns; nothing else passes."""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError, ResultError
from flexnet.typing import Array
from flexnet.units import conversion, parse_unit


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns over one time.

    Parameters
    ----------
    names : names of the columns after time.
    units : their units; ``None`` where the file does not say.
    time : (n,) array, s.
    data : (n, columns) array.
    """

    names: tuple[str, ...]
    units: tuple[str | None, ...]
    time: Array
    data: Array


class TableBuilder:
    """Collects the rows of a table and checks each one.

    Parameters
    ----------
    path, line : where the table begins.
    names : names of its columns, time first.
    units : their units.
    """

    __slots__ = ("_data", "_factor", "_last", "_line", "_names", "_path", "_units")

    def __init__(self, path: Path, line: int, names: Sequence[str], units: Sequence[str | None]) -> None:
        self._path = path
        self._line = line
        self._names = tuple(names)
        self._units = tuple(units)
        self._data = array("d")
        self._last = -math.inf
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise FileFormatError(f"{path}, line {line}: column {twice!r} is named twice")
        for name, unit in zip(names, units, strict=True):
            check_unit(f"{path}, line {line}: column {name!r}", unit)
        try:
            self._factor = conversion(units[0] or "s", "s")
        except ResultError as error:
            raise FileFormatError(f"{path}, line {line}: time column {names[0]!r}: {error}") from error

    def add(self, line: int, cells: Sequence[str]) -> None:
        """Add a row of texts.

        Raises
        ------
        FileFormatError
            If their number is wrong, one is not a finite number, or time does not increase.
        """
        place = f"{self._path}, line {line}"
        if len(cells) != len(self._names):
            raise FileFormatError(f"{place}: {len(cells)} values, expected {len(self._names)}")
        row = [
            finite(f"{place}: column {name!r}", cell) for name, cell in zip(self._names, cells, strict=True)
        ]
        if row[0] <= self._last:
            how = "is repeated" if row[0] == self._last else f"comes after {self._last:.17g}"
            raise FileFormatError(f"{place}: time {row[0]:.17g} {how}")
        self._last = row[0]
        self._data.extend(row)

    def table(self) -> Table:
        """Return the table.

        Raises
        ------
        FileFormatError
            If no row was added.
        """
        if not self._data:
            raise FileFormatError(f"{self._path}, line {self._line}: no rows follow the names")
        data = np.array(self._data).reshape(-1, len(self._names))
        return Table(self._names[1:], self._units[1:], self._factor * data[:, 0], data[:, 1:])


def check_unit(place: str, unit: str | None) -> None:
    """Check that a unit, if given, is known.

    Raises
    ------
    FileFormatError
        If it is not; names the place.
    """
    if unit is not None:
        try:
            parse_unit(unit)
        except ResultError as error:
            raise FileFormatError(f"{place}: {error}") from error


def finite(place: str, text: str) -> float:
    """Read a finite number.

    Raises
    ------
    FileFormatError
        If the text is anything else; names the place.
    """
    try:
        number = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        number = None
    if number is None:
        raise FileFormatError(f"{place}: {text[:40]!r} is not a number")
    if not math.isfinite(number):
        raise FileFormatError(f"{place}: {text.strip()} is not a finite number")
    return number
