"""With the right model and start, the computed torque alone makes joints follow their functions of time."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError

END = 1.0
#: in rad or m: value and rate at the start are not zero
WANTED = {"shoulder": fx.harmonic(0.6, 3.0, 0.4), "elbow": fx.harmonic(-0.8, 4.0, 0.2, 0.3)}
#: value and rate at the start
BEGUN = {
    "shoulder": (0.6 * np.sin(0.4), 1.8 * np.cos(0.4)),
    "elbow": (0.3 - 0.8 * np.sin(0.2), -3.2 * np.cos(0.2)),
}


def arm(modes: int | None = None) -> fx.System:
    """Two links in their weight; where a number of modes is given, the second is a beam."""
    s = fx.System("arm", planar=True)
    s.gravity([0, -9.81, 0])
    upper = s.rigid_body("upper", 2.0, 0.05, {"O": [-0.25, 0], "A": [0.25, 0]}, position=[0.25, 0])
    if modes is None:
        lower = s.rigid_body("lower", 1.0, 0.02, {"start": [-0.2, 0]}, position=[0.7, 0])
    else:
        steel, bar = fx.Material(E=7e10, nu=0.33, rho=2700.0), fx.rectangle(0.01, 0.02)
        beam = fx.beam_body(0.5, 2, steel, bar)
        lower = s.flexible_body("lower", beam, support=fx.Clamped("start"), modes=modes, position=[0.5, 0, 0])
    s.revolute("shoulder", s.ground, upper["O"])
    s.revolute("elbow", upper["A"], lower["start"])
    for joint, (angle, rate) in BEGUN.items():
        s.start(joint, angle=angle, rate=rate)
    return s


def slide_on_an_arm() -> fx.System:
    """A slide in a boom that turns about an axis through space, in its weight."""
    s = fx.System("slide on an arm")
    s.gravity([1.0, 2.0, -9.0])
    boom = s.rigid_body("boom", 3.0, [0.1, 0.2, 0.3], {"A": [0.3, 0.1, 0.0]}, position=[0.2, 0, 0])
    load = s.rigid_body("load", 1.0, [0.02, 0.03, 0.04], position=[0.5, 0.1, 0.0])
    s.ground.frame("O", [0.0, 0.0, 0.0])
    s.revolute("shoulder", s.ground["O"], boom, axis=[0.0, 0.6, 0.8])
    s.prismatic("elbow", boom["A"], load, axis=[0.8, 0.0, 0.6])
    s.start("shoulder", angle=BEGUN["shoulder"][0], rate=BEGUN["shoulder"][1])
    s.start("elbow", displacement=BEGUN["elbow"][0], rate=BEGUN["elbow"][1])
    return s


def strayed(make, step: float, method=None, every: float = 1e-2, model=None, tree="default") -> float:
    """Largest error of a joint that nothing but its computed torque moves."""
    s = make()
    torques = fx.computed_torque((model or make)(), WANTED, END, every)
    for joint, torque in torques.items():
        s.actuator(f"{joint} motor", joint, torque)
        is_angle = torque.dimension == fx.quantity(1.0, "N*m").dimension
        coordinate = "angle" if is_angle else "displacement"
        s.channel(joint, fx.known(WANTED[joint]) - fx.joint_coordinate(joint, coordinate))
    run = fx.simulate(s, END, step, method, tree, interval=0.1)
    return max(np.abs(run.channel(joint)).max() for joint in WANTED)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("make", [arm, slide_on_an_arm])
def test_the_feed_forward_alone_follows_to_the_order_of_the_method(make, tree):
    errors = [strayed(make, h, fx.generalised_alpha(), 2e-3, tree=tree) for h in (1e-2, 5e-3, 2.5e-3)]
    assert np.log2(errors[0] / errors[-1]) / 2 > 1.9
    assert strayed(make, 1e-2, fx.dop853(), 2e-3, tree=tree) < 1e-8


def test_between_its_values_the_feed_forward_errs_with_the_fourth_power_of_their_distance():
    errors = [strayed(arm, 1e-2, fx.dop853(), h) for h in (0.1, 0.05, 0.025)]
    assert np.log2(errors[0] / errors[-1]) / 2 > 3.8


def test_the_torques_of_a_two_link_arm_are_those_of_the_textbook():
    s = arm()
    for joint, torque in fx.computed_torque(arm(), WANTED, END, 2e-3).items():
        s.channel(joint, torque)
    run = fx.simulate(s, END, 0.05)
    t = run.t
    a = 0.6 * np.sin(3 * t + 0.4), 0.3 - 0.8 * np.sin(4 * t + 0.2)
    w = 1.8 * np.cos(3 * t + 0.4), -3.2 * np.cos(4 * t + 0.2)
    e = -5.4 * np.sin(3 * t + 0.4), 12.8 * np.sin(4 * t + 0.2)
    # Spong, Hutchinson and Vidyasagar (2006), section 7.4: planar elbow manipulator
    m1, m2, I1, I2, L, c1, c2, g = 2.0, 1.0, 0.05, 0.02, 0.5, 0.25, 0.2, 9.81
    d12 = m2 * (c2**2 + L * c2 * np.cos(a[1])) + I2
    d11 = m1 * c1**2 + m2 * (L**2 + c2**2 + 2 * L * c2 * np.cos(a[1])) + I1 + I2
    h = -m2 * L * c2 * np.sin(a[1])
    far = m2 * c2 * g * np.cos(a[0] + a[1])
    near = (m1 * c1 + m2 * L) * g * np.cos(a[0])
    first = d11 * e[0] + d12 * e[1] + 2 * h * w[0] * w[1] + h * w[1] ** 2 + near + far
    second = d12 * e[0] + (m2 * c2**2 + I2) * e[1] - h * w[0] ** 2 + far
    assert run.channel("shoulder") == pytest.approx(first, abs=1e-8)
    assert run.channel("elbow") == pytest.approx(second, abs=1e-8)


def test_a_beam_without_shapes_follows_and_one_that_bends_needs_the_whole_model():
    def bending() -> fx.System:
        return arm(1)

    def stiff() -> fx.System:
        return arm(0)

    assert strayed(stiff, 1e-2, fx.dop853(), 2e-3) < 1e-8
    whole, finer = (strayed(bending, h, every=h) for h in (1e-3, 1.25e-4))
    assert np.log2(whole / finer) / 3 > 1.9
    assert whole < 0.1 * strayed(bending, 1e-3, model=stiff)


def test_one_torque_makes_a_closed_mechanism_follow():
    def four_bar() -> fx.System:
        s = fx.System("four_bar", planar=True)
        s.gravity([0, -9.81, 0])
        s.ground.frame("C", [0.6, 0.0])
        crank = s.rigid_body("crank", 1.0, 0.01, {"O": [-0.1, 0], "A": [0.1, 0]}, position=[0.1, 0])
        B = np.array([0.4, np.sqrt(0.45**2 - 0.2**2)])
        angle = [np.arctan2(B[1], 0.2), np.arctan2(B[1], -0.2)]
        links = [
            s.rigid_body(
                name, 1.0, 0.02, {"start": [-0.225, 0], "end": [0.225, 0]},
                position=[*(np.array(start) + B) / 2, 0.0], rotation=fx.rotation("z", turned),
            )
            for name, start, turned in zip(("coupler", "rocker"), ([0.2, 0], [0.6, 0]), angle, strict=True)
        ]  # fmt: skip
        s.revolute("O", s.ground, crank["O"])
        s.revolute("A", crank["A"], links[0]["start"])
        s.revolute("B", links[0]["end"], links[1]["end"])
        s.revolute("C", s.ground["C"], links[1]["start"])
        return s

    crank, s = fx.smooth_step(0.0, 2.0, 1.0), four_bar()
    s.actuator("motor", "O", fx.computed_torque(four_bar(), {"O": crank}, 1.0, 1e-3)["O"])
    s.channel("error", fx.known(crank) - fx.joint_coordinate("O"))
    how = ((2e-3, None), (1e-3, None), (1e-2, fx.dop853()))
    coarse, fine, exact = (
        np.abs(fx.simulate(s, 1.0, h, method, interval=0.1).channel("error")).max() for h, method in how
    )
    assert np.log2(coarse / fine) > 1.9
    assert exact < 1e-8


def test_the_last_torque_is_held_after_the_end():
    def pendulum() -> fx.System:
        s = fx.System("pendulum", planar=True)
        s.gravity([0, -9.81, 0])
        bob = s.rigid_body("bob", 2.0, 0.1, {"O": [0, 1.0]}, position=[0, -1.0])
        s.revolute("O", s.ground, bob["O"])
        return s

    s = pendulum()
    s.channel("torque", fx.computed_torque(pendulum(), {"O": fx.smooth_step(0.0, 0.5, 0.2)}, 0.2, 0.01)["O"])
    run = fx.simulate(s, 0.5, 0.05)
    assert run.channel("torque")[4:] == pytest.approx(2.0 * 9.81 * np.sin(0.5), rel=1e-9)


def test_what_cannot_be_followed_is_refused():
    angle = fx.joint_coordinate("elbow")
    for wanted, words in (
        ({}, "none is given"),
        ({"shoulder": angle}, "no known function of time"),
        ({"shoulder": fx.known(fx.ramp(1.0)).rate}, "no known function of time"),
        ({"wrist": 0.0}, "computed torque of 'wrist': no joint is called 'wrist'"),
    ):
        with pytest.raises(ModelError, match=words):
            fx.computed_torque(arm(), wanted, END, 0.1)
    with pytest.raises(ModelError, match=r"from 0 to 1.0 s has no steps of 2.0 s"):
        fx.computed_torque(arm(), WANTED, END, 2.0)
    s = arm()
    s.actuator("motor", "shoulder", fx.pid(0.1 - angle, 1.0, 1.0, unit="N*m", name="loop"))
    with pytest.raises(ModelError, match="loop"):
        fx.computed_torque(s, WANTED, END, 0.1)
    s = arm()
    s.event("stop", angle - 1.0, fx.stop())
    with pytest.raises(ModelError, match="has the event 'stop'"):
        fx.computed_torque(s, WANTED, END, 0.1)
