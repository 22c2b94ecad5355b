"""Write the table of docs/verification_fem.md: ``python -m tests.fem.verification_table``."""

from pathlib import Path

from tests.fem.benchmarks import BENCHMARKS, Benchmark

PAGE = Path(__file__).parents[2] / "docs" / "verification_fem.md"
START, END = "<!-- table -->\n", "<!-- end of table -->"


def row(benchmark: Benchmark) -> str:
    """Return one line: problem, reference, computed value, error in per cent, remark."""
    value = benchmark.solve()
    error = 100.0 * (value / benchmark.reference - 1.0)
    return (
        f"| {benchmark.name} | {benchmark.reference:.6g} | {value:.6g} | {error:.3f} | {benchmark.remark} |"
    )


def table() -> str:
    """Return the whole table in Markdown."""
    head = "| problem | reference | computed | error [%] | remark |\n|---|---|---|---|---|\n"
    return head + "\n".join(row(benchmark) for benchmark in BENCHMARKS).replace("-0.000", "0.000") + "\n"


def main() -> None:
    """Replace the table in the page."""
    before, rest = PAGE.read_text().split(START)
    after = rest.split(END)[1]
    PAGE.write_text(before + START + table() + END + after)


if __name__ == "__main__":
    main()
