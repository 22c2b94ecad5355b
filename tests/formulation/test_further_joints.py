"""Screw, gears, rack, constant velocity, rod, curve and surface: what mechanics says in closed form."""

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.components.curve import spline
from flexnet.errors import ModelError
from tests.formulation.chains import FURTHER, chain
from tests.sampling import random_poses

x, y, z, phi = sp.symbols("x y z phi")
G = 9.81


def bead(kind, planar=False, at=(0.3, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), **shape):
    """A small body whose centre a joint to the ground holds."""
    s = fx.System(kind, planar=planar)
    s.gravity([0, -G] if planar else [0, -G, 0])
    inertia = 0.1 if planar else [0.1, 0.1, 0.1]
    body = s.rigid_body("bead", 2.0, inertia, position=at, velocity=velocity)
    getattr(s, kind)("j", s.ground, body, **shape)
    return s


def acceleration(s, tree="joint"):
    """Acceleration (3,) of the bead's centre, and its state."""
    e = fx.formulate(s, tree)
    poses = e.poses(e.initial)
    a = e.motion(e.initial).a
    e.residual(e.initial, a, np.zeros(e.m))
    return e.work.a[e.packer.node["bead"]].copy(), poses, e


@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular"])
def test_a_nut_falls_as_if_it_had_the_mass_m_plus_j_over_the_square_of_its_advance(tree):
    s = fx.System("nut")
    s.gravity([0, 0, -G])
    nut = s.rigid_body("nut", 3.0, [0.2, 0.2, 0.04])
    s.screw("thread", s.ground, nut, pitch=0.5)
    s.start("thread", angle=20.0, rate=3.0)
    e = fx.formulate(s, tree)
    h = 0.5 / (2 * np.pi)
    a = e.motion(e.initial).a
    e.residual(e.initial, a, np.zeros(e.m))
    node = e.packer.node["nut"]
    assert e.work.a[node, 2] == pytest.approx(-3.0 * G / (3.0 + 0.04 / h**2), rel=1e-12)
    assert e.work.p[node, 2] == pytest.approx(20.0 * h, rel=1e-12)
    assert e.work.v[node, 2] == pytest.approx(3.0 * h, rel=1e-12)
    load = fx.reactions(e, e.initial)["thread"]
    assert load.torque[2] == pytest.approx(-h * load.force[2], rel=1e-12)  # an ideal thread
    assert load.torque[2] == pytest.approx(0.04 * e.work.omega_dot[1, 2], rel=1e-12)


def test_a_screw_counts_its_turns_along_a_run_as_coordinate_or_by_its_row():
    s = fx.System("lift")
    s.gravity([0, 0, -G])
    nut = s.rigid_body("nut", 1.0, [0.01, 0.01, 0.02])
    s.screw("thread", s.ground, nut, pitch=-0.2)
    s.start("thread", angle=0.0)
    h = -0.2 / (2 * np.pi)
    wanted = -0.5 * G / (1.0 + 0.02 / h**2) * 4.0
    step = 2e-3
    # what round-off of the angle is as a torque through an acceleration δ/βh²
    noise = 2e-15 * abs(wanted / h) / (0.25 * step**2) * 0.02
    for pair in ((["thread"], ["thread"]), (["nut"], ["thread"]), (["nut"], ["nut"])):
        run = fx.simulate(fx.formulate(s, "default", *pair), 2.0, step=step, interval=0.5)
        assert run["frames/nut/position"][-1, 2] == pytest.approx(wanted, rel=1e-6), pair
        assert np.abs(run["joints/thread/torque"][:, :2]).max() < 10 * noise, pair
    assert abs(wanted / h) > 2 * np.pi  # more than one turn


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_gear_train_has_the_inertia_of_its_wheels_times_the_squares_of_their_ratios(tree):
    s = fx.System("train")
    J, wheels = (0.2, 0.5, 0.3), []
    for i in range(3):
        wheel = s.rigid_body(f"w{i}", 1.0, [0.4, 0.4, J[i]], position=[i, 0, 0])
        s.revolute(f"j{i}", s.ground.frame(f"c{i}", [i, 0, 0]), wheel)
        wheels.append(wheel)
    s.gear_pair("g1", "j0", "j1", ratio=-0.5)
    s.gear_pair("g2", "j1", "j2", ratio=-3.0, phase=0.4)
    s.torque("drive", wheels[0], [0, 0, 2.0])
    s.start("j0", angle=9.0, rate=1.0)
    e = fx.formulate(s, tree)
    alpha = 2.0 / (J[0] + 0.25 * J[1] + 2.25 * J[2])
    a, w = e.motion(e.initial).a, e.poses(e.initial).omega[:, 2]
    e.residual(e.initial, a, np.zeros(e.m))
    assert e.work.omega_dot[1:, 2] == pytest.approx(alpha * np.array([1.0, -0.5, 1.5]), rel=1e-11)
    assert w[1:] == pytest.approx([1.0, -0.5, 1.5], rel=1e-11)
    loads = fx.reactions(e, e.initial)
    assert loads["g2"].torque[2] == pytest.approx(J[2] * 1.5 * alpha, rel=1e-10)
    assert loads["g1"].torque[2] - -3.0 * loads["g2"].torque[2] == pytest.approx(
        -0.5 * J[1] * alpha, rel=1e-10
    )
    angles = [np.arctan2(R[1, 0], R[0, 0]) for R in e.poses(e.initial).R[1:]]
    assert np.cos(np.array(angles) - [9.0, -4.5, 13.9]) == pytest.approx(np.ones(3), abs=1e-12)


