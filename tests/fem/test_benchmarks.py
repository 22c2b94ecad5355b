"""Problems with known answers, and the page that shows them."""

from pathlib import Path

import pytest

from tests.fem.benchmarks import BENCHMARKS, Benchmark
from tests.fem.verification_table import table

PAGE = Path(__file__).parents[2] / "docs" / "verification_fem.md"


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: b.name)
def test_a_known_answer_is_met(benchmark: Benchmark) -> None:
    assert benchmark.solve() == pytest.approx(benchmark.reference, rel=benchmark.tolerance)


@pytest.mark.slow
def test_the_verification_page_shows_what_the_program_gives():
    assert table() in PAGE.read_text()
