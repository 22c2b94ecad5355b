"""``flexnet compare``: a result beside a reference."""

import math
from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import is_narrow, say, show_table
from flexnet.cli.options import Columns, Everything, From, Steps, To, Units, named_values

#: panel and place in the list of verbs
PLACE = "Compare", 41


def compare(
    result: Annotated[Path, typer.Argument(help="Result: .h5, .csv, .tab or .res.", show_default=False)],
    reference: Annotated[
        Path, typer.Argument(help="Reference: .h5, .csv, .tab or .res.", show_default=False)
    ],
    columns: Columns = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[CHANNEL=]VALUE[%][:MEASURE]",
            help="Limit, for all channels or one: peak or rms (of the reference's peak), max (in its unit).",
        ),
    ] = None,
    start: From = -math.inf,
    end: To = math.inf,
    plot: Annotated[Path | None, typer.Option(help="Picture of overlay and difference to write.")] = None,
    report: Annotated[Path | None, typer.Option(help="Self-contained page to write (.html).")] = None,
    unit: Units = None,
    steps: Steps = None,
    everything: Everything = False,
) -> None:
    """Compare a result with a reference; exits with 1 if a tolerance is exceeded.

    Of a flexnet file as reference the channels of its case are compared, of any other file every column.
    Units are converted to those of the reference and the result is interpolated at its times. --unit and
    --steps are about the reference.
    """
    from flexnet.results.comparison import ESSENTIAL, HEADINGS, CompareOptions, table_row
    from flexnet.results.comparison import compare as compare_channels
    from flexnet.results.readers import read_channels
    from flexnet.results.tolerance import parse_tolerance

    limits = dict(parse_tolerance(text) for text in tolerance or ())
    options = CompareOptions(named_values(columns, "--map"), limits, start, end, everything)
    expected = read_channels(reference, named_values(unit, "--unit"), steps)
    comparison = compare_channels(read_channels(result), expected, options)
    chosen = ESSENTIAL if is_narrow() else HEADINGS
    rows = [dict(zip(HEADINGS, table_row(channel), strict=True)) for channel in comparison.channels]
    show_table(chosen, [tuple(row[heading] for heading in chosen) for row in rows])
    if plot is not None or report is not None:
        from flexnet.view import plot_comparison, write_report  # numbers need nothing that draws

        for path in [plot and plot_comparison(comparison, plot), report and write_report(comparison, report)]:
            if path:
                say(str(path))
    say(comparison.verdict, {None: "", True: "bold green", False: "bold red"}[comparison.is_within])
    if comparison.is_within is False:
        raise typer.Exit(1)