def test_a_planet_turns_as_willis_says():
    """Sun fixed, carrier turning by w: the planet turns by (1 + N_sun/N_planet) w."""
    s = fx.System("planet", planar=True)
    carrier = s.rigid_body("carrier", 1.0, 0.1, frames={"pin": [1.0, 0.0]})
    planet = s.rigid_body("planet", 1.0, 0.1, position=[1.0, 0.0])
    sun = s.rigid_body("sun", 1.0, 0.1)
    s.revolute("arm", s.ground, carrier)
    s.revolute("pin", carrier["pin"], planet)
    s.revolute("shaft", carrier, sun)
    s.weld("fixed", s.ground, sun)
    s.gear_pair("mesh", "shaft", "pin", ratio=-2.0)
    s.motion("drive", joint="arm", angle=fx.ramp(3.0))
    for tree in ("joint", "absolute"):
        e = fx.formulate(s, tree)
        index = e.packer.bodies.index("planet")
        assert e.poses(e.initial).omega[index, 2] == pytest.approx(9.0, rel=1e-10)


@pytest.mark.parametrize("planar", [False, True])
def test_a_pinion_feels_its_rack_as_mass_times_the_square_of_its_radius(planar):
    s = fx.System("rack", planar=planar)
    pinion = s.rigid_body("pinion", 1.0, 0.2 if planar else [0.2, 0.2, 0.2])
    rack = s.rigid_body("rack", 4.0, 0.2 if planar else [0.2, 0.2, 0.2], position=[0, -0.3, 0])
    s.revolute("axle", s.ground, pinion)
    s.prismatic("guide", s.ground.frame("rail", [0, -0.3, 0]), rack, axis="x")
    s.rack_pair("teeth", "axle", "guide", radius=0.3)
    s.torque("drive", pinion, 1.5)
    for tree in ("joint", "absolute"):
        e = fx.formulate(s, tree)
        a = e.motion(e.initial).a
        e.residual(e.initial, a, np.zeros(e.m))
        alpha = 1.5 / (0.2 + 4.0 * 0.09)
        assert e.work.a[e.packer.node["rack"], 0] == pytest.approx(0.3 * alpha, rel=1e-12)
        assert fx.reactions(e, e.initial)["teeth"].force[0] == pytest.approx(4.0 * 0.3 * alpha, rel=1e-12)


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5, -1.9])
def test_shafts_of_a_constant_velocity_joint_turn_alike_however_they_are_bent(angle):
    s = fx.System("drive")
    bend = fx.rotation("x", 0.6)
    one = s.rigid_body("one", 1.0, [0.1, 0.1, 0.1])
    two = s.rigid_body("two", 1.0, [0.1, 0.1, 0.1], rotation=bend)
    s.revolute("in", s.ground, one)
    s.revolute("out", s.ground.frame("tilted", [0, 0, 0], bend), two)
    s.constant_velocity("cv", one, two)
    s.start("in", angle=angle, rate=2.0)
    e = fx.formulate(s, "joint")
    values = dict(zip(e.coordinates.q_names, e.initial.q, strict=True))
    rates = dict(zip(e.coordinates.v_names, e.initial.v, strict=True))
    assert np.cos(values["out.angle"] - values["in.angle"]) == pytest.approx(1.0, abs=1e-14)
    assert rates["out.angle"] == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_mass_on_a_rod_is_a_spherical_pendulum(tree):
    at, v = np.array([0.6, -1.0, 0.3]), np.array([0.2, 0.5, -1.0])
    s = bead("distance_rod", at=at, velocity=v, length=float(np.linalg.norm(at)))
    a, poses, e = acceleration(s, tree)
    d, v, g = poses.p[1], poses.v[1], np.array([0, -G, 0])
    assert d @ v == pytest.approx(0.0, abs=1e-12)
    pull = (v @ v + g @ d) / (d @ d)
    assert a == pytest.approx(g - pull * d, rel=1e-11)
    assert fx.reactions(e, e.initial)["j"].force == pytest.approx(-2.0 * pull * d, rel=1e-11)


