"""Mechanisms with drives: what passes between network and mechanism is the same on both sides."""

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import build
from tests.networks.test_laws import powers


@pytest.mark.slow
def test_the_motor_brings_the_four_bar_to_its_speed() -> None:
    s = build("motor_four_bar")
    run = fx.simulate(s, end=0.6, step=1e-4, interval=2e-3)
    i, w, T = (run.channel(name) for name in ("current", "speed", "torque"))
    np.testing.assert_allclose(T, 0.05 * 8.0 * i, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.channel("motor.emf.voltage"), 0.05 * 8.0 * w, rtol=0, atol=1e-9)
    total, size = powers(run, s)
    assert np.abs(total).max() < 1e-12 * size.max()
    assert np.abs(run.channel("motor.source.voltage")).max() <= 24.0
    assert w[-1] == pytest.approx(20.0, abs=4.0)


@pytest.mark.slow
def test_the_cylinder_lifts_the_boom_with_the_pressure_of_its_chambers() -> None:
    s = build("cylinder_boom")
    s.channel("force", fx.force("cylinder"))
    run = fx.simulate(s, end=2.0, step=5e-4, interval=1e-2)
    P1, P2 = run.channel("cylinder.1.pressure"), run.channel("cylinder.2.pressure")
    np.testing.assert_allclose(run.channel("force"), np.abs(2e-3 * P1 - 1.2e-3 * P2), rtol=0, atol=1e-5)
    total, size = powers(run, s)
    assert np.abs(total).max() < 1e-12 * size.max()
    # the oil is stiff: the areas share the flow as they share the rate
    flows = run.channel("cylinder.1.flow")[-1] / -run.channel("cylinder.2.flow")[-1]
    assert flows == pytest.approx(2e-3 / 1.2e-3, rel=1e-12)
    assert 1.45 < run.channel("tip")[-1] < 1.58
