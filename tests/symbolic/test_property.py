"""Any mechanism, any pair of trees, any state: two engines, one answer."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import flexnet as fx
from flexnet.formulation.symbolic import Evaluator, structure, symbolic
from tests.catalogue import build
from tests.formulation.chains import JOINTS, chain
from tests.sampling import random_pair, random_poses
from tests.symbolic.agreement import beside, distance, distances

TOLERANCE = 1e-11


def accelerations(made, state):
    """v̇ and λ by the augmented form of the symbolic equations."""
    found = Evaluator(made)("equations", state.t, q=state.q, v=state.v)
    n, m = made.n, made.m
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = found["M"], found["G"].T, found["G"]
    x = np.linalg.solve(A, np.concatenate([found["F"], -found["bias"]]))
    return x[:n], x[n:], found["M"]


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(list(JOINTS)), min_size=1, max_size=3), st.integers(0, 10**6))
def test_engines_agree_for_random_chains_trees_and_states(joints, seed):
    rng = np.random.default_rng(seed)
    system = chain(joints, seed=seed)
    poses = random_poses(system, rng)
    equations = fx.formulate(system, "default", *random_pair(system, rng), poses=poses)
    made = symbolic(equations)
    far = distances(made, beside(equations, rng), rng)
    assert max(far.values()) < TOLERANCE, far
    a, lam, M = accelerations(made, equations.initial)
    motion = equations.motion(equations.initial)
    assert distance(a, motion.a) < TOLERANCE
    assert distance(lam, motion.lam, np.abs(M @ motion.a).max()) < TOLERANCE
    assert np.array_equal(M, M.T)


@settings(max_examples=6, deadline=None, derandomize=True)
@given(
    st.sampled_from(["quick_return", "slider_crank_leger", "leger_a04_slider_crank", "pendulating_rotor"]),
    st.integers(0, 10**6),
)
def test_engines_agree_for_random_trees_of_closed_loops(name, seed):
    rng = np.random.default_rng(seed)
    system = build(name)
    poses = random_poses(system, rng)
    equations = fx.formulate(system, "default", *random_pair(system, rng), poses=poses)
    far = distances(symbolic(equations), beside(equations, rng), rng)
    assert max(far.values()) < TOLERANCE, far


def test_a_symmetric_top_has_two_cyclic_coordinates():
    """By angles zxz the first turn is cyclic for any top, the last for a symmetric one."""
    for lateral, wanted in ((0.3, ("tip.angle_1", "tip.angle_3")), (0.2, ("tip.angle_1",))):
        s = fx.System("top")
        s.gravity([0, 0, -9.81])
        body = s.rigid_body("top", 2.0, [0.3, lateral, 0.1], {"tip": [0, 0, -0.4]}, position=[0, 0, 0.4])
        s.spherical("tip", s.ground, body["tip"])
        assert structure(symbolic(s, "joint", rotations="zxz")).cyclic == wanted


def test_a_body_that_flies_has_a_constant_row_of_mass_for_each_translation():
    s = fx.System("stone")
    s.gravity([0, 0, -9.81])
    s.free("flight", s.ground, s.rigid_body("stone", 2.0, [0.3, 0.2, 0.1]))
    seen = structure(symbolic(s, "absolute"))
    assert seen.constant[:3] == ("stone.x", "stone.y", "stone.z")
    assert seen.cyclic == ("stone.x", "stone.y")
    assert seen.filled == 6 / 36
