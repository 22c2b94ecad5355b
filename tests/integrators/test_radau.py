"""Radau IIA: stiff motion in large steps, constraints at round-off, rotations."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.integrators.radau import ESTIMATE, STAGES, TIMES
from tests.catalogue import build as build_case


def test_the_stages_are_those_of_collocation():
    A, c = np.array(STAGES), np.array(TIMES)
    for k in range(1, 4):  # Σ a_ij c_j^(k-1) = c_i^k / k
        assert np.allclose(A @ c ** (k - 1), c**k / k, atol=1e-15)
    for k in range(1, 6):  # Σ b_j c_j^(k-1) = 1/k up to the order
        assert A[2] @ c ** (k - 1) == pytest.approx(1 / k, abs=1e-15)
    # the estimate is zero for polynomials up to degree three: 1 of γ₀ h ẏ cancels the stages
    assert np.array(ESTIMATE) @ c == pytest.approx(-1, abs=1e-14)
    assert np.array(ESTIMATE) @ c**2 == pytest.approx(0, abs=1e-14)
    assert np.array(ESTIMATE) @ c**3 == pytest.approx(0, abs=1e-14)


def dashpot(damping):
    s = fx.System("dashpot", planar=True)
    block = s.rigid_body("block", mass=1.0, inertia=1.0, position=[1.0, 0.0])
    s.prismatic("rail", s.ground, block, axis="x")
    s.spring("dashpot", s.ground, block, stiffness=100.0, damping=damping)
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_dashpot_faster_than_any_step_is_followed_along_its_slow_root(tree):
    damping, end = 1e5, 1000.0
    run = fx.simulate(dashpot(damping), end, 1e-3, fx.radau(), tree, tolerance=1e-8, interval=100.0)
    assert run.status.is_done
    assert run.status.steps < 2000  # an explicit method: 1000 s · 10⁵/s / 3
    slow = -2 * 100.0 / (damping + np.sqrt(damping**2 - 400.0))
    fast = -damping - slow
    t = run.time
    exact = (fast * np.exp(slow * t) - slow * np.exp(np.maximum(fast * t, -700.0))) / (fast - slow)
    assert np.abs(run["frames/block/position"][:, 0] - exact).max() < 1e-8


def test_a_closed_loop_moves_as_the_explicit_method_has_it_and_holds_its_constraints():
    system = build_case("squeezer")
    run = fx.simulate(system, 0.01, 1e-5, fx.radau(), tolerance=1e-8, interval=2.5e-3)
    exact = fx.simulate(system, 0.01, 1e-5, fx.dop853(), tolerance=1e-11, interval=2.5e-3)
    assert np.abs(run["state/q"] - exact["state/q"]).max() < 1e-7
    loads = np.abs(exact["state/lambda"]).max()
    assert np.abs(run["state/lambda"] - exact["state/lambda"]).max() < 1e-5 * loads
    assert run["constraints/position"].max() < 1e-14


def test_a_spinning_top_turns_in_space_with_order_five_or_more():
    system = build_case("heavy_top")
    exact = fx.simulate(system, 0.1, 1e-3, fx.dop853(), "absolute", tolerance=1e-12, interval=0.1)
    ends = [fx.simulate(system, 0.1, h, fx.radau(), "absolute", interval=0.1) for h in (2e-3, 1e-3)]
    coarse, fine = (np.abs(run["state/q"][-1] - exact["state/q"][-1]).max() for run in ends)
    # above five: a term of higher order still leads at a twentieth of a turn a step
    assert np.log2(coarse / fine) > 4.8
    assert fine < 1e-8


def test_the_tolerance_is_bounded():
    with pytest.raises(fx.FlexnetError, match="needs a tolerance between 1e-13"):
        fx.radau(1e-20)
