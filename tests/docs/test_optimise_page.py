"""The page on optimisation does what it says: searches converge, and with derivatives in fewer runs."""

from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from tests.docs.optimise_pictures import page, without_derivatives


@pytest.mark.slow
def test_every_search_of_the_page_converges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = page()
    # the points are rounded to 1e-3 m, an error of 2.9e-4 rms
    assert names["traced"].rms < 3e-4
    # 42 mm before, and what the step leaves open at half of it
    shaking = names["calm"].run.channel("deflection")[names["calm"].run.t > 2.0]
    assert np.abs(shaking).max() < 0.01
    finer = fx.simulate(names["deployment"](**names["calm"].parameters), names["END"], names["STEP"] / 2)
    assert np.abs(finer.channel("deflection")[finer.t > 2.0]).max() < 0.3
    # the same place, without derivatives in at least five times as many runs
    assert names["slow"].x == pytest.approx(list(names["calm"].parameters.values()), rel=1e-3)
    assert 5 * sum(names["calm"].runs) < names["searching"].counts[0]
    for misfit, fit in (("curve", "traced"), ("known", "identified")):
        slow = without_derivatives(names[misfit], 1.1 * names[fit].rms)
        assert slow > 5 * sum(names[fit].runs), (misfit, slow)
    # made at half the step: the error of the other is in what is found
    assert list(names["identified"].parameters.values()) == pytest.approx([6.0, 0.3], rel=1e-3)
    # a linear answer for tolerances that are small
    assert float(names["spread"].final_x.std()) == pytest.approx(names["linear"], rel=0.1)
