"""Options that several verbs share, and texts of the form ``name=value``."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from flexnet.errors import ResultError

CaseFile = Annotated[
    Path, typer.Argument(metavar="CASE.py", help="File with a function build() that returns a System.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of build().")
]
ResultFile = Annotated[Path, typer.Argument(metavar="RESULT", help="Result file (.h5).", show_default=False)]
AnyFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Result or reference: .h5, .csv, Adams .tab or .res.", show_default=False
    ),
]
Units = Annotated[
    list[str] | None,
    typer.Option("--unit", metavar="COLUMN=UNIT", help="Unit of a column that the file does not give."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="CHANNEL=COLUMN", help="Which column is which; by name if not given."),
]
From = Annotated[float, typer.Option("--from", help="Start of the comparison, s.", show_default=False)]
To = Annotated[float, typer.Option("--to", help="Its end, s.", show_default=False)]
Everything = Annotated[bool, typer.Option("--all", help="Every column, and not only the case's channels.")]
Steps = Annotated[
    str | None,
    typer.Option("--steps", metavar="TYPE", help="Type of step of an Adams .res: dynamic, static, …"),
]


def check_ending(out: Path | None, format: str, endings: Mapping[str, str]) -> None:
    """Refuse a file whose ending says another format than the one it is to be written in.

    Parameters
    ----------
    out : the file.
    format : what it is to be written in.
    endings : format by ending.

    Raises
    ------
    ResultError
        If they disagree.
    """
    meant = format if out is None else endings.get(out.suffix.lower(), format)
    if meant != format:
        raise ResultError(f"{out}: --format is {format}; for a file of that ending --format {meant}")


def result_file(out: Path | None, case: Path) -> Path:
    """The file a run is written to.

    Raises
    ------
    ResultError
        If its ending is that of a table, which is exported of a result.
    """
    from flexnet.results.export import FORMATS

    path = out or Path(f"{case.stem}.h5")
    if path.suffix.lower() in {known.ending for known in FORMATS.values()}:
        raise ResultError(
            f"{path}: a run is written as HDF5 (.h5); then flexnet export {path.stem}.h5 --out {path}"
        )
    return path


def named_values(texts: Iterable[str] | None, option: str) -> dict[str, str]:
    """Read texts of the form ``name=value``; the last ``=`` separates.

    Raises
    ------
    ResultError
        If one is not of that form, or a name is given twice.
    """
    found: dict[str, str] = {}
    for text in texts or ():
        name, separator, value = text.rpartition("=")
        if not (name and separator and value):
            raise ResultError(f"{option} {text!r} is not of the form name=value")
        if name in found:
            raise ResultError(f"{option} {name} is given twice: {found[name]!r} and {value!r}")
        found[name] = value
    return found
