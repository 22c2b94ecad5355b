"""Any pair of trees gives the same motion and loads of flexible mechanisms, open or closed."""

import numpy as np
import pytest

import flexnet as fx
from tests.flexible.bodies import KINDS, table
from tests.flexible.test_lagrange import chain
from tests.formulation.test_tree_invariance import TOLERANCE, check_trees


def loop(kind, stiffening=True):
    """A closed chain with two flexible bodies in it, one free of the ground."""
    s = fx.System("flexible loop")
    s.gravity([1.0, 2.0, -9.81])
    of = table(kind)
    span = of.frames.position[1] - of.frames.position[0]
    one = s.flexible_body("one", of, stiffening=stiffening, position=-of.frames.position[0])
    turn = fx.rotation((0.3, 0.5, 1.0), 0.7)
    two = s.flexible_body(
        "two", of, stiffening=stiffening, position=span - turn @ of.frames.position[0], rotation=turn
    )
    end, arm = span + turn @ span, np.array([0.15, 0.05, 0.1])
    s.ground.frame("D", end + 2 * arm)
    bar = s.rigid_body("bar", 0.5, [0.01, 0.01, 0.01], {"a": -arm, "b": arm}, position=end + arm)
    s.revolute("A", s.ground, one["a"], axis=(0.2, 1, 0.4))
    s.spherical("B", one["b"], two["a"])
    s.universal("C", two["b"], bar["a"], axis_1="y", axis_2="z")
    s.spherical("D", s.ground["D"], bar["b"])
    s.spring("spring", s.ground, two["b"], stiffness=30.0, damping=0.5, free_length=0.3)
    s.force("push", one["b"], [1.0, fx.harmonic(2.0, 3.0), 0.0], follows=True)
    return s


def panels():
    """Two plates in series on driven hinges."""
    s = fx.System("plates")
    of = table("shell")
    one = s.flexible_body("one", of)
    two = s.flexible_body("two", of, position=of.frames.position[1] - of.frames.position[0])
    s.revolute("A", s.ground, one["a"], axis="y")
    s.revolute("B", one["b"], two["a"], axis="y")
    s.motion("drive_A", joint="A", angle=fx.harmonic(0.5, 2.0))
    s.motion("drive_B", joint="B", angle=fx.polynomial(0.1, 0.3, -0.2))
    return s


@pytest.mark.sweep(3)
@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_an_open_chain_moves_the_same_in_every_tree(kind, stiffening):
    system = chain(kind, stiffening=stiffening, driven=True)
    assert check_trees(system, np.random.default_rng(1), pairs=5, travel=0.1) < TOLERANCE


@pytest.mark.sweep(3)
@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_with_flexible_bodies_moves_the_same_in_every_tree(kind, stiffening):
    system = loop(kind, stiffening)
    assert check_trees(system, np.random.default_rng(2), pairs=5, travel=0.1) < TOLERANCE


@pytest.mark.parametrize("support", ["clamped", "pinned", "free"])
def test_every_frame_of_reference_is_tree_invariant(support):
    system = chain("beam", "craig_bampton", support)
    assert check_trees(system, np.random.default_rng(3), pairs=4, travel=0.1) < TOLERANCE


def test_driven_panels_are_tree_invariant_and_leave_elastic_coordinates_only():
    system = panels()
    assert check_trees(system, np.random.default_rng(4), pairs=6, travel=0.05) < TOLERANCE
    equations = fx.formulate(system, "default")
    assert equations.m == 0
    assert all(".elastic_" in name for name in equations.coordinates.q_names)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_loops_move_the_same_in_many_trees(kind, seed):
    check_trees(loop(kind), np.random.default_rng([seed, 3]), pairs=10, travel=0.1)


@pytest.mark.parametrize("build", [lambda: loop("beam"), panels, lambda: chain("mixed", driven=True)])
def test_bodies_start_undeformed(build):
    poses = fx.assemble(build())
    assert np.abs(poses.elastic).max() < 1e-15
    assert np.abs(poses.elastic_rate).max() < 1e-14
