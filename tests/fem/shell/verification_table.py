"""Write the tables of docs/verification_shell.md: ``python -m tests.fem.shell.verification_table``."""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from tests.fem.shell import benchmarks
from tests.fem.shell.benchmarks import BENCHMARKS, SQUARES, Benchmark, square_frequencies, thick_plate
from tests.fem.shell.mitc4 import MitcShell
from tests.fem.shell.structure import QuadShell, Shell

PAGE = Path(__file__).parents[3] / "docs" / "verification_shell.md"
ELEMENTS = {"triangle": Shell, "quadrilateral": QuadShell, "MITC4": MitcShell}


def row(benchmark: Benchmark) -> str:
    """Return one line: problem, reference, ratio on each mesh (the usual one in bold), remark."""
    ratios = []
    for n in benchmark.meshes:
        ratio = f"{n}: {benchmark.solve(n) / benchmark.reference:.3f}"
        ratios.append(f"**{ratio}**" if n == benchmark.usual else ratio)
    return f"| {benchmark.name} | {benchmark.reference:g} | {', '.join(ratios)} | {benchmark.remark} |"


def table() -> str:
    """Return the whole table in Markdown."""
    head = "| problem | reference | computed / reference on n cells a side | remark |\n|---|---|---|---|\n"
    return head + "\n".join(row(benchmark) for benchmark in BENCHMARKS) + "\n"


def beside(name: str, solve: Callable[[int], float], meshes: tuple[int, ...], form: str = ".3f") -> str:
    """Return one line: problem and what the triangle, our quadrilateral and MITC4 have on each mesh."""
    cells = []
    for shell in ELEMENTS.values():
        with patch.object(benchmarks, "Shell", shell):
            cells.append(", ".join(f"{n}: {solve(n):{form}}" for n in meshes))
    return f"| {name} | {' | '.join(cells)} |"


def quadrilaterals() -> str:
    """Return the table of quadrilaterals beside the triangle, and frequencies of plates, in Markdown."""
    lines = [f"| problem | {' | '.join(ELEMENTS)} |", "|---|---|---|---|"]
    for b in BENCHMARKS:
        lines.append(beside(b.name, lambda n, b=b: b.solve(n) / b.reference, b.meshes))  # type: ignore[misc]
    for slenderness in (20.0, 10.0, 5.0):
        name = f"Square plate, simply supported, uniform load, of {slenderness:g} thicknesses"
        lines.append(beside(name, lambda n, s=slenderness: thick_plate(n, s), (4, 8, 16)))  # type: ignore[misc]
    for supports in SQUARES:
        name = f"Square plate, {supports}, largest error of five frequencies"
        lines.append(beside(name, lambda n, s=supports: square_frequencies(s, "/", n=n), (8, 16), ".2%"))  # type: ignore[misc]
    return "\n".join(lines) + "\n"


TABLES = {"table": table, "quadrilaterals": quadrilaterals}


def main() -> None:
    """Replace the tables in the page."""
    text = PAGE.read_text()
    for name, made in TABLES.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, rest = text.split(start)
        text = before + start + made() + end + rest.split(end)[1]
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
