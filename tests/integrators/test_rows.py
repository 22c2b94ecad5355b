"""Output rows lie where they were asked for, and the last one at the end."""

from functools import cache

import numpy as np
import pytest
from pendulums import slider_crank

import flexnet as fx
from flexnet.integrators import METHODS, Settings, begin
from flexnet.integrators.schedule import Schedule
from tests.catalogue import build

EVERY = {name: make() for name, make in METHODS.items()}
RELAY = [(0.0, fx.hht()), (0.1, fx.generalised_alpha(0.8))]


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("method", [*EVERY.values(), RELAY], ids=[*EVERY, "relay"])
@pytest.mark.parametrize("end", [0.2, 0.2125, 0.2099999])
def test_an_end_between_two_rows_is_the_last_row(method, end, engine):
    run = fx.simulate(build("simple_pendulum"), end, 0.03, method, engine=engine)
    np.testing.assert_allclose(run.t[:-1], 0.03 * np.arange(len(run.t) - 1), rtol=1e-14)
    assert run.t[-1] == end == run.status.t


def test_a_row_just_before_the_end_is_left_out():
    run = fx.simulate(build("simple_pendulum"), 0.212, 0.03)
    np.testing.assert_allclose(run.t, [0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18, 0.212], rtol=1e-14)
    assert run.status.steps == 8  # none of them shorter than half


@pytest.mark.parametrize("tolerance", [None, 1e-4])
def test_an_end_between_two_intervals_is_the_last_row(tolerance):
    run = fx.simulate(build("simple_pendulum"), 0.2, 0.01, tolerance=tolerance, interval=0.03)
    np.testing.assert_allclose(run.t, [0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18, 0.2], rtol=1e-14)


def test_an_end_on_a_row_is_the_last_row():
    run = fx.simulate(build("simple_pendulum"), 0.3, 0.01, interval=0.03)
    assert np.allclose(run.t, 0.03 * np.arange(11))


@pytest.mark.parametrize("step", [0.1, 1 / 3, 1e-3, 0.07, 3e-5])
@pytest.mark.parametrize("start", [0.0, 1.0, 1e6])
def test_steps_that_fit_but_for_round_off_are_whole(step, start):
    for n in (1, 2, 7, 999, 30000):
        schedule = Schedule(start, start + n * step, step, 0.1 * step)
        assert (schedule.whole, schedule.total) == (n, n)


@cache
def exact(end: float) -> dict[str, np.ndarray]:
    run = fx.simulate(slider_crank(), end, 1e-3, fx.reference(1e-12), tree="joint")
    return {c: run[c][-1] for c in ("state/q", "state/v", "state/a", "state/lambda")}


@pytest.mark.sweep(12)
@pytest.mark.parametrize("project", [False, True], ids=["free", "projected"])
@pytest.mark.parametrize("method", [m for m in EVERY if EVERY[m].traits.order[0] == 2])
@pytest.mark.parametrize("rest", [0.04, 0.3, 0.95])
def test_order_two_holds_at_an_end_that_is_no_multiple_of_the_step(method, rest, project):
    errors = []
    for h in (4e-3, 1e-3):
        end = (round(0.24 / h) + rest) * h
        run = fx.simulate(slider_crank(), end, h, EVERY[method], tree="joint", project=project)
        assert run.t[-1] == end
        errors.append([np.abs(run[c][-1] - x).max() / np.abs(x).max() for c, x in exact(end).items()])
    orders = np.log2(np.array(errors[0]) / np.array(errors[1])) / 2
    assert orders.min() > 1.6, errors


def test_rows_that_end_in_an_exception_leave_the_status_of_those_before(monkeypatch):
    march = begin(fx.formulate(build("simple_pendulum")).dae(), fx.rk4(), Settings(0.05, 0.3, 0.1))
    march.advance(1)
    before = march.status

    def stops(out):
        march.clock[0] = 7.0
        raise ValueError("a law")

    monkeypatch.setattr(march, "fill", stops)
    with pytest.raises(ValueError, match="a law"):
        march.advance(1)
    assert march.status is before
    assert before.t == pytest.approx(0.1)


def test_a_run_that_is_not_asked_for_its_status_between_blocks_ends_with_the_same():
    def marched(asks):
        march = begin(fx.formulate(build("heavy_top")).dae(), fx.dop853(), Settings(1e-3, 0.5, 1e-3))
        blocks = 0
        for _ in march.blocks():
            blocks += 1
            assert not asks or march.status.is_done
        assert blocks > 1
        return march.status

    assert repr(marched(True)) == repr(marched(False))
