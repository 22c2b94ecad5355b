"""Bad input is refused where it is given, in one clear sentence."""

import math
import re

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import build


def pendulum(planar=False):
    s = fx.System("pendulum", planar=planar)
    body = s.rigid_body(
        "bob", 1.0, 1.0 if planar else [1.0, 1.0, 1.0], {"pivot": [0, 1, 0], "tip": [0, -1, 0]}
    )
    s.revolute("pin", s.ground, body["pivot"])
    return s, body


def refused(message, error=fx.ModelError):
    return pytest.raises(error, match=message)


# -- names -------------------------------------------------------------------------------------


def test_duplicate_names():
    s, body = pendulum()
    with refused("the name 'bob' is used twice in system 'pendulum'"):
        s.rigid_body("bob", 1.0, [1, 1, 1])
    with refused("the name 'pin' is used twice"):
        s.revolute("pin", s.ground, body["tip"])
    with refused("the name 'ground' is used twice"):
        s.rigid_body("ground", 1.0, [1, 1, 1])
    with refused("already has a frame 'tip'"):
        body.frame("tip", [0, 0, 0])
    s.channel("x", fx.position(body, "x"))
    with refused("channel 'x' is defined twice"):
        s.channel("x", fx.position(body, "y"))


@pytest.mark.parametrize("name", ["", "a@b", "bob.tip", "bob.weight", "a/b"])
def test_names_that_cannot_be(name):
    """Frames, weights and dependent edges are named after their bodies; a slash is a path in a file."""
    s, body = pendulum()
    with refused("cannot be a name"):
        s.revolute(name, s.ground, body["tip"])
    with refused("cannot be a name"):
        body.frame(name, [0, 0, 0])


def test_a_frame_called_weight():
    _, body = pendulum()
    with refused("cannot be called 'weight'"):
        body.frame("weight", [0, 0, 0])


def test_unknown_names_suggest_a_near_one():
    s, body = pendulum()
    with refused("body 'bob' has no frame 'pivt'; did you mean 'pivot'?"):
        body["pivt"]
    with refused("body 'bob' has no frame 'zzz'; it has pivot, tip"):
        body["zzz"]
    with refused("no joint is called 'pinn'; did you mean 'pin'?"):
        s.motion("drive", joint="pinn", angle=0.0)
    with refused("start: no joint is called 'hinge'"):
        s.start("hinge", angle=1.0)
    with refused("joint 'pin' has no coordinate 'displacement' to start at; it has angle"):
        s.start("pin", displacement=1.0)
    with refused("channel 'f' measures 'hinge', which is not in the system"):
        s.channel("f", fx.force("hinge"))


def test_frames_of_another_system():
    s, _ = pendulum()
    _, stranger = pendulum()
    other = fx.System("other")
    alien = other.rigid_body("alien", 1.0, [1, 1, 1])
    with refused("ends at a frame of 'alien', which is not in system 'pendulum'"):
        s.spherical("ball", s.ground, alien)
    with refused("ends at a frame of 'bob'.*not in system 'pendulum'"):
        s.spherical("ball", s.ground, stranger["tip"])


# -- bodies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mass", [0.0, -1.0, math.nan, math.inf])
def test_mass_must_be_positive(mass):
    with refused(
        f"mass is {mass}; expected a finite|body 'b' has mass {mass} kg; it must be a positive number"
    ):
        fx.System("s").rigid_body("b", mass, [1, 1, 1])


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        ([1.0, 1.0, 2.5], r"violates the triangle inequality: 2.5 > 1 \+ 1"),
        ([1.0, -0.5, 1.0], "negative principal moment -0.5"),
        ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "is not symmetric"),
        ([1.0, 1.0], "must be three moments or a"),
        ([1.0, math.nan, 1.0], "inertia is .*expected .*finite number"),
        (1.0, "needs three moments of inertia or a matrix, got 1.0"),
        ([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 0.1]], "triangle inequality"),
    ],
)
def test_inertia_must_be_possible(inertia, message):
    with refused(message):
        fx.System("s").rigid_body("b", 1.0, inertia)


def test_planar_inertia_must_not_be_negative():
    with refused("must not be negative"):
        fx.System("s", planar=True).rigid_body("b", 1.0, -1.0)
    with refused("must be one moment, three moments or a"):
        fx.System("s", planar=True).rigid_body("b", 1.0, [1.0, 1.0])


def test_a_body_nothing_holds():
    s, _ = pendulum()
    s.rigid_body("lost", 1.0, [1, 1, 1])
    with refused("body 'lost' is connected to nothing; add a joint"):
        fx.formulate(s)


