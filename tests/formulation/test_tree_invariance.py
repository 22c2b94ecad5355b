"""Any pair of valid trees describes the same motion and the same loads.

Every case has as many constraints as it needs (its absolute form drops none), so the loads of its joints
and drivers are unique and may be compared whole. A mechanism with redundant constraints has unique loads
only where no dropped row reaches; tests/formulation/test_redundancy.py compares those.
"""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import Motion
from flexnet.formulation.embedding import multipliers
from tests.catalogue import NAMES, TREES, build
from tests.sampling import answer, random_pair, random_poses

TOLERANCE = 1e-9


def check_trees(system, rng, pairs, travel=1.0):
    """Compare all ready-made trees and some random ones at one random state; return the worst."""
    poses = random_poses(system, rng, travel)
    reference = fx.formulate(system, "absolute", poses=poses)
    expected = answer(reference, reference.initial)
    choices = [(tree, None, None) for tree in TREES]
    choices += [("default", *random_pair(system, rng)) for _ in range(pairs)]
    worst = 0.0
    for tree, T, R in choices:
        equations = fx.formulate(system, tree, T, R, poses=poses)
        state = equations.initial
        assert np.abs(equations.constraints(state.q, state.t)).max(initial=0.0) < 1e-10
        assert np.abs(equations.constraint_rates(state)).max(initial=0.0) < 1e-8
        far = expected.distance(answer(equations, state))
        assert max(far.values()) < TOLERANCE, (tree, T, R, far)
        worst = max(worst, *far.values())
    return worst


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_and_loads_do_not_depend_on_the_trees(name):
    check_trees(build(name), np.random.default_rng(1), pairs=3 if name == "leger_a11_stewart" else 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(20))
def test_accelerations_and_loads_do_not_depend_on_the_trees_at_many_states(name, seed):
    check_trees(build(name), np.random.default_rng([seed, 7]), pairs=10, travel=0.2 * seed + 0.1)


@pytest.mark.parametrize("name", NAMES)
def test_embedding_form_equals_augmented_form(name):
    system = build(name)
    rng = np.random.default_rng(2)
    poses = random_poses(system, rng)
    T, R = random_pair(system, rng)
    for equations in (fx.formulate(system, "joint", poses=poses), fx.formulate(system, "joint", T, R, poses)):
        state = equations.initial
        expected = equations.motion(state)
        reduced = fx.embed(equations, state)
        scale = max(np.abs(expected.a).max(initial=0.0), 1e-9)
        assert np.abs(reduced.accelerations - expected.a).max(initial=0.0) < TOLERANCE * scale
        found: Motion = multipliers(equations, state, reduced.accelerations)
        scale = max(np.abs(expected.lam).max(initial=0.0), 1e-9)
        assert np.abs(found.lam - expected.lam).max(initial=0.0) < TOLERANCE * scale
        assert np.allclose(reduced.M, reduced.M.T, rtol=0, atol=1e-12 * np.abs(reduced.M).max(initial=1.0))


def test_embedding_takes_the_independent_coordinates_the_user_names():
    equations = fx.formulate(build("slider_crank_dynaflex", compound=True), "joint")
    reduced = fx.embed(equations, equations.initial, ["e61.angle"])
    assert reduced.independent.tolist() == [equations.coordinates.v_names.index("e61.angle")]
    expected = equations.motion(equations.initial).a
    assert np.allclose(reduced.accelerations, expected, rtol=1e-11)


def test_loads_of_a_joint_have_no_part_in_its_motion_space():
    """A driver on a joint takes all of the torque about its axis, whichever of the two is a branch."""
    system = build("pendulating_rotor")
    poses = random_poses(system, np.random.default_rng(3))
    for rotation in (["D", "A", "B"], ["e8", "A", "e13"], ["e8", "A", "B"], ["shaft_1", "shaft_2", "disk"]):
        equations = fx.formulate(system, "joint", rotation=rotation, poses=poses)
        loads = fx.reactions(equations, equations.initial)
        axis_B = equations.poses(equations.initial).R[2] @ [0, 0, 1]
        assert abs(loads["D"].torque[2]) < 1e-12
        assert abs(loads["B"].torque @ axis_B) < 1e-12
        assert np.allclose(np.cross(loads["e13"].torque, axis_B), 0.0, atol=1e-12)
        assert abs(loads["e8"].torque[2]) > 0.01


def test_a_virtual_branch_carries_nothing():
    """Léger A.10: with vp16 in the trees the real pins h13, h14 keep their own loads."""
    system = build("leger_a10_serial")
    poses = random_poses(system, np.random.default_rng(5))
    plain = fx.formulate(system, "joint", poses=poses)
    virtual = fx.formulate(system, "joint", rotation=["h12", "h13", "m4", "vp16"], poses=poses)
    assert virtual.m == 0
    expected, found = (fx.reactions(e, e.initial) for e in (plain, virtual))
    for name in ("h12", "h13", "h14", "b15"):
        assert np.allclose(found[name].force, expected[name].force, rtol=1e-9, atol=1e-6)
        assert np.allclose(found[name].torque, expected[name].torque, rtol=1e-9, atol=1e-6)
    assert np.abs(expected["h14"].torque).max() > 1.0
