"""Output rows cover the time that was asked for."""

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import build


@pytest.mark.parametrize(
    "method",
    [
        fx.hht(),
        fx.energy_preserving(),
        fx.reference(1e-9),
        [(0.0, fx.hht()), (0.1, fx.generalised_alpha(0.8))],
    ],
    ids=["hht", "energy", "reference", "relay"],
)
def test_an_end_between_two_rows_is_covered(method):
    run = fx.simulate(build("simple_pendulum"), 0.2, 0.03, method=method)
    assert np.allclose(run.t, 0.03 * np.arange(8))


def test_an_end_on_a_row_is_the_last_row():
    run = fx.simulate(build("simple_pendulum"), 0.3, 0.01, interval=0.03)
    assert np.allclose(run.t, 0.03 * np.arange(11))


def test_an_adaptive_run_ends_at_the_row_after_its_end():
    run = fx.simulate(build("simple_pendulum"), 0.2, 0.01, tolerance=1e-4, interval=0.03)
    assert np.allclose(run.t, 0.03 * np.arange(8))
