"""What is known of turns before assembly reaches what rests on it: through gears and racks, in every tree."""

from functools import partial

import numpy as np
import pytest

import flexnet as fx

TREES = ("joint", "absolute")


def geared(ratio: float, planar: bool, joint: str, angle, spring: bool = True, is_driven: bool = False):
    """Two wheels that mesh, a spring on the second; one begins, or is driven, where it is said to."""
    s = fx.System("gears", planar=planar)
    moment = (lambda J: J) if planar else (lambda J: [J, J, J])
    a = s.rigid_body("a", 1.0, moment(0.1))
    b = s.rigid_body("b", 1.0, moment(0.2), position=[1.0, 0, 0])
    s.revolute("ja", s.ground, a)
    s.revolute("jb", s.ground.frame("B", [1.0, 0, 0]), b)
    s.gear_pair("g", "ja", "jb", ratio, phase=0.5)
    if spring:
        s.torsional_spring("ts", "jb", stiffness=3.0)
        s.channel("torque", fx.torque("ts", "z"))
    if is_driven:
        s.motion("drive", joint, angle=angle)
    else:
        s.start(joint, angle=angle)
    for name in ("ja", "jb"):
        s.channel(name, fx.joint_coordinate(name))
    s.channel("seen", fx.angle(b))
    return s


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(("joint", "angle"), [("ja", 4.0), ("jb", -39.5), ("ja", 200.0)])
def test_a_spring_on_a_geared_wheel_is_wound_as_the_gear_says(planar, tree, joint, angle):
    ratio = -2.3
    run = fx.simulate(geared(ratio, planar, joint, angle), 0.5, 5e-3, fx.dop853(), tree, 0.05, 1e-9)
    first = angle if joint == "ja" else (angle - 0.5) / ratio
    rest, omega = -0.5 / ratio, np.sqrt(3.0 * ratio**2 / (0.1 + 0.2 * ratio**2))
    expected = rest + (first - rest) * np.cos(omega * run.t)
    assert run.channel("ja") == pytest.approx(expected, abs=1e-6 * abs(first))
    assert run.channel("jb") == pytest.approx(ratio * expected + 0.5, abs=1e-5 * abs(first))
    assert run.channel("torque") == pytest.approx(-3.0 * run.channel("jb"), abs=1e-9 * abs(first))


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("joint", ["ja", "jb"])
def test_a_driver_beyond_half_a_turn_turns_the_other_wheel_as_the_gear_says(planar, tree, joint):
    """A ratio that is no whole number: the other wheel lies elsewhere where turns are lost."""
    s = geared(-0.7, planar, joint, fx.polynomial(20.0, 3.0), spring=False, is_driven=True)
    run = fx.simulate(s, 0.1, 1e-2, tree=tree)
    driven = 20.0 + 3.0 * run.t
    b = -0.7 * driven + 0.5 if joint == "ja" else driven
    assert run.channel("jb") == pytest.approx(b, abs=1e-9)
    assert run.channel("ja") == pytest.approx((b - 0.5) / -0.7, abs=1e-9)
    assert np.exp(1j * run.channel("seen")) == pytest.approx(np.exp(1j * b), abs=1e-9)


@pytest.mark.parametrize("tree", TREES)
def test_a_train_and_a_rack_tell_one_another(tree):
    """The rack begins at 3 m: its pinion has turned by 60 rad, the wheels of the train by more."""
    s = fx.System("train", planar=True)
    for k in range(3):
        body = s.rigid_body(f"wheel{k}", 1.0, 0.1, position=[float(k), 0, 0])
        s.revolute(f"j{k}", s.ground.frame(f"B{k}", [float(k), 0, 0]), body)
    rack = s.rigid_body("rack", 1.0, 0.1, position=[3.0, -1.0, 0])
    s.prismatic("slide", s.ground.frame("S", [0, -1.0, 0]), rack)
    s.gear_pair("late", "j1", "j2", 1.3)
    s.gear_pair("early", "j0", "j1", -1.7, phase=0.2)
    s.rack_pair("mesh", "j0", "slide", 0.05)
    s.start("slide", displacement=3.0)
    for k in range(3):
        s.torsional_spring(f"spring{k}", f"j{k}", stiffness=1.0)
        s.channel(f"t{k}", fx.torque(f"spring{k}", "z"))
    run = fx.simulate(s, 1e-3, 1e-3, tree=tree)
    angles = [60.0, -1.7 * 60.0 + 0.2, 1.3 * (-1.7 * 60.0 + 0.2)]
    assert [run.channel(f"t{k}")[0] for k in range(3)] == pytest.approx([-x for x in angles], abs=1e-8)