def test_a_system_without_bodies():
    with refused("system 'empty' has no body"):
        fx.formulate(fx.System("empty"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 2, 3, 4], "three finite numbers"),
        (["a", 0, 0], r"frames\['f'\] is .*expected a list of finite numbers or \("),
        ([0, 0, math.nan], r"frames\['f'\] is .*nan.*expected"),
    ],
)
def test_positions_must_be_three_numbers(value, message):
    with refused(message):
        fx.System("s").rigid_body("b", 1.0, [1, 1, 1], frames={"f": value})


@pytest.mark.parametrize("R", [np.diag([1.0, 1.0, -1.0]), 2 * np.eye(3), np.eye(2), np.full((3, 3), np.nan)])
def test_rotations_must_be_proper(R):
    with refused(r"proper \(3, 3\) rotation matrix|rotation is array.*expected an array of finite numbers"):
        fx.System("s").rigid_body("b", 1.0, [1, 1, 1], rotation=R)


# -- joints ------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [[0, 0, 0], [1e-310, 0, 0]])
def test_zero_axis(axis):
    s, body = pendulum()
    with refused("axis of joint 'j' has zero length"):
        s.revolute("j", s.ground, body["tip"], axis=axis)


def test_an_axis_that_is_none():
    s, body = pendulum()
    with refused("axis of joint 'j' must be x, y, z or a vector, got 'w'"):
        s.revolute("j", s.ground, body["tip"], axis="w")
    with refused("needs perpendicular axes"):
        s.universal("j", s.ground, body["tip"], axis_1="x", axis_2=(1, 1, 0))
    with refused("needs a slot normal to its pin axis"):
        s.pin_in_slot("j", s.ground, body["tip"], axis="z", slot=(1, 0, 1))


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "spherical", "weld", "free", "spring"])
def test_a_joint_between_two_frames_of_one_body(kind):
    s, body = pendulum()
    with refused("connects two frames of body 'bob'; it needs two bodies"):
        getattr(s, kind)("j", body["pivot"], body["tip"])
    s.ground.add_frames({"a": [0, 0, 0], "b": [1, 0, 0]})
    with refused("connects two frames of body 'ground'"):
        getattr(s, kind)("j", s.ground["a"], s.ground["b"])


def test_an_end_that_is_no_frame():
    s, _ = pendulum()
    with refused(r"revolute\('j'\): head is 'bob'; expected a Body or a Frame"):
        s.revolute("j", s.ground, "bob")


def test_out_of_plane_parts_of_a_planar_system():
    s, body = pendulum(planar=True)
    with refused("turns about .* a planar system turns about z only"):
        s.revolute("j", s.ground, body["tip"], axis="x")
    with refused("universal joint, which has no planar form"):
        s.universal("j", s.ground, body["tip"])
    with refused("leaves the plane"):
        s.prismatic("j", s.ground, body["tip"], axis=(1, 0, 1))
    with refused("joint 'j' slides along z; a planar system slides in x and y only"):
        s.prismatic("j", s.ground, body["tip"], axis="z")
    with refused("torsional spring 'k'|'k' turns about .*; a planar system turns about z only"):
        s.torsional_spring("k", head=body, axis="x", stiffness=1.0)
    with refused("'k' acts along .*; a planar system moves in x and y only"):
        s.spring("k", s.ground, body, axis="z", stiffness=1.0)
    with refused("'d' moves along .*; a planar system moves in x and y only"):
        s.motion("d", head=body, displacement=0.1, axis="z")
    s.motion("d", head=body["tip"], displacement=[0.1, fx.ramp(1.0), 0.0])


def test_loads_across_the_plane():
    s, body = pendulum(planar=True)
    with refused(r"gravity is \[0.0, 0.0, -9.81\] m/s²; in a planar system it has x and y only"):
        s.gravity([0, 0, -9.81])
    with refused("'f' has a component z; in a planar system it has in-plane components x and y"):
        s.force("f", body["tip"], [1.0, 0.0, 2.0])
    with refused("'f' has a component z"):
        s.force("f", body["tip"], [1.0, 0.0, fx.ramp(1.0)], follows=True)
    with refused("'m' has a component x; in a planar system it has the component z only"):
        s.torque("m", body, [1.0, 0.0, 0.0])
    s.force("f", body["tip"], [1.0, 2.0])
    s.torque("m", body, [0.0, 0.0, 1.0])
    s.gravity([0, -9.81, 0])


