"""A run says how far it can be trusted."""

import numpy as np
import pytest
from pendulums import pendulum

import flexnet as fx
from flexnet.results import Results


def cantilever(load: float) -> fx.System:
    """A beam of length, E I and mass one, one end built in, a force on the other."""
    s = fx.System("cantilever", planar=True)
    section = fx.rectangle(0.01, 0.01)
    material = fx.Material(E=12e8, nu=0.3, rho=1e4)
    beam = fx.beam_body(1.0, 4, material, section)
    arm = s.flexible_body("beam", beam, support=fx.Clamped("start"), modes=3)
    s.weld("wall", s.ground, arm["start"])
    s.force("tip", arm["end"], [0.0, fx.smooth_step(0.0, load, duration=1.0), 0.0])
    return s


def test_the_estimate_of_fixed_steps_is_of_the_size_of_the_error():
    exact = fx.simulate(pendulum(1.0), 5.0, 1e-3, fx.reference(1e-12), interval=0.5)["state/q"]
    for h in (1e-2, 5e-3, 2.5e-3):
        run = fx.simulate(pendulum(1.0), 5.0, h, interval=0.5)
        error = np.abs(run["state/q"] - exact).max()
        assert 0.1 < run.status.error / error < 10.0
        assert not run.warnings


def test_a_step_that_is_too_coarse_is_warned_about():
    run = fx.simulate(pendulum(2.5), 10.0, 0.2)
    assert any("step" in text for text in run.warnings)


@pytest.mark.parametrize(("load", "is_large"), [(0.05, False), (1.0, True)])
def test_large_rotations_within_one_frame_are_warned_about_and_in_the_file(load, is_large, tmp_path):
    run = fx.simulate(cantilever(load), 1.5, 5e-3, out=tmp_path / "run.h5")
    assert "beam turns by" in run.validity
    assert any("divide the body" in text for text in run.warnings) == is_large
    assert run.validity in Results.open(tmp_path / "run.h5").status.message
