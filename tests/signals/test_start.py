"""A run may begin where another ended, in any tree, with the states of its controllers."""

from typing import Any

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


def arms(order: str = "ul", lengths: float = 1.0) -> fx.System:
    """Two arms, one of them flexible, made in one order or the other."""
    s = fx.System("arms", planar=True)
    s.gravity([0.0, -9.81])
    metal, bar = fx.Material(E=7e10, nu=0.3, rho=2700.0), fx.rectangle(0.004, 0.02)
    make = {
        "u": lambda: s.rigid_body("u", 1.0, 0.1, {"O": [-0.5, 0], "A": [0.5 * lengths, 0]}, [0.5, 0]),
        "l": lambda: s.flexible_body(
            "l", fx.beam_body(1.0, 2, metal, bar), fx.Clamped("start"), 2, position=[1, 0]
        ),
        "m": lambda: s.flexible_body(
            "m", fx.beam_body(1.0, 2, metal, bar), fx.Clamped("start"), 1, position=[2, 0]
        ),
    }
    body = {name: make[name]() for name in order}
    s.revolute("O", s.ground, body["u"]["O"])
    s.revolute("A", body["u"]["A"], body["l"]["start"])
    if "m" in body:
        s.weld("B", body["l"]["end"], body["m"]["start"])
    s.start("O", angle=0.3)
    s.channel("O", fx.joint_coordinate("O"))
    s.channel("A", fx.joint_coordinate("A"))
    s.channel("end", fx.position(body["l"]["end"], "y"))
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute", "default"])
@pytest.mark.parametrize("order", ["ulm", "mlu", "lum"])
def test_a_start_knows_its_bodies_by_name_in_whatever_order_they_were_made(tree, order):
    first = fx.simulate(arms("ulm"), 0.05, 1e-3, interval=0.01)
    for made in (
        fx.simulate(arms(order), 0.06, 1e-3, tree=tree, start=first.state()).equations,
        fx.formulate(arms(order), tree, poses=first.state()),
    ):
        back = fx.simulate(made, 0.051, 1e-3)
        for name in ("O", "A", "end"):
            assert back.channel(name)[0] == pytest.approx(first.channel(name)[-1], abs=1e-9)


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_start_that_joints_do_not_allow_is_refused_in_every_tree(tree):
    """Joints in the tree read their own coordinates off it, whatever else the bodies do."""
    first = fx.simulate(arms("ul"), 0.05, 1e-3)
    with pytest.raises(ModelError, match=r"open by|do not allow it"):
        fx.simulate(arms("ul", lengths=1.2), 0.1, 1e-3, tree=tree, start=first.state())
    with pytest.raises(ModelError, match="look at 'm'"):
        fx.simulate(arms("ulm"), 0.1, 1e-3, tree=tree, start=first.state())


def swinging(**how: Any) -> fx.System:
    """A flexible pendulum that bends by 6 mm."""
    s = fx.System("swinging", planar=True)
    s.gravity([0.0, -9.81])
    points = {"start": "start", "middle": 2, "end": "end"}
    metal = fx.Material(E=2e9, nu=0.3, rho=2000.0)
    beam = fx.beam_body(1.0, 4, metal, fx.rectangle(0.02, 0.02), frames=points)
    body = s.flexible_body("rod", beam, **{"support": fx.Clamped("start"), "modes": (1, 2)} | how)
    s.revolute("O", s.ground, body["start"])
    s.channel("middle", fx.position(body["middle"], "y"))
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_elastic_coordinates_of_a_start_are_those_of_its_shapes(tree):
    """As many shapes of another support, or other ones, would put the body elsewhere."""
    first = fx.simulate(swinging(), 0.1, 1e-3)
    back = fx.simulate(swinging(modes=2), 0.101, 1e-3, tree=tree, start=first.state())
    assert back.channel("middle")[0] == pytest.approx(first.channel("middle")[-1], abs=1e-12)
    for how in ({"modes": (1, 3)}, {"support": fx.Clamped("end")}, {"support": fx.Pinned("start", "end")}):
        for begin in (
            lambda s: fx.simulate(s, 0.2, 1e-3, tree=tree, start=first.state()),
            lambda s: fx.formulate(s, tree, poses=first.state()),
        ):
            with pytest.raises(ModelError, match="start is of other shapes of 'rod' of 'swinging'"):
                begin(swinging(**how))


def test_a_load_path_of_a_controlled_mechanism_is_refused_by_the_name_of_a_state():
    with pytest.raises(
        ModelError, match="a load path of 'rotor' does not take first-order states, such as 'pid"
    ):
        fx.load_path(rotor())
