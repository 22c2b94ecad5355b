"""Friction that sticks by events: a lock that is let go where friction no longer holds."""

import math

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError

K, M, F = 40.0, 1.0, 3.0
W = math.sqrt(K / M)


def times(run, name):
    return np.array([e.t for e in run.events if e.name == name])


def oscillator(static=1.0, x=0.5) -> fx.System:
    """A mass on a spring that rubs with a constant force."""
    s = fx.System("oscillator", planar=True)
    block = s.rigid_body("block", M, 0.01)
    s.prismatic("guide", s.ground, block, axis="x")
    s.spring("spring", s.ground, block, K, axis="x")
    s.joint_friction("rub", "guide", force=F, static=static, sticks=True)
    s.start("guide", displacement=x, rate=0.0)
    s.channel("x", fx.joint_coordinate("guide", "displacement"))
    s.channel("load", fx.force("guide", "x"))
    return s


@pytest.mark.parametrize(("tree", "engine"), [("joint", "numeric"), ("absolute", "symbolic")])
def test_the_amplitude_of_a_coulomb_oscillator_falls_by_equal_parts_until_it_sticks(tree, engine):
    run = fx.simulate(oscillator(), 3.0, 2e-3, fx.dop853(), tree=tree, engine=engine)
    # turning points every half period, each 2 F/k nearer; at 0.05 m the spring pulls less than F
    assert times(run, "rub_sticks") == pytest.approx(np.pi / W * np.arange(1, 4), abs=1e-9)
    assert run.channel("x")[-1] == pytest.approx(-0.05, abs=1e-9)
    assert np.ptp(run.channel("x")[run.t > 1.6]) < 1e-12  # it does not creep
    assert run.channel("load")[-1] == pytest.approx(-K * 0.05, abs=1e-7)  # what sticking carries
    assert np.abs(fx.audit(run).balance).max() < 1e-7
    assert run["energy/damping"][-1] == pytest.approx(-F * (0.85 + 0.55 + 0.25), rel=1e-7)


def test_times_of_sticking_converge_with_order_two():
    errors = [
        abs(times(fx.simulate(oscillator(), 0.6, step), "rub_sticks")[0] - np.pi / W) for step in (8e-3, 4e-3)
    ]
    assert 3.5 < errors[0] / errors[1] < 4.5


def incline(mu, angle=0.2) -> fx.System:
    s = fx.System("incline", planar=True)
    s.gravity([0, -9.81])
    R = fx.rotation("z", -angle)
    block = s.rigid_body("block", 2.0, 0.1, rotation=R)
    s.prismatic("guide", s.ground.frame("G", [0, 0], rotation=R), block, axis="x")
    s.joint_friction("rub", "guide", coefficient=mu, sticks=True)
    s.channel("x", fx.joint_coordinate("guide", "displacement"))
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_block_on_an_incline_stays_below_the_angle_of_friction_and_slides_above(tree):
    stays = fx.simulate(incline(mu=math.tan(0.2) * (1 + 1e-6)), 1.0, 1e-2, tree=tree)
    assert np.abs(stays.channel("x")).max() < 1e-13
    assert not stays.events
    slides = fx.simulate(incline(mu=0.15), 1.0, 1e-2, tree=tree)
    a = 9.81 * (math.sin(0.2) - 0.15 * math.cos(0.2))
    assert slides.channel("x") == pytest.approx(0.5 * a * slides.t**2, abs=1e-11)


def belt(static=5 / 3, normal=10.0, speed=0.1) -> fx.System:
    """A block on a moving belt, pressed on it by its weight and held by a spring."""
    s = fx.System("belt", planar=True)
    s.gravity([0, -normal])
    carrier = s.rigid_body("carrier", 1.0, 0.01)
    block = s.rigid_body("block", M, 0.01)
    s.prismatic("roller", s.ground, carrier, axis="x")
    s.motion("drive", joint="roller", displacement=fx.ramp(speed))
    s.prismatic("on_belt", carrier, block, axis="x")
    s.spring("spring", s.ground, block, K, axis="x")
    s.start("on_belt", displacement=0.0, rate=0.0)
    s.joint_friction("rub", "on_belt", coefficient=0.3, static=static, sticks=True)
    s.channel("x", fx.position(block, "x"))
    return s


