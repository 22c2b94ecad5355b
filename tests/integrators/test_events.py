"""Zeros inside steps: found to round-off, acted on, listed, and named where they never end."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ellipk

import flexnet as fx
from flexnet.dae import Events, Reaction
from flexnet.errors import FlexnetError
from flexnet.integrators import METHODS, Outcome, begin
from flexnet.integrators.settings import Settings
from flexnet.kernels.compile import kernel
from tests.integrators.bouncing import bouncing_ball, impacts
from tests.integrators.plain_pendulum import plain_pendulum


def run(dae, method=None, **settings):
    march = begin(dae, method or fx.hht(), Settings(**{"step": 0.01, "end": 10.0} | settings))
    return march, list(march.blocks())


@pytest.mark.sweep(2)
@pytest.mark.parametrize("tolerance", [None, 1e-6])
@pytest.mark.parametrize("restitution", [0.5, 0.7])
def test_twenty_impacts_of_a_ball_and_where_they_accumulate(restitution, tolerance):
    march, _ = run(bouncing_ball(restitution=restitution), tolerance=tolerance, interval=0.05)
    times, rest = impacts(20, restitution=restitution)
    happened = march.watch.log.happened
    assert np.abs([x.t for x in happened[:20]] - times).max() < 1e-11
    speeds = 9.81 * times[0] * restitution ** np.arange(20)
    assert [x.impulse for x in happened[:20]] == pytest.approx(2 * (1 + restitution) * speeds, rel=1e-8)
    assert [x.energy for x in happened[:20]] == pytest.approx(-(1 - restitution**2) * speeds**2, rel=1e-8)
    assert march.status.outcome is Outcome.ACCUMULATION
    named = float(march.status.told.split("t = ")[1].split(" s")[0])
    assert named == pytest.approx(rest, abs=1e-10)


def test_rows_are_those_of_the_closed_form_between_impacts():
    _, blocks = run(bouncing_ball(restitution=0.9), end=1.4)
    t, y = (np.concatenate([getattr(b, name) for b in blocks]) for name in ("t", "q"))
    assert np.allclose(t, 0.01 * np.arange(1, 141))
    times, _ = impacts(3, restitution=0.9)
    bounce = np.searchsorted(times, t)
    starts = np.concatenate([[-times[0]], times])[bounce]
    speeds = 9.81 * times[0] * 0.9**bounce
    assert np.allclose(y[:, 0], speeds * (t - starts) - 9.81 / 2 * (t - starts) ** 2, atol=1e-12)


def test_an_event_may_end_the_run_with_a_row_of_its_own():
    march, blocks = run(bouncing_ball(act=lambda i, t, q, v: Reaction(ends=True)))
    assert march.status.outcome is Outcome.EVENT
    assert march.status.is_done
    assert str(march.status) == "ended at t = 0.451523641 s by event 'floor'"
    assert blocks[-1].t[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-13)
    assert abs(blocks[-1].q[-1, 0]) < 1e-13
    assert sum(len(b.t) for b in blocks) == 46


@kernel
def lowest(model, t, q, v, out):
    out[0], out[1], out[2] = q[0], v[0], q[1] + model[0]


def watched(directions=(0.0, 1.0, 0.0), depth=2.0, **data):
    """A pendulum whose passages of the lowest point and of its turns are recorded, and a depth."""
    events = Events(
        ("lowest", "turns", "depth"), np.array(directions), np.ones(3), np.array([depth]), lowest,
        lambda i, t, q, v: Reaction(), 3,
    )  # fmt: skip
    return replace(plain_pendulum(angle=1.0, **data), events=events)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("method", [fx.hht(0.0), fx.generalised_alpha(0.9), fx.acceleration_level()])
def test_a_pendulum_passes_its_lowest_point_at_quarters_of_its_period_with_order_two(method):
    quarter = ellipk(np.sin(0.5) ** 2) / np.sqrt(9.81)
    errors = []
    for step in (0.01, 0.005):
        march, _ = run(watched(), method, step=step, end=2.2)
        named = {
            name: [x.t for x in march.watch.log.happened if x.name == name] for name in ("lowest", "turns")
        }
        assert len(named["lowest"]) == 2
        assert len(named["turns"]) == 1
        errors.append(np.abs(np.array(named["lowest"]) - quarter * np.array([1, 3])).max())
    assert errors[0] < 5e-4
    assert errors[0] / errors[1] > 3.5


def test_only_the_wanted_direction_fires():
    march, _ = run(watched((1.0, 1.0, 0.0)), end=2.2)
    assert [x.name for x in march.watch.log.happened].count("lowest") == 1


def test_a_function_that_dips_below_zero_within_one_step_is_seen():
    """At the lowest point y + 0.9999 is negative for 0.009 s: less than a fifth of a step."""
    march, _ = run(watched(depth=0.9999), fx.generalised_alpha(0.9), step=0.05, end=0.7)
    assert [x.name for x in march.watch.log.happened].count("depth") == 2


def test_an_event_changes_nothing_but_what_it_acts_on():
    """A run whose events only record stays as near to the motion as one without."""
    dae = watched()
    _, with_events = run(dae, end=1.0, step=0.005)
    _, plain = run(replace(dae, events=None), end=1.0, step=0.005, project=True)
    assert np.abs(with_events[-1].q[-1] - plain[-1].q[-1]).max() < 2e-6


def test_a_run_with_events_goes_on_from_its_memory_bit_for_bit():
    dae, settings = bouncing_ball(restitution=0.8), Settings(0.001, 2.0)
    whole = begin(dae, fx.hht(), settings)
    blocks = list(whole.blocks())
    first = begin(dae, fx.hht(), settings)
    for _, _ in zip(range(3), first.blocks(), strict=False):
        pass
    assert first.is_resumable
    q, v, memory = first.state.q.copy(), first.state.v.copy(), first.memory
    again = begin(dae, fx.hht(), settings)
    again.restore(q, v, {k: x.copy() for k, x in memory.items()}, first.rows)
    rest = list(again.blocks())
    assert np.array_equal(rest[-1].q, blocks[-1].q)
    assert np.array_equal(rest[-1].v, blocks[-1].v)
    assert [x.t for x in again.watch.log.happened] == [x.t for x in whole.watch.log.happened][
        -len(again.watch.log.happened) :
    ]


def test_events_at_the_start_are_refused_and_every_method_has_events():
    with pytest.raises(FlexnetError, match="event 'floor' happens at the start: its signal is 0 there"):
        run(bouncing_ball(height_0=0.0))
    assert all(make().traits.has_events for make in METHODS.values())
