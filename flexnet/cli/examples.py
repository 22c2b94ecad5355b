"""``flexnet examples``: cases that come with flexnet, to list, to copy and to run."""

from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import remark, say, show_table
from flexnet.cli.main import Group, Verb
from flexnet.cli.new import put
from flexnet.examples import examples as all_examples
from flexnet.examples import find

#: panel and place in the list of verbs
PLACE = "Begin", 12

examples = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    help="Cases that come with flexnet, to list, to copy and to run.",
)
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Name of an example; `flexnet examples list` has them.",
        autocompletion=lambda: [each.name for each in all_examples()],
    ),
]


@examples.command("list", cls=Verb)
def list_() -> None:
    """List the examples."""
    rows = [(each.name, each.title, f"{len(each.references) or ''}") for each in all_examples()]
    show_table(("example", "what it is", "references"), rows)
    say("flexnet examples run four_bar runs one; flexnet examples copy four_bar gives you its file")


@examples.command(cls=Verb)
def copy(
    name: Name,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to; made if there is none.", show_default="here")
    ] = Path(),
) -> None:
    """Copy an example and its references into a folder, to be changed there."""
    found = find(name)
    files = {folder / found.path.name: found.path.read_bytes()}
    files |= {folder / "references" / file.name: file.read_bytes() for file in found.references}
    put(files)
    for file in files:
        say(str(file))


# also --help is an option of `flexnet run`
_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@examples.command(cls=Verb, context_settings=_PASSED_ON)
def run(ctx: typer.Context, name: Name) -> None:
    """Run an example; further options are those of `flexnet run`, such as --set speed=100 --out fast.h5."""
    from flexnet.cli.main import build_app

    words = ["run", str(find(name).path), *ctx.args]
    remark(f"flexnet {' '.join(words)}")
    build_app()(words, standalone_mode=False)
