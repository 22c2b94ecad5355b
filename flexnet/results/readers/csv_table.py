"""Comma-separated values: ``#`` comments, one header line of names with units, then numbers."""

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from flexnet.errors import FileFormatError, ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.readers.lines import numbered_lines
from flexnet.results.readers.registry import Units, reader
from flexnet.results.readers.table import TableBuilder
from flexnet.results.readers.tabular import channels_of_tables
from flexnet.units import parse_unit

FORMAT = "CSV"
TIME_WITH_UNIT = re.compile(r"(t|time)_(s|ms|us|min)")


def read_csv(path: str | Path, units: Mapping[str, str] | None = None) -> ChannelSet:
    """Read a CSV file; the first column is time.

    Parameters
    ----------
    path : path of the file; separated by commas, semicolons or tabs, UTF-8.
    units : units of columns by name, where the header does not give them or is wrong.

    Notes
    -----
    A unit stands in brackets after the name: ``tip [mm]``. Where the time column ends in its unit
    (``t_s``), so may the others (``angle_rad``, ``force_N``); they keep their full names.

    Raises
    ------
    FileFormatError
        If anything in it is not as described; names the line.
    """
    path = Path(path)
    comments: list[str] = []
    builder, separator = None, ","
    for number, text in numbered_lines(path):
        if text.lstrip().startswith("#"):
            comments.append(text.strip(" #\t"))
        elif text.strip():
            if builder is None:
                separator = max(",;\t", key=text.count)
                builder = _header(path, number, _cells(path, number, text, separator), units or {})
            else:
                builder.add(number, _cells(path, number, text, separator))
    if builder is None:
        raise FileFormatError(f"{path}: no header line with the names of the columns")
    return channels_of_tables(
        path, FORMAT, [builder.table()], {"comment": "\n".join(comments)} if comments else {}
    )


def _cells(path: Path, number: int, text: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        raise FileFormatError(f"{path}, line {number}: {error}") from error


def _header(path: Path, number: int, cells: list[str], given: Mapping[str, str]) -> TableBuilder:
    """Read names and units; a header of numbers is none."""
    by_suffix = bool(TIME_WITH_UNIT.fullmatch(cells[0].strip()))
    named = [_name_and_unit(cell, by_suffix) for cell in cells]
    names = [name for name, _ in named]
    if not all(names) or any(_is_number(name) for name in names):
        raise FileFormatError(f"{path}, line {number}: expected the names of the columns")
    unknown = given.keys() - set(names)
    if unknown:
        raise FileFormatError(f"{path}, line {number}: no column {min(unknown)!r} to give a unit to")
    return TableBuilder(path, number, names, [given.get(name, unit) for name, unit in named])


def _name_and_unit(cell: str, by_suffix: bool) -> tuple[str, str | None]:
    name = cell.strip()
    before, bracket, unit = name.removesuffix("]").rpartition("[")
    if bracket and name.endswith("]") and "]" not in unit:
        return before.rstrip(), unit.strip()
    suffix = name.rpartition("_")[2] if by_suffix and "_" in name else ""
    try:
        parse_unit(suffix)
    except ResultError:
        return name, None
    return name, suffix


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@reader(".csv", lambda head: False)
def _read(path: Path, units: Units | None, steps: str | None) -> ChannelSet:
    return read_csv(path, units)
