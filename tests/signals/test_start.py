"""A run may begin where another ended, in any tree, with the states of its controllers."""

import numpy as np
import pytest
from plants import rotor, slider_crank

import flexnet as fx
from flexnet.errors import ModelError, ResultError


@pytest.mark.parametrize("tree", ["default", "absolute"])
def test_two_runs_one_after_the_other_are_one_run(tree):
    whole = fx.simulate(slider_crank(), 0.3, 1e-3, fx.reference(), interval=0.05)
    first = fx.simulate(slider_crank(), 0.15, 1e-3, fx.reference(), interval=0.05)
    second = fx.simulate(
        slider_crank(), 0.3, 1e-3, fx.reference(), interval=0.05, tree=tree, start=first.state()
    )
    assert second.t[0] == first.t[-1]
    for name in ("place", "motor"):
        assert second.channel(name) == pytest.approx(whole.channel(name)[3:], abs=1e-8)
    assert second["state/z"] == pytest.approx(whole["state/z"][3:], abs=1e-8)


def test_the_same_equations_begin_elsewhere_and_stay_what_they_were():
    equations = fx.formulate(rotor())
    run = fx.simulate(equations, 0.1, 1e-3)
    later = fx.simulate(equations, 0.2, 1e-3, start=run.state(0.05))
    again = fx.simulate(equations, 0.1, 1e-3)
    assert later.t[0] == pytest.approx(0.05)
    assert later.channel("angle")[0] == run.channel("angle")[50]
    assert np.array_equal(again["state/q"], run["state/q"])


def test_a_time_without_a_row_is_refused_with_the_nearest():
    run = fx.simulate(rotor(), 0.01, 1e-3)
    with pytest.raises(ResultError, match=r"no row at t = 0.0055 s; the nearest is at 0.00[56] s"):
        run.state(0.0055)


def test_a_start_of_other_bodies_is_refused():
    run = fx.simulate(rotor(), 0.01, 1e-3)
    with pytest.raises(ModelError, match=r"start is of 1 bodies .* 'positioned slider' has 3"):
        fx.simulate(slider_crank(), 0.1, 1e-3, start=run.state())


def test_a_load_path_of_a_controlled_mechanism_is_refused_by_the_name_of_a_state():
    with pytest.raises(
        ModelError, match="a load path of 'rotor' does not take first-order states, such as 'pid"
    ):
        fx.load_path(rotor())