def test_a_rod_that_shortens_does_work():
    s = bead("distance_rod", at=[0.0, -1.0, 0.0], length=fx.polynomial(1.0, -0.3))
    run = fx.simulate(s, 0.5, step=1e-3, interval=0.1)
    assert run["frames/bead/position"][-1, 1] == pytest.approx(-0.85, abs=1e-8)
    assert np.diff(run["energy/potential"][[0, -1]])[0] == pytest.approx(2.0 * G * 0.15, rel=1e-6)


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("points", [False, True])
def test_a_bead_on_a_parabola_moves_as_its_equation_says(planar, points):
    """(1 + y'²) ẍ + y' y'' ẋ² + g y' = 0; a spline through points of a parabola is the parabola."""
    k = np.linspace(-1, 1, 9)
    shape = np.column_stack([k, 1.5 * k**2]) if points else 1.5 * x**2
    s = bead("point_on_curve", planar, (0.4, 0.24, 0.0), (1.0, 1.2, 0.0), y=shape)
    a, poses, e = acceleration(s, "absolute")
    X, V = poses.p[1], poses.v[1]
    slope, curvature = 3.0 * X[0], 3.0
    assert X[1] == pytest.approx(1.5 * X[0] ** 2, abs=1e-12)
    assert V[1] == pytest.approx(slope * V[0], abs=1e-12)
    wanted = -(slope * curvature * V[0] ** 2 + G * slope) / (1 + slope**2)
    assert a[0] == pytest.approx(wanted, rel=1e-9)
    assert a[1] == pytest.approx(slope * wanted + curvature * V[0] ** 2, rel=1e-9)
    force = fx.reactions(e, e.initial)["j"].force
    assert force @ [1.0, slope, 0.0] == pytest.approx(0.0, abs=1e-9)  # no friction


def test_a_bead_keeps_its_energy():
    s = bead("point_on_curve", at=(0.4, 0.24, 0.0), y=1.5 * x**2)
    runs = [fx.simulate(s, 1.0, step=h, interval=0.05) for h in (2e-3, 1e-3)]
    lost = [np.ptp(run["energy/total"]) for run in runs]
    assert lost[1] < 1e-4 * np.ptp(runs[1]["energy/kinetic"])
    assert lost[0] / lost[1] > 3.0  # but for the error of the method, of second order


def test_a_round_cam_is_a_circle_whether_by_points_or_by_expression():
    """A roller on an eccentric circle of radius r, eccentricity e: ρ = e cos φ + √(r² - e² sin² φ)."""
    eccentric = 0.2 * sp.cos(phi) + sp.sqrt(1 - 0.04 * sp.sin(phi) ** 2)
    angles = np.linspace(-np.pi, np.pi, 121)
    points = [(float(t), float(eccentric.subs(phi, t))) for t in angles]
    for radius in (eccentric, points):
        s = fx.System("cam", planar=True)
        s.gravity([0, -G])
        cam = s.rigid_body("cam", 1.0, 0.1)
        follower = s.rigid_body("follower", 1.0, 0.1, position=[0.0, 1.0])
        s.revolute("shaft", s.ground, cam)
        s.prismatic("guide", s.ground, follower, axis="y")
        s.point_on_curve("contact", cam, follower, radius=radius)
        s.motion("drive", joint="shaft", angle=fx.polynomial(0.9, 2.0))
        e = fx.formulate(s, "joint")
        centre = 0.2 * np.array([np.cos(0.9), np.sin(0.9)])
        height = centre[1] + np.sqrt(1 - centre[0] ** 2)
        found = e.poses(e.initial).p[e.packer.bodies.index("follower")]
        assert found[1] == pytest.approx(height, rel=1e-6)


