"""Momenta: which ones symmetries keep, what rigid motions are in coordinates, that the schemes keep them."""

from collections.abc import Callable

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import symmetry
from flexnet.kernels import entry
from tests.energy.systems import CONSERVATIVE, busy, free_beam, pendulum, top

TREES = ("joint", "absolute")
SIX = ("L_z", "L_y", "L_x", "P_z", "P_y", "P_x")


def stone() -> fx.System:
    """A rigid body without any symmetry, thrown."""
    s = fx.System("stone")
    body = s.rigid_body("stone", 2.0, [1.0, 1.2, 0.4], velocity=[1, 2, 3], angular_velocity=[1, 0.5, 9])
    s.free("flight", s.ground, body)
    return s


def chain() -> fx.System:
    """Two rigid bodies on a ball joint, thrown, with a damped spring between them."""
    s = fx.System("chain")
    a = s.rigid_body(
        "a", 2.0, [0.1, 0.2, 0.15], {"e": [0.5, 0, 0], "f": [0, 0.3, 0]}, velocity=[1, 0, 0],
        angular_velocity=[1, 2, 3],
    )  # fmt: skip
    b = s.rigid_body("b", 1.0, [0.1, 0.2, 0.15], {"e": [-0.5, 0, 0], "f": [0, 0.4, 0]}, position=[1, 0, 0])
    s.spherical("ball", a["e"], b["e"])
    s.spring("spring", a["f"], b["f"], stiffness=20.0, free_length=0.8)
    s.free("flight", s.ground, a)
    return s


def off_centre() -> fx.System:
    """A body on a ball joint beside the datum, pushed round."""
    s = fx.System("off centre")
    s.gravity([0, 0, -9.81])
    body = s.rigid_body(
        "body", 2.0, [0.1, 0.2, 0.15], {"pin": [-0.5, 0, 0]}, position=[1.3, 0.7, 0],
        angular_velocity=[0.5, 0, 4], velocity=[0, 2.0, 0],
    )  # fmt: skip
    s.spherical("pin", s.ground.frame("pin", [0.8, 0.7, 0]), body["pin"])
    return s


def thrown_pair() -> fx.System:
    """Two hinged rods in the plane, thrown, with weight."""
    s = fx.System("pair", planar=True)
    s.gravity([0, -9.81, 0])
    a = s.rigid_body("a", 1.0, 0.1, {"e": [0.5, 0]}, velocity=[1, 2], angular_velocity=[0, 0, 3])
    b = s.rigid_body("b", 2.0, 0.2, {"e": [-0.5, 0]}, position=[1, 0], velocity=[1, 2])
    s.revolute("hinge", a["e"], b["e"])
    s.free("flight", s.ground, a)
    return s


def turning_pendulum() -> fx.System:
    """Three rods on ball joints, the first pushed round the vertical."""
    s = pendulum(3, planar=False)
    s.bodies["rod0"].angular_velocity[:] = [0.3, 2.0, 0.1]
    return s


FOUND: dict[Callable[[], fx.System], tuple[str, ...]] = {
    stone: SIX,
    chain: SIX,
    free_beam: SIX,
    top: ("L_z",),
    turning_pendulum: ("L_y",),
    off_centre: ("L_z - 0.8 P_y + 0.7 P_x",),
    thrown_pair: ("P_x",),
}
#: steps that resolve the motion badly
STEPS = {
    stone: 0.05, chain: 0.05, free_beam: 0.02, top: 2e-3, turning_pendulum: 0.015, off_centre: 0.02,
    thrown_pair: 0.05,
}  # fmt: skip


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("build", FOUND, ids=lambda f: f.__name__)
def test_the_momenta_that_symmetry_gives_are_found(build, tree):
    assert fx.kept_momenta(fx.formulate(build(), tree)) == FOUND[build]


def test_what_the_ground_holds_or_pushes_keeps_no_momentum():
    assert fx.kept_momenta(fx.formulate(busy(), "joint")) == ()
    assert fx.kept_momenta(fx.formulate(CONSERVATIVE["slider-crank"](), "absolute")) == ()
    held = stone()
    held.spring("late", held.ground, held.bodies["stone"], law=lambda x, rate, t: 0.0 if t < 9.0 else -x)
    assert fx.kept_momenta(fx.formulate(held, "joint")) == ()


def test_what_acts_through_a_body_that_the_ground_holds_keeps_no_momentum():
    s = stone()
    post = s.rigid_body("post", 1.0, [0.1, 0.1, 0.1])
    s.weld("clamp", s.ground, post)
    s.spring("late", post, s.bodies["stone"], law=lambda x, rate, t: 0.0 if t < 9.0 else -x)
    assert fx.kept_momenta(fx.formulate(s, "joint")) == ()


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(("reach", "g"), [(1.0, 9.81), (1e-5, 9.81), (1.0, 1e-6)])
def test_neither_size_nor_place_nor_weak_gravity_deceives(reach, g, tree):
    s = fx.System("far", planar=True)
    s.gravity([0, -g, 0])
    rod = s.rigid_body("rod", 1.0, 0.1 * reach**2, {"a": [-reach, 0]}, position=[300.0 + reach, 0])
    s.revolute("pin", s.ground.frame("pin", [300.0, 0]), rod["a"])
    assert fx.kept_momenta(fx.formulate(s, tree)) == ()


