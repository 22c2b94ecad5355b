"""Jacobians, rates and biases are derivatives; quadratic velocity terms are Lagrange's."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from flexnet.graph import Kind
from tests.catalogue import NAMES, TREES, build, is_held_by_joints
from tests.formulation.chains import FURTHER, JOINTS, SCALAR, chain
from tests.sampling import random_pair, random_poses

#: nine-point stencil: f' ≈ Σ w f(x + k h) / h, error O(h⁸)
STENCIL = (
    (-4, 1 / 280), (-3, -4 / 105), (-2, 1 / 5), (-1, -4 / 5),
    (1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280),
)  # fmt: skip


def slope(f, h):
    """Derivative of f at 0."""
    return sum(w * f(k * h) for k, w in STENCIL) / h


def samples(system, seed, pairs=2):
    """Equations at a random state in ready-made and random trees."""
    rng = np.random.default_rng(seed)
    poses = random_poses(system, rng)
    for tree in TREES:
        yield fx.formulate(system, tree, poses=poses)
    for _ in range(pairs):
        T, R = random_pair(system, rng)
        yield fx.formulate(system, "default", T, R, poses)


def move(equations, state, h):
    """State further along its own velocity, which is kept."""
    return State(state.t + h, equations.compose(state.q, h * state.v), state.v)


def check_derivatives(equations, rng, h=1e-3):
    state = equations.initial
    v = state.v + rng.standard_normal(equations.n_v)  # any velocity, allowed or not
    v *= 2.0 / max(np.abs(v).max(initial=0.0), 2.0)
    state = State(state.t, state.q, v)
    _, G = equations.mass_and_jacobian(state.q, state.t)
    columns = [
        slope(
            lambda x, k=k: equations.constraints(
                equations.compose(state.q, x * np.eye(equations.n_v)[k]), state.t
            ),
            h,
        )
        for k in range(equations.n_v)
    ]
    found = np.array(columns).T.reshape(G.shape)
    assert np.allclose(G, found, atol=1e-8 * max(1.0, np.abs(G).max(initial=0.0)))
    rates = equations.constraint_rates(state)
    h_t = h / max(1.0, np.abs(v).max(initial=0.0))
    path = slope(lambda x: equations.constraints(*_q_t(move(equations, state, x))), h_t)
    assert np.allclose(rates, path, rtol=1e-6, atol=1e-7)
    bias = equations.constraint_bias(state)
    path = slope(lambda x: equations.constraint_rates(move(equations, state, x)), h_t)
    assert np.allclose(bias, path, rtol=1e-6, atol=1e-6)


def _q_t(state):
    return state.q, state.t


@pytest.mark.sweep(9)
@pytest.mark.parametrize("name", [n for n in NAMES if n != "leger_a11_stewart"])
def test_constraint_jacobian_rate_and_bias_are_derivatives(name):
    rng = np.random.default_rng(3)
    system = build(name)
    for equations in samples(system, 3):
        check_derivatives(equations, rng)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("joint", JOINTS | FURTHER)
def test_every_joint_as_a_chord_has_consistent_derivatives(joint):
    system = chain([joint, "revolute"], seed=4)
    rng = np.random.default_rng(4)
    for equations in samples(system, 4, pairs=3):
        check_derivatives(equations, rng)


DRIVERS = {
    "angle of a joint": lambda s: s.motion("m", joint="revolute0", angle=fx.harmonic(0.8, 2.0, 0.3)),
    "rotation of a body": lambda s: s.motion("m", head=s.bodies["body1"]["b"], axis=(1, 2, 3),
                                             angle=fx.polynomial(0.1, 0.5, -0.4)),
    "rotation between bodies": lambda s: s.motion("m", tail=s.bodies["body0"]["b"], axis="y",
                                                  head=s.bodies["body1"], angle=fx.harmonic(0.8, 2.0)),
    "position of a body": lambda s: s.motion("m", head=s.bodies["body1"]["b"], displacement=[
        fx.harmonic(0.1, 3.0), fx.polynomial(0.2, 0.1, 0.3), 0.4]),
    "one displacement": lambda s: s.motion("m", tail=s.bodies["body0"]["b"], head=s.bodies["body1"]["b"],
                                           axis=(0, 1, 1), displacement=fx.harmonic(0.1, 3.0)),
}  # fmt: skip

ON_JOINTS = {
    "prismatic": [{"displacement": fx.harmonic(0.2, 3.0)}],
    "cylindrical": [{"displacement": fx.harmonic(0.2, 3.0)}, {"angle": fx.polynomial(0.1, 1.0, 2.0)}],
    "planar": [{"displacement": fx.harmonic(0.2, 3.0)}, {"angle": fx.polynomial(0.1, 1.0, 2.0)}],
    "pin_in_slot": [{"displacement": fx.harmonic(0.2, 3.0)}, {"angle": fx.harmonic(1.0, 2.0)}],
    "translational": [{"displacement": [fx.harmonic(0.2, 3.0), fx.polynomial(0.0, 1.0), 0.1]}],
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("joint", ON_JOINTS)
def test_drivers_that_ride_on_a_joint_give_the_same_motion_and_loads_in_every_tree(joint):
    from tests.formulation.test_tree_invariance import check_trees

    system = chain(["spherical", joint, "universal"], seed=7)
    for i, motion in enumerate(ON_JOINTS[joint]):
        system.motion(f"m{i}", joint=f"{joint}1", **motion)
    rng = np.random.default_rng(7)
    assert check_trees(system, rng, pairs=15) < 1e-9
    for equations in samples(system, 7, pairs=4):
        check_derivatives(equations, rng)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_as_a_chord_and_as_a_branch_has_consistent_derivatives(driver):
    system = chain(["revolute", "free", "spherical"], seed=6)
    DRIVERS[driver](system)
    rng = np.random.default_rng(6)
    for equations in samples(system, 6, pairs=6):
        check_derivatives(equations, rng)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_gives_the_same_motion_and_loads_in_every_tree(driver):
    from tests.formulation.test_tree_invariance import check_trees

    system = chain(["revolute", "free", "spherical"], seed=6)
    DRIVERS[driver](system)
    assert check_trees(system, np.random.default_rng(9), pairs=15) < 1e-9


@pytest.mark.sweep(6)
@pytest.mark.parametrize("joint", JOINTS | FURTHER)
def test_every_joint_gives_the_same_motion_and_loads_in_every_tree(joint):
    from tests.formulation.test_tree_invariance import check_trees

    system = chain([joint, "universal", joint], seed=5)
    assert check_trees(system, np.random.default_rng(8), pairs=15) < 1e-9


# -- Lagrange's equations ----------------------------------------------------------------------


def without_loads(system):
    """Take every force element out; gravity stays."""
    for name in [n for n, part in system.components.items() if part.kind is Kind.FORCE]:
        del system.components[name]
    return system


def lagrange(equations, state, h=2e-3):
    """Generalised force F that Lagrange's equations ask for at v̇ = 0.

    F = ∂T/∂q - d/dt ∂T/∂v - ∂V/∂q along q(t) = q ⊕ t v. T is quadratic in v, so its derivative by v
    is an exact central difference.
    """
    n, unit = equations.n_v, np.eye(equations.n_v)
    h = h / max(1.0, np.abs(state.v).max(initial=0.0))

    def kinetic(s):
        return equations.energies(s)[0]

    def momentum(s):
        plus = [kinetic(State(s.t, s.q, s.v + e)) for e in unit]
        minus = [kinetic(State(s.t, s.q, s.v - e)) for e in unit]
        return np.subtract(plus, minus) / 2

    def lagrangian(x, k):
        s = State(state.t, equations.compose(state.q, x * unit[k]), state.v)
        return kinetic(s) - potential(equations, s)

    force = np.array([slope(lambda x, k=k: lagrangian(x, k), h) for k in range(n)])
    return force - slope(lambda x: momentum(move(equations, state, x)), h)


def potential(equations, state):
    poses = equations.poses(state)
    bodies = [part for part in equations.parts if part.kind is Kind.BODY]
    g = equations.system._gravity
    return -sum(b.mass * g @ poses.p[i] for i, b in enumerate(bodies, start=1))


def check_lagrange(equations):
    assert not equations.coordinates.quaternions
    state = equations.initial
    found, expected = equations.forces(state), lagrange(equations, state)
    scale = max(np.abs(expected).max(initial=0.0), equations.energies(state)[0])
    assert np.abs(found - expected).max(initial=0.0) < 2e-9 * scale


# without their loads, bodies need joints
PLANAR = [n for n in NAMES if (s := build(n)).is_planar and n != "squeezer" and is_held_by_joints(s)]


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", [*PLANAR, "squeezer"])
def test_forces_equal_lagrange_for_planar_cases_in_every_tree(name):
    for equations in samples(without_loads(build(name)), 11, pairs=3):
        check_lagrange(equations)


@pytest.mark.parametrize("seed", range(3))
def test_forces_equal_lagrange_for_a_spatial_chain_of_every_scalar_joint(seed):
    rng = np.random.default_rng(seed)
    names = [SCALAR[i] for i in rng.permutation(len(SCALAR))]
    system = chain(names, seed)
    poses = random_poses(system, rng, travel=0.5, speed=1.0)
    check_lagrange(fx.formulate(system, "joint", poses=poses))


def test_forces_equal_lagrange_for_the_spatial_slider_crank_and_the_driven_rotor():
    rng = np.random.default_rng(12)
    slider = build("leger_a06_spatial_slider_crank")
    check_lagrange(fx.formulate(slider, "joint", poses=random_poses(slider, rng)))
    rotor = build("pendulating_rotor", psi=fx.harmonic(1.0, 3.0), phi=fx.polynomial(0, 4.0, 2.0))
    poses = random_poses(rotor, rng)
    for rotation in (["D", "A", "B"], ["e8", "A", "e13"], ["e8", "A", "B"]):
        check_lagrange(fx.formulate(rotor, "joint", rotation=rotation, poses=poses))


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", NAMES)
def test_mass_matrix_is_symmetric_and_gives_the_kinetic_energy(name):
    system = build(name)
    for equations in samples(system, 13, pairs=1):
        state = equations.initial
        M, _ = equations.mass_and_jacobian(state.q, state.t)
        assert np.allclose(M, M.T, rtol=0, atol=1e-12 * np.abs(M).max(initial=1.0))
        rest = State(state.t, state.q, np.zeros(equations.n_v))
        T0 = equations.energies(rest)[0]  # of drivers alone
        both = [equations.energies(State(state.t, state.q, s * state.v))[0] for s in (1, -1)]
        assert state.v @ M @ state.v == pytest.approx(sum(both) - 2 * T0, rel=1e-10, abs=1e-12)
