"""Flexible bodies: any tree describes the same motion and the same loads, however far they bend."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from flexnet.formulation.equations import Equations
from tests.sampling import answer, random_pair

SOFT = fx.Material(E=2e9, nu=0.3, rho=2000.0, eta=1e-3)


def beam():
    return fx.beam_body(1.0, 6, SOFT, fx.rectangle(0.02, 0.03))


def tip_to_tip(stiffening):
    """Two beams joined at their tips, and a body on the second one's root."""
    s = fx.System("tips")
    s.gravity([1, -2, -9])
    A = s.flexible_body("A", beam(), fx.Clamped("start"), modes=4, stiffening=stiffening)
    B = s.flexible_body(
        "B", beam(), fx.Pinned("start", "end"), modes=3, stiffening=stiffening,
        position=[2, 0, 0], rotation=fx.rotation("z", np.pi),
    )  # fmt: skip
    c = s.rigid_body("c", 0.5, [0.01, 0.02, 0.03], {"p": [0.1, 0.2, 0.3]}, position=[1.9, -0.2, -0.3])
    s.universal("root", s.ground, A["start"], axis_1="z", axis_2="y")
    s.revolute("tip", B["end"], A["end"])
    s.spherical("end", B["start"], c["p"])
    s.force("follower", A["end"], [1, 2, 3], follows=True)
    s.spring("spring", A["end"], c["p"], stiffness=20, damping=1.0, free_length=0.1)
    return s


def bent(system, seed):
    """A consistent state with frames that turn by up to half a radian on their bodies."""
    rng = np.random.default_rng(seed)
    equations = fx.formulate(system, "absolute")
    elastic = np.zeros(equations.n_v, dtype=bool)
    elastic[equations.packer.elastic_indices()[1]] = True
    n, full = equations.n_v, Equations(system, equations.T, equations.R)
    q = equations.compose(equations.initial.q, rng.uniform(-1, 1, n) * np.where(elastic, 0.05, 0.15))
    for _ in range(30):
        _, G = full.mass_and_jacobian(q)
        q = equations.compose(q, -np.linalg.lstsq(G, full.constraints(q), rcond=1e-10)[0])
    _, G = full.mass_and_jacobian(q)
    v = rng.uniform(-1, 1, n)
    v -= np.linalg.lstsq(G, full.constraint_rates(State(0.0, q, v)), rcond=1e-10)[0]
    return equations.poses(State(0.0, q, v))


@pytest.mark.parametrize("stiffening", [False, True])
def test_trees_agree_far_from_the_undeformed_shape(stiffening):
    system, rng = tip_to_tip(stiffening), np.random.default_rng(5)
    poses = bent(system, 3)
    reference = fx.formulate(system, "absolute", poses=poses)
    expected = answer(reference, reference.initial)
    for T, R in [(None, None), *(random_pair(system, rng) for _ in range(3))]:
        equations = fx.formulate(system, "joint", T, R, poses=poses)
        assert np.abs(equations.constraint_rates(equations.initial)).max(initial=0.0) < 1e-10
        assert max(expected.distance(answer(equations, equations.initial)).values()) < 1e-8


def test_loads_beside_a_virtual_branch_know_the_inertia_of_flexible_bodies():
    s = fx.System("virtual")
    s.gravity([0, -9.81, 0])
    A = s.flexible_body("A", beam(), fx.Clamped("start"), modes=4)
    c = s.rigid_body("c", 0.5, [0.01, 0.02, 0.03], position=[1, 0, 0])
    s.revolute("root", s.ground, A["start"])
    s.weld("tip", A["end"], c)
    s.virtual("plane", "planar", s.ground, c)
    plain = fx.formulate(s, "absolute")
    virtual = fx.formulate(s, translation=["plane", "tip"], rotation=["plane", "tip"])
    expected, found = (fx.reactions(e, e.initial) for e in (plain, virtual))
    for name, load in expected.items():
        assert np.allclose(found[name].force, load.force, atol=1e-10), name
        assert np.allclose(found[name].torque, load.torque, atol=1e-10), name
