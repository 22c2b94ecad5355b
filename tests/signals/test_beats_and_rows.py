"""Clocks, rows and runs that go on: what is recorded where a sample is taken, and who takes it."""

import numpy as np
import pytest

import flexnet as fx

METHODS = {
    "hht": {},
    "energy_preserving": {"method": fx.energy_preserving()},
    "dop853": {"method": fx.dop853(), "tolerance": 1e-8},
    "radau": {"method": fx.radau(), "tolerance": 1e-8},
    "reference": {"method": fx.reference()},
}


def rotor(period: float) -> fx.System:
    """A rotor whose angle is the time, sampled and delayed, and integrated."""
    s = fx.System("rotor", planar=True)
    s.revolute("pin", s.ground, s.rigid_body("rotor", 1.0, 0.1))
    s.start("pin", rate=1.0)
    angle = fx.joint_coordinate("pin")
    s.channel("sampled", s.sampled("sampler", angle, period))
    s.channel("delayed", s.delayed("line", angle, 0.02, 4))
    s.channel("sum", fx.integral(angle, name="sum"))
    return s


@pytest.mark.parametrize("method", METHODS)
def test_a_row_at_a_beat_shows_the_sample_before_it(method):
    """Times of rows and k p differ by round-off, which does not decide what the row shows."""
    rows = 400 if method != "reference" else 60
    run = fx.simulate(rotor(0.03), 0.01 * rows, 5e-3, interval=0.01, **METHODS[method])
    number = np.ceil(np.round(run.t / 0.03, 6)) - 1.0
    assert run.channel("sampled") == pytest.approx(0.03 * np.maximum(number, 0.0), abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("end", [0.35, 0.36])
@pytest.mark.parametrize("by", ["start", "poses"])
def test_a_run_that_begins_where_another_ended_takes_the_sample_that_is_due(method, end, by):
    """0.36 s is a beat of the sampler, 0.35 s of the delay: 70 times 5 ms, but for an ulp."""
    how = {"interval": 0.01, **METHODS[method]}
    ended = fx.simulate(rotor(0.03), end, 5e-3, **how)
    if by == "start":
        run = fx.simulate(rotor(0.03), 0.6, 5e-3, start=ended.state(), **how)
    else:
        run = fx.simulate(fx.formulate(rotor(0.03), poses=ended.state()), 0.6, 5e-3, **how)
    whole = fx.simulate(rotor(0.03), 0.6, 5e-3, **how)
    later = slice(-len(run.t) + 1, None)
    for channel in ("sampled", "delayed", "sum"):
        assert run.channel(channel)[1:] == pytest.approx(whole.channel(channel)[later], abs=1e-6)


@pytest.mark.parametrize("period", [0.003, 0.05])
def test_a_sampler_of_another_period_takes_its_own_beats(period):
    ended = fx.simulate(rotor(0.03), 0.361, 1e-3)
    run = fx.simulate(rotor(period), 0.6, 1e-3, start=ended.state())
    number = np.ceil(np.round(run.t / period, 6)) - 1.0
    is_new = number * period > 0.361
    assert run.channel("sampled")[is_new] == pytest.approx((period * number)[is_new], abs=1e-6)
    assert is_new.sum() > 100


@pytest.mark.sweep(6)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["as is", "turned"])
@pytest.mark.parametrize("step", [4e-3, 4e-2, 1.0])
@pytest.mark.parametrize(
    ("method", "tolerance"),
    [
        (fx.hht(), None),
        (fx.energy_preserving(), None),
        (fx.radau(), None),
        (fx.rk4(), None),
        (fx.dop853(), 1e-6),
        (fx.reference(), None),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_a_beat_in_the_middle_of_a_step_is_not_lost_where_another_clock_beats_later_in_it(
    method, tolerance, step, order
):
    """The first clock once stopped for ever: its zero in the middle was taken for one at the end."""
    s = fx.System("clocks", planar=True)
    disc = s.rigid_body("disc", 1.0, 0.1)
    s.revolute("O", s.ground, disc)
    s.start("O", rate=1.0)
    periods = {0: 0.5 * step, 1: 0.75 * step}
    for k in order:
        s.channel(f"clock{k}", s.sampled(f"held{k}", fx.time(), periods[k]))
    run = fx.simulate(s, 50 * step, step, method, tolerance=tolerance)
    for k, period in periods.items():
        # of a row at a beat the sample before it is shown
        due = period * np.ceil(run.t / period - 1.0 - 1e-9)
        assert run.channel(f"clock{k}") == pytest.approx(np.maximum(due, 0.0), abs=1e-9 * step)
