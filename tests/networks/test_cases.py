"""Cases with networks come within the tolerance of their references."""

from pathlib import Path

import pytest

from flexnet.analysis import check
from tests.catalogue import FOLDER, NETWORKS, load

PAIRS = [(name, k) for name in NETWORKS for k in range(len(getattr(load(name), "REFERENCES", [])))]


def test_the_examples_of_the_seed_are_there() -> None:
    assert {"gtm_electrical", "gtm_pipes", "gtm_vibrating"} <= set(NETWORKS)


@pytest.mark.parametrize(("name", "k"), PAIRS)
def test_a_case_meets_its_reference(name: str, k: int, tmp_path: Path) -> None:
    case = load(name)
    found = check(case.build, case.REFERENCES[k], FOLDER, tmp_path / "run.h5")
    assert found.is_within, str(found)
