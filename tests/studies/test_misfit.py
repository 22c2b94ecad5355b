"""Misfits: their derivatives are differences, searches find what made a curve and turn back from failures."""

import sys
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx

sys.path.insert(0, str(Path(__file__).parent))
from pendulum import build as pendulum

END, STEP = 0.2, 0.02
START = {"length": (1.1, 0.5, 2.0), "damping": (0.2, 0.01, 1.0)}


def wanted() -> np.ndarray:
    return fx.simulate(pendulum(1.0, damping=0.1), END, STEP, newton=1e-10).channel("angle")


def test_the_jacobian_is_the_difference_of_residuals() -> None:
    misfit = fx.Misfit(pendulum, START, {"angle": wanted()}, END, STEP, weights={"angle": 3.0})
    J, h = misfit.jacobian(misfit.start), 1e-4
    for k, unit in enumerate(np.eye(2)):
        near = misfit.residual(misfit.start + h * unit) - misfit.residual(misfit.start - h * unit)
        assert J[:, k] == pytest.approx(near / (2 * h), rel=1e-5, abs=1e-5 * np.abs(J[:, k]).max())


def test_a_search_finds_what_made_a_curve_in_few_runs() -> None:
    found = fx.Misfit(pendulum, START, {"angle": wanted()}, END, STEP).fit()
    assert found.parameters == pytest.approx({"length": 1.0, "damping": 0.1}, rel=1e-6)
    assert found.rms < 1e-7
    assert sum(found.runs) < 20
    assert "damping = 0.1;" in str(found)


def test_nan_is_where_anything_goes_and_functions_of_time_are_taken() -> None:
    late = fx.Misfit(pendulum, START, {"angle": lambda t: np.where(t > 0.1, 0.0, np.nan)}, END, STEP)
    assert late.residual(late.start) == pytest.approx(late.run.channel("angle")[late.run.t > 0.1])


def test_a_run_that_fails_has_an_infinite_misfit_and_is_turned_back_from() -> None:
    def stubborn(length: float = 1.0) -> fx.System:
        if length < 1.0:
            raise fx.ModelError("too short")
        return pendulum(length)

    misfit = fx.Misfit(stubborn, {"length": (1.5, 0.1, 3.0)}, {"angle": wanted()}, END, STEP)
    assert np.all(np.isinf(misfit.residual([0.9])))
    assert misfit.value([0.9]) == np.inf
    assert misfit.value([3.5]) == np.inf
    assert misfit.value([1.2]) < misfit.value([1.5])


WRONG = {
    "parameter": ({"lenght": 1.0}, {"angle": 0.0}, {}, "no parameter 'lenght'; did you mean 'length'"),
    "no parameter": ({}, {"angle": 0.0}, {}, "needs a parameter that may change"),
    "bounds": ({"length": (3.0, 1.0, 2.0)}, {"angle": 0.0}, {}, "starts at 3, which is not within 1 to 2"),
    "pair": ({"length": (3.0, 1.0)}, {"angle": 0.0}, {}, "expected a start, or a start, least and largest"),
    "channel": ({"length": 1.0}, {"angel": 0.0}, {}, "no channel 'angel'; did you mean 'angle'"),
    "weight": ({"length": 1.0}, {"angle": 0.0}, {"weights": {"angel": 1.0}}, "no channel 'angel'"),
    "shape": ({"length": 1.0}, {"angle": [0.0, 1.0]}, {}, r"has the shape \(2,\); the run has 11 rows"),
    "nothing": ({"length": 1.0}, {"angle": np.nan}, {}, "nothing is wanted of any channel"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_a_misfit_is_said_in_one_sentence(what: str) -> None:
    parameters, channels, options, said = WRONG[what]
    with pytest.raises(fx.FlexnetError, match=said) as caught:
        fx.Misfit(pendulum, parameters, channels, END, STEP, **options)
    assert "\n" not in str(caught.value)