def test_stick_and_slip_on_a_belt_has_its_limit_cycle():
    d, v = (0.5 - 0.3) * 10.0 / K, 0.1
    stick, slip = 2 * d / v, 2 / W * (np.pi - np.arctan(W * d / v))
    run = fx.simulate(belt(), 6.5, 2e-3, fx.dop853())
    sticks, slips = times(run, "rub_sticks"), times(run, "rub_slips")
    assert slips[0] == pytest.approx(0.5 * 10.0 / K / v, abs=1e-9)  # it begins on the belt
    assert np.diff(slips) == pytest.approx(stick + slip, abs=1e-8)
    assert sticks - slips[: len(sticks)] == pytest.approx(slip, abs=1e-8)
    assert np.abs(fx.audit(run).balance).max() < 1e-6


def test_friction_that_neither_sticks_nor_creeps_is_refused():
    s = oscillator()
    with pytest.raises(ModelError, match="slip 0; it sticks, or creeps at a positive rate"):
        s.joint_friction("more", "guide", force=1.0)
    with pytest.raises(ModelError, match=r"slip 0\.1; it sticks"):
        s.joint_friction("more", "guide", force=1.0, slip=0.1, sticks=True)


def test_a_mode_switches_a_law_and_an_integral_begins_anew():
    s = fx.System("switch", planar=True)
    block = s.rigid_body("block", 2.0, 0.1)
    s.prismatic("guide", s.ground, block, axis="x")
    on = fx.mode(1.0, "N", name="on")
    x = fx.joint_coordinate("guide", "displacement")
    s.actuator("push", "guide", 4.0 * on)
    clock = fx.integral(fx.quantity(1.0, "1"), name="clock")
    s.event("half", x - 0.25, fx.reset(on, -1.0), "rising")
    s.event("anew", x - 0.25, fx.reset(clock, 0.1 * clock), "rising")
    s.channel("x", x)
    s.channel("clock", clock)
    for engine, tree in (("numeric", "joint"), ("symbolic", "absolute")):
        run = fx.simulate(s, 1.0, 1e-2, tree=tree, engine=engine)
        # ẍ = 2 up to x = 1/4 at t = 1/2, then -2
        assert [e.t for e in run.events] == pytest.approx([0.5, 0.5], abs=1e-10)
        assert run.channel("x")[-1] == pytest.approx(0.25 + 0.5 - 0.25, abs=1e-9)
        assert run.channel("clock")[-1] == pytest.approx(0.55, abs=1e-9)
    with pytest.raises(ModelError, match="which is no state of a block"):
        fx.reset(2.0 * on, 1.0)
    with pytest.raises(ModelError, match="reset of signals in"):
        fx.reset(clock, x)


@pytest.mark.parametrize("method", [fx.hht(-0.1), fx.dop853(), fx.radau()], ids=["hht", "dop853", "radau"])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_block_pushed_ever_harder_is_let_go_once_and_moves_as_it_is_pushed(method, way):
    s = fx.System("pushed", planar=True)
    block = s.rigid_body("block", M, 0.01)
    s.prismatic("guide", s.ground, block, axis="x")
    s.joint_friction("rub", "guide", force=F, sticks=True)
    s.actuator("push", "guide", fx.known(fx.polynomial(0.0, 0.0, way * 4.0 * F), "N"))
    s.channel("x", fx.joint_coordinate("guide", "displacement"))
    run = fx.simulate(s, 1.0, 1e-2, method)
    # 4 F t² = F at t = 1/2; M ẍ = F (4 t² - 1) from there: nothing accelerates it as it is let go
    assert [(e.name, round(e.t, 10)) for e in run.events] == [("rub_slips", 0.5)]
    moved = [F / M * (t**4 / 3 - t**2 / 2 + t / 3 - 1 / 16) if t > 0.5 else 0.0 for t in run.t]
    assert run.channel("x") == pytest.approx(way * np.array(moved), abs=2e-4)
