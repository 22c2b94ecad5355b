"""No orientation is singular: bodies and joints turned anyhow, and by exactly π about many axes."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from tests.formulation.chains import chain, random_inertia, random_rotation
from tests.formulation.test_derivatives import check_derivatives
from tests.formulation.test_tree_invariance import check_trees
from tests.sampling import answer

AXES = [np.array(a) for a in np.ndindex(3, 3, 3) if any(np.array(a) != 1)]
AXES = [(a - 1) / np.linalg.norm(a - 1) for a in AXES]
ANGLES = (np.pi, -np.pi, np.pi - 1e-9, np.pi + 1e-7, np.pi / 2, 2 * np.pi, 3.0, 0.0)


def half_turn(axis):
    """Rotation by exactly π: 2 a aᵀ - 1."""
    return 2 * np.outer(axis, axis) - np.eye(3)


def top(R, joint="spherical", seed=0):
    """A body on a ball, or free, in the orientation R."""
    rng = np.random.default_rng(seed)
    s = fx.System("top")
    s.gravity([0.5, -0.2, -9.81])
    foot = np.array([0.3, -0.7, 0.2])
    tilt = random_rotation(rng)
    body = s.rigid_body(
        "body", 1.3, random_inertia(rng), {"foot": (foot, tilt)}, position=-R @ foot, rotation=R,
        velocity=np.cross([1.0, 2.0, -3.0], -R @ foot), angular_velocity=[1.0, 2.0, -3.0],
    )  # fmt: skip
    getattr(s, joint)("joint", s.ground, body["foot"])
    return s


@pytest.mark.sweep(20)
@pytest.mark.parametrize("joint", ["spherical", "free"])
@pytest.mark.parametrize("axis", AXES)
def test_a_body_turned_by_pi_is_a_state_like_any_other(axis, joint):
    R = half_turn(axis)
    system = top(R, joint)
    answers = []
    for tree in ("joint", "absolute", "absolute_angular"):
        equations = fx.formulate(system, tree)
        poses = equations.poses(equations.initial)
        assert np.allclose(poses.R[1], R, atol=1e-14)
        assert np.allclose(poses.omega[1], [1, 2, -3], atol=1e-13)
        check_derivatives(equations, np.random.default_rng(0))
        answers.append(answer(equations, equations.initial))
    for found in answers:
        assert max(answers[0].distance(found).values()) < 1e-9


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("angle", ANGLES)
def test_any_axis_any_angle(angle, seed):
    R = fx.rotation(np.random.default_rng(seed).standard_normal(3), angle)
    answers = []
    for tree in ("joint", "absolute"):
        equations = fx.formulate(top(R, seed=seed), tree)
        poses = equations.poses(equations.initial)
        assert np.allclose(poses.R[1], R, atol=1e-13)
        answers.append(answer(equations, equations.initial))
    assert max(answers[0].distance(answers[1]).values()) < 1e-9


def test_the_motion_of_a_turned_body_turns_with_it():
    """Without gravity the angular acceleration in the body frame does not depend on the orientation."""
    local = None
    for axis in AXES:
        R = half_turn(axis)
        system = top(R, "free")
        system.gravity([0, 0, 0])
        system.bodies["body"].angular_velocity = R @ [0.5, -1.0, 2.0]
        system.bodies["body"].velocity = np.zeros(3)
        equations = fx.formulate(system, "joint")
        found = R.T @ answer(equations, equations.initial).angular[1]
        local = found if local is None else local
        assert np.allclose(found, local, atol=1e-13)


@pytest.mark.parametrize("axis", AXES[:13])
def test_compose_goes_through_a_whole_turn_and_back(axis):
    """Composing q ⊕ h ω is exact: n steps of 2π/n about a fixed axis come back to the start."""
    equations = fx.formulate(top(np.eye(3), "free"), "joint")
    k = [i for i, name in enumerate(equations.coordinates.v_names) if "omega" in name]
    q, v = equations.initial.q, np.zeros(equations.n_v)
    v[k] = axis
    for i in range(1, 13):
        q = equations.compose(q, v * 2 * np.pi / 12)
        R = equations.poses(State(0.0, q, v)).R[1]
        start = equations.poses(State(0.0, equations.initial.q, v)).R[1]
        tilt = equations.system.bodies["body"]["foot"].rotation
        turn = tilt @ fx.rotation(axis, i * 2 * np.pi / 12) @ tilt.T
        assert np.allclose(R, start @ turn, atol=1e-13)
    assert np.allclose(np.abs(q), np.abs(equations.initial.q), atol=1e-13)


@pytest.mark.parametrize("alpha", [0.0, np.pi / 2, np.pi, -np.pi / 2])
@pytest.mark.parametrize("beta", [0.0, np.pi / 2, np.pi, -np.pi / 2])
def test_a_universal_joint_has_no_singular_state(alpha, beta):
    """Even with the two shafts in line or folded back on one another."""
    system = chain(["universal", "spherical"], seed=31)
    system.start("universal0", alpha=alpha)
    system.start("universal0", beta=beta)
    poses = fx.assemble(system)
    answers = []
    for tree in ("joint", "absolute", "absolute_angular"):
        equations = fx.formulate(system, tree, poses=poses)
        check_derivatives(equations, np.random.default_rng(1))
        answers.append(answer(equations, equations.initial))
        if tree == "joint":
            found = equations.initial.q[:2]
            assert np.allclose(np.exp(1j * found), np.exp(1j * np.array([alpha, beta])), atol=1e-9)
    for found in answers:
        assert max(answers[0].distance(found).values()) < 1e-10


@pytest.mark.parametrize("joint", ["weld", "prismatic", "translational"])
@pytest.mark.parametrize("axis", AXES[:13])
def test_assembly_finds_the_way_from_a_guess_that_is_half_a_turn_off(axis, joint):
    system = chain([joint], seed=32)
    body = system.bodies["body0"]
    wanted = body.rotation.copy()
    body.rotation = half_turn(axis) @ wanted
    assert np.allclose(fx.assemble(system).R[1], wanted, atol=1e-9)


@pytest.mark.parametrize("joint", ["revolute", "cylindrical", "planar", "pin_in_slot"])
def test_a_joint_whose_axes_came_together_opposed_is_refused(joint):
    """A pin pointing the wrong way satisfies every row but is not a rotation about the axis."""
    system = chain([joint], seed=33)
    part = system.components[f"{joint}0"]
    body = system.bodies["body0"]
    axis = part.axis
    normal = np.cross(axis, [0.3, 0.5, 0.7])
    flip = fx.rotation(normal, np.pi)
    body.rotation = system.ground.frames["b"].rotation @ flip @ part.head.rotation.T
    body.position = system.ground.frames["b"].position - body.rotation @ part.head.position
    with pytest.raises(fx.AssemblyError, match=f"'{joint}0'.*opposed"):
        fx.assemble(system)


@pytest.mark.parametrize("seed", range(6))
def test_trees_agree_for_chains_turned_far(seed):
    system = chain(["spherical", "universal", "free", "spherical"], seed=seed)
    assert check_trees(system, np.random.default_rng(seed), pairs=8, travel=2.0 + seed) < 1e-9
