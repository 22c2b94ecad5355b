"""Actuated joints: efforts on pins and slides, servos, motors."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError


def slide(build) -> fx.System:
    s = fx.System("slide", planar=True)
    block = s.rigid_body("block", 2.0, 0.1)
    s.prismatic("guide", s.ground, block, axis="x")
    build(s)
    s.channel("x", fx.joint_coordinate("guide", "displacement"))
    return s


def test_a_servo_on_a_slide_is_a_spring_and_a_damper():
    s = slide(lambda s: s.servo("servo", "guide", 0.3, 50.0, kd=4.0))
    run = fx.simulate(s, 1.0, 1e-3, fx.reference(), interval=0.1)
    # 2 ẍ + 4 ẋ + 50 (x - 0.3) = 0
    w = np.sqrt(25.0 - 1.0)
    exact = 0.3 - 0.3 * np.exp(-run.t) * (np.cos(w * run.t) + np.sin(w * run.t) / w)
    assert run.channel("x") == pytest.approx(exact, abs=1e-9)


def test_an_actuator_pushes_the_head_forwards_and_tells_its_force():
    s = slide(lambda s: s.actuator("push", "guide", fx.quantity(3.0, "N/s") * fx.time()))
    s.channel("force", fx.force("push", along="x"))
    run = fx.simulate(s, 1.0, 1e-2, interval=0.1)
    assert run.channel("force") == pytest.approx(3.0 * run.t, abs=1e-12)
    assert run.channel("x")[-1] == pytest.approx(3.0 / 2.0 / 6.0, rel=1e-3)


@pytest.mark.parametrize("inductance", [0.0, 0.05])
def test_a_motor_runs_up_as_its_two_time_constants_say(inductance):
    J, k, R, n, u = 0.3, 0.2, 0.5, 3.0, 12.0
    s = fx.System("motor", planar=True)
    rotor = s.rigid_body("rotor", 1.0, J)
    s.revolute("O", s.ground, rotor)
    s.motor("motor", "O", u, constant=k, resistance=R, inductance=inductance, gear=n)
    s.channel("speed", fx.joint_rate("O"))
    run = fx.simulate(s, 0.5, 1e-3, fx.reference(), interval=0.1)
    if inductance:
        A = np.array([[0.0, n * k / J], [-k * n / inductance, -R / inductance]])
        b = np.array([0.0, u / inductance])
        rest = np.linalg.solve(A, -b)
        values, vectors = np.linalg.eig(A)
        c = np.linalg.solve(vectors, -rest)
        exact = [float((rest + (vectors * np.exp(values * t)) @ c).real[0]) for t in run.t]
        assert fx.simulate(s, 0.01, 1e-3)["state/z"].shape == (11, 1)
    else:
        exact = u / (k * n) * (1 - np.exp(-run.t * (k * n) ** 2 / (R * J)))
    assert run.channel("speed") == pytest.approx(exact, abs=1e-8)


def test_a_joint_without_a_single_freedom_has_no_actuator():
    s = fx.System("ball")
    body = s.rigid_body("body", 1.0, [1.0, 1.0, 1.0])
    s.spherical("ball", s.ground, body)
    with pytest.raises(ModelError, match="joint 'ball' has no single angle or displacement"):
        s.actuator("push", "ball", 1.0)


def test_a_block_that_rubs_slows_down_evenly():
    s = slide(lambda s: s.joint_friction("rub", "guide", 4.0, slip=1e-4))
    s.start("guide", rate=2.0)
    run = fx.simulate(s, 0.8, 1e-3, fx.reference(), interval=0.1)
    # 2 ẍ = -4 as long as it slides, but for what creeping leaves: ½ (slip/v)² of the force
    assert run.channel("x") == pytest.approx(2.0 * run.t - run.t**2, abs=1e-7)


def test_a_brake_follows_a_signal_and_its_heat_closes_the_balance():
    def build(s):
        grip = fx.quantity(30.0, "N/m") * fx.limit(fx.joint_coordinate("guide", "displacement"), 0.0, 1.0)
        s.joint_friction("brake", "guide", grip, slip=0.01, static=1.3, damping=0.5)

    s = slide(build)
    s.start("guide", rate=2.0)
    run = fx.simulate(s, 0.5, 5e-4)
    assert run["energy/damping"][-1] < -0.5
    assert run.energy_error < 1e-5


def test_friction_that_sticks_less_than_it_slides_is_refused():
    with pytest.raises(ModelError, match="expected static ≥ coulomb"):
        slide(lambda s: s.joint_friction("rub", "guide", 4.0, slip=1e-3, static=0.9))
