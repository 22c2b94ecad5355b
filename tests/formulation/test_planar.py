"""A planar System is the in-plane part of the spatial one: same motion, same in-plane loads."""

import numpy as np
import pytest

import flexnet as fx
from tests.formulation.test_tree_invariance import check_trees
from tests.sampling import answer, random_poses

JOINTS = {
    "revolute": {"axis": "z"},
    "prismatic": {"axis": (1.0, 0.5, 0.0)},
    "pin_in_slot": {"axis": "z", "slot": (1.0, -2.0, 0.0)},
    "planar": {"axis": "z"},
    "weld": {},
}
ONLY_PLANAR = {"spherical": {}, "translational": {}, "free": {}, "cylindrical": {"axis": "z"}}
#: unknowns (translation, rotation) and constraints of each joint in the plane
SPACES = {
    "revolute": (0, 1, 2), "prismatic": (1, 0, 2), "pin_in_slot": (1, 1, 1), "planar": (2, 1, 0),
    "weld": (0, 0, 3), "spherical": (0, 1, 2), "translational": (2, 0, 1), "free": (2, 1, 0),
    "cylindrical": (0, 1, 2),
}  # fmt: skip


def turn(rng):
    return fx.rotation("z", rng.uniform(-3, 3))


def chain(names, seed, planar=True):
    """Bodies in series in the xy plane, with gravity, a spring, a force and a torque."""
    rng = np.random.default_rng(seed)
    s = fx.System("chain", planar=planar)
    s.gravity([1.0, -9.81, 0.0])
    last = s.ground.frame("b", [*rng.uniform(-0.5, 0.5, 2), 0], turn(rng))
    R, p = last.rotation, last.position
    for i, name in enumerate(names):
        arm, twist = np.array([*rng.uniform(-0.5, 0.5, 2), 0]), turn(rng)
        points = {"a": (arm, twist), "b": ([*rng.uniform(-0.5, 0.5, 2), 0], turn(rng))}
        R_body = R @ twist.T
        body = s.rigid_body(
            f"body{i}", rng.uniform(0.5, 2), np.array([0.5, 0.6, 0.8]) * rng.uniform(0.5, 1), points,
            position=p - R_body @ arm, rotation=R_body,
        )  # fmt: skip
        axes = (JOINTS | ONLY_PLANAR)[name]
        getattr(s, name)(f"{name}{i}", last, body["a"], **axes)
        last = body["b"]
        R, p = R_body @ last.rotation, body.position + R_body @ last.position
    s.spring("spring", s.ground, last, stiffness=30.0, damping=2.0, free_length=0.3)
    s.force("push", last, [1.0, 2.0, 0.0], follows=True)
    s.torque("twist", last, [0.0, 0.0, 0.7])
    return s


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("seed", range(3))
def test_planar_equals_spatial(joint, seed):
    names = ["revolute", joint, "pin_in_slot"]
    plane, space = chain(names, seed), chain(names, seed, planar=False)
    poses = random_poses(plane, np.random.default_rng(seed))
    answers = []
    for system in (plane, space):
        equations = fx.formulate(system, "joint", poses=poses)
        answers.append(answer(equations, equations.initial))
        assert equations.redundant == ()
    flat, full = answers
    assert np.allclose(flat.linear, full.linear, rtol=1e-10, atol=1e-10)
    assert np.allclose(flat.angular, full.angular, rtol=1e-10, atol=1e-10)
    assert np.allclose(flat.forces[:, :2], full.forces[:, :2], rtol=1e-9, atol=1e-9)
    assert np.allclose(flat.torques[:, 2], full.torques[:, 2], rtol=1e-9, atol=1e-9)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("joint", SPACES)
def test_trees_of_planar_systems_agree(joint):
    assert (
        check_trees(chain(["revolute", joint, "pin_in_slot"], 4), np.random.default_rng(4), pairs=15) < 1e-9
    )


@pytest.mark.parametrize("joint", SPACES)
def test_counts_of_every_joint_in_the_plane(joint):
    """A body has x, y and one angle; a pin has two constraints; nothing is redundant."""
    system = chain([joint], 5)
    t, r, constraints = SPACES[joint]
    as_branch = fx.formulate(system, translation=[f"{joint}0"], rotation=[f"{joint}0"])
    assert (as_branch.n_v, as_branch.m) == (t + r, 0)
    as_chord = fx.formulate(system, "absolute")
    assert (as_chord.n_v, as_chord.m) == (3, constraints)
    assert as_chord.redundant == ()
