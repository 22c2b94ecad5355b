"""What the energy balance leaves over falls with the square of the step, wherever the driver stands."""

import numpy as np
import pytest

import flexnet as fx


def driven_pendulum():
    """A driven shaft with a pendulum across it: the driver's torque changes all the time."""
    s = fx.System("driven")
    s.gravity([0, -9.81, 0])
    shaft = s.rigid_body("shaft", 1.0, [0.1, 0.2, 0.3], {"A": [0.5, 0, 0]})
    bob = s.rigid_body("bob", 1.0, [0.1, 0.1, 0.02], {"A": [0, 0.4, 0.1]}, position=[0.5, -0.4, -0.1])
    s.revolute("pivot", s.ground, shaft)
    s.revolute("across", shaft["A"], bob["A"], axis="x")
    s.motion("drive", joint="pivot", angle=fx.harmonic(0.6, 5.0))
    s.start("across", rate=2.0)
    return s


@pytest.mark.parametrize("tree", ["default", "joint", "absolute"])
@pytest.mark.parametrize("how", ["fixed", "projected", "adaptive"])
def test_work_of_a_driver_is_in_the_balance(tree, how):
    equations = fx.formulate(driven_pendulum(), tree)
    if how == "adaptive":
        run = fx.simulate(equations, end=0.5, step=1e-3, tolerance=1e-6)
        assert run.energy_error < 2e-4 * abs(run["energy/work"]).max()
        return
    errors = [
        fx.simulate(equations, end=0.5, step=h, project=how == "projected").energy_error for h in (4e-3, 2e-3)
    ]
    assert errors[0] < 1e-3
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_an_anisotropic_bushing_keeps_energy():
    s = fx.System("bushing")
    body = s.rigid_body(
        "b", 1.0, [0.1, 0.2, 0.3], rotation=fx.rotation([1, 0.5, 0.2], 1.2), angular_velocity=[1, -2, 0.5]
    )
    s.bushing("k", s.ground, body, np.diag([10.0, 10, 10, 1, 5, 9]))
    errors = [fx.simulate(s, end=0.5, step=h).energy_error for h in (4e-3, 2e-3)]
    assert errors[0] < 5e-3
    assert 3.5 < errors[0] / errors[1] < 4.5