@pytest.mark.parametrize("tree", TREES)
def test_a_body_that_cannot_turn_runs_without_momenta_that_need_it(tree):
    s = fx.System("slides")
    body = s.rigid_body("body", 1.0, [0.1, 0.1, 0.1], velocity=[1, 2, 3])
    s.translational("slide", s.ground, body)
    made = fx.formulate(s, tree)
    assert set(fx.kept_momenta(made)) == {"P_x", "P_y", "P_z"}
    run = fx.simulate(made, 1.0, 0.1, fx.energy_preserving())
    assert run.energy_error < 1e-13


@pytest.mark.sweep(14)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("scheme", [fx.energy_preserving(), fx.energy_decaying(0.5)], ids=lambda m: m.name)
@pytest.mark.parametrize("build", FOUND, ids=lambda f: f.__name__)
def test_energy_and_momenta_are_kept_at_large_steps(build, scheme, tree):
    equations, h = fx.formulate(build(), tree), STEPS[build]
    run = fx.simulate(equations, 300 * h, h, scheme)
    found = run.momenta
    kept = np.hstack([found.P, found.L]) @ symmetry(equations).twists.T
    size = max(np.abs(found.L).max(), np.abs(found.P).max())
    assert np.abs(kept - kept[0]).max() < 1e-11 * size
    assert run.energy_error < 1e-11 * fx.audit(run).scale


def random_state(equations: fx.Equations, seed: int) -> fx.State:
    rng = np.random.default_rng(seed)
    q = equations.compose(equations.initial.q, rng.uniform(-1, 1, equations.n_v))
    elastic = equations.packer.elastic_indices()
    q[elastic[0]] *= 1e-2
    return fx.State(0.0, q, rng.uniform(-1, 1, equations.n_v))


def momenta_of(equations: fx.Equations, state: fx.State) -> np.ndarray:
    out = np.zeros(6)
    entry.momenta(equations.handle, state.t, state.q, state.v, out)
    return out


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("build", [chain, stone, top], ids=lambda f: f.__name__)
def test_momenta_are_sums_over_rigid_bodies(build, tree):
    equations = fx.formulate(build(), tree)
    state = random_state(equations, 2)
    poses = equations.poses(state)
    P, L = np.zeros(3), np.zeros(3)
    for k, name in enumerate(equations.packer.bodies[1:], start=1):
        part = equations.system.components[name]
        P += part.mass * poses.v[k]
        spin = poses.R[k] @ part.inertia @ poses.R[k].T @ poses.omega[k]
        L += np.cross(poses.p[k], part.mass * poses.v[k]) + spin
    assert momenta_of(equations, state) == pytest.approx(np.hstack([P, L]), rel=1e-12)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("build", [chain, free_beam, stone], ids=lambda f: f.__name__)
class TestRigidMotions:
    """The six motions of space in the coordinates of a tree, at random states."""

    def rates(self, equations, state, dq=None):
        twists = np.eye(6)
        X, Y, Z = np.zeros((3, 6, equations.n_v))
        dq = np.zeros(equations.n_v) if dq is None else dq
        entry.rigid_rates(equations.handle, state.t, state.q, state.v, dq, twists, X, Y, Z)
        return X, Y, Z

    def test_their_momenta_are_those_of_all_bodies(self, build, tree):
        equations = fx.formulate(build(), tree)
        state = random_state(equations, 1)
        X, _, _ = self.rates(equations, state)
        M, _ = equations.mass_and_jacobian(state.q)
        assert X @ M @ state.v == pytest.approx(momenta_of(equations, state), rel=1e-11)

    def test_a_motion_turned_as_a_whole_keeps_its_energy_and_turns_its_momenta(self, build, tree):
        equations = fx.formulate(build(), tree)
        state = random_state(equations, 3)
        X, Y, _ = self.rates(equations, state)
        h = 1e-6
        moved = [
            [
                fx.State(0.0, equations.compose(state.q, s * x), state.v + s * y)
                for s in (h, -h)
            ]
            for x, y in zip(X, Y, strict=True)
        ]  # fmt: skip
        kinetic = [(equations.energies(a)[0] - equations.energies(b)[0]) / (2 * h) for a, b in moved]
        assert kinetic == pytest.approx(np.zeros(6), abs=1e-7)
        P, L = np.split(momenta_of(equations, state), 2)
        for k, (a, b) in enumerate(moved):
            V, W = np.split(np.eye(6)[k], 2)
            change = (momenta_of(equations, a) - momenta_of(equations, b)) / (2 * h)
            wanted = np.hstack([np.cross(W, P), np.cross(W, L) + np.cross(V, P)])
            assert change == pytest.approx(wanted, abs=1e-7)

    def test_an_increment_changed_moves_its_end(self, build, tree):
        equations = fx.formulate(build(), tree)
        dq = np.random.default_rng(4).uniform(-0.8, 0.8, equations.n_v)
        start = equations.initial.q
        state = fx.State(0.0, equations.compose(start, dq), np.zeros(equations.n_v))
        X, _, Z = self.rates(equations, state, dq)
        h = 1e-6
        for x, z in zip(X, Z, strict=True):
            one = equations.compose(start, dq + h * z) - equations.compose(start, dq - h * z)
            other = equations.compose(state.q, h * x) - equations.compose(state.q, -h * x)
            assert one == pytest.approx(other, abs=1e-13)
