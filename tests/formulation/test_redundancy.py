"""Redundant constraints: found, dropped, named; what remains unique is compared."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation.redundancy import independent_rows
from tests.catalogue import NAMES, TREES, build, is_held_by_joints
from tests.sampling import answer, random_pair, random_poses


def test_rows_of_round_off_are_not_independent():
    """All rows may be zero up to round-off; then none is kept, whatever their ratio."""
    assert not independent_rows(np.array([[1e-16, -2e-16], [3e-17, 0.0]])).any()


def test_the_first_of_two_equal_rows_is_kept():
    G = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 1e-3], [1.0, 2.0, 1e-3]])
    assert independent_rows(G).tolist() == [True, False, True, False]


def test_a_four_bar_of_spatial_pins_reports_its_three_redundant_constraints_by_joint_and_direction():
    equations = fx.formulate(build("leger_a01_four_bar", planar=False), "joint")
    assert set(equations.redundant) == {"h13: force z", "h13: torque x", "h13: torque y"}
    assert (equations.n_v, equations.m) == (3, 2)


@pytest.mark.parametrize("tree", TREES)
def test_three_constraints_are_redundant_whatever_the_tree(tree):
    equations = fx.formulate(build("leger_a01_four_bar", planar=False), tree)
    _, G = equations.mass_and_jacobian(equations.initial.q, 0.0)
    assert np.linalg.matrix_rank(G) == equations.m
    assert equations.n_v - equations.m == 1
    if tree == "absolute":
        assert len(equations.redundant) == 3


@pytest.mark.parametrize("seed", range(4))
def test_its_accelerations_and_in_plane_loads_equal_those_of_the_planar_system(seed):
    """Out of the plane nothing determines how the pins share a load, and that is what they say."""
    rng = np.random.default_rng(seed)
    planar, spatial = build("leger_a01_four_bar"), build("leger_a01_four_bar", planar=False)
    poses = random_poses(planar, rng)
    reference = fx.formulate(planar, "absolute", poses=poses)
    expected = answer(reference, reference.initial)
    choices = [(tree, None, None) for tree in TREES]
    choices += [("default", *random_pair(spatial, rng)) for _ in range(5)]
    for tree, T, R in choices:
        equations = fx.formulate(spatial, tree, T, R, poses=poses)
        found = answer(equations, equations.initial)
        assert max(expected.distance(found).values()) < 1e-9
        assert np.isnan(found.forces[:, 2]).all()
        assert np.isnan(found.torques[:, :2]).all()
        assert np.abs(found.torques[:, 2]).max() < 1e-8


def test_with_a_sideways_force_only_the_remaining_directions_are_unique():
    """A force along z is shared between the pins in a way the rigid model cannot tell.

    Accelerations and in-plane forces are the same for every tree; out-of-plane loads are not determined;
    shared between the pins, they balance the sideways force.
    """
    system = build("leger_a01_four_bar", planar=False)
    system.force("sideways", system.bodies["m2"], [0.0, 0.0, 7.0])
    answers, shared = [], []
    for tree in TREES:
        equations = fx.formulate(system, tree)
        answers.append(answer(equations, equations.initial))
        shared.append(fx.reactions(equations, equations.initial, shared=True))
    for found, loads in zip(answers, shared, strict=True):
        assert np.allclose(found.linear, answers[0].linear, atol=1e-10)
        assert np.allclose(found.forces[:, :2], answers[0].forces[:, :2], atol=1e-10)
        assert loads["h11"].force[2] + loads["h14"].force[2] == pytest.approx(-7.0, abs=1e-9)


# what floats is held in the plane by no joint
HELD_IN_PLANE = [n for n in NAMES if (s := build(n)).is_planar and not s._floating and is_held_by_joints(s)]


@pytest.mark.sweep(7)
@pytest.mark.parametrize("name", HELD_IN_PLANE)
def test_every_planar_case_made_of_spatial_joints_moves_the_same(name):
    """Three redundant constraints a loop, whatever the trees; loads and motion are the planar ones.

    A virtual joint that is a branch already holds its body in the plane, so more rows are redundant.
    """
    rng = np.random.default_rng(3)
    planar, spatial = build(name), build(name)
    spatial.is_planar = False  # the same parts with their spatial terminal equations
    poses = random_poses(planar, rng)
    reference = fx.formulate(planar, "absolute", poses=poses)
    expected = answer(reference, reference.initial)
    joints = sum(part.kind is fx.Kind.JOINT for part in spatial.components.values())
    loops = joints - len(spatial.bodies)
    choices = [(tree, None, None) for tree in TREES]
    choices += [("default", *random_pair(spatial, rng)) for _ in range(4)]
    for tree, T, R in choices:
        equations = fx.formulate(spatial, tree, T, R, poses=poses)
        assert equations.n_v - equations.m == reference.n_v - reference.m
        branches = (*equations.T.branches, *equations.R.branches)
        if any(b.edge.kind is fx.Kind.VIRTUAL for b in branches):
            assert len(equations.redundant) >= 3 * loops
        else:
            assert len(equations.redundant) == 3 * loops
        assert max(expected.distance(answer(equations, equations.initial)).values()) < 1e-9


@pytest.mark.parametrize("N", [2, 4])
def test_n_windows_of_spatial_pins_have_three_redundant_constraints_each(N):
    """At the start all rods are parallel: the position must not be taken for one with more."""
    equations = fx.formulate(build("n_four_bar", N=N, planar=False), "absolute")
    assert len(equations.redundant) == 3 * N
    assert equations.n_v - equations.m == 1


def test_redundancy_found_in_a_singular_position_is_checked_at_a_second_one():
    """A parallelogram lying flat has a second freedom only there."""
    system = build("n_four_bar", N=1)
    system.starts.clear()
    system.start("A0", angle=-np.pi / 2, rate=0.0)
    for rod in ("rod0", "rod1"):
        system.bodies[rod].rotation = fx.rotation("z", -np.pi / 2)
        system.bodies[rod].position = np.add(system.bodies[rod].position, [0.5, -0.5, 0])
    system.bodies["bar0"].position = np.array([1.5, 0.0, 0.0])
    equations = fx.formulate(system, "joint")
    assert equations.redundant == ()


def test_a_spatial_mechanism_that_moves_in_a_plane_says_so(caplog):
    with caplog.at_level("INFO", logger="flexnet"):
        fx.formulate(build("leger_a01_four_bar", planar=False))
    assert "planar=True" in caplog.text
    caplog.clear()
    with caplog.at_level("INFO", logger="flexnet"):
        fx.formulate(build("leger_a06_spatial_slider_crank"))
    assert "planar=True" not in caplog.text


def test_a_loop_that_cannot_close_is_named_with_its_gap():
    """Rocker and coupler of 2 m cannot reach a pivot 9 m away: 9 - 1 - 2 - 2 = 4 m are missing."""
    s = fx.System("too_far", planar=True)
    s.ground.add_frames({"far": [9.0, 0.0]})
    crank = s.rigid_body("crank", 1.0, 1.0, {"a": [-0.5, 0], "b": [0.5, 0]}, position=[0.5, 0])
    coupler = s.rigid_body("coupler", 1.0, 1.0, {"a": [-1, 0], "b": [1, 0]}, position=[2, 0.5])
    rocker = s.rigid_body("rocker", 1.0, 1.0, {"a": [-1, 0], "b": [1, 0]}, position=[5, 0.5])
    s.revolute("O", s.ground, crank["a"])
    s.revolute("A", crank["b"], coupler["a"])
    s.revolute("B", coupler["b"], rocker["a"])
    s.revolute("C", rocker["b"], s.ground["far"])
    with pytest.raises(fx.AssemblyError) as told:
        fx.formulate(s)
    message = str(told.value)
    assert message.startswith("the loop ")
    for name in ("O", "A", "B", "C"):
        assert name in message.split(" cannot close")[0].removeprefix("the loop ").split(" - ")
    gap = float(message.split("open by ")[1].split(" ")[0])
    assert 0.5 < gap < 4.1


def test_start_values_that_a_closed_loop_does_not_allow_are_named():
    system = build("leger_a04_slider_crank")
    system.start("s11", displacement=5.0)
    with pytest.raises(
        fx.AssemblyError, match="start values of joints 'h8' and 's11' together cannot be met"
    ):
        fx.assemble(system)


def test_a_single_start_value_out_of_reach_is_named():
    system = build("leger_a04_slider_crank")
    system.starts.clear()
    system.start("s11", displacement=5.0)
    with pytest.raises(fx.AssemblyError, match="start value of joint 's11' cannot be met"):
        fx.assemble(system)


def test_start_rates_that_a_closed_loop_does_not_allow_are_named():
    system = build("leger_a04_slider_crank")
    system.start("s11", rate=3.0)
    with pytest.raises(fx.AssemblyError, match="start rates of joints 'h8' and 's11' together cannot be met"):
        fx.assemble(system)


@pytest.mark.parametrize("order", [("ball", "plane"), ("plane", "ball")])
@pytest.mark.parametrize("tree", ["absolute", "joint", "gtm"])
def test_of_rows_that_say_the_same_the_one_goes_that_the_others_hold_best(tree, order):
    """A pendulum on a ball joint, kept in its plane by a second joint.

    That its end is in the plane follows from the ball and from two rows of torque, one with a share of sin θ:
    left out, it was hardly held any more when the pendulum came by its lowest position, where the constraints
    had a condition of 1e4.
    """
    s = fx.System("pendulum")
    s.gravity([0.0, -9.81, 0.0])
    angle, R = 0.3, fx.rotation("x", 0.3)
    end = {"O": [0.0, 0.5, 0.0]}
    link = s.rigid_body("link", 1.0, [0.02, 0.01, 0.02], end, position=R @ [0.0, -0.5, 0.0], rotation=R)
    for joint in order:
        if joint == "ball":
            s.spherical("ball", s.ground, link["O"])
        else:
            s.planar("plane", s.ground, link, axis="x")
    s.channel("angle", fx.angle(link, "x"))
    run = fx.simulate(s, 0.6, 1e-2, fx.radau(), tree, tolerance=1e-7)
    assert len(run.equations.redundant) == 1
    assert run.condition.max() < 20
    rate = np.gradient(run.channel("angle"), run.t)
    energy = 0.5 * 0.27 * rate**2 - 9.81 * 0.5 * np.cos(run.channel("angle"))
    assert energy[2:-2] == pytest.approx(-9.81 * 0.5 * np.cos(angle), abs=1e-3)
    assert run.channel("angle").min() < -0.1
