"""``flexnet verify``: every case that names a reference, held against it."""

import re
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from flexnet.analysis import Reference, check
from flexnet.cli.case import load_case
from flexnet.cli.console import say, show_table
from flexnet.errors import FileFormatError, FlexnetError, ModelError
from flexnet.results.comparison import ChannelComparison
from flexnet.store import write_text
from flexnet.validation import existing_file

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


HEADINGS = ("case", "reference", "channel", "error", "tolerance", "verdict", "time")
TABLE = re.compile(r"(<!-- table of flexnet verify -->\n).*?(<!-- end of table -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """One curve of a case beside its reference.

    Attributes
    ----------
    case, reference, channel : what was compared with what.
    error, tolerance : measure and its limit, as text.
    verdict : ``within``, ``EXCEEDED``, or what went wrong.
    seconds : time the run of this reference took; the rows of one run share it.
    """

    case: str
    reference: str
    channel: str
    error: str
    tolerance: str
    verdict: str
    seconds: float

    @property
    def is_within(self) -> bool:
        """Whether the curve is as near as it must be."""
        return self.verdict == "within"

    def cells(self) -> tuple[str, ...]:
        """Return the row as text, in the order of the headings."""
        words = (self.case, self.reference, self.channel, self.error, self.tolerance, self.verdict)
        return (*words, f"{self.seconds:.1f} s")


def find_cases(where: Sequence[Path]) -> list[Path]:
    """Return the case files that name references, in folders or given one by one."""
    files = [file for path in where for file in (sorted(path.glob("*.py")) if path.is_dir() else [path])]
    found = [file for file in files if references_of(file)]
    if not found:
        raise ModelError(f"no case in {', '.join(map(str, where))} names a reference")
    return found


def references_of(file: Path) -> list[Reference]:
    """Return what a case is held against."""
    references = getattr(load_case(file), "REFERENCES", [])
    if not (isinstance(references, list) and all(isinstance(r, Reference) for r in references)):
        raise ModelError(f"case file {str(file)!r}: REFERENCES is not a list of fx.Reference")
    return references


def check_cases(files: Sequence[Path], jobs: int, out: Path | None = None) -> list[Row]:
    """Run every reference of every case and return the rows in the order of the files."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) if out is None else out
        folder.mkdir(parents=True, exist_ok=True)
        work = [(file, i, folder) for file in files for i in range(len(references_of(file)))]
        if jobs == 1 or len(work) == 1:
            return [row for item in work for row in _checked(item)]
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            return [row for rows in pool.map(_checked, work) for row in rows]


def _checked(item: tuple[Path, int, Path]) -> list[Row]:
    file, number, folder = item
    module = load_case(file)
    reference: Reference = module.REFERENCES[number]
    begun = time.perf_counter()
    name = Path(reference.file).stem or "closed form"
    try:
        comparison = check(module.build, reference, file.parent, folder / f"{file.stem}_{number}.h5")
    except FlexnetError as error:
        return [Row(file.stem, name, "", "", "", str(error), time.perf_counter() - begun)]
    seconds = time.perf_counter() - begun
    return [_row(file.stem, name, channel, seconds) for channel in comparison.channels]


def _row(case: str, reference: str, channel: ChannelComparison, seconds: float) -> Row:
    limit = channel.tolerance
    if limit is None:
        return Row(case, reference, channel.channel, "", "", "no tolerance", seconds)
    error = channel.errors.measure(limit.measure)
    unit = f" {channel.unit}" if channel.unit else ""
    is_share = limit.measure != "max"
    told = f"{100.0 * error:.3g} % {limit.measure}" if is_share else f"{error:.2e}{unit}"
    allowed = str(limit) if is_share else f"{limit}{unit}"
    verdict = "within" if channel.is_within else "EXCEEDED"
    return Row(case, reference, channel.channel, told, allowed, verdict, seconds)


def update_page(page: Path, rows: Sequence[Row]) -> None:
    """Replace the table of a page; times are left out, they are the machine's."""
    lines = ["| " + " | ".join(HEADINGS[:-1]) + " |", "|" + "---|" * (len(HEADINGS) - 1)]
    lines += ["| " + " | ".join(row.cells()[:-1]) + " |" for row in rows]
    existing_file(page, FileFormatError)
    try:
        text = page.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{page}: cannot be read ({error})") from error
    if not TABLE.search(text):
        raise FileFormatError(f"{page}: has no table of flexnet verify to replace")
    table = "\n".join(lines)
    write_text(page, TABLE.sub(lambda m: f"{m[1]}{table}\n{m[2]}", text))
