"""Any pair of valid trees describes the same motion and the same loads.

Every case has as many constraints as it needs (its absolute form drops none), so the loads of its joints
and drivers are unique and may be compared whole. A mechanism with redundant constraints has unique loads
only where no dropped row reaches; tests/formulation/test_redundancy.py compares those.
"""

from dataclasses import replace

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import Motion
from flexnet.formulation.embedding import multipliers
from flexnet.independent import DEGRADED
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
        back = equations.poses(state)
        for kind in ("R", "p", "omega", "v"):
            assert np.allclose(getattr(back, kind), getattr(poses, kind), rtol=1e-9, atol=1e-9), kind
        found = answer(equations, state)
        far = expected.distance(found)
        if max(far.values()) >= TOLERANCE:
            # stiff elements in a tree: places are sums along it, and one ulp of q tells what that costs
            assert max(far.values()) < 10 * one_ulp(equations, state, found), (tree, T, R, far)
        worst = max(worst, *far.values())
    return worst


def one_ulp(equations, state, found):
    """What the last bits of q do to accelerations and loads, the most of three choices of signs."""
    ulps = [np.random.default_rng(k).choice([-1.0, 1.0], state.q.size) for k in range(3)]
    moved = [replace(state, q=state.q * (1.0 + np.finfo(float).eps / 2 * signs)) for signs in ulps]
    return max(max(found.distance(answer(equations, at)).values()) for at in moved)


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", NAMES)
def test_accelerations_and_loads_do_not_depend_on_the_trees(name):
    check_trees(build(name), np.random.default_rng(1), pairs=3 if name == "leger_a11_stewart" else 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(20))
def test_accelerations_and_loads_do_not_depend_on_the_trees_at_many_states(name, seed):
    check_trees(build(name), np.random.default_rng([seed, 7]), pairs=10, travel=0.2 * seed + 0.1)


@pytest.mark.sweep(12)
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


def test_embedding_chooses_others_where_its_coordinates_degrade(caplog):
    """The slider at its dead centre stands still while the crank turns: it no longer tells how all moves."""
    system = build("leger_a04_slider_crank")
    form, chosen, worst = None, set(), 0.0
    away = np.geomspace(1e-5, 1.0, 10)
    for angle in np.pi / 2 + np.concatenate([-away[::-1], away]):
        system.starts.clear()
        system.start("h8", angle=angle, rate=1.0)
        equations = fx.formulate(system, "absolute")
        state, names = equations.initial, equations.coordinates.v_names
        with caplog.at_level("INFO", logger="flexnet"):
            form = fx.embed(equations, state, before=form) if form else fx.embed(equations, state, ["m3.x"])
        chosen.add(names[form.independent[0]])
        worst = max(worst, form.condition)
        expected = equations.motion(state).a
        assert np.abs(form.accelerations - expected).max() < TOLERANCE * np.abs(expected).max()
    assert chosen == {"m3.x", "m1.angle"}
    assert worst < DEGRADED
    assert "of m3.x as independent, from here m1.angle" in caplog.text


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


@pytest.mark.parametrize(
    "rotation", ["h12 h13 h14 b15", "h12 h13 vp16 b15", "h12 h13 drive b15", "h12 h14 drive m4"]
)
def test_a_driver_on_a_virtual_joint_loads_only_the_real_ones(rotation):
    """The elbow of A.10 driven from the shoulder: the driver's torque and all joint loads are unique."""
    system = build("leger_a10_serial")
    system.starts.clear()
    turn = fx.harmonic(0.3, 2.0, phase=np.pi / 2, offset=1.2)
    system.motion("drive", joint="vp16", angle=turn)
    poses = random_poses(system, np.random.default_rng(1))
    reference = fx.formulate(system, "absolute", poses=poses)
    expected = answer(reference, reference.initial)
    equations = fx.formulate(system, "joint", rotation=rotation.split(), poses=poses)
    assert max(expected.distance(answer(equations, equations.initial)).values()) < TOLERANCE


@pytest.mark.parametrize("T", [["drive"], ["table"], ["body"]])
def test_a_driver_across_the_directions_of_its_joint_leaves_the_other_one_free(T):
    """Along (1, 1)/√2 the acceleration is the driver's 1 m/s², along (1, -1)/√2 that of 3 N on 1 kg."""
    s = fx.System("slant")
    body = s.rigid_body("body", 1.0, [0.1, 0.1, 0.1])
    s.planar("table", s.ground, body)
    s.motion("drive", joint="table", displacement=fx.polynomial(0, 1, 0.5), axis=[1, 1, 0])
    s.force("push", body, [3.0, 0, 0])
    equations = fx.formulate(s, translation=T, rotation=["table"])
    found = answer(equations, equations.initial)
    along, across = np.array([1, 1, 0]) / np.sqrt(2), np.array([1, -1, 0]) / np.sqrt(2)
    assert np.allclose(found.linear[1], along + 3 / np.sqrt(2) * across, atol=1e-12)
    loads = fx.reactions(equations, equations.initial)
    assert np.allclose(loads["drive"].force, (1 - 3 / np.sqrt(2)) * along, atol=1e-12)
    assert np.abs(loads["table"].force).max() < 1e-12


def test_a_driver_where_its_joint_does_not_move_is_refused():
    s = fx.System("slant")
    s.prismatic("guide", s.ground, s.rigid_body("body", 1.0, [0.1, 0.1, 0.1]), axis="x")
    with pytest.raises(fx.ModelError, match="where the joint does not move"):
        s.motion("drive", joint="guide", displacement=0.0, axis=[1, 1, 0])
