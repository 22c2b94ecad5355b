"""``flexnet export``: results for other programs."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import AnyFile, Everything, check_ending
from flexnet.errors import FlexnetError

#: panel and place in the list of verbs
PLACE = "Compare", 43


def format_names(incomplete: str = "") -> list[str]:
    """Names of all formats: tables of channels, and moving meshes."""
    from flexnet.results.export import FORMATS
    from flexnet.view import MOVING

    return [name for name in (*FORMATS, *MOVING) if name.startswith(incomplete)]


def _endings() -> dict[str, str]:
    """Name of the format by the ending of its files."""
    from flexnet.results.export import FORMATS

    known = {made.ending: name for name, made in FORMATS.items()}
    with suppress(FlexnetError):  # without what draws there are no others
        from flexnet.view import MOVING

        known |= {made.ending: name for name, made in MOVING.items()}
    return known


def _format(out: Path | None) -> str:
    """Name of the format that the ending of a file says; csv where it has none.

    Raises
    ------
    FlexnetError
        If no format ends so, or what might write it is not installed.
    """
    from flexnet.results.export import format_by_ending

    known = _endings()
    if out is not None and out.suffix.lower() not in ("", *known):
        import flexnet.view  # noqa: F401  what is not installed is said here
    return format_by_ending(out, known)


def export(
    file: AnyFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHANNEL...]", help="Channels to write; those of the case if none is named."),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv, paraview, gltf or another; ? lists them all. As --out ends; csv without.",
            autocompletion=format_names,
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; beside the result if not given.")] = None,
    pictures: Annotated[int, typer.Option(min=1, help="Times of a mechanism in motion.")] = 100,
    everything: Everything = False,
) -> None:
    """Write channels as an Adams spreadsheet, CSV or JSON, or the mechanism in motion (ParaView, glTF)."""
    if format_name == "?":
        say(", ".join(format_names()))
        return
    from flexnet.results.export import FORMATS, export_channels
    from flexnet.results.readers import read_channels

    if format_name is None:
        format_name = _format(out)
    check_ending(out, format_name, _endings())
    if format_name not in FORMATS and format_name in format_names():
        from flexnet.results import Results
        from flexnet.view import MOVING

        moving = MOVING[format_name]
        say(str(moving.write(Results.open(file), out or file.with_suffix(moving.ending), pictures)))
        return
    channels = read_channels(file)
    say(str(export_channels(channels, format_name, out, names or channels.meant(everything))))
