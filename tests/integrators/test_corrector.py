"""The corrector converges where forces are worth as much as the inertia."""

import numpy as np
import pytest

import flexnet as fx


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 1.2, 3.0])
@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8), fx.energy_preserving()])
def test_a_damper_is_followed_by_a_matrix_without_it(share, method):
    """A matrix without the damper converges by the factor c h/m a time: slowly, or not at all."""
    step, mass, speed = 1e-3, 2.0, 3.0
    s = fx.System("slider", planar=True)
    slider = s.rigid_body("slider", mass, 1.0)
    s.prismatic("rail", s.ground, slider, axis="x")
    s.spring("damper", s.ground, slider, damping=share * mass / step, axis="x")
    s.start("rail", displacement=0.0, rate=speed)
    s.channel("x", fx.joint_coordinate("rail", "displacement"), "m")
    run = fx.simulate(s, 0.05, step, method=method)
    far = speed * step / share  # m/c times the speed
    exact = far * (1.0 - np.exp(-share * run.t / step))
    assert np.abs(run.channel("x") - exact).max() < (0.2 * share**2 * far if share < 1 else speed * step)
