"""``method="auto"``: what it takes, that it says so, and that it takes the same again."""

import logging

import numpy as np
import pytest

import flexnet as fx
from flexnet.analysis.automatic import choose_method
from flexnet.errors import FlexnetError, ResultError
from flexnet.integrators import Settings
from tests.benchmarks import chain
from tests.benchmarks.precision import dashpots


def chosen(system, end, tolerance, tree="joint"):
    equations = fx.formulate(system, tree)
    return choose_method(equations.dae(), Settings(1e-4 * end, end, end / 10, tolerance))


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
def test_smooth_motion_goes_by_steps_of_order_eight(tolerance):
    assert chosen(chain.build(5), 1.0, tolerance).method.name == "dop853"


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
def test_stiff_dampers_go_by_radau(tolerance):
    choice = chosen(dashpots(), 2.0, tolerance)
    assert choice.method.name == "radau"
    assert "stiff" in choice.why


def test_dampers_that_are_not_stiff_do_not():
    system = chain.build(3)
    system.torsional_spring("damper", joint="joint0", stiffness=0.0, damping=0.5)
    assert chosen(system, 1.0, 1e-6).method.name == "dop853"


def test_a_fixed_step_goes_by_hht():
    choice = chosen(chain.build(2), 1.0, None)
    assert choice.method.name == "hht"
    assert "fixed" in choice.why


def test_the_run_says_what_and_why_on_the_logger_and_in_the_file(tmp_path, caplog):
    caplog.set_level(logging.INFO, "flexnet.equations")
    path = tmp_path / "a.h5"
    fx.simulate(chain.build(2), 0.1, 1e-3, "auto", interval=0.05, tolerance=1e-6, out=path)
    assert "method: dop853, which takes the motion in" in caplog.text
    settings = fx.Results.open(path).settings
    assert settings["name"] == "dop853"
    assert "takes the motion in" in settings["method_because"]


def test_a_run_that_goes_on_keeps_its_method_and_its_bits(tmp_path):
    path, settings = tmp_path / "a.h5", {"interval": 0.05, "method": "auto"}
    whole = fx.simulate(chain.build(2), 0.4, 1e-3, **settings)
    fx.simulate(chain.build(2), 0.2, 1e-3, out=path, **settings)
    fx.simulate(chain.build(2), 0.4, 1e-3, out=path, resume=True, **settings)
    assert np.array_equal(fx.Results.open(path).row(8)["state/q"], whole.data["state/q"][-1])
    named = settings | {"method": fx.hht()}
    fx.simulate(chain.build(2), 0.4, 1e-3, out=path, resume=True, **named)  # the same method by its name
    fx.simulate(chain.build(2), 0.2, 1e-3, out=path, **named)
    with pytest.raises(ResultError, match="begun with hht; name that method"):
        fx.simulate(chain.build(2), 0.4, 1e-3, out=path, resume=True, **settings)


def test_the_same_motion_is_taken_by_the_same_method_every_time():
    choices = [chosen(dashpots(), 2.0, 1e-6) for _ in range(2)]
    assert choices[0].why == choices[1].why


def test_a_text_that_is_not_auto_is_refused():
    with pytest.raises(FlexnetError, match="auto"):
        fx.simulate(chain.build(2), 0.1, 1e-3, "automatic")
