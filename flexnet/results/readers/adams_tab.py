"""Adams spreadsheet exports (``.tab``): blocks of quoted full names over tab-separated numbers."""

import re
from collections.abc import Mapping
from pathlib import Path

from flexnet.errors import FileFormatError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.readers.lines import numbered_lines
from flexnet.results.readers.registry import Units, reader
from flexnet.results.readers.table import Table, TableBuilder
from flexnet.results.readers.tabular import channels_of_tables

FORMAT = "Adams spreadsheet"
QUOTED_LINE = re.compile(r'\s*"[^"]*"(\s+"[^"]*")*\s*')
QUOTED = re.compile(r'"([^"]*)"')


def read_adams_tab(path: str | Path, units: Mapping[str, str] | None = None) -> ChannelSet:
    """Read an Adams spreadsheet export.

    A line of quoted names whose first ends in ``TIME`` begins a block; numbers follow. Quoted lines
    before it are headings and become provenance. The format holds no units: channels have none unless
    they are given.

    Parameters
    ----------
    path : path of the file.
    units : units of columns by full name.

    Raises
    ------
    FileFormatError
        If anything in it is not as described; names the line.
    """
    path, given = Path(path), units or {}
    headings: list[str] = []
    builders: list[TableBuilder] = []
    for number, text in numbered_lines(path):
        if not text.strip():
            continue
        if QUOTED_LINE.fullmatch(text):
            names = [name.strip() for name in QUOTED.findall(text)]
            if names[0].rpartition(".")[2].upper() == "TIME":
                builders.append(_block(path, number, names, given))
            else:
                headings.append(" | ".join(name for name in names if name))
        elif not builders:
            raise FileFormatError(f"{path}, line {number}: numbers before the quoted names of their columns")
        else:
            builders[-1].add(number, text.split())
    if not builders:
        raise FileFormatError(f"{path}: no line of quoted names that begins with TIME")
    tables = [builder.table() for builder in builders]
    _check_given(path, tables, given)
    return channels_of_tables(path, FORMAT, tables, {"heading": "\n".join(headings)} if headings else {})


def _block(path: Path, number: int, names: list[str], given: Mapping[str, str]) -> TableBuilder:
    return TableBuilder(path, number, names, [given.get(name) for name in names])


def _check_given(path: Path, tables: list[Table], given: Mapping[str, str]) -> None:
    known = {name for table in tables for name in table.names}
    unknown = {name for name in given if name not in known and not name.upper().endswith("TIME")}
    if unknown:
        raise FileFormatError(f"{path}: no column {min(unknown)!r} to give a unit to")


@reader(".tab", lambda head: head.lstrip().startswith(b'"') and b'TIME"' in head)
def _read(path: Path, units: Units | None, steps: str | None) -> ChannelSet:
    return read_adams_tab(path, units)