def test_tilted_bodies_and_frames_of_a_planar_system():
    s, body = pendulum(planar=True)
    with refused("rotation of body 'b' tilts the z axis; a planar system turns about z only"):
        s.rigid_body("b", 1.0, 1.0, rotation=fx.rotation("x", 0.5))
    tilted = body.frame("tilted", [0, 0, 0], fx.rotation("y", 1.0))
    with refused("frame 'bob.tilted' tilts the z axis"):
        s.revolute("j", s.ground, tilted)


def test_flexible_bodies_that_leave_the_plane():
    s = fx.System("s", planar=True)
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    rod = fx.beam_body(1.0, 2, steel, fx.rectangle(0.01, 0.01), direction=(0, 0, 1), frames={"root": 0})
    with refused("flexible body 'r' leaves the plane: its nodes reach z = 1 m; .* lie at z = 0"):
        s.flexible_body("r", rod, support=fx.Clamped("root"), modes=1)
    panel = fx.panel_body((1.0, 1.0), (2, 2), fx.ShellSection.uniform(0.01, steel))
    with refused("flexible body 'p' has shells, .*; a planar system takes beams"):
        s.flexible_body("p", panel, support=fx.Clamped(0), modes=1)


def test_virtual_joints_that_are_none():
    s, body = pendulum()
    with refused("virtual joint 'v' can be like .*, not 'weld'"):
        s.virtual("v", "weld", s.ground, body)


# -- drivers -----------------------------------------------------------------------------------


def test_a_driver_fighting_a_driver():
    s, body = pendulum()
    s.motion("one", joint="pin", angle=fx.ramp(1.0))
    with refused("motion driver 'two' fights 'one': both drive the same motion of 'bob.pivot'"):
        s.motion("two", joint="pin", angle=fx.ramp(2.0))
    s.motion("lift", head=body["tip"], axis="z", displacement=1.0)
    with refused("motion driver 'lift2' fights 'lift'"):
        s.motion("lift2", head=body["tip"], axis=(0, 1, 1), displacement=2.0)


@pytest.mark.parametrize("wanted", [{"angle": 0.3}, {"rate": 2.0}])
def test_a_start_beside_a_motion_names_the_motion(wanted):
    s, _ = pendulum()
    s.motion("motor", joint="pin", angle=fx.ramp(1.0))
    s.start("pin", **wanted)
    with pytest.raises(fx.AssemblyError, match=r"of joint 'pin' cannot be met: .* the motion 'motor' says"):
        fx.formulate(s)


def test_a_start_across_a_motion_of_another_freedom_does_not_blame_it():
    """A cylinder is driven along its axis; the angle it is to start at is kept from by a second joint."""
    s = fx.System("s")
    body = s.rigid_body("body", 1.0, [1.0, 1.0, 1.0])
    s.cylindrical("c", s.ground, body, axis="z")
    s.prismatic("p", s.ground, body, axis="z")
    s.motion("lift", joint="c", displacement=fx.ramp(1.0))
    s.start("c", angle=0.3)
    with pytest.raises(fx.AssemblyError, match="start value of joint 'c' cannot be met: the loops"):
        fx.formulate(s)


@pytest.mark.parametrize(("start", "what"), [(0.3, "motions"), (0.22955210727813158, "rates")])
def test_drivers_that_fight_through_the_mechanism(start, what):
    """Two drivers on one degree of freedom: where they ask for, or how fast, the loop does not allow."""
    system = build("leger_a04_slider_crank")
    system.starts.clear()
    system.motion("crank", joint="h8", angle=fx.ramp(1.0, start=1.0))
    system.motion("slide", joint="s11", displacement=fx.ramp(5.0, start=start))
    told = f"the {what} of drivers 'crank' and 'slide' together cannot be met: the loops do not allow it"
    with pytest.raises(fx.AssemblyError, match=told):
        fx.formulate(system)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs either an angle or a displacement"),
        ({"joint": "pin", "angle": 1.0, "displacement": 1.0}, "needs either an angle or a displacement"),
        ({"angle": 1.0}, "needs a joint or a head frame"),
        ({"joint": "pin", "displacement": 1.0}, "joint 'pin' has no translation to drive"),
        ({"joint": "ball", "angle": 1.0}, "joint 'ball' has no single angle to drive"),
        ({"joint": "pin", "angle": "fast"}, "angle is .fast.; expected a TimeFunction or .* a finite number"),
    ],
)
def test_drivers_that_are_none(arguments, message):
    s, body = pendulum()
    other = s.rigid_body("other", 1.0, [1, 1, 1])
    s.spherical("ball", body["tip"], other)
    with refused(message):
        s.motion("drive", **arguments)


