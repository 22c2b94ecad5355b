"""``flexnet animate``: the mechanism in motion."""

import math
from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import ResultFile

#: panel and place in the list of verbs
PLACE = "Look", 33


def animate(
    file: ResultFile,
    out: Annotated[
        Path | None,
        typer.Option(
            help=".gif, .mp4 or .webm for a moving picture, .png for a strip of poses; F.gif if not given."
        ),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, help="Pictures of a moving picture.")] = 80,
    poses: Annotated[int, typer.Option(min=1, help="Poses of a strip.")] = 6,
    rate: Annotated[int, typer.Option(min=1, help="Pictures per second.")] = 20,
    start: Annotated[float, typer.Option("--from", help="Start, s.", show_default=False)] = -math.inf,
    end: Annotated[float, typer.Option("--to", help="End, s.", show_default=False)] = math.inf,
    azimuth: Annotated[float, typer.Option(help="Direction of the eye about z, degrees.")] = -60.0,
    elevation: Annotated[float, typer.Option(help="Direction of the eye above x-y, degrees.")] = 25.0,
    scale: Annotated[float, typer.Option(help="Factor on the deformations of flexible bodies.")] = 1.0,
) -> None:
    """Draw the mechanism in motion, from the model and the frames in the file."""
    from flexnet.results import Results
    from flexnet.view import AnimationOptions, Projection
    from flexnet.view import animate as draw

    options = AnimationOptions(frames, poses, rate, start, end, Projection(azimuth, elevation), scale)
    say(str(draw(Results.open(file), out or file.with_suffix(".gif"), options)))
