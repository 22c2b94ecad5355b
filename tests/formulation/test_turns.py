"""A torsional spring counts whole turns, whichever branches lie between its ends."""

from math import pi

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from flexnet.formulation.symbolic import symbolic
from tests.sampling import random_pair
from tests.symbolic.agreement import distances

TREES = ("joint", "absolute", "absolute_angular", "default")


def crank_rocker(angle: float = 0.9, rate: float = 12.0, driven: bool = False) -> fx.System:
    """A crank that goes round, wound against a spring; planar.

      A──────B
     ╱        ╲
    O          C        spring at O and, across the coupler, from the ground to the rocker's tip
    """
    s = fx.System("crank-rocker", planar=True)
    O, A = np.zeros(2), 0.3 * np.array([np.cos(0.9), np.sin(0.9)])
    C, B = np.array([1.0, 0.0]), np.array([0.9, 0.7])
    bars = []
    for name, start, end in (("crank", O, A), ("coupler", A, B), ("rocker", C, B)):
        length, turn = np.linalg.norm(end - start), np.arctan2(*(end - start)[::-1])
        ends = {"1": [-length / 2, 0], "2": [length / 2, 0]}
        R = fx.rotation("z", turn)
        bars.append(s.rigid_body(name, 1.0, 0.1, ends, position=[*(start + end) / 2, 0], rotation=R))
    crank, coupler, rocker = bars
    s.revolute("O", s.ground, crank["1"])
    s.revolute("A", crank["2"], coupler["1"])
    s.revolute("B", coupler["2"], rocker["2"], axis=(0, 0, -1))
    s.revolute("C", s.ground.frame("C", [1, 0]), rocker["1"])
    s.torsional_spring("winding", joint="O", stiffness=0.8, damping=0.02, free_angle=0.3)
    s.torsional_spring("bridge", tail=coupler, head=rocker["2"], axis=(0, 0, -1), stiffness=0.1)
    if driven:
        s.motion("drive", joint="O", angle=fx.polynomial(angle, rate))
    else:
        s.start("O", angle=angle, rate=rate)
    s.channel("angle", fx.joint_coordinate("O"), "rad")
    return s


@pytest.mark.parametrize("tree", TREES)
def test_trees_agree_after_several_turns(tree):
    """The spring at O is wound up by more than a turn and throws the crank back."""
    runs = [fx.simulate(crank_rocker(), 3.0, 2e-4, tree=t, interval=1e-2) for t in ("joint", tree)]
    expected, found = (run.channel("angle") for run in runs)
    assert np.ptp(expected) > 2.5 * pi
    # other coordinates have another error of the step, h² times the third derivative of a fast motion
    assert np.abs(found - expected).max() < 1e-4


@pytest.mark.sweep(5)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("driven", [False, True])
def test_energy_after_turns_is_the_same_for_any_tree(seed, driven):
    """Energy of the springs with the crank three turns on, and started there."""
    rng = np.random.default_rng(seed)
    energies = []
    for turns in (0, 3):
        system = crank_rocker(0.9 + 2 * pi * turns, driven=driven)
        pairs = [("joint", None, None), ("absolute", None, None), ("default", *random_pair(system, rng))]
        for tree, T, R in pairs:
            equations = fx.formulate(system, tree, T, R)
            energies.append(equations.energies(equations.initial)[1])
        assert np.ptp(energies[-3:]) < 1e-9 * max(energies[-3:])
    assert energies[-1] > 0.4 * 0.8 * (6 * pi) ** 2


def parallel_pins(tilt) -> fx.System:
    """Two spatial rods on parallel pins in a plane turned anyhow; a spring from the ground to the second."""
    s = fx.System("pins")
    R = fx.rotation("x", tilt) @ fx.rotation("y", 2 * tilt)
    axis = R @ [0, 0, 1]
    one = s.rigid_body(
        "one", 1.0, [0.1, 0.1, 0.1], {"a": R @ [-0.5, 0, 0], "b": R @ [0.5, 0, 0]}, R @ [0.5, 0, 0]
    )
    two = s.rigid_body("two", 1.0, [0.1, 0.1, 0.1], {"a": R @ [-0.5, 0, 0]}, R @ [1.5, 0, 0])
    s.revolute("first", s.ground, one["a"], axis=axis)
    s.revolute("second", one["b"], two["a"], axis=-axis)
    s.torsional_spring("wound", head=two, axis=axis, stiffness=2.0)
    s.start("first", angle=0.0, rate=0.0)
    s.start("second", angle=0.0, rate=0.0)
    return s


def test_spatial_pins_with_parallel_axes_add_up():
    """The angle is that of the first pin less that of the second, which turns the other way."""
    equations = fx.formulate(parallel_pins(0.4), "joint")
    for first, second in ((0.3, 0.1), (5.0, -4.0), (-20.0, 1.0)):
        q = equations.initial.q.copy()
        place = equations.coordinates.rotation
        q[place["first"].q], q[place["second"].q] = first, second
        energy = equations.energies(State(0.0, q, np.zeros(equations.n_v)))[1]
        assert energy == pytest.approx(0.5 * 2.0 * (first - second) ** 2, rel=1e-12)


@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular"])
@pytest.mark.parametrize("driven", [False, True])
def test_engines_agree_beyond_half_a_turn(tree, driven):
    rng = np.random.default_rng(3)
    equations = fx.formulate(crank_rocker(0.9 + 4 * pi, driven=driven), tree)
    start = equations.initial
    state = State(start.t, equations.compose(start.q, 3.0 * rng.standard_normal(equations.n_v)), start.v)
    assert max(distances(symbolic(equations), state, rng).values()) < 1e-10