@pytest.mark.parametrize("order", [("ja", "jb"), ("jb", "ja")])
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("first", TREES)
@pytest.mark.parametrize("second", TREES)
def test_springs_are_wound_alike_where_another_run_goes_on_in_other_trees(order, planar, first, second):
    def wound():
        s = fx.System("wound", planar=planar)
        J = 0.1 if planar else [0.1, 0.1, 0.1]
        a, b = s.rigid_body("a", 1.0, J), s.rigid_body("b", 1.0, J)
        ends = {"ja": (s.ground, a), "jb": (a, b)}
        for name in order:
            s.revolute(name, *ends[name])
            s.torsional_spring(f"on_{name}", name, stiffness=2.0)
            s.channel(name, fx.torque(f"on_{name}", "z"))
            s.start(name, angle={"ja": 13.0, "jb": 20.0}[name])
        return s

    ended = fx.simulate(wound(), 0.3, 1e-2, tree=first)
    run = fx.simulate(wound(), 0.31, 1e-2, tree=second, start=ended.state())
    for name in order:
        assert run.channel(name)[0] == pytest.approx(ended.channel(name)[-1], abs=1e-9)


def placed(planar: bool, ratio: float, angle: float, own: float) -> fx.System:
    """Two wheels that mesh and lie as the gear says; nothing else says how they have turned.

    The axes of their bodies are turned by ``own`` from those the pins see.
    """
    s = fx.System("placed", planar=planar)
    turned = partial(fx.rotation, "z")
    for k, theta in enumerate((angle, ratio * angle)):
        J = 0.1 if planar else [0.1, 0.1, 0.1]
        points = {"hub": ([0.0, 0.0, 0.0], turned(-own))}
        wheel = s.rigid_body(f"w{k}", 1.0, J, points, position=[k, 0, 0], rotation=turned(theta + own))
        s.revolute(f"j{k}", s.ground.frame(f"B{k}", [k, 0, 0]), wheel["hub"])
        s.channel(f"j{k}", fx.joint_coordinate(f"j{k}"))
    s.gear_pair("mesh", "j0", "j1", ratio)
    return s


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(
    ("ratio", "angle", "own"),
    [(-0.3, 1.0, 3.0), (-0.3, 3.0, 1.0), (-1.5, 1.0, 3.0), (-3.0, 2.0, 0.0), (0.4, 7.0, 0.5)],
)
def test_wheels_that_lie_as_their_gear_says_stay_there(ratio, angle, own, planar, tree):
    """They were once moved by up to 5.8 rad: the angles of bodies and of their pins added up to another turn.

    The slower of both is within half a turn.
    """
    run = fx.simulate(placed(planar, ratio, angle, own), 1e-3, 1e-3, tree=tree)
    assert run.channel("j0")[0] == pytest.approx(angle, abs=1e-9)
    assert run.channel("j1")[0] == pytest.approx(ratio * angle, abs=1e-9)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("tree", TREES)
def test_a_rack_lies_where_it_was_put_and_tells_its_pinion(planar, tree):
    """3 m away, its pinion wound by 60 rad: it once began at -0.13 m. A driver tells the pinion as well."""
    for driven in (False, True):
        s = fx.System("rack", planar=planar)
        J = 0.1 if planar else [0.1, 0.1, 0.1]
        pinion = s.rigid_body("pinion", 1.0, J, rotation=fx.rotation("z", 60.0))
        rack = s.rigid_body("rack", 1.0, J, position=[0.0 if driven else 3.0, -1.0, 0.0])
        s.revolute("O", s.ground, pinion)
        s.prismatic("slide", s.ground.frame("S", [0.0, -1.0, 0.0]), rack)
        s.rack_pair("mesh", "O", "slide", 0.05)
        if driven:
            s.motion("drive", "slide", displacement=fx.polynomial(3.0, 0.2))
        s.channel("turned", fx.joint_coordinate("O"))
        s.channel("place", fx.joint_coordinate("slide", "displacement"))
        run = fx.simulate(s, 1e-3, 1e-3, tree=tree)
        assert run.channel("turned")[0] == pytest.approx(60.0, abs=1e-9)
        assert run.channel("place")[0] == pytest.approx(3.0, abs=1e-9)


def test_the_nut_of_a_screw_tells_a_wheel_that_its_spindle_drives():
    """The nut 0.5 m along: the spindle has turned 25 times, the wheel ten times."""
    s = fx.System("spindle")
    nut = s.rigid_body("nut", 1.0, [0.1, 0.1, 0.1], position=[0.0, 0.0, 0.5])
    wheel = s.rigid_body("wheel", 1.0, [0.1, 0.1, 0.1], position=[1.0, 0.0, 0.0])
    s.screw("thread", s.ground, nut, pitch=0.02)
    s.revolute("pin", s.ground.frame("B", [1.0, 0.0, 0.0]), wheel)
    s.gear_pair("mesh", "thread", "pin", -0.4)
    s.channel("wheel", fx.joint_coordinate("pin"))
    s.channel("place", fx.position(nut, "z"))
    run = fx.simulate(s, 1e-3, 1e-3)
    assert run.channel("place")[0] == pytest.approx(0.5, abs=1e-9)
    assert run.channel("wheel")[0] == pytest.approx(-0.4 * 50 * np.pi, abs=1e-6)
