"""The ``flexnet`` command."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import complain, told
from flexnet.cli.interruption import stoppable
from flexnet.errors import FlexnetError
from flexnet.validation import shown

# a verb is a function of the same name in the module of the same name; to add one, add its name
VERBS = (
    "run",
    "graph",
    "equations",
    "tables",
    "info",
    "audit",
    "channels",
    "plot",
    "animate",
    "view",
    "compare",
    "export",
    "verify",
)


def pages(
    page: Annotated[
        list[Path] | None,
        typer.Option("--page", metavar="FILE.py", help="Load methods, formats, readers or tree rules."),
    ] = None,
) -> None:
    """Flexible multibody dynamics from linear graphs."""
    if page:
        from flexnet.cli.case import load_page

        for file in page:
            load_page(file)


def build_app() -> typer.Typer:
    """Collect the verbs."""
    app = typer.Typer(
        name="flexnet",
        help="Flexible multibody dynamics from linear graphs.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(pages)
    for verb in VERBS:
        app.command(verb)(getattr(import_module(f"flexnet.cli.{verb}"), verb))
    return app


def main() -> None:
    """Run the command; an error made on purpose is one line and exit code 2."""
    try:
        with stoppable(), told("flexnet.compile", is_remark=True):
            build_app()()
    except FlexnetError as error:
        complain(str(error))
        sys.exit(2)
    except OSError as error:  # the system refuses a path: too long, no rights, not a file
        complain(f"{shown(error.filename)}: {error.strerror}" if error.filename else str(error))
        sys.exit(2)
