"""Cases with networks come within the tolerance of their references."""

from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.analysis import check
from tests.catalogue import FOLDER, NETWORKS, build, load
from tests.networks.test_laws import powers

PAIRS = [(name, k) for name in NETWORKS for k in range(len(getattr(load(name), "REFERENCES", [])))]


def test_the_examples_of_the_seed_are_there() -> None:
    assert {"gtm_electrical", "gtm_pipes", "gtm_vibrating"} <= set(NETWORKS)


@pytest.mark.parametrize(("name", "k"), PAIRS)
def test_a_case_meets_its_reference(name: str, k: int, tmp_path: Path) -> None:
    case = load(name)
    found = check(case.build, case.REFERENCES[k], FOLDER, tmp_path / "run.h5")
    assert found.is_within, str(found)


@pytest.mark.parametrize("name", NETWORKS)
def test_tellegen_s_sum_is_zero_in_every_case_with_a_network(name: str) -> None:
    s, step = build(name), getattr(load(name), "STEP", 1e-3)
    total, size = powers(fx.simulate(s, 40 * step, step), s)
    assert np.abs(total).max() <= 1e-12 * size.max()
    assert size.max() > 0.0