def test_start_values_need_a_coordinate():
    s = fx.System("s")
    body = s.rigid_body("b", 1.0, [1, 1, 1])
    s.cylindrical("c", s.ground, body)
    with refused("must say which of displacement, angle it means"):
        s.start("c", rate=1.0)
    with refused("a rate needs one coordinate at a time"):
        s.start("c", rate=1.0, displacement=0.0, angle=0.0)


# -- trees -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        ({"translation": ["h8", "h9", "h10", "s11"]}, "tree closes a loop: s11, "),
        ({"translation": ["h8", "h9"]}, "tree does not reach node"),
        ({"rotation": ["h8", "h9", "h99"]}, "no edge is called 'h99'"),
        ({"translation": ["h8", "h9", "h8@m1.r4"]}, "dependent virtual work edge .* cannot be a branch"),
        ({"tree": "minimal"}, "tree choice is one of joint, absolute"),
    ],
)
def test_trees_that_are_none(trees, message):
    with refused(message, fx.GraphError):
        fx.formulate(build("leger_a04_slider_crank"), **trees)


def test_independent_coordinates_that_are_not():
    equations = fx.formulate(build("leger_a04_slider_crank"), "joint")
    with refused("no velocity is called 'h8'; there are h8.angle"):
        fx.embed(equations, equations.initial, ["h8"])
    with refused("1 independent coordinates are needed, got 2"):
        fx.embed(equations, equations.initial, ["h8.angle", "s11.displacement"])


def test_a_freedom_without_mass_is_named_singular():
    s = fx.System("ghost")
    body = s.massless_body("ghost")
    s.revolute("pin", s.ground, body)
    equations = fx.formulate(s, "joint")
    with refused("the equations of 'ghost' are singular: a freedom without mass or a dead point"):
        equations.motion(equations.initial)


def test_every_message_is_one_sentence():
    """A sample of messages: no line breaks, no trailing full stop, names in quotes."""
    s, body = pendulum()
    for call in (
        lambda: s.revolute("pin", s.ground, body),
        lambda: s.rigid_body("b", -1.0, [1, 1, 1]),
        lambda: body["x"],
    ):
        with pytest.raises(fx.FlexnetError) as told:
            call()
        message = str(told.value)
        assert "\n" not in message
        assert not message.endswith(".")
        assert "'" in message


def test_a_flexible_body_is_made_from_a_body_or_a_table():
    with refused(r"flexible_body\('r'\): body is 'beam.msh'; expected a Body or a FlexTable"):
        fx.System("s").flexible_body("r", "beam.msh")
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    rod = fx.beam_body(1.0, 2, steel, fx.rectangle(0.01, 0.01))
    with refused("flexible body 'r' of a planar system needs support=Clamped"):
        fx.System("s", planar=True).flexible_body("r", rod)
    with refused(r"flexible_body\('r'\): modes is 2.5; expected a whole number"):
        fx.System("s").flexible_body("r", rod, modes=2.5)


def test_words_where_numbers_belong_are_named():
    s, body = pendulum()
    with refused(r"rigid_body\('c'\): mass is '1 kg'; expected a finite number"):
        s.rigid_body("c", "1 kg", [1, 1, 1])
    with refused(r"force\('f'\): force is 1.0; expected a list"):
        s.force("f", body, 1.0)
    with refused("torque 'm': no joint is called 'X'"):
        s.torque("m", torque=1.0, joint="X")
    with refused(r"start\('pin'\): angle is nan; expected a finite number"):
        s.start("pin", angle=math.nan)
    with refused("start of joint 'pin' gives neither a value nor a rate"):
        s.start("pin")
    with pytest.raises(fx.FlexnetError, match=r"method is 'hht'; expected a Method .*call it: fx.hht\(\)"):
        fx.simulate(s, 1.0, 0.1, method="hht")
    with pytest.raises(fx.FlexnetError, match=r"a step of 1 s: longer than the run, which ends at 0.1 s"):
        fx.simulate(s, 0.1, 1.0)
    with pytest.raises(fx.FlexnetError, match="the end of a run must not be negative"):
        fx.simulate(s, -1.0, 0.1)


def test_a_frame_of_another_system_is_named():
    one, two = fx.System("one"), fx.System("two")
    a, b = (s.rigid_body("b", 1.0, [1, 1, 1]) for s in (one, two))
    with refused("'Q' ends at a frame of 'b', which is not in system 'one'"):
        one.revolute("Q", a, b)


@pytest.mark.parametrize("angle", [lambda t: math.nan, lambda t: "late", lambda t: 1 / (t - t)])
def test_a_motion_that_gives_no_number_is_named(angle):
    s = fx.System("pendulum", planar=True)
    bob = s.rigid_body("bob", 1.0, 0.1, {"O": [0, 1.0]})
    s.revolute("O", s.ground, bob["O"])
    s.motion("drive", joint="O", angle=angle)
    with pytest.raises(fx.ModelError, match="the law of 'drive' gave a value that is not a number"):
        fx.formulate(s)


