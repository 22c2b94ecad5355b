"""The ``flexnet`` command."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from flexnet.cli.interruption import stoppable
from flexnet.errors import FlexnetError
from flexnet.validation import OVERFLOW, shown

if TYPE_CHECKING:
    from click import Command, Context, Parameter

_PLACE = re.compile(r'^PLACE = "(?P<panel>[^"]+)", (?P<number>\d+)$', re.MULTILINE)


def _found() -> dict[str, tuple[str, ...]]:
    """Verbs by their panels, as the pages of this room say: a page with a PLACE is a verb of its name.

    A verb is a function, or an app with verbs of its own, of its page's name. Pages are read, not loaded.
    """
    places = {
        page.stem: place
        for page in sorted(Path(__file__).parent.glob("*.py"))
        if (place := _PLACE.search(page.read_text(encoding="utf-8")))
    }
    panels: dict[str, list[str]] = {}
    for verb in sorted(places, key=lambda name: int(places[name]["number"])):
        panels.setdefault(places[verb]["panel"], []).append(verb)
    return {panel: tuple(verbs) for panel, verbs in panels.items()}


PANELS = _found()
VERBS = tuple(verb for panel in PANELS.values() for verb in panel)
EXIT_CODES = {
    0: "done",
    1: "a run failed, or a comparison, an audit or a check is outside its limits",
    2: "the command, the case or a file is wrong; one line on standard error says what",
    130: "stopped by Ctrl-C (143 by SIGTERM, 129 with its terminal); what a run found is in its file",
}


class _Common:
    """Shows no type beside an option that takes no value; takes finite numbers only, and no empty path."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Read the command; an empty text, as of a variable of the shell that is not set, is no path."""
        is_empty = any(not text or (text.startswith("--") and text.endswith("=")) for text in args)
        rest: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        for option in self.params if is_empty else ():  # type: ignore[attr-defined]
            value = ctx.params.get(option.name)
            given = value if isinstance(value, list | tuple) else [value]
            # older typer keeps the text here and makes the path where it calls the function
            is_text = type(getattr(option, "type", None)).__name__ == "TyperPath"
            if Path() in given or (is_text and "" in given):
                raise FlexnetError(f"{option.opts[0]} is empty; expected a file or a folder")
        return rest

    def invoke(self, ctx: "Context") -> Any:
        """Call the function, with numbers that are some."""
        for option in self.params:  # type: ignore[attr-defined]  # of the class beside it
            value = ctx.params.get(option.name)
            several = value if isinstance(value, list | tuple) else [value]
            wrong = [x for x in several if isinstance(x, float) and not isfinite(x)]
            if wrong and value != option.default:
                raise FlexnetError(f"{option.opts[0]} is {wrong[0]}; expected a finite number")
        return super().invoke(ctx)  # type: ignore[misc]

    def get_params(self, ctx: "Context") -> "list[Parameter]":
        """Options and arguments, the option --help among them."""
        found: list[Parameter] = super().get_params(ctx)  # type: ignore[misc]  # of the class beside it
        for option in found:
            if getattr(option, "is_flag", False) and option.metavar is None:
                option.metavar = ""
        return found


class Verb(_Common, TyperCommand):  # type: ignore[misc]  # typer brings a click of its own
    """A command."""


class Group(_Common, TyperGroup):  # type: ignore[misc]
    """A verb with verbs of its own."""


class _Commands(Mapping[str, "Command"]):
    """The verbs, each made when it is asked for: to read the options of all takes long."""

    def __getitem__(self, verb: str) -> "Command":
        if verb not in VERBS:
            raise KeyError(verb)
        page = _page(verb)
        app = page if isinstance(page, typer.Typer) else typer.Typer(add_completion=False)
        if app is not page:
            app.command(verb, cls=Verb)(page)
        command: Any = typer.main.get_command(app)
        command.name = verb
        return command  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class Verbs(Group):
    """Loads a verb when it is called, and for the list of verbs no more than its first sentence."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, in the order of the list."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Name and sentence of a verb, without its options."""
        if cmd_name not in VERBS:
            return None
        text = Path(__file__).with_name(f"{cmd_name}.py").read_text(encoding="utf-8")
        sentence = text.split('"""', 2)[1].partition(":")[2].split("\n\n")[0]
        return TyperCommand(name=cmd_name, help=" ".join(sentence.split()))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the verbs by what they are for."""
        for panel, verbs in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl([(verb, self.get_command(ctx, verb).help) for verb in verbs])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the verb that is called, with its options."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, self.commands[name] if name else command, rest


def _page(verb: str) -> Any:
    return getattr(import_module(f"flexnet.cli.{verb}"), verb)


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"flexnet {import_module('flexnet').__version__}")
        raise typer.Exit


def pages(
    ctx: typer.Context,
    page: Annotated[
        list[Path] | None,
        typer.Option("--page", metavar="FILE.py", help="Load methods, formats, readers or tree rules."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Say the version.", callback=_tell_version, is_eager=True)
    ] = False,
) -> None:
    """Say what is compiled, and load pages of the user before the verb."""
    from flexnet.cli.console import told

    ctx.with_resource(told("flexnet.compile", is_remark=True))
    if page:
        from flexnet.cli.case import load_page

        for file in page:
            load_page(file)


def build_app() -> typer.Typer:
    """Collect the verbs."""
    codes = "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())
    app = typer.Typer(
        name="flexnet",
        cls=Verbs,
        rich_markup_mode=None,  # to load what draws frames takes as long as all else
        help="Flexible multibody dynamics from linear graphs.\n\n"
        "First steps: flexnet examples run four_bar, or flexnet new my_mechanism.",
        epilog=f"Exit codes: {codes}.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(pages)
    return app


def main() -> None:
    """Run the command; an error made on purpose is one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no arrows is told all the same
    _keep_bytecode_whole()
    try:
        with stoppable():
            build_app()()
    except FlexnetError as error:
        _complain(str(error))
    except OSError as error:  # the system refuses a path: too long, no rights, not a file
        _complain(f"{shown(error.filename)}: {error.strerror}" if error.filename else str(error))
    except MemoryError:
        _complain("what is asked for takes more memory than there is")
    except (ArithmeticError, ValueError) as error:  # a case of numbers that floating point does not hold
        if isinstance(error, ValueError) and type(error).__name__ != "LinAlgError":
            raise
        _complain(f"{OVERFLOW} ({type(error).__name__}: {error})")


def _keep_bytecode_whole() -> None:
    """Let Python keep no bytecode under a limit on the size of files: it keeps half, and fails on it."""
    with suppress(ImportError):  # of a system that has no limits
        import resource

        if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
            sys.dont_write_bytecode = True


def _complain(text: str) -> None:
    from flexnet.cli.console import complain

    complain(text)
    sys.exit(2)
