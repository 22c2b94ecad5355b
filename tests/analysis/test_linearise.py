import warnings

import catalogue
import numpy as np
import pytest
from pendulums import G, governor, pendulum, slider_crank

import flexnet as fx
from flexnet.errors import ModelError


def frequencies(linear: fx.Linearisation) -> list[float]:
    return [2 * np.pi * mode.frequency for mode in linear.modes if mode.frequency > 0]


@pytest.mark.parametrize("tree", catalogue.TREES)
@pytest.mark.parametrize("planar", [True, False])
def test_a_pendulum_swings_with_its_frequency_for_every_tree(tree, planar):
    rest = fx.equilibrium(pendulum(0.1, length=0.7, planar=planar), tree)
    linear = fx.linearise(rest.equations, rest.state)
    assert frequencies(linear) == pytest.approx([np.sqrt(G / 0.7)], rel=1e-7)
    assert linear.modes[0].damping_ratio == pytest.approx(0.0, abs=1e-8)


def test_a_damped_oscillator_has_its_damping_ratio():
    s = fx.System("oscillator", planar=True)
    mass = s.rigid_body("mass", 2.0, 0.1, position=[1.0, 0.0])
    s.prismatic("guide", s.ground, mass)
    s.spring("spring", s.ground, mass, stiffness=200.0, damping=4.0, free_length=1.0)
    (mode,) = fx.linearise(fx.formulate(s)).modes
    assert mode.damping_ratio == pytest.approx(4.0 / (2 * np.sqrt(200.0 * 2.0)), rel=1e-7)
    assert mode.eigenvalue == pytest.approx(complex(-1.0, np.sqrt(100.0 - 1.0)), rel=1e-7)


def test_a_double_pendulum_has_the_two_frequencies_of_its_small_motions():
    linear = fx.linearise(fx.formulate(catalogue.build("double_pendulum", theta=(-np.pi / 2, -np.pi / 2))))
    # uniform rods of length 1 and mass 1, absolute angles
    M = np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]])
    K = G * np.diag([3 / 2, 1 / 2])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K))))
    assert frequencies(linear) == pytest.approx(list(expected), rel=1e-7)
    for mode in linear.modes:
        turns = [rotation[2] for _, rotation in linear.bodies(mode).values()]
        left = (K - (2 * np.pi * mode.frequency) ** 2 * M) @ turns
        assert np.abs(left).max() < 1e-4 * np.abs(turns).max()


def test_frequencies_of_a_closed_loop_do_not_depend_on_the_tree():
    found = []
    for tree in catalogue.TREES:
        rest = fx.equilibrium(slider_crank(), tree)
        found.append(frequencies(fx.linearise(rest.equations, rest.state)))
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-5)


@pytest.mark.parametrize("tree", catalogue.TREES)
def test_a_governor_swings_about_its_relative_equilibrium(tree):
    """Ω² sin² θ is the square of its frequency, cos θ = g / (l Ω²)."""
    speed = 5.0
    theta = np.arccos(G / speed**2)
    linear = fx.linearise(fx.formulate(governor(speed), tree))
    assert frequencies(linear) == pytest.approx([speed * np.sin(theta)], rel=1e-6)
    assert linear.is_stable


def test_a_spinning_free_body_wobbles_and_is_seen_from_turning_axes():
    spin, A, C = 3.0, 1.0, 1.6
    s = fx.System("spinner")
    body = s.rigid_body("body", 1.0, [A, A, C], angular_velocity=[0, 0, spin])
    s.free("space", s.ground, body)
    found = frequencies(fx.linearise(fx.formulate(s)))
    wanted = [spin * (C - A) / A, spin]  # wobble of ω in the body, and a tilted axis seen from it
    for w in wanted:
        assert min(abs(f - w) for f in found) < 1e-5


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_an_upright_pendulum_is_unstable(tree):
    linear = fx.linearise(fx.formulate(pendulum(np.pi, length=1.0), tree))
    assert not linear.is_stable
    assert sorted(x.real for x in linear.eigenvalues) == pytest.approx([-np.sqrt(G), np.sqrt(G)], rel=1e-6)


def test_a_mode_is_a_result_file_of_one_period(tmp_path):
    rest = fx.equilibrium(slider_crank())
    linear = fx.linearise(rest.equations, rest.state)
    run = fx.animate_mode(linear, linear.modes[0], tmp_path / "mode.h5", amplitude=0.1)
    results = fx.Results.open(tmp_path / "mode.h5")
    assert results.time[-1] == pytest.approx(1.0 / linear.modes[0].frequency)
    assert run["constraints/position"].max() < 1e-9
    np.testing.assert_allclose(run["state/q"][0], run["state/q"][-1], atol=1e-9)
    assert np.abs(run["state/q"] - run["state/q"].mean(axis=0)).max() == pytest.approx(0.1, rel=0.2)


def test_a_driven_hub_softens_its_slider_and_a_moving_choice_warns():
    """ω² = k/m - Ω²; with coordinates that go round, the linear equations vary in time."""
    s = fx.System("hub", planar=True)
    hub = s.rigid_body("hub", 1.0, 1.0)
    mass = s.rigid_body("mass", 1.0, 0.0, position=[1.0, 0])
    s.revolute("axle", s.ground, hub)
    s.prismatic("slot", hub, mass, axis="x")
    s.motion("drive", joint="axle", angle=fx.ramp(6.0))
    s.spring("spring", hub, mass, stiffness=100.0, free_length=0.64, axis="x")
    s.start("slot", displacement=1.0, rate=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fx.linearise(fx.formulate(s, "joint"))
    assert np.abs(found.eigenvalues.imag).max() == pytest.approx(8.0, rel=1e-6)
    with pytest.warns(UserWarning, match="keep the independent coordinates moving"):
        fx.linearise(fx.formulate(s, "absolute"))


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_forces_that_follow_accelerations_or_loads_are_refused_and_not_judged(tree):
    """A mass of signals beside one of 2 kg: the frequency of the 2 kg alone would be wrong."""
    s = fx.System("block", planar=True)
    block = s.rigid_body("block", 2.0, 1.0)
    s.prismatic("guide", s.ground, block, axis="x")
    s.spring("spring", s.ground, block, stiffness=100.0)
    s.actuator("push", "guide", -fx.quantity(2.0, "kg") * fx.acceleration(block, "x"))
    made = fx.formulate(s, tree)
    with pytest.raises(ModelError, match="accelerations or loads of joints"):
        fx.linearise(made)
    assert fx.equilibrium(made).is_stable is None


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_state_out_of_balance_is_said(tree):
    """Eigenvalues there belong to the coordinates: 1.99 rad/s in an angle, another number in x or y."""
    with pytest.warns(UserWarning, match="not in balance"):
        fx.linearise(fx.formulate(pendulum(1.0, length=1.0), tree))
