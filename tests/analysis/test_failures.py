"""What goes wrong is a status with the time, the worst equation by name, and what to try."""

import catalogue
import numpy as np
import pytest
from pendulums import pendulum
from test_kinematics import locking_slider_crank

import flexnet as fx
from flexnet.integrators import Outcome


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_locking_position_stops_the_run_there(tree, tmp_path):
    path = tmp_path / "lock.h5"
    run = fx.simulate(locking_slider_crank(), 1.0, 1e-3, tree=tree, out=path, throw=False)
    assert not run.status.is_done
    assert run.status.t == pytest.approx(np.pi / 6, abs=5e-3)
    assert run.status.equation in run.equations.dae().equations
    assert not run.status.pole
    results = fx.Results.open(path)
    assert results.status.state == "failed"
    assert "worst equation" in results.status.message
    assert results.time[-1] == pytest.approx(run.status.t)
    with pytest.raises(fx.ConvergenceError, match=r"locking: stopped at t = 0\.52.*try"):
        fx.simulate(locking_slider_crank(), 1.0, 1e-3, tree=tree)


def test_too_large_a_step_says_so():
    run = fx.simulate(catalogue.build("squeezer"), 0.03, 6e-3, throw=False)
    assert run.status.outcome in (Outcome.NO_CONVERGENCE, Outcome.NOT_A_NUMBER, Outcome.SINGULAR)
    assert "try" in str(run.status) or "look" in str(run.status)


def with_law(law: object) -> fx.System:
    s = pendulum(0.5)
    s.torsional_spring("spring", joint="pivot", law=law)
    return s


@pytest.mark.parametrize("tolerance", [None, 1e-6])
def test_a_law_that_gives_no_number_is_named(tolerance):
    def law(x: float, v: float, t: float) -> float:
        return float("nan") if t > 0.3 else -x

    run = fx.simulate(with_law(law), 1.0, 1e-3, tolerance=tolerance, throw=False)
    assert run.status.outcome is Outcome.NOT_A_NUMBER
    assert run.status.t == pytest.approx(0.3, abs=2e-3)
    assert run.status.equation == "law of spring"


def test_a_law_that_raises_is_named_with_what_it_raised():
    def law(x: float, v: float, t: float) -> float:
        if t > 0.2:
            raise ValueError("no more")
        return 0.0

    with pytest.raises(fx.ConvergenceError, match=r"law of spring \(ValueError: no more\)"):
        fx.simulate(with_law(law), 1.0, 1e-3)


def test_a_tolerance_that_cannot_be_met_says_so():
    def law(x: float, v: float, t: float) -> float:
        return 1e6 * np.sign(np.sin(1e9 * t))

    run = fx.simulate(with_law(law), 1.0, 1e-3, tolerance=1e-9, throw=False)
    assert run.status.outcome in (Outcome.STEP_TOO_SMALL, Outcome.NO_CONVERGENCE)
    assert run.status.equation


def test_the_four_bar_passes_its_singular_positions_with_small_steps():
    """At t = 0.714 s all rods are horizontal: two freedoms for an instant."""
    errors = []
    for h in (1e-2, 2.5e-3, 6.25e-4):
        run = fx.simulate(catalogue.build("n_four_bar", N=1), 3.0, h, interval=0.1, throw=False)
        x, y = run.channel("B0_x"), run.channel("B0_y")
        exact = exact_four_bar(run.t, N=1)
        errors.append(np.hypot(x - exact[0], y - exact[1]).max() if run.status.is_done else np.inf)
    assert errors[-1] < 1e-4, errors
    assert errors[0] > errors[-1]


def exact_four_bar(t: np.ndarray, N: int) -> tuple[np.ndarray, np.ndarray]:
    from scipy.integrate import solve_ivp

    inertia, weight = (N + 1) / 3 + N, 9.81 * ((N + 1) / 2 + N)
    rate = lambda _, y: [y[1], weight / inertia * np.sin(y[0])]  # noqa: E731
    phi = solve_ivp(rate, (0, t[-1]), [0.0, 1.0], t_eval=t, rtol=1e-12, atol=1e-12, method="DOP853").y[0]
    return np.sin(phi), np.cos(phi)


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(fx.FlexnetError, match="step must be positive"):
        fx.simulate(pendulum(), 1.0, 0.0)
    with pytest.raises(fx.FlexnetError, match="not a multiple"):
        fx.simulate(pendulum(), 1.0, 0.01, interval=0.025)
    with pytest.raises(fx.FlexnetError, match="between -1/3 and 0"):
        fx.hht(0.5)
    with pytest.raises(fx.FlexnetError, match="between 0 and 1"):
        fx.generalised_alpha(1.5)
