"""Contact, stops, cables and clutches against closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import flexnet as fx
from flexnet.checks.component import _Law, _mechanism, _random_state
from flexnet.errors import ModelError
from flexnet.formulation.traced_law import trace
from tests.catalogue import load
from tests.components.elements import ELEMENTS

RADIUS, MASS = 0.1, 2.0
TOUCHING = [es[0] for name, es in ELEMENTS.items() if name.endswith(("Contact", "Stop", "Cable", "Clutch"))]


@pytest.mark.parametrize("element", TOUCHING, ids=lambda e: type(e).__name__)
def test_what_is_checked_in_a_mechanism_touches_there(element):
    equations = fx.formulate(_mechanism(element, False), "joint")
    equations.residual(equations.initial, np.zeros(equations.n_v), np.zeros(equations.m))
    assert equations.work.loads[0].any()


# -- shapes ------------------------------------------------------------------------------------


def _box(d, half):
    nearest = np.clip(d, -half, half)
    return np.linalg.norm(d - nearest) if np.any(nearest != d) else -(half - np.abs(d)).min()


def _can(d, size, length):
    return _box(np.array([np.hypot(d[0], d[1]), d[2], 0.0]), np.array([size, length / 2, 1e9]))


@pytest.mark.parametrize("hollow", [False, True])
def test_depth_is_the_distance_from_the_shape(hollow):
    rng, r, half = np.random.default_rng(3), 0.2, np.array([0.7, 0.5, 0.4])
    s = fx.System("shapes")
    body = s.rigid_body("b", 1.0, np.eye(3))
    given = {"stiffness": 2.0, "radius": r, "hollow": hollow}
    fit = r if hollow else 0.0
    shapes = {
        s.sphere_contact("sphere", s.ground, body, size=0.6, **given): lambda d: (
            np.linalg.norm(d) - 0.6 + fit
        ),
        s.cylinder_contact("tube", s.ground, body, size=0.5, **given): (
            lambda d: np.hypot(d[0], d[1]) - 0.5 + fit
        ),
        s.cylinder_contact("can", s.ground, body, size=0.5, length=0.9, **given): (
            lambda d: _can(d, 0.5 - fit, 0.9 - 2 * fit)
        ),
        s.box_contact("box", s.ground, body, size=2 * half, **given): lambda d: _box(d, half - fit),
    }
    for contact, distance in shapes.items():
        law = _Law(trace(contact))
        for _ in range(40):
            state = _random_state(contact, rng)
            state.x[:] = 0.0
            state.R[:] = np.eye(3)
            state.x[1] = rng.uniform(-0.8, 0.8, 3)
            depth = distance(state.x[1]) if hollow else r - distance(state.x[1])
            assert law("potential", state)[0] == pytest.approx(max(depth, 0.0) ** 2, rel=1e-12, abs=1e-15)


# -- one blow ----------------------------------------------------------------------------------


def thrown(speed=1.0, height=1e-4, gravity=0.0, slope=0.0, velocity=0.0, **contact):
    """A ball above the plane y = 0, on its way down."""
    s = fx.System("ball", planar=True)
    s.gravity([gravity * math.sin(slope), -gravity * math.cos(slope), 0.0])
    J = 0.4 * MASS * RADIUS**2
    ball = s.rigid_body("ball", MASS, J, position=[0, RADIUS + height], velocity=[velocity, -speed])
    s.floats(ball)
    s.plane_contact("floor", s.ground, ball, axis="y", radius=RADIUS, **contact)
    for axis in "xy":
        s.channel(axis, fx.position(ball, axis), "m", "")
        s.channel(f"v{axis}", fx.velocity(ball, axis), "m/s", "")
    s.channel("omega", fx.angular_velocity(ball, "z"), "rad/s", "")
    return s


def contact_time(run):
    t, y = run.time, run.channel("y") - RADIUS
    i = np.flatnonzero(np.diff(np.sign(y)))
    assert len(i) == 2
    first, last = t[i] - y[i] * (t[i + 1] - t[i]) / (y[i + 1] - y[i])
    return last - first


#: a whole blow of k δ^n lasts 2 δ_max/v ∫₀¹ dx/√(1 - x^(n+1))
LASTS = {1.0: math.pi, 1.5: 2.943275}


@pytest.mark.parametrize("method", [fx.generalised_alpha(0.8), fx.energy_preserving()], ids=lambda m: m.name)
@pytest.mark.parametrize(("exponent", "stiffness"), [(1.0, 1e6), (1.5, 1e8)])
def test_a_blow_lasts_as_long_as_hertz_says_with_order_two(exponent, stiffness, method):
    deepest = ((exponent + 1) * MASS / (2 * stiffness)) ** (1 / (exponent + 1))
    lasts = LASTS[exponent] * deepest
    system = fx.formulate(thrown(stiffness=stiffness, exponent=exponent))
    errors = []
    for steps in (25, 100):
        run = fx.simulate(system, 2 * lasts, step=lasts / steps, method=method)
        errors.append(abs(contact_time(run) / lasts - 1))
        assert run.channel("vy")[-1] == pytest.approx(
            1.0, abs=1e-4 if method.name != "energy_preserving" else 1e-12
        )
    assert errors[1] < 1.5e-4
    assert errors[0] / errors[1] > 8


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_the_speed_left_by_hunt_and_crossley_is_that_of_the_closed_form(exponent):
    """From m v dv/(1 + c v) = -k δⁿ dδ: over a blow c v₀ (1 + e) = log((1 + c v₀)/(1 - c e v₀)), any n."""
    c = 0.4
    e = brentq(lambda e: c * (1 + e) - math.log((1 + c) / (1 - c * e)), 0.1, 0.99)
    run = fx.simulate(thrown(stiffness=1e6, exponent=exponent, damping=c), 0.03, step=5e-6, interval=1e-3)
    assert run.channel("vy")[-1] == pytest.approx(e, rel=1e-5)
    lost = MASS * (1 - e**2) / 2
    audit = fx.audit(run)
    assert np.abs(audit.balance).max() < 1e-4 * lost
    assert audit.works["damping"][-1] == pytest.approx(-lost, rel=1e-4)


# -- friction ----------------------------------------------------------------------------------

MU, G = 0.3, 9.81


def test_a_block_on_an_incline_slides_or_creeps_as_the_law_says():
    for slope in (0.2, 0.5):
        s = fx.System("block", planar=True)
        s.gravity([G * math.sin(slope), -G * math.cos(slope), 0.0])
        block = s.rigid_body("block", MASS, 0.01)
        s.translational("upright", s.ground, block)
        depth = MASS * G * math.cos(slope) / 1e6
        s.start("upright", y=-depth)
        s.plane_contact("floor", s.ground, block, 1e6, axis="y", friction=MU, slip_speed=1e-3)
        s.channel("v", fx.velocity(block, "x"), "m/s", "")
        v = fx.simulate(s, 1.0, step=1e-2).channel("v")
        if math.tan(slope) < MU:
            ratio = math.tan(slope) / MU
            assert v[-1] == pytest.approx(1e-3 * ratio / math.sqrt(1 - ratio**2), rel=1e-6)
        else:
            assert 2 * (v[100] - v[50]) == pytest.approx(
                G * (math.sin(slope) - MU * math.cos(slope)), rel=1e-5
            )


def test_a_ball_that_slips_ends_up_rolling_at_five_sevenths_of_its_speed():
    """The angular momentum about the line of contact is kept, whatever the friction does.

    That line is in the middle of the overlap: v r' + 2/5 r² ω = v₀ r' and v = -ω r' with r' = r - δ/2.
    """
    s = thrown(
        speed=0.0,
        height=-MASS * G / 1e6,
        gravity=G,
        velocity=1.0,
        stiffness=1e6,
        friction=MU,
        slip_speed=1e-3,
    )
    run = fx.simulate(s, 0.5, step=1e-3)
    lever = RADIUS - 0.5 * MASS * G / 1e6
    v = 1 / (1 + 0.4 * (RADIUS / lever) ** 2)
    assert v == pytest.approx(5 / 7, rel=1e-4)
    assert run.channel("vx")[-1] == pytest.approx(v, rel=1e-9)
    assert run.channel("omega")[-1] == pytest.approx(-v / lever, rel=1e-9)
    slips = 2 / (7 * MU * G)  # until then, v = v₀ - μ g t
    early = run.time < 0.9 * slips
    assert np.allclose(run.channel("vx")[early], 1 - MU * G * run.time[early], atol=1e-4)


def blow(head_first):
    """Two balls of unlike sizes that meet askew, one of them spinning; rates of both after a deep blow."""
    s = fx.System("blow")
    balls = []
    for name, r, x, v, w in (("small", 0.08, -0.2, 1.5, 20.0), ("large", 0.12, 0.05, -0.5, 0.0)):
        ball = s.rigid_body(
            name, 1.0 + r, [0.004 + r / 100] * 3, position=[x, 0.3 * x, 0.0], velocity=[v, 0.1 * v, 0.0],
            angular_velocity=[0.0, 0.3 * w, w],
        )  # fmt: skip
        balls.append(s.floats(ball) or ball)
    sizes = [0.08, 0.12]
    if head_first:
        balls, sizes = balls[::-1], sizes[::-1]
    s.sphere_contact(
        "touch", balls[0], balls[1], stiffness=2e3, size=sizes[0], radius=sizes[1], damping=0.1,
        friction=0.4, slip_speed=1e-3,
    )  # fmt: skip
    state = fx.simulate(s, 0.2, 1e-4, tree="absolute").state()
    depth_of = {name: k for k, name in enumerate(state.bodies)}
    return np.concatenate([[state.omega[depth_of[n]], state.v[depth_of[n]]] for n in ("small", "large")])


def test_it_makes_no_difference_which_of_two_balls_is_the_head():
    """Friction acts in the middle of the overlap; spins differed by 1.8 % where it acted on one ball."""
    one, other = blow(False), blow(True)
    assert np.abs(one[0] - [0.0, 6.0, 20.0]).max() > 1.0
    assert np.abs(one - other).max() < 1e-9 * np.abs(one).max()


def test_a_coulomb_oscillator_loses_four_mu_n_over_k_a_cycle():
    k, x0 = 200.0, 0.1
    s = fx.System("oscillator", planar=True)
    s.gravity([0.0, -G, 0.0])
    block = s.rigid_body("block", MASS, 0.01, position=[x0, 0.0])
    s.translational("upright", s.ground, block)
    s.start("upright", x=x0, y=-MASS * G / 1e6)
    s.plane_contact("floor", s.ground, block, 1e6, axis="y", friction=0.02, slip_speed=1e-5)
    s.spring("k", s.ground, block, k, axis="x")
    s.channel("x", fx.position(block, "x"), "m", "")
    run = fx.simulate(s, 2.8, step=2e-3)
    x = run.channel("x")
    peaks = [x0, *(x[i] for i in range(1, len(x) - 1) if x[i - 1] < x[i] >= x[i + 1])]
    assert len(peaks) == 5
    assert np.diff(peaks) == pytest.approx(-4 * 0.02 * MASS * G / k, rel=2e-2)


# -- rows of balls -----------------------------------------------------------------------------


def test_newtons_cradle_with_gaps_hands_the_whole_speed_on():
    s = fx.System("cradle", planar=True)
    balls = []
    for i in range(5):
        gap = 0.01 * i
        ball = s.rigid_body(
            f"b{i}", MASS, 0.01, position=[2 * RADIUS * i + gap, 0.0], velocity=[1.0 * (i == 0), 0]
        )
        s.prismatic(f"rail{i}", s.ground.frame(f"R{i}", [2 * RADIUS * i + gap, 0.0]), ball, axis="x")
        s.start(f"rail{i}", rate=1.0 * (i == 0))
        s.channel(f"v{i}", fx.velocity(ball, "x"), "m/s", "")
        if i:
            s.sphere_contact(f"c{i}", balls[-1], ball, 1e6, size=RADIUS, radius=RADIUS)
        balls.append(ball)
    run = fx.simulate(s, 0.06, step=1e-5, method=fx.energy_preserving(), interval=1e-3)
    assert [run.channel(f"v{i}")[-1] for i in range(5)] == pytest.approx([0, 0, 0, 0, 1], abs=5e-6)


# -- cases -------------------------------------------------------------------------------------


def test_the_roller_leaves_the_cam_at_the_speed_of_the_closed_form():
    case = load("cam_follower")

    def gap(speed):
        run = fx.simulate(case.build(speed=speed), case.END, step=case.STEP, interval=1e-4)
        apart = np.hypot(run.channel("cam_x"), run.channel("lift") - run.channel("cam_y")) - case.L
        return apart[run.time > 0.1].max()

    assert gap(0.96 * case.LIFT_OFF) < 0.0
    assert gap(1.02 * case.LIFT_OFF) > 1e-4


def test_a_loose_pin_stays_in_its_hole_and_the_slider_near_its_ideal_place():
    case = load("pin_clearance")
    run = fx.simulate(case.build(), case.END, step=case.STEP, interval=1e-4)
    away = np.hypot(run.channel("slider") - run.channel("hole_x"), run.channel("hole_y"))
    assert away.max() < 1.05 * 5e-4
    assert np.mean(away < 0.99 * 5e-4) > 0.02  # it flies across
    assert np.abs(run.channel("slider") - case.ideal(run.time)).max() < 1.2 * 5e-4
    blows = np.abs(run.channel("slider_acceleration")).max()
    assert blows > 4 * case.CRANK * 52.36**2 * (1 + case.CRANK / case.ROD)  # beside the largest without play
    assert np.abs(fx.audit(run).balance).max() < 1e-4 * run["energy/kinetic"].max()


# -- stops, cables, clutches -------------------------------------------------------------------


def test_an_end_stop_turns_a_pendulum_back_and_a_cable_catches_a_weight():
    s = fx.System("stop", planar=True)
    arm = s.rigid_body("arm", 1.0, 0.5)
    s.revolute("O", s.ground, arm)
    s.start("O", rate=2.0)
    s.end_stop("stop", "O", -0.2, 0.3, stiffness=2e4, damping=0.0)
    s.channel("angle", fx.joint_coordinate("O"), "rad", "")
    run = fx.simulate(s, 1.0, step=1e-3, method=fx.energy_preserving())
    over = 2.0 * math.sqrt(0.5 / 2e4)  # ½ J ω² = ½ k δ²
    angle = run.channel("angle")
    assert angle.max() == pytest.approx(0.3 + over, rel=1e-3)
    assert angle.min() == pytest.approx(-0.2 - over, rel=1e-3)

    s = fx.System("weight", planar=True)
    s.gravity([0.0, -G, 0.0])
    weight = s.rigid_body("weight", MASS, 0.01, position=[0.0, -0.1])
    s.floats(weight)
    s.cable("rope", s.ground, weight, length=0.5, stiffness=1e4)
    s.channel("y", fx.position(weight, "y"), "m", "")
    run = fx.simulate(s, 1.0, step=5e-4, method=fx.energy_preserving())
    weight_stretch = MASS * G / 1e4  # ½ k δ² = m g (0.4 + δ)
    deepest = weight_stretch + math.sqrt(weight_stretch**2 + 2 * weight_stretch * 0.4)
    assert run.channel("y").min() == pytest.approx(-0.5 - deepest, rel=1e-5)
    assert run.channel("y")[-1] > -0.5


def test_a_one_way_clutch_lets_a_wheel_run_on_and_holds_it_back():
    def speed(torque):
        s = fx.System("clutch", planar=True)
        wheel = s.rigid_body("wheel", 1.0, 0.5)
        s.revolute("O", s.ground, wheel)
        s.start("O", rate=1.0)
        s.torque("load", wheel, [0.0, 0.0, torque])
        s.one_way_clutch("clutch", "O", capacity=10.0, slip_speed=1e-3)
        s.channel("rate", fx.joint_rate("O"), "rad/s", "")
        return fx.simulate(s, 1.0, step=1e-3).channel("rate")[-1]

    assert speed(3.0) == pytest.approx(1.0 + 3.0 / 0.5, rel=1e-9)
    held = 5.0 / 10.0  # w/√(w² + s²)
    assert speed(-5.0) == pytest.approx(-1e-3 * held / math.sqrt(1 - held**2), rel=1e-6)


WRONG = {
    "stiffness 0": {"stiffness": 0.0}, "damping -1": {"stiffness": 1.0, "damping": -1.0},
    "exponent 0.5": {"stiffness": 1.0, "exponent": 0.5}, "radius -1": {"stiffness": 1.0, "radius": -1.0},
    "friction -0.1": {"stiffness": 1.0, "friction": -0.1},
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_a_contact_that_would_pull_or_push_forwards_is_refused(words):
    s = fx.System("wrong")
    body = s.rigid_body("b", 1.0, np.eye(3))
    name, value = words.rsplit(" ", 1)
    with pytest.raises(ModelError, match=f"contact 'c' has the {name} {value}"):
        s.plane_contact("c", s.ground, body, **WRONG[words])
    with pytest.raises(ModelError, match="does not fit"):
        s.box_contact("c", s.ground, body, 1.0, size=[1, 1, 1], radius=0.6, hollow=True)
    with pytest.raises(ModelError, match="contact 'c' has friction and the slip speed 0 m/s"):
        s.plane_contact("c", s.ground, body, 1.0, friction=0.1)
    s.spherical("ball", s.ground, body)
    with pytest.raises(ModelError, match="no single coordinate"):
        s.end_stop("c", "ball", 0.0, 1.0, stiffness=1.0)
