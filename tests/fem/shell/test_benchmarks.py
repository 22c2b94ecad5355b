"""The classical problems, at the mesh where codes are usually compared."""

import pytest

from tests.fem.shell.benchmarks import BENCHMARKS, Benchmark
from tests.fem.shell.verification_table import PAGE, TABLES


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: b.name)
def test_a_classical_problem_is_met_at_the_usual_mesh(benchmark: Benchmark) -> None:
    value = benchmark.solve(benchmark.usual)
    assert value == pytest.approx(benchmark.reference, rel=benchmark.tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_verification_page_shows_what_the_elements_give(name):
    assert TABLES[name]() in PAGE.read_text()
