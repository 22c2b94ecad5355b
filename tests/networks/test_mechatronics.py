"""Mechanisms with drives: what passes between network and mechanism is the same on both sides."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexnet as fx
from tests.catalogue import build
from tests.networks.test_laws import powers


@pytest.mark.slow
def test_the_motor_brings_the_four_bar_to_its_speed() -> None:
    s = build("motor_four_bar")
    run = fx.simulate(s, end=0.6, step=1e-4, interval=2e-3)
    i, w, T = (run.channel(name) for name in ("current", "speed", "torque"))
    np.testing.assert_allclose(T, 0.05 * 8.0 * i, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.channel("motor.emf.voltage"), 0.05 * 8.0 * w, rtol=0, atol=1e-9)
    total, size = powers(run, s)
    assert np.abs(total).max() < 1e-12 * size.max()
    assert np.abs(run.channel("motor.source.voltage")).max() <= 24.0
    assert w[-1] == pytest.approx(20.0, abs=4.0)


@pytest.mark.slow
def test_the_cylinder_lifts_the_boom_with_the_pressure_of_its_chambers() -> None:
    s = build("cylinder_boom")
    s.channel("force", fx.force("cylinder"))
    run = fx.simulate(s, end=2.0, step=5e-4, interval=1e-2)
    P1, P2 = run.channel("cylinder.1.pressure"), run.channel("cylinder.2.pressure")
    np.testing.assert_allclose(run.channel("force"), np.abs(2e-3 * P1 - 1.2e-3 * P2), rtol=0, atol=1e-5)
    total, size = powers(run, s)
    assert np.abs(total).max() < 1e-12 * size.max()
    # the oil is stiff: the areas share the flow as they share the rate
    flows = run.channel("cylinder.1.flow")[-1] / -run.channel("cylinder.2.flow")[-1]
    assert flows == pytest.approx(2e-3 / 1.2e-3, rel=1e-12)
    assert 1.45 < run.channel("tip")[-1] < 1.58


def crank_of_one_freedom(theta: complex) -> tuple[complex, complex]:
    """Inertia of the slider-crank of GTM as the crank sees it, and the way of its slider a radian.

    By hand: places of the three centres of mass as functions of θ, the rod's angle from l sin θ₂ = r sin θ.
    """
    (m1, m2, m3), (I1, I2, _) = (1.0, 1.5, 2.0), (0.01, 0.05, 0.01)
    r, l = 0.2, 0.6
    s, c = np.sin(theta), np.cos(theta)
    low = r * s / l  # sine of the angle of the rod below the horizontal
    turn = r * c / l / np.sqrt(1 - low**2)  # of the rod, a radian of the crank
    slider = -r * s - l * low * turn
    middle = -r * s - l / 2 * low * turn, r * c / 2
    inertia = I1 + m1 * (r / 2) ** 2 + I2 * turn**2 + m2 * (middle[0] ** 2 + middle[1] ** 2) + m3 * slider**2
    return inertia, slider


@pytest.mark.parametrize(("tree", "engine"), [("joint", "numeric"), ("absolute", "symbolic")])
def test_a_motor_turns_the_slider_crank_as_one_equation_by_hand_does(tree: str, engine: str) -> None:
    """M(θ) θ̈ + M'(θ) θ̇²/2 = k i + F x'(θ) with L di/dt = u - R i - k θ̇."""
    k, R, L, u, F = 0.4, 1.0, 0.05, 6.0, 1.0

    def rates(t: float, y: np.ndarray) -> list[float]:
        theta, speed, current = y
        M, way = crank_of_one_freedom(theta + 1e-20j)  # imaginary part: its derivative
        load = k * current + F * way.real - M.imag * 1e20 * speed**2 / 2
        return [speed, load / M.real, (u - R * current - k * speed) / L]

    expected = solve_ivp(rates, (0.0, 1.0), [0.7, 0.0, 0.0], method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    s = build("slider_crank_gtm")
    s.motor("motor", "h9", u, constant=k, resistance=R, inductance=L)
    s.channel("speed", fx.joint_rate("h9"), "rad/s")
    s.channel("current", fx.current("motor.R"), "A")
    run = fx.simulate(s, 1.0, 1e-3, fx.dop853(), tree, tolerance=1e-10, interval=0.1, engine=engine)
    found = [run.channel(name)[-1] for name in ("crank_angle", "speed", "current")]
    np.testing.assert_allclose(found, expected, rtol=1e-7)
