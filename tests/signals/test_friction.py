"""Friction from the load of the joint itself: closed forms, and the same motion in every tree and engine."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError

MU, RADIUS, MASS, ARM, INERTIA = 0.4, 0.2, 2.0, 0.5, 0.1


def incline(mu=0.3, angle=0.5) -> fx.System:
    """A block that slides down an incline, at 1 m/s at the start."""
    s = fx.System("incline", planar=True)
    s.gravity([0, -9.81])
    R = fx.rotation("z", -angle)
    block = s.rigid_body("block", 2.0, 0.1, rotation=R)
    s.prismatic("guide", s.ground.frame("G", [0, 0], rotation=R), block, axis="x")
    s.start("guide", rate=1.0)
    s.joint_friction("rub", "guide", coefficient=mu, slip=1e-6)
    s.channel("x", fx.joint_coordinate("guide", "displacement"))
    return s


def spinner() -> fx.System:
    """An unbalanced rotor without weight: what its pin carries is what its own motion asks for."""
    s = fx.System("spinner", planar=True)
    disc = s.rigid_body("disc", MASS, INERTIA, {"O": [-ARM, 0]}, position=[ARM, 0])
    s.revolute("pin", s.ground, disc["O"])
    s.start("pin", angle=0.0, rate=5.0)
    s.joint_friction("rub", "pin", coefficient=MU, radius=RADIUS, slip=1e-6)
    s.channel("rate", fx.joint_rate("pin"))
    return s


def slowed(t):
    """J ω̇ = -μ r m e √(ω⁴ + ω̇²): ω̇ = -κ ω², exactly."""
    k = MU * RADIUS * MASS * ARM / (INERTIA + MASS * ARM**2)
    return 5.0 / (1.0 + 5.0 * k / np.sqrt(1.0 - k * k) * t)


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_block_on_an_incline_and_an_unbalanced_rotor_have_their_closed_forms(tree, engine):
    run = fx.simulate(incline(), 0.5, 1e-3, tree=tree, engine=engine, interval=0.1)
    a = 9.81 * (np.sin(0.5) - 0.3 * np.cos(0.5))
    assert run.channel("x") == pytest.approx(run.t + 0.5 * a * run.t**2, abs=1e-11)
    exact = fx.simulate(spinner(), 0.5, 1e-3, fx.dop853(), tree=tree, engine=engine, interval=0.1)
    assert exact.channel("rate") == pytest.approx(slowed(exact.t), abs=1e-9)
    assert exact.energy_error < 1e-8


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_energy_schemes_tell_accelerations_that_hold_the_friction_of_an_own_load(tree):
    run = fx.simulate(spinner(), 0.4, 2e-3, fx.energy_preserving(), tree=tree, interval=0.1)
    k = MU * RADIUS * MASS * ARM / (INERTIA + MASS * ARM**2)
    joint = run.equations.coordinates.v_names
    at = joint.index("pin.rate") if "pin.rate" in joint else len(joint) - 1
    exact = -k / np.sqrt(1 - k * k) * slowed(run.t) ** 2
    assert run["state/a"][:, at] == pytest.approx(exact, rel=1e-4)
    assert run.energy_error < 1e-13


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_friction_of_an_own_load_keeps_order_two(tree):
    errors = []
    for step in (4e-3, 2e-3):
        run = fx.simulate(spinner(), 0.4, step, tree=tree, interval=0.4)
        errors.append(abs(run.channel("rate")[-1] - slowed(0.4)))
    assert 3.4 < errors[0] / errors[1] < 4.6


@pytest.mark.parametrize("method", [fx.reference(), fx.energy_preserving(), fx.energy_decaying()])
def test_every_route_takes_friction_of_an_own_load(method):
    run = fx.simulate(spinner(), 0.2, 1e-3, method, interval=0.1)
    assert run.channel("rate") == pytest.approx(slowed(run.t), abs=2e-6)


def slider_crank() -> fx.System:
    """A heavy slider-crank that rubs in its guide and in two pins, its loop closed anywhere."""
    s = fx.System("rubbing slider", planar=True)
    s.gravity([0, -9.81])
    crank = s.rigid_body("crank", 1.0, 0.01, {"O": [-0.5, 0], "A": [0.5, 0]}, position=[0.3, 0.4])
    rod = s.rigid_body("rod", 1.0, 0.1, {"A": [-1, 0], "B": [1, 0]}, position=[1.3, 0.4])
    slider = s.rigid_body("slider", 1.0, 0.1, position=[2.2, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider, axis="x")
    s.start("O", angle=0.9, rate=6.0)
    s.joint_friction("rub_guide", "guide", coefficient=0.2, slip=0.05)
    s.joint_friction("rub_A", "A", coefficient=0.3, radius=0.05, slip=0.05)
    s.joint_friction("rub_O", "O", force=0.1, coefficient=0.3, radius=0.05, slip=0.05, static=1.2)
    s.channel("x", fx.joint_coordinate("guide", "displacement"))
    s.channel("heat", fx.force("rub_guide", "x"))
    return s


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_friction_in_a_loop_is_the_same_whatever_the_trees_and_the_engine(engine):
    runs = [
        fx.simulate(slider_crank(), 0.3, 1e-3, fx.dop853(), tree=tree, engine=engine, interval=0.05)
        for tree in ("joint", "absolute", "gtm", "default")
    ]
    for name in ("x", "heat"):
        for run in runs[1:]:
            assert run.channel(name) == pytest.approx(runs[0].channel(name), abs=1e-7)
    assert runs[0]["energy/damping"][-1] < -1.0
    assert runs[0].energy_error < 1e-7


def test_accelerations_act_and_a_mass_of_signals_is_a_mass():
    s = fx.System("sledge", planar=True)
    block = s.rigid_body("block", 2.0, 0.1)
    s.prismatic("guide", s.ground, block, axis="x")
    s.actuator("push", "guide", 6.0 - fx.quantity(1.0, "kg") * fx.acceleration(block, "x"))
    s.channel("x", fx.joint_coordinate("guide", "displacement"))
    for tree in ("joint", "absolute"):
        run = fx.simulate(s, 1.0, 1e-2, tree=tree, interval=0.5)
        assert run.channel("x") == pytest.approx(run.t**2, abs=1e-11)


def test_what_is_not_determined_or_makes_no_sense_is_refused_by_name():
    s = fx.System("door")
    door = s.rigid_body("door", 10.0, [1.0, 1.0, 1.0], {"low": [0, 0, -0.5], "high": [0, 0, 0.5]})
    for name in ("low", "high"):
        s.revolute(name, s.ground.frame(name, [0, 0, -0.5 if name == "low" else 0.5]), door[name])
    s.joint_friction("rub", "low", coefficient=0.1, radius=0.01, slip=1e-3)
    with pytest.raises(ModelError, match=r"force of 'low' cannot be fed back: redundant .*force z"):
        fx.simulate(s, 0.1, 1e-3)
    with pytest.raises(ModelError, match="coefficient and the radius 0"):
        spinner().joint_friction("more", "pin", coefficient=0.1, slip=1e-3)
    with pytest.raises(ModelError, match="coefficient -1"):
        spinner().joint_friction("more", "pin", coefficient=-1, radius=0.1, slip=1e-3)
