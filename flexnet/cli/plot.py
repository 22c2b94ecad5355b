"""``flexnet plot``: channels over time."""

from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import AnyFile

DEFAULT_CHANNELS = 8  # drawn when none is named


def plot(
    file: AnyFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHANNEL...]", help="Channels to draw; the first few if none is named."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Picture to write: .png, .svg, .pdf; beside the file if not given.")
    ] = None,
) -> None:
    """Draw channels over time; `flexnet channels FILE` lists their names."""
    from flexnet.results.readers import read_channels
    from flexnet.view import plot_channels

    channels = read_channels(file)
    chosen = names or list(channels.names()[:DEFAULT_CHANNELS])
    say(str(plot_channels(channels, chosen, out or file.with_suffix(".png"))))
