"""``flexnet verify``: every case that names a reference, held against it."""

from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say, show_table

#: panel and place in the list of verbs
PLACE = "Compare", 42


def verify(
    where: Annotated[
        list[Path], typer.Argument(metavar="FOLDER or CASE.py …", help="Cases with a list REFERENCES.")
    ],
    jobs: Annotated[int, typer.Option(min=1, help="Cases that run at the same time.")] = 2,
    out: Annotated[
        Path | None, typer.Option(help="Folder to leave result files in.", show_default="none are left")
    ] = None,
    update: Annotated[
        Path | None, typer.Option(metavar="PAGE.md", help="Page whose table is replaced by the new one.")
    ] = None,
) -> None:
    """Run the cases that name a reference and print how near they come; exits with 1 if one is too far.

    Example: flexnet verify cases/
    """
    from flexnet.cli.verification import HEADINGS, check_cases, find_cases, update_page

    rows = check_cases(find_cases(where), jobs, out)
    show_table(HEADINGS, [row.cells() for row in rows])
    if update is not None:
        update_page(update, rows)
        say(str(update))
    failed = sorted({row.case for row in rows if not row.is_within})
    if failed:
        say(f"{len(failed)} of {len({row.case for row in rows})} cases fail: {', '.join(failed)}", "bold red")
        raise typer.Exit(1)
    say(f"all {len(rows)} curves of {len({row.case for row in rows})} cases are within", "bold green")
