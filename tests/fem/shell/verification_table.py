"""Write the table of docs/verification_shell.md: ``python -m tests.fem.shell.verification_table``."""

from pathlib import Path

from tests.fem.shell.benchmarks import BENCHMARKS, Benchmark

PAGE = Path(__file__).parents[3] / "docs" / "verification_shell.md"
START, END = "<!-- table -->\n", "<!-- end of table -->"


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


def main() -> None:
    """Replace the table in the page."""
    before, rest = PAGE.read_text().split(START)
    after = rest.split(END)[1]
    PAGE.write_text(before + START + table() + END + after)


if __name__ == "__main__":
    main()
