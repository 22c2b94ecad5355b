"""``flexnet view``: the living report of a run."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import Columns, From, Settings, To, Units, named_values
from flexnet.errors import FlexnetError, ModelError

if TYPE_CHECKING:
    from flexnet.results import Results
    from flexnet.typing import Array

#: panel and place in the list of verbs
PLACE = "Look", 31


def view(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT...",
            help="Result files (.h5); the first in motion, the others as curves. A case (.py) is run first.",
            show_default=False,
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Page to write (.html); F.html if not given.")] = None,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    case: Annotated[
        Path | None,
        typer.Option(metavar="CASE.py", help="Case of the first file: its equations are shown as well."),
    ] = None,
    settings: Settings = None,
    stress: Annotated[
        bool,
        typer.Option("--stress", help="Flexible bodies can be coloured by stress; needs the case file."),
    ] = False,
    reference: Annotated[
        Path | None, typer.Option(help="Reference to draw beside the first file: .h5, .csv, .tab or .res.")
    ] = None,
    columns: Columns = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(metavar="[CHANNEL=]VALUE[%][:MEASURE]", help="Band round the reference."),
    ] = None,
    start: From = -math.inf,
    end: To = math.inf,
    unit: Units = None,
) -> None:
    """Write one page with the mechanism in motion, its graph, curves and equations; it needs no network."""
    from flexnet.results import Results
    from flexnet.results.comparison import CompareOptions, compare
    from flexnet.results.readers import read_channels
    from flexnet.results.tolerance import parse_tolerance
    from flexnet.view import write_page

    stopped: typer.Exit | None = None
    if files[0].suffix == ".py":
        case, files = files[0], [Path(f"{files[0].stem}.h5"), *files[1:]]
        stopped = _run_first(case, settings or [])
    comparison = None
    if reference is not None:
        limits = dict(parse_tolerance(text) for text in tolerance or ())
        options = CompareOptions(named_values(columns, "--map"), limits, start, end)
        expected = read_channels(reference, named_values(unit, "--unit"))
        comparison = compare(read_channels(files[0]), expected, options)
    results = [Results.open(file) for file in files]
    equations = [] if case is None else _equations(case, settings or [], results[0])
    fields = _stresses(case, settings or [], results[0]) if stress else None
    path = write_page(results, out or files[0].with_suffix(".html"), equations, comparison, fields)
    say(str(path))
    if show:
        typer.launch(str(path))
    if stopped is not None:
        raise stopped


def _run_first(case: Path, settings: list[str]) -> typer.Exit | None:
    """Run a case as it likes to be run, into this folder; returns how to end where it stopped before its end.

    What it found until then is there to be looked at.
    """
    from flexnet.cli.run import run

    try:
        run(case, settings)
    except typer.Exit as stopped:
        return stopped
    return None


def _stresses(case: Path | None, settings: list[str], results: "Results") -> dict[str, dict[str, "Array"]]:
    """Stresses of the flexible bodies of a case, of a result file it made."""
    from flexnet.analysis.looking import stresses_seen
    from flexnet.analysis.record import reopened
    from flexnet.cli.case import build_as, case_of

    made = build_as(case_of(results, case), results.mechanism().parameters, settings)
    return stresses_seen(reopened(results.path, made))


def _equations(case: Path, settings: list[str], results: "Results") -> list[dict[str, object]]:
    """Equations of a case in the trees of a result file."""
    from flexnet.cli.case import build_case
    from flexnet.formulation.symbolic import symbolic
    from flexnet.formulation.symbolic.page import page_sections

    trees = results.mechanism().trees
    try:
        made = symbolic(
            build_case(case, settings), translation=trees["translation"], rotation=trees["rotation"]
        )
    except (FlexnetError, KeyError) as error:
        raise ModelError(f"{case} is not the case of {results.path}: {error}") from error
    return page_sections(made)
