"""The equations with flexible bodies are Lagrange's; Jacobians and biases are derivatives."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from tests.flexible.bodies import KINDS, size, table
from tests.formulation.test_derivatives import check_derivatives, move, slope
from tests.sampling import random_pair, random_poses

METHODS = ("eigenmodes", "craig_bampton", "full")


def chain(kind, method="eigenmodes", support="clamped", stiffening=True, driven=False):
    """Ground, pin, flexible body, universal joint, rigid body, slider, flexible body."""
    s = fx.System("flexible chain")
    s.gravity([1.0, 2.0, -9.81])
    one = s.flexible_body("one", table(kind, method, support), stiffening=stiffening)
    two = s.rigid_body("two", 0.7, [0.01, 0.02, 0.025], {"a": [-0.1, 0.05, 0], "b": [0.2, 0, 0.1]})
    three = s.flexible_body("three", table(kind, method, support), stiffening=stiffening)
    s.revolute("O", s.ground, one["a"], axis=(1, 2, 0.5))
    s.universal("A", one["b"], two["a"], axis_1="x", axis_2="y")
    s.prismatic("B", two["b"], three["b"], axis=(0, 1, 1))
    if driven:
        s.motion("drive", joint="O", angle=fx.harmonic(0.5, 3.0, 0.2))
    return s


def moving(equations, rng, reach=0.03):
    """A state with deformed bodies in fast motion."""
    q, v = equations.initial.q.copy(), rng.standard_normal(equations.n_v)
    q = equations.compose(q, 0.5 * rng.standard_normal(equations.n_v))
    elastic_q, elastic_v = equations.packer.elastic_indices()
    scale = size(equations.system.components["one"].table, reach)
    q[elastic_q] = scale * rng.uniform(-1, 1, len(elastic_q))
    v[elastic_v] = 10 * scale * rng.uniform(-1, 1, len(elastic_v))
    return State(0.1, q, v)


def energies(equations, state):
    """Kinetic and potential energy."""
    kinetic, potential, strain = equations.energies(state)
    return kinetic, potential + strain


def lagrange(equations, state):
    """∂L/∂q - d/dt ∂L/∂v along q(t) = q ⊕ t v, by differences; T is quadratic in v."""
    n, unit = equations.n_v, np.eye(equations.n_v)
    elastic = set(equations.packer.elastic_indices()[1].tolist())
    small = 0.03 * size(equations.system.components["one"].table, 0.03)
    h_t = 1e-3 / max(1.0, np.abs(state.v).max())

    def momentum(s):
        plus, minus = (
            [equations.energies(State(s.t, s.q, s.v + sign * e))[0] for e in unit] for sign in (1, -1)
        )
        return np.subtract(plus, minus) / 2

    def lagrangian(x, k):
        kinetic, potential = energies(
            equations, State(state.t, equations.compose(state.q, x * unit[k]), state.v)
        )
        return kinetic - potential

    force = [slope(lambda x, k=k: lagrangian(x, k), small if k in elastic else 1e-3) for k in range(n)]
    return np.array(force) - slope(lambda x: momentum(move(equations, state, x)), h_t)


def without_damping(equations, state):
    """F and the damping force of the elastic coordinates, which no Lagrangian has."""
    F = equations.forces(state)
    start = 0
    _, v_e = equations.packer.elastic_indices()
    for part in equations.parts:
        if type(part).__name__ == "FlexibleBody":
            where = v_e[start : start + part.table.m]
            F[where] += part.table.C @ state.v[where]
            start += part.table.m
    return F


@pytest.mark.sweep(10)
@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("driven", [False, True])
def test_forces_are_lagranges(kind, method, stiffening, driven):
    equations = fx.formulate(chain(kind, method, stiffening=stiffening, driven=driven), "joint")
    assert not equations.coordinates.quaternions
    state = moving(equations, np.random.default_rng(1))
    found, expected = without_damping(equations, state), lagrange(equations, state)
    # every equation in its own size: stiff coordinates must not hide the soft ones
    M, _ = equations.mass_and_jacobian(equations.initial.q, state.t)
    weight = 1.0 / np.sqrt(np.diag(M))
    assert np.abs(weight * (found - expected)).max() < 1e-9 * np.abs(weight * expected).max()


@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("support", ["clamped", "pinned", "free"])
def test_mass_matrix_is_the_difference_of_residuals_and_gives_the_energy(kind, support, stiffening):
    rng = np.random.default_rng(2)
    system = chain(kind, support=support, stiffening=stiffening)
    for tree in ("joint", "absolute"):
        equations = fx.formulate(system, tree)
        state = moving(equations, rng)
        M, _ = equations.mass_and_jacobian(state.q, state.t)
        zero, lam = np.zeros(equations.n_v), np.zeros(equations.m)
        at_rest = equations.residual(state, zero, lam)[0]
        columns = [equations.residual(state, e, lam)[0] - at_rest for e in np.eye(equations.n_v)]
        scale = np.abs(M).max()
        assert np.abs(M - np.array(columns).T).max() < 1e-9 * max(scale, np.abs(at_rest).max())
        assert np.abs(M - M.T).max() < 1e-12 * scale
        assert 0.5 * state.v @ M @ state.v == pytest.approx(equations.energies(state)[0], rel=1e-10)


@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_constraint_jacobian_rate_and_bias_of_flexible_arms_are_derivatives(kind, stiffening):
    rng = np.random.default_rng(3)
    system = chain(kind, stiffening=stiffening, driven=True)
    poses = random_poses(system, rng, travel=0.05)
    for tree in ("joint", "absolute"):
        check_derivatives(fx.formulate(system, tree, poses=poses), rng)
    for _ in range(3):
        check_derivatives(fx.formulate(system, "default", *random_pair(system, rng), poses), rng)


@pytest.mark.parametrize("kind", KINDS)
def test_newtons_matrix_holds_the_stiffness_and_damping_of_flexible_bodies(kind):
    equations = fx.formulate(chain(kind), "joint")
    dae, state = equations.dae(), moving(equations, np.random.default_rng(4))
    M, G = equations.mass_and_jacobian(state.q, state.t)
    found, jacobian = np.zeros_like(M), np.zeros_like(G)
    dae.matrices(dae.model, dae.work, 2.0, 3.0, found, jacobian)
    expected, start = M.copy(), 0
    for name in ("one", "three"):
        of = equations.system.components[name].table
        where = equations.packer.elastic_indices()[1][start : start + of.m]
        expected[np.ix_(where, where)] += 2.0 * of.K + 3.0 * of.C
        start += of.m
    assert np.allclose(found, expected, rtol=1e-13)
    assert np.array_equal(jacobian, G)
