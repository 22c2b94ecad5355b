"""Energies, momenta and the mass matrix of one free flexible body against sums over its mass points."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from tests.flexible.bodies import KINDS, METHODS, points, size, table
from tests.formulation.test_derivatives import slope

TOLERANCE = 1e-9


def free_body(of, stiffening):
    s = fx.System("free")
    s.gravity([0.5, -9.81, 2.0])
    body = s.flexible_body("body", of, stiffening=stiffening)
    s.free("float", s.ground, body)
    return fx.formulate(s, "absolute")


def random_state(equations, of, rng, reach=0.05):
    v = rng.standard_normal(equations.n_v)
    elastic_q, elastic_v = equations.packer.elastic_indices()
    scale = size(of, reach)
    q = equations.initial.q.copy()
    q = equations.compose(q, rng.standard_normal(equations.n_v))
    q[elastic_q] = scale * rng.uniform(-1, 1, of.m)
    v[elastic_v] = 10 * scale * rng.uniform(-1, 1, of.m)
    return State(0.0, q, v)


class Particles:
    """The deformed body as a cloud of mass points in ground axes."""

    def __init__(self, kind, of, equations, state):
        self.w, s, N = points(kind, of)
        poses = equations.poses(state)
        R, p, omega, v = poses.R[1], poses.p[1], poses.omega[1], poses.v[1]
        arm = (s + N @ poses.elastic) @ R.T
        self.place = p + arm
        self.velocity = v + np.cross(omega, arm) + (N @ poses.elastic_rate) @ R.T

    @property
    def kinetic(self):
        return 0.5 * self.w @ (self.velocity**2).sum(axis=1)


@pytest.fixture(params=[(k, m) for k in KINDS for m in METHODS], ids=lambda p: "-".join(p), scope="module")
def case(request):
    kind, method = request.param
    return kind, table(kind, method)


@pytest.mark.parametrize("seed", range(2))
def test_kinetic_energy_is_that_of_the_mass_points(case, seed):
    kind, of = case
    equations = free_body(of, stiffening=False)
    state = random_state(equations, of, np.random.default_rng(seed))
    cloud = Particles(kind, of, equations, state)
    assert equations.energies(state)[0] == pytest.approx(cloud.kinetic, rel=TOLERANCE)


def test_mass_matrix_is_that_of_the_mass_points(case):
    """M_jk = Σ w (∂v/∂v_j)·(∂v/∂v_k): every block of the body, coupled and not."""
    kind, of = case
    equations = free_body(of, stiffening=False)
    state = random_state(equations, of, np.random.default_rng(2))
    M, _ = equations.mass_and_jacobian(state.q)
    columns = [
        Particles(kind, of, equations, State(0.0, state.q, unit)).velocity for unit in np.eye(equations.n_v)
    ]
    w = Particles(kind, of, equations, state).w
    expected = np.einsum("p,jpa,kpa->jk", w, columns, columns)
    assert np.abs(M - expected).max() < TOLERANCE * np.abs(expected).max()


def test_momentum_and_angular_momentum_are_those_of_the_mass_points(case):
    """∂T/∂V and ∂T/∂ω are the momentum and the angular momentum about the frame of the body."""
    kind, of = case
    equations = free_body(of, stiffening=False)
    state = random_state(equations, of, np.random.default_rng(3))
    M, _ = equations.mass_and_jacobian(state.q)
    cloud = Particles(kind, of, equations, state)
    poses = equations.poses(state)
    momentum = cloud.w @ cloud.velocity
    angular = cloud.w @ np.cross(cloud.place - poses.p[1], cloud.velocity)
    found = M @ state.v
    names = list(equations.coordinates.v_names)
    p = found[[names.index(f"body.{a}") for a in "xyz"]]
    h = found[[names.index(f"body.omega_{a}") for a in "xyz"]]
    assert np.abs(p - momentum).max() < TOLERANCE * np.abs(momentum).max()
    assert np.abs(poses.R[1] @ h - angular).max() < TOLERANCE * np.abs(angular).max()


def test_weight_and_strain_energy_are_those_of_the_body(case):
    kind, of = case
    equations = free_body(of, stiffening=False)
    state = random_state(equations, of, np.random.default_rng(4))
    cloud = Particles(kind, of, equations, state)
    found = equations.energies(state)[1:]
    assert found[0] == pytest.approx(-cloud.w @ cloud.place @ [0.5, -9.81, 2.0], rel=TOLERANCE)
    x = equations.poses(state).elastic
    assert found[1] == pytest.approx(0.5 * x @ of.K @ x, rel=TOLERANCE)


def test_inertia_forces_are_those_of_the_mass_points(case):
    """M v̇ - F = Σ w (∂v/∂v_j)·(acceleration - gravity) + K q + C q̇, accelerations by differences."""
    kind, of = case
    equations = free_body(of, stiffening=False)
    rng = np.random.default_rng(5)
    state = random_state(equations, of, rng)
    a = rng.standard_normal(equations.n_v)
    r, _ = equations.residual(state, a, np.zeros(0))

    def velocity(h):
        # along q ⊕ h(v + h a/2) the velocity is v + h a to first order
        q = equations.compose(state.q, h * state.v + 0.5 * h * h * a)
        return Particles(kind, of, equations, State(0.0, q, state.v + h * a)).velocity

    h = 1e-3
    acceleration = slope(velocity, h)
    columns = [
        Particles(kind, of, equations, State(0.0, state.q, unit)).velocity for unit in np.eye(equations.n_v)
    ]
    w = Particles(kind, of, equations, state).w
    expected = np.einsum("p,jpa,pa->j", w, columns, acceleration - [0.5, -9.81, 2.0])
    poses = equations.poses(state)
    elastic = equations.packer.elastic_indices()[1]
    expected[elastic] += of.K @ poses.elastic + of.C @ poses.elastic_rate
    assert np.abs(r - expected).max() < TOLERANCE * np.abs(expected).max()
