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


def crank_and_follower(level: fx.Signal | float) -> fx.System:
    """A four-bar whose crank goes round; its follower rubs, and turns back where crank and coupler align."""
    s = fx.System("four bar", planar=True)
    s.gravity([0, -9.81])
    up, L, tilt = fx.rotation("z", np.pi / 2), np.hypot(1.0, 0.2), fx.rotation("z", np.arctan2(0.2, 1.0))
    crank = s.rigid_body("crank", 1.0, 0.02, {"A": [-0.25, 0], "B": [0.25, 0]}, [0.0, 0.25], up)
    coupler = s.rigid_body("coupler", 1.5, 0.1, {"B": [-L / 2, 0], "C": [L / 2, 0]}, [0.5, 0.6], tilt)
    follower = s.rigid_body("follower", 1.2, 0.05, {"D": [-0.35, 0], "C": [0.35, 0]}, [1.0, 0.35], up)
    s.revolute("A", s.ground, crank["A"])
    s.revolute("B", crank["B"], coupler["B"])
    s.revolute("C", coupler["C"], follower["C"])
    s.revolute("D", s.ground.frame("D", [1.0, 0.0]), follower["D"])
    s.start("A", angle=np.pi / 2, rate=1.5)
    s.joint_friction("rub", "D", level, sticks=True, static=1.3)
    s.channel("crank", fx.joint_coordinate("A"))
    s.channel("follower", fx.joint_coordinate("D"))
    s.channel("energy", fx.energy())
    return s


@pytest.mark.parametrize(
    ("tree", "engine"), [("default", "numeric"), ("joint", "symbolic"), ("absolute", "symbolic")]
)
def test_a_follower_that_rubs_passes_its_dead_points_and_loses_what_its_way_costs(tree, engine):
    run = fx.simulate(
        crank_and_follower(1.5), 1.2, 1e-3, fx.dop853(), tree, 0.05, tolerance=1e-9, engine=engine
    )
    # at its dead points C is L ± 0.5 from A: its angle is that of a triangle with sides 1, 0.7 and this
    L, d = np.hypot(1.0, 0.2), 0.7
    ends = [np.pi - np.arccos((1.0 + d**2 - (L + side) ** 2) / (2 * d)) for side in (0.5, -0.5)]
    assert len(run.events) == 2
    way = [np.pi / 2, max(ends), min(ends), run.channel("follower")[-1]]
    lost = run.channel("energy")[0] - run.channel("energy")[-1]
    assert lost == pytest.approx(1.5 * np.abs(np.diff(way)).sum(), rel=1e-8)


def test_friction_of_the_follower_s_own_load_passes_dead_points_alike_in_two_trees():
    level = fx.quantity(0.03, "m") * fx.force("D")
    runs = [
        fx.simulate(
            crank_and_follower(level), 0.8, 1e-3, fx.dop853(), tree, 0.1, tolerance=1e-9, engine=engine
        )
        for tree, engine in (("default", "numeric"), ("absolute", "symbolic"))
    ]
    assert [len(run.events) for run in runs] == [1, 1]
    assert runs[1].channel("crank") == pytest.approx(runs[0].channel("crank"), abs=1e-7)


def test_a_joint_is_not_locked_at_its_dead_point():
    s = crank_and_follower(1.5)
    s.event("hold", fx.joint_rate("D"), fx.lock("D"))
    with pytest.raises(
        ModelError, match="event 'hold' locks joint 'D' at a dead point: the mechanism moves on"
    ):
        fx.simulate(s, 1.2, 1e-3)


@pytest.mark.parametrize("method", [fx.hht(), fx.dop853(1e-7)], ids=lambda m: m.name)
def test_another_event_of_the_rate_that_turns_back_happens_there_too(method):
    """An α-method puts velocities right at an event, which moves the rate off its zero."""
    s = crank_and_follower(1.5)
    s.event("seen", fx.joint_rate("D"), fx.record())
    events = fx.simulate(s, 1.2, 1e-3, method).events
    assert [e.name for e in events] == ["rub_sticks", "seen"] * 2
    assert events[0].t == events[1].t
    assert events[2].t == events[3].t
