"""Signals sampled and held, and delayed: closed forms, engines, files, what is refused."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError

J, GAIN, PERIOD, DELAY = 0.8, 4.0, 0.05, 0.1


def rotor(follow) -> fx.System:
    """A rotor turned towards 1 rad/s by a torque that follows its speed as ``follow`` sees it."""
    s = fx.System("rotor", planar=True)
    s.revolute("O", s.ground, s.rigid_body("disc", 1.0, J))
    s.start("O", angle=0.0, rate=0.0)
    seen = follow(s, fx.joint_rate("O"))
    s.torque("motor", joint="O", torque=(fx.quantity(1.0, "rad/s") - seen) * fx.quantity(GAIN, "N*m*s"))
    s.channel("rate", fx.joint_rate("O"))
    s.channel("seen", seen)
    return s


def sampled(s, rate):
    return s.sampled("speed", rate, PERIOD)


def delayed(s, rate):
    return s.delayed("speed", rate, DELAY, 4)


def held_exact(t, period=PERIOD):
    """J ω̇ = GAIN (1 - ω_k) between samples: ω_{k+1} = ω_k + (GAIN p/J)(1 - ω_k), linear in between."""
    k = np.floor(t / period + 1e-9)
    a = 1 - GAIN * period / J
    at = 1 - a**k
    return at + (1 - at) * GAIN / J * (t - k * period), np.where(k > 0, at, 0.0)


def delay_exact(t):
    """J ω̇ = GAIN (1 - ω(t - T)) by steps of T, each a polynomial."""
    w, out, k, reached = np.polynomial.Polynomial([0.0]), np.zeros_like(t), GAIN / J, 0.0
    for n in range(int(t[-1] / DELAY) + 1):
        new = (k * (1 - w)).integ()
        w = new - new(0.0) + reached
        here = (t >= n * DELAY - 1e-12) & (t <= (n + 1) * DELAY + 1e-12)
        out[here] = w(t[here] - n * DELAY)
        reached = w(DELAY)
    return out


@pytest.mark.parametrize(
    ("method", "engine"),
    [
        (fx.hht(), "numeric"),
        (fx.hht(), "symbolic"),
        (fx.energy_preserving(), "numeric"),
        (fx.dop853(), "numeric"),
    ],
    ids=["hht", "symbolic", "energy", "dop853"],
)
def test_a_loop_closed_by_samples_is_the_recursion_of_its_closed_form(method, engine):
    run = fx.simulate(rotor(sampled), 0.5, 0.02, method, engine=engine, interval=0.02)
    rate, seen = held_exact(run.t)
    inside = np.abs(run.t / PERIOD - np.round(run.t / PERIOD)) > 1e-6
    assert run.channel("rate") == pytest.approx(rate, abs=1e-11)
    assert run.channel("seen")[inside] == pytest.approx(seen[inside], abs=1e-11)
    assert run.events == ()


def test_samples_closer_than_steps_are_all_taken():
    fine = fx.simulate(rotor(sampled), 0.4, 0.2)
    assert fine.channel("rate") == pytest.approx(held_exact(fine.t)[0], abs=1e-11)


def test_a_delayed_loop_follows_the_method_of_steps_with_order_two_in_the_samples():
    off = []
    for n in (4, 8):
        run = fx.simulate(
            rotor(lambda s, w, n=n: s.delayed("speed", w, DELAY, n)), 0.4, 1e-2, fx.dop853(), interval=0.05
        )
        off.append(np.abs(run.channel("rate") - delay_exact(run.t)).max())
    assert off[1] < 1e-3
    assert 3.3 < off[0] / off[1] < 4.7


@pytest.mark.parametrize(
    ("method", "engine"), [(fx.dop853(), "numeric"), (fx.dop853(), "symbolic"), (fx.radau(), "symbolic")]
)
def test_a_delay_shorter_than_the_first_step_of_an_adaptive_run_is_followed(method, engine):
    """Steps end at samples, so none is longer than the delay; the line between samples is the only error."""
    for n in (4, 16):
        s = rotor(lambda s, w, n=n: s.delayed("speed", w, DELAY, n))
        run = fx.simulate(s, 0.4, 2 * DELAY, method, engine=engine, tolerance=1e-9, interval=0.05)
        off = np.abs(run.channel("rate") - delay_exact(run.t)).max()
        assert off == pytest.approx(0.015625 / n**2, rel=1e-6)


@pytest.mark.parametrize("follow", [sampled, delayed])
def test_samples_and_delays_that_are_pending_are_resumed_bit_for_bit(follow, tmp_path):
    whole, cut = tmp_path / "whole.h5", tmp_path / "cut.h5"
    given = {"step": 1e-3, "block": 64}
    run = fx.simulate(rotor(follow), 0.3, out=whole, **given)
    fx.simulate(rotor(follow), 0.128, out=cut, **given)
    again = fx.simulate(rotor(follow), 0.3, out=cut, resume=True, **given)
    for path in ("state/q", "state/v", "state/z"):
        assert np.array_equal(again[path], run[path])


@pytest.mark.parametrize(
    ("method", "engine"),
    [(fx.hht(), "numeric"), (fx.dop853(), "symbolic"), (fx.energy_preserving(), "numeric"),
     (fx.radau(), "numeric"), (fx.reference(1e-8), "numeric")],
    ids=["hht", "dop853", "energy", "radau", "reference"],
)  # fmt: skip
@pytest.mark.parametrize("periods", [(0.05, 0.1), (0.1, 0.05)], ids=["outer", "inner"])
def test_clocks_that_meet_are_one_event_whatever_round_off_says(method, engine, periods):
    """A sample of a sample has what that one took just now, by every method and at every meeting."""
    s = rotor(sampled)
    first = s.sampled("first", fx.time(), periods[0])
    s.channel("second", s.sampled("second", first, periods[1]))
    run = fx.simulate(s, 3.0, 0.025, method, engine=engine)
    inside = np.abs(run.t / 0.05 % 1 - 0.5) < 0.1
    at = np.floor(run.t[inside] / 0.05 + 1e-6) * 0.05
    for p in reversed(periods):
        at = np.floor(at / p + 1e-6) * p
    assert run.channel("second")[inside] == pytest.approx(at, abs=1e-9)


@pytest.mark.parametrize("method", [fx.radau(), fx.dop853()], ids=["radau", "dop853"])
@pytest.mark.parametrize("end", [0.65, 0.6])
def test_samples_at_the_times_of_rows_leave_no_step_of_no_length(method, end):
    """24 · 0.025 s and 60 · 0.01 s are the same number."""
    run = fx.simulate(rotor(lambda s, w: s.sampled("speed", w, 0.01)), end, 0.025, method)
    assert run.channel("rate") == pytest.approx(held_exact(run.t, 0.01)[0], abs=1e-11)


@pytest.mark.parametrize("method", [fx.hht(), fx.dop853()], ids=["hht", "dop853"])
def test_a_period_far_below_the_time_of_the_model_goes_on(method):
    s, p = fx.System("slow", planar=True), 1e-6
    s.gravity([0, -9.81])
    s.revolute("O", s.ground, s.rigid_body("arm", 1.0, 1e8, {"A": [0, 1e4]}, position=[0, -1e4])["A"])
    s.channel("seen", s.sampled("clock", fx.time(), p))
    assert fx.simulate(s, 20.5 * p, 0.5 * p, method).channel("seen")[-1] == pytest.approx(20 * p)


def test_a_run_from_another_time_samples_at_the_multiples_after_it():
    plain = fx.System("plain", planar=True)
    plain.revolute("O", plain.ground, plain.rigid_body("disc", 1.0, J))
    start = fx.simulate(plain, 1.0, 0.1).state()
    run = fx.simulate(rotor(sampled), 1.5, 0.02, fx.dop853(), start=start)
    inside = np.abs(run.t / PERIOD - np.round(run.t / PERIOD)) > 1e-6
    rate, seen = held_exact(run.t - 1.0)
    assert run.channel("rate") == pytest.approx(rate, abs=1e-11)
    assert run.channel("seen")[inside] == pytest.approx(seen[inside], abs=1e-11)


def test_a_delay_shorter_than_a_step_and_wrong_periods_are_refused():
    with pytest.raises(
        ModelError, match=r"'speed' is delayed by 0\.1 s, which is shorter than a step of 0\.2 s"
    ):
        fx.simulate(rotor(delayed), 1.0, 0.2)
    s = fx.System("s", planar=True)
    with pytest.raises(ModelError, match=r"'x' is sampled every 0\.0 s; expected a positive period"):
        s.sampled("x", fx.time(), 0.0)
    with pytest.raises(ModelError, match="'x' is delayed by 0 samples"):
        s.delayed("x", fx.time(), 0.1, 0)
