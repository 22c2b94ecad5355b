"""Branches and bodies through the table of families, beside the sweeps written by hand."""

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.formulation import State
from flexnet.formulation.branch_programs import slide_family, turn_family
from tests.catalogue import build
from tests.formulation.chains import JOINTS, chain
from tests.formulation.written_sweeps import sweep
from tests.sampling import random_pair

T = sp.Symbol("t")
RIGHT_ANGLES = fx.rotation("x", np.pi / 2) @ fx.rotation("z", np.pi)


def driven():
    """Known functions in every direction, the edges pointing both ways."""
    s = fx.System("driven")
    s.gravity([0.0, 0.0, -9.81])
    one = s.rigid_body("one", 2.0, [1.0, 2.0, 2.5], {"a": ([0.1, 0.0, 0.2], RIGHT_ANGLES)})
    two = s.rigid_body("two", 1.0, [0.5, 0.6, 0.7], {"a": [0.0, 0.3, 0.0]})
    s.motion("spin", head=one["a"], axis=[1.0, 2.0, 2.0], angle=0.3 + sp.sin(2 * T))
    s.motion("shake", head=one["a"], displacement=[T**2, sp.cos(T), 0.2])
    s.revolute("pin", two["a"], one, axis="y")
    return s


def check(equations, rng):
    """Frames, rates, directions and generalised forces of a state that need not close."""
    q = equations.compose(equations.initial.q, rng.uniform(-1, 1, equations.n_v))
    state = State(0.3, q, rng.uniform(-2, 2, equations.n_v))
    acc = rng.uniform(-2, 2, equations.n_v)
    r, _ = equations.residual(state, acc, np.zeros(equations.m))
    work = equations.work
    s = sweep(equations, state, acc)
    for name in ("R", "p", "omega", "v", "omega_dot", "a", "r"):
        wanted = getattr(s, name)
        np.testing.assert_allclose(getattr(work, name), wanted, atol=1e-12 * (1 + np.abs(wanted).max()))
    for found, wanted in [*zip(work.u, s.u, strict=True), *zip(work.d, s.d, strict=True)]:
        np.testing.assert_allclose(found[: len(wanted)], np.reshape(wanted, (-1, 3)), atol=1e-13)
    scale = 1 + np.abs(s.force).max() + np.abs(s.torque).max()
    np.testing.assert_allclose(work.force, s.force, atol=1e-12 * scale)
    np.testing.assert_allclose(work.torque, s.torque, atol=1e-12 * scale)
    np.testing.assert_allclose(-r, s.out, atol=1e-12 * scale)
    energy = equations.energies(state)[0]  # by the functions that know where everything is already
    assert energy == pytest.approx(s.kinetic, rel=1e-12)


SYSTEMS = {
    "some joints": lambda: chain(list(JOINTS)[:5], seed=1),
    "other joints": lambda: chain(list(JOINTS)[5:], seed=2),
    "loops in space": lambda: build("leger_a06_spatial_slider_crank"),
    "loops in the plane": lambda: build("leger_a07_3rrr"),
    "drivers": driven,
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("make", SYSTEMS.values(), ids=SYSTEMS)
def test_families_do_what_the_sweeps_written_by_hand_did(make):
    system, rng = make(), np.random.default_rng(5)
    for tree in ("joint", "absolute", None):
        trees = random_pair(system, rng) if tree is None else ()
        equations = fx.formulate(system, tree or "default", *trees)
        assert len(equations.model.elements) == 0
        check(equations, rng)


def test_a_turn_in_the_plane_writes_what_changes():
    one = (1, 0, 0, 0, 1, 0, 0, 0, 1)
    sizes = []
    for is_flat in (False, True):
        (place, *_), _ = turn_family(is_flat, False, 1, one, one, ((0, 0, 1),), False, False)
        sizes.append(sum(e is not None for e in place.results))
        assert len(place.inputs["p"]) == 0
    assert sizes[1] < sizes[0]


def test_what_follows_from_the_numbers_of_a_member_is_prepared():
    (_, motion, *_), prepare = slide_family(False, False, False, -1, (None, 0, 0), (), ())
    assert len(motion.inputs["p"]) == len(prepare([0.7])) == 1
    assert prepare([0.7]) == [0.7]
