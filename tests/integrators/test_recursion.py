"""Elimination along a tree of bodies solves what the mass matrix says, at a cost that grows with the tree."""

from dataclasses import replace

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import links as counted
from flexnet.integrators import Settings, begin, dop853, dopri5
from flexnet.kernels import recursion
from tests.benchmarks import chain


@pytest.fixture
def always(monkeypatch):
    """A recursion however small the tree is."""
    monkeypatch.setattr(counted, "_SPATIAL", (0, 0))
    monkeypatch.setattr(counted, "_PLANAR", (0, 0))


def branching(seed: int = 3) -> fx.System:
    """Every kind of joint between bodies, at frames off their centres, in a tree that branches.

    ground ─ revolute ─ spherical, prismatic, universal, cylindrical, revolute; a body floats
    """
    s, rng = fx.System("branching"), np.random.default_rng(seed)
    s.gravity([0.1, 0.2, -9.81])
    ends = [s.ground.origin]
    for i, kind in enumerate(
        ["revolute", "spherical", "prismatic", "universal", "cylindrical", "free", "revolute"]
    ):
        frames = {name: rng.standard_normal(3) for name in "ABC"}
        body = s.rigid_body(f"body{i}", 1.0 + i, np.diag([0.2, 0.3, 0.4]) + 0.02, frames)
        end = s.ground.origin if kind == "free" else ends[rng.integers(len(ends))]
        turned = {"axis": [0.0, 0.6, 0.8]} if kind in ("revolute", "prismatic", "cylindrical") else {}
        getattr(s, kind)(f"joint{i}", end, body["A"], **turned)
        ends += [body["B"], body["C"]]
    return s


def eliminated(dae, b):
    """M⁻¹b along the tree, at the state of the last residual."""
    links = dae.links()
    table = np.zeros((len(links.parent), recursion.table_width(links.d)))
    found = recursion.make_recursion(links.parent, links.first, links.place, links.d)
    links.articulate(dae.model, dae.work, 0.0, 0.0, table, links.numbers)
    x, y = b.copy(), b.copy()
    assert recursion.factor(found, table, x) > 0.0
    recursion.outwards(found, table, x)
    recursion.solve(found, table, y)  # another right-hand side, with the same factors
    np.testing.assert_allclose(y, x, rtol=0, atol=1e-11 * np.abs(x).max())
    return x


@pytest.mark.parametrize("system", [lambda: chain.build(6), branching, lambda: branching(8)])
def test_the_tree_of_bodies_solves_what_the_mass_matrix_says(system, always):
    equations = fx.formulate(system(), "joint")
    dae, rng = equations.dae(), np.random.default_rng(0)
    q, x = np.empty(dae.n_q), rng.standard_normal(dae.n_v)
    dae.compose(dae.model, dae.q, rng.standard_normal(dae.n_v), q)
    M, _ = equations.mass_and_jacobian(q)
    np.testing.assert_allclose(eliminated(dae, M @ x), x, rtol=0, atol=1e-11)


def test_a_coordinate_without_inertia_is_refused_by_the_tree(always):
    s = fx.System("massless", planar=True)
    first = s.rigid_body("first", 1.0, 0.1, {"B": [0.5, 0.0]})
    last = s.rigid_body("last", 1.0, 0.0, {"A": [0.0, 0.0]})
    s.revolute("one", s.ground.origin, first)
    s.revolute("two", first["B"], last["A"])
    dae = fx.formulate(s, "joint").dae()
    links = dae.links()
    table = np.zeros((2, recursion.table_width(3)))
    links.articulate(dae.model, dae.work, 0.0, 0.0, table, links.numbers)
    found = recursion.make_recursion(links.parent, links.first, links.place, links.d)
    assert recursion.factor(found, table, np.zeros(2)) == 0.0


def test_loops_and_trees_that_differ_have_no_links(always):
    assert fx.formulate(chain.build(4), "absolute").dae().links() is None
    assert fx.formulate(branching(), "absolute_angular").dae().links() is None


def test_small_trees_keep_their_mass_matrix_and_long_ones_do_not():
    assert fx.formulate(chain.build(1), "joint").dae().links() is None
    assert fx.formulate(chain.build(30), "joint").dae().links() is not None


@pytest.mark.parametrize("method", [dopri5, dop853])
def test_a_run_along_the_tree_is_that_with_the_mass_matrix(method, always):
    dae = fx.formulate(branching(), "joint").dae()
    ends = []
    for one in (dae, replace(dae, links=None)):
        march = begin(one, method(), Settings(1e-3, 0.05, 0.01, tolerance=1e-9))
        assert (march._links is not None) == (one is dae)
        ends.append(list(march.blocks())[-1])
        assert march.status.is_done
    np.testing.assert_allclose(ends[0].q, ends[1].q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ends[0].a, ends[1].a, rtol=0, atol=1e-6 * np.abs(ends[1].a).max())