@pytest.mark.parametrize("by", ["expression", "points"])
def test_a_point_in_a_bowl_is_a_spherical_pendulum(by):
    r = np.linspace(0.0, 1.2, 61)
    shape = np.column_stack([r, -np.sqrt(4.0 - r**2)]) if by == "points" else x**2 + y**2 + z**2 - 4
    s = fx.System("bowl")
    s.gravity([0, 0, -G])
    at = np.array([0.8, 0.3, -np.sqrt(4 - 0.73)])
    body = s.rigid_body("bead", 2.0, [0.1, 0.1, 0.1], position=at, velocity=[0.3, -0.8, 0.0])
    s.point_on_surface("j", s.ground, body, surface=shape)
    a, poses, _ = acceleration(s, "absolute")
    d, v, g = poses.p[1], poses.v[1], np.array([0, 0, -G])
    assert np.linalg.norm(d) == pytest.approx(2.0, abs=1e-6)
    assert a == pytest.approx(g - (v @ v + g @ d) / (d @ d) * d, rel=1e-3 if by == "points" else 1e-10)


@pytest.mark.parametrize("joint", FURTHER)
def test_an_ideal_joint_does_no_work(joint):
    """F·(v_B - v_A - ω_A × d) + T·(ω_B - ω_A) = 0 of its load on its head, in every tree."""
    s = chain([joint, "spherical"], seed=11)
    rng = np.random.default_rng(11)
    poses = random_poses(s, rng)
    part = s.components[f"{joint}0"]
    powers = []
    for tree in ("joint", "absolute"):
        e = fx.formulate(s, tree, poses=poses)
        load = fx.reactions(e, e.initial)[part.name]
        e.poses(e.initial)
        tail, head = e.packer.node[part.tail.name], e.packer.node[part.head.name]
        w_A, w_B = (e.work.omega[e.packer.body_index(f)] for f in (part.tail, part.head))
        d, v = e.work.p[head] - e.work.p[tail], e.work.v[head] - e.work.v[tail]
        parts = load.force @ (v - np.cross(w_A, d)), load.torque @ (w_B - w_A)
        powers.append(abs(sum(parts)) / (np.abs(parts).max() + np.linalg.norm(load.force)))
    assert max(powers) < 1e-9


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda s, b: s.screw("j", s.ground, b, pitch=0.0), "screw 'j' has a pitch of 0.0 m"),
        (lambda s, b: s.distance_rod("j", s.ground, b, length=-1.0), "distance rod 'j' has length -1.0 m"),
        (lambda s, b: s.point_on_curve("j", s.ground, b), "'j' needs either y or a radius"),
        (
            lambda s, b: s.point_on_curve("j", s.ground, b, y=z),
            "may contain x only, not z",
        ),
        (lambda s, b: s.point_on_curve("j", s.ground, b, y=[[0, 1], [0, 2], [1, 3]]), "ascending"),
        (
            lambda s, b: s.point_on_curve("j", s.ground, b, y="steep"),
            "y is 'steep'; expected a finite number",
        ),
        (
            lambda s, b: s.point_on_surface("j", s.ground, b, surface=float("nan")),
            "surface is nan; expected a finite number",
        ),
        (lambda s, b: s.gear_pair("g", "p", "p", ratio=0.0), "gear pair 'g' has a ratio of 0.0"),
        (lambda s, b: s.gear_pair("g", "p", "q", ratio=1.0), "gear pair 'g': no joint is called 'q'"),
        (lambda s, b: s.rack_pair("r", "p", "p", radius=1.0), "joint 'p' has no single displacement"),
    ],
)
def test_joints_that_are_none_are_refused(build, sentence):
    s = fx.System("none")
    body = s.rigid_body("b", 1.0, [1.0, 1.0, 1.0])
    s.revolute("p", s.ground, body)
    with pytest.raises(ModelError, match=sentence):
        build(s, body)


@pytest.mark.parametrize("joint", FURTHER)
def test_grueblers_count_knows_the_conditions_of_a_joint(joint):
    e = fx.formulate(chain([joint, "revolute"], seed=2), "absolute")
    assert fx.report(e).gruebler == e.n_v - e.m


def test_a_constant_velocity_joint_has_no_planar_form():
    s = fx.System("flat", planar=True)
    with pytest.raises(ModelError, match="joint 'cv' has no planar form"):
        s.constant_velocity("cv", s.ground, s.rigid_body("b", 1.0, 1.0))


def test_a_closed_spline_is_smooth_across_its_ends():
    from flexnet.algebra import forward, symbol

    rng = np.random.default_rng(2)
    made = spline(np.column_stack([np.linspace(-3.0, 2.9, 12), rng.uniform(1, 2, 12)]), "radius", True)
    t = symbol("t")
    values = []
    for order in range(3):
        value = made.shape(made.numbers, t)
        for _ in range(order):
            (value,) = forward([value], {t: 1})
        from flexnet.algebra import substituted

        values.append([float(substituted([value], {t: end})[0]) for end in (-np.pi, np.pi)])
    assert np.ptp(values, axis=1) == pytest.approx(np.zeros(3), abs=1e-10)
