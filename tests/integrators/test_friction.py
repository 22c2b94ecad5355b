"""Friction as steep as a user likes: Newton's method jumps across it, damped corrections do not."""

import numpy as np
import pytest
import sympy as sp

import flexnet as fx

x, v, t = sp.symbols("x v t", real=True)
METHODS = (fx.hht(), fx.generalised_alpha(0.8), fx.generalised_alpha(0.2), fx.acceleration_level())
MU, G = 0.3, 9.81


def block_on_floor(width: float, speed: float = 1.0) -> fx.System:
    """A block that slides on a rough floor."""
    s = fx.System("block", planar=True)
    block = s.rigid_body("block", 2.0, 1.0)
    s.prismatic("floor", s.ground, block)
    s.spring("friction", s.ground, block, axis="x", law=-MU * 2.0 * G * sp.tanh(v / width))
    s.start("floor", displacement=0.0, rate=speed)
    s.channel("x", fx.joint_coordinate("floor", "displacement"), "m")
    s.channel("v", fx.joint_rate("floor", "displacement"), "m/s")
    return s


def block_on_belt(width: float) -> fx.System:
    """A block held by a spring on a running belt, with friction that falls with the speed of sliding."""
    s = fx.System("belt", planar=True)
    block = s.rigid_body("block", 1.0, 1.0)
    s.prismatic("rail", s.ground, block)
    slip = v - 0.2
    falling = 0.6 + 0.4 * sp.exp(-((slip / 0.1) ** 2))
    s.spring("friction", s.ground, block, axis="x", law=-MU * G * sp.tanh(slip / width) * falling)
    s.spring("coil", s.ground, block, stiffness=50.0, axis="x")
    s.start("rail", displacement=0.0, rate=0.0)
    s.channel("x", fx.joint_coordinate("rail", "displacement"), "m")
    return s


def rough_four_bar(width: float) -> fx.System:
    """A spatial four-bar with friction in its pins: friction and constraints together."""
    s = fx.System("four-bar")
    s.gravity([0, -9.81, 0])
    ends = {"1": [-0.5, 0, 0], "2": [0.5, 0, 0]}
    up = fx.rotation("z", np.pi / 2)
    crank = s.rigid_body("crank", 1.0, [0.1, 0.1, 0.1], ends, position=[0, 0.5, 0], rotation=up)
    rod = s.rigid_body("rod", 1.0, [0.1, 0.1, 0.1], ends, position=[0.6, 1, 0])
    rocker = s.rigid_body("rocker", 1.0, [0.1, 0.1, 0.1], ends, position=[1.2, 0.5, 0], rotation=up)
    s.revolute("O", s.ground, crank["1"])
    s.revolute("A", crank["2"], rod["1"])
    s.revolute("B", rod["2"], rocker["2"])
    s.revolute("C", s.ground.frame("C", [1.2, 0, 0]), rocker["1"])
    for joint in ("O", "C"):
        s.torsional_spring(f"friction {joint}", joint=joint, law=-8.0 * sp.tanh(v / width))
    s.start("O", angle=np.pi / 2, rate=-1.0)
    s.channel("angle", fx.joint_coordinate("O"), "rad")
    s.channel("rate", fx.joint_rate("O"), "rad/s")
    return s


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name} {m.parameters}")
@pytest.mark.parametrize("width", [1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_a_block_slides_to_rest_and_stays(method, width, step):
    """It stops after v²/2μg, within the error of one step of sliding, and does not move again."""
    run = fx.simulate(block_on_floor(width), 0.8, step, method=method)
    stop = 1.0 / (2 * MU * G)
    assert abs(run.channel("x")[-1] - stop) < MU * G * step**2 + width * 0.1
    still = run.t > 0.6
    assert np.ptp(run.channel("x")[still]) < 1e-3 * MU * G * step**2
    assert np.abs(run.channel("v")[still]).max() < 1e-2 * MU * G * step


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name} {m.parameters}")
@pytest.mark.parametrize("width", [1e-4, 1e-5])
def test_stick_and_slip_follow_small_steps(method, width):
    """A step of 1 ms agrees with one of 20 µs over four periods of sticking and sliding."""
    fine = fx.simulate(block_on_belt(width), 3.0, 2e-5, interval=1e-3)
    run = fx.simulate(block_on_belt(width), 3.0, 1e-3, method=method)
    assert np.abs(run.channel("x") - fine.channel("x")).max() < 2e-4 * np.abs(fine.channel("x")).max()


@pytest.mark.parametrize("project", [False, True])
def test_pins_stick_under_constraints(project):
    """Friction stops a four-bar, and gravity does not start it again; small steps stop it there too."""
    fine = fx.simulate(rough_four_bar(1e-5), 0.6, 1e-4, interval=1e-2)
    run = fx.simulate(rough_four_bar(1e-5), 0.6, 1e-2, project=project)
    assert np.abs(run.channel("angle") - fine.channel("angle")).max() < 5e-4
    assert abs(run.channel("rate")[-1]) < 1e-3


def test_a_remedied_step_between_output_rows_keeps_the_rows():
    """Rows of a run that fails between them are those of the run that writes every step."""
    every = fx.simulate(block_on_floor(1e-5), 0.63, 1e-3)
    some = fx.simulate(block_on_floor(1e-5), 0.63, 1e-3, interval=7e-3)
    assert np.allclose(some.t, every.t[::7], atol=1e-12)
    assert np.abs(some.channel("x") - every.channel("x")[::7]).max() < 1e-12