def test_an_end_before_the_start_is_refused():
    """It was one row and no step, in silence: whoever goes on from a run may take the end for a duration."""
    s = fx.System("pendulum", planar=True)
    s.revolute("O", s.ground, s.rigid_body("bob", 1.0, 0.1, {"O": [0, 1.0]})["O"])
    first = fx.simulate(s, 0.1, 1e-2)
    with pytest.raises(fx.ModelError, match=r"0\.05 s, lies before its start at 0\.1 s: it is a time"):
        fx.simulate(s, 0.05, 1e-2, start=first.state())
    assert len(fx.simulate(s, 0.1, 1e-2, start=first.state()).time) == 1


def test_the_coordinate_a_joint_does_not_have_is_refused_with_the_one_it_has():
    s = fx.System("trolley", planar=True)
    s.prismatic("rail", s.ground, s.rigid_body("cart", 1.0, 0.1), axis="x")
    with pytest.raises(
        fx.ModelError, match=r"'rail', which has displacement: write joint_coordinate\('rail'"
    ):
        s.channel("x", fx.joint_coordinate("rail"), "m")
    with pytest.raises(fx.ModelError, match=r"write joint_rate\('rail', 'displacement'\)"):
        s.force("brake", s.bodies["cart"], [-1.0 * fx.quantity(1.0, "N*s") * fx.joint_rate("rail"), 0.0])
    with pytest.raises(fx.ModelError, match=r"slides by is joint_coordinate\(…, \"displacement\"\)"):
        fx.known(fx.ramp(rate=1.0), "m") - fx.joint_coordinate("rail")
    s.channel("x", fx.joint_coordinate("rail", "displacement"), "mm")


def test_a_channel_refuses_a_unit_that_measures_something_else():
    s = fx.System("pendulum", planar=True)
    bob = s.rigid_body("bob", 1.0, 0.1, {"O": [0, 1.0]})
    s.revolute("O", s.ground, bob["O"])
    with pytest.raises(fx.ModelError, match="unit 'rad' cannot be converted to 'mm'; it is recorded in rad"):
        s.channel("x", fx.joint_coordinate("O"), "mm")
    with pytest.raises(fx.ModelError, match="unknown unit 'furlong'"):
        s.channel("x", fx.position(bob, "x"), "furlong")


def test_a_channel_records_in_the_unit_it_names():
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81])
    bob = s.rigid_body("bob", 1.0, 0.1, {"O": [0, 1.0]}, position=[0, -1.0])
    s.revolute("O", s.ground, bob["O"])
    s.start("O", angle=1.0)
    s.channel("radians", fx.joint_coordinate("O"), "rad")
    s.channel("degrees", fx.joint_coordinate("O"), "deg")
    s.channel("metres", fx.position(bob, "y"))
    s.channel("millimetres", fx.position(bob, "y"), "mm")
    run = fx.simulate(s, 0.1, 1e-2)
    np.testing.assert_allclose(run.channel("degrees"), np.rad2deg(run.channel("radians")), rtol=1e-14)
    np.testing.assert_allclose(run.channel("millimetres"), 1e3 * run.channel("metres"), rtol=1e-14)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"angular_velocity": [1.0, 0.0]},
            "angular velocity of body 'a' is [1.0, 0.0]; a planar body turns about z",
        ),
        ({"angular_velocity": [1.0, 0.0, 2.0]}, "a planar body turns about z: give one number"),
        ({"velocity": [1.0, 0.0, 2.0]}, "velocity of body 'a' is [1.0, 0.0, 2.0] m/s; in a planar system"),
    ],
)
def test_a_planar_body_begins_in_its_plane(given, said):
    """What it has across the plane was dropped in silence."""
    with pytest.raises(fx.ModelError, match=re.escape(said)):
        fx.System("s", planar=True).rigid_body("a", 1.0, 1.0, **given)


def test_a_planar_body_turns_by_one_number():
    s = fx.System("s", planar=True)
    a, b = (s.rigid_body(n, 1.0, 1.0, angular_velocity=w) for n, w in (("a", 3.0), ("b", [0.0, 0.0, 3.0])))
    assert a.angular_velocity.tolist() == b.angular_velocity.tolist() == [0.0, 0.0, 3.0]
    with pytest.raises(fx.ModelError, match="three finite numbers"):
        fx.System("s").rigid_body("a", 1.0, [1.0, 1.0, 1.0], angular_velocity=3.0)
