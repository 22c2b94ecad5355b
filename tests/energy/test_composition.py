"""The energy-preserving scheme composed to order four: order, what it keeps, and what it refuses."""

from functools import partial

import numpy as np
import pytest

import flexnet as fx
from cases import heavy_top, n_four_bar
from flexnet.checks import check_method
from flexnet.integrators import Settings, begin
from tests.benchmarks import chain


def end_of(equations: fx.Equations, method: object, settings: Settings):
    march = begin(equations.dae(), method, settings)
    *_, last = march.blocks()
    assert march.status.is_done
    return [last.q[-1], last.v[-1], last.lam[-1]]


def test_composition_is_of_the_order_it_declares() -> None:
    found = check_method(fx.energy_preserving(order=4))
    assert min(found.order) > 3.9


@pytest.mark.parametrize(
    ("build", "tree", "step", "end"),
    [
        (heavy_top.build, "joint", 2.5e-3, 0.1),
        (partial(n_four_bar.build, 1, planar=False), "absolute", 2e-2, 0.3),
    ],
)
def test_a_mechanism_ends_sixteen_times_nearer_at_half_the_step(build, tree, step, end) -> None:
    equations, method = fx.formulate(build(), tree), fx.energy_preserving(order=4)
    exact = end_of(equations, fx.dop853(), Settings(1e-3, end, end, 1e-12))
    ends = [end_of(equations, method, Settings(h, end, end)) for h in (step, step / 2)]
    errors = [[np.abs(a - b).max(initial=1e-99) for a, b in zip(x, exact, strict=True)] for x in ends]
    np.testing.assert_allclose(np.divide(*errors), np.where(np.array(errors[0]) > 1e-98, 16.0, 1.0), rtol=0.2)


def test_energy_is_kept_to_round_off_over_the_parts() -> None:
    run = fx.simulate(heavy_top.build(), 0.1, 1e-3, fx.energy_preserving(order=4))
    assert run.energy_error < 1e-12 * fx.audit(run).scale


def damped() -> fx.System:
    s = chain.build(2)
    s.torsional_spring("brake", joint="joint1", stiffness=0.0, damping=1e-3)
    return s


def controlled() -> fx.System:
    s = fx.System("arm", planar=True)
    arm = s.rigid_body("arm", 1.0, 0.1, {"A": [-0.5, 0.0]}, position=[0.5, 0.0, 0.0])
    s.revolute("pin", s.ground, arm["A"])
    lag = fx.lag(fx.joint_coordinate("pin"), 0.1).measured_in("N*m")
    s.torque("motor", joint="pin", torque=lag)
    return s


@pytest.mark.parametrize(("build", "word"), [(damped, "dampers"), (controlled, "state")])
def test_what_must_not_run_backwards_is_refused(build, word) -> None:
    with pytest.raises(fx.FlexnetError, match=f"backwards, where .*{word}.*order=2"):
        fx.simulate(build(), 0.01, 1e-3, fx.energy_preserving(order=4))


def test_other_orders_events_and_tolerances_are_refused() -> None:
    with pytest.raises(fx.FlexnetError, match="order 2 or, composed, 4"):
        fx.energy_preserving(order=3)
    with pytest.raises(fx.FlexnetError, match="keeps a fixed step"):
        fx.simulate(heavy_top.build(), 0.01, 1e-3, fx.energy_preserving(order=4), tolerance=1e-6)
