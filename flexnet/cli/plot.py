"""``flexnet plot``: channels over time or over each other."""

import math
from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import AnyFile

#: panel and place in the list of verbs
PLACE = "Look", 32

DEFAULT_CHANNELS = 8  # drawn when none is named


def plot(
    file: AnyFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHANNEL...]", help="Channels to draw; the first few if none is named."),
    ] = None,
    over: Annotated[
        str, typer.Option("--over", metavar="CHANNEL", help="Draw over this channel instead of time.")
    ] = "",
    beside: Annotated[
        list[Path] | None,
        typer.Option(
            "--with", metavar="FILE", help="A further run, drawn in broken lines; as often as needed."
        ),
    ] = None,
    start: Annotated[float, typer.Option("--from", help="First time, s.", show_default=False)] = -math.inf,
    end: Annotated[float, typer.Option("--to", help="Last time, s.", show_default=False)] = math.inf,
    out: Annotated[
        Path | None, typer.Option(help="Picture to write: .png, .svg, .pdf; beside the file if not given.")
    ] = None,
) -> None:
    """Draw channels over time or over each other; `flexnet channels FILE` lists their names.

    For example:

        flexnet plot four_bar.h5 coupler_deflection --from 0.01 --to 0.03 --with other.h5

        flexnet plot four_bar.h5 frames/coupler.F/position/y --over frames/coupler.F/position/x
    """
    from flexnet.results.readers import read_channels
    from flexnet.view import plot_channels

    channels = read_channels(file)
    chosen = names or list((channels.meant() or channels.names())[:DEFAULT_CHANNELS])
    files = [channels, *(read_channels(other) for other in beside or ())]
    how = {"over": over, "start": start, "end": end}
    say(str(plot_channels(files, chosen, out or file.with_suffix(".png"), **how)))
