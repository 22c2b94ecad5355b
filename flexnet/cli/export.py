"""``flexnet export``: results for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import AnyFile


def export(
    file: AnyFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHANNEL...]", help="Channels to write; all if none is named."),
    ] = None,
    format_name: Annotated[str, typer.Option("--format", help="adams-tab, csv or json.")] = "csv",
    out: Annotated[Path | None, typer.Option(help="File to write; beside the result if not given.")] = None,
) -> None:
    """Write channels as an Adams spreadsheet, CSV or JSON, to every digit."""
    from flexnet.results.export import export_channels
    from flexnet.results.readers import read_channels

    say(str(export_channels(read_channels(file), format_name, out, names or ())))
