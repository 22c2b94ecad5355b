"""The classical problems, at the mesh where codes are usually compared."""

from pathlib import Path

import pytest

from tests.fem.shell.benchmarks import BENCHMARKS, Benchmark
from tests.fem.shell.verification_table import table

PAGE = Path(__file__).parents[3] / "docs" / "verification_shell.md"


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: b.name)
def test_a_classical_problem_is_met_at_the_usual_mesh(benchmark: Benchmark) -> None:
    value = benchmark.solve(benchmark.usual)
    assert value == pytest.approx(benchmark.reference, rel=benchmark.tolerance)


@pytest.mark.slow
def test_the_verification_page_shows_what_the_element_gives():
    assert table() in PAGE.read_text()
