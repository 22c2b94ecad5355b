"""Tables of docs/performance.md, written by the commands that measure them.

A table stands between two lines of the page, ``<!-- table: name -->`` and ``<!-- end of name -->``. A command
prints its rows as they come and, once all of them are there, puts them between these lines, below a sentence
that says when, of which commit and on what they were measured.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "performance.md"
#: packages whose versions matter to a figure
PACKAGES = ("exudyn", "mujoco", "pin", "scikit-fem", "distributed", "llvmlite", "numpy", "scipy")


@contextmanager
def table(name: str, *, is_whole: bool = True, page: Path = PAGE) -> Iterator[Callable[[str], None]]:
    """Give a function that prints a line and keeps it; the page gets the lines at the end.

    Parameters
    ----------
    name : which table of the page.
    is_whole : all rows are measured; a part of a table is printed only.
    page : the page of the docs.
    """
    before = os.getloadavg()[0]
    lines = list[str]()

    def say(line: str) -> None:
        lines.append(line)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    yield say
    if is_whole:
        put(name, [provenance(before), "", *lines], page)


def put(name: str, lines: list[str], page: Path = PAGE) -> None:
    """Replace what stands between the two lines of a table."""
    begin, end = f"<!-- table: {name} -->\n", f"<!-- end of {name} -->"
    head, found, rest = page.read_text().partition(begin)
    _, closed, tail = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page.name} has no table {name!r}: {begin.strip()} … {end}")
    page.write_text("".join([head, begin, "\n".join(["", *lines, "", ""]), end, tail]))


def provenance(load: float) -> str:
    """When, of which commit and on what something was measured."""
    changed = ", with changes" if _git("status", "--porcelain", "--untracked-files=no", "flexnet") else ""
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    beside = ", ".join(filter(None, map(_named, PACKAGES)))
    return (
        f"*Measured {day}, commit {commit_of(ROOT)}{changed}, {os.cpu_count()} cores ({_processor()}), "
        f"load {load:.1f} before and {os.getloadavg()[0]:.1f} after; {beside}.*"
    )


def commit_of(checkout: Path) -> str:
    """Short name of the commit that is checked out."""
    return _git("rev-parse", "--short", "HEAD", at=checkout)


def _git(*words: str, at: Path = ROOT) -> str:
    return subprocess.run(["git", *words], cwd=at, capture_output=True, text=True).stdout.strip()


def _named(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"
