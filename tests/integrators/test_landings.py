"""A load that rests, acts for a moment and rests again is felt by every method that chooses its steps."""

import math

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.components.wakes import wakes

t_ = sp.Symbol("t")
BEGIN, WIDTH, FORCE, MASS = 1.3, 0.01, 1000.0, 2.0
SPEED = 0.5 * FORCE * WIDTH / MASS


def pulse(t):
    return FORCE * math.sin(math.pi * (t - BEGIN) / WIDTH) ** 2 if BEGIN < t < BEGIN + WIDTH else 0.0


GRID = np.linspace(0.0, 4.0, 4001)
FORMULA = FORCE * sp.sin(sp.pi * (t_ - BEGIN) / WIDTH) ** 2
PULSES = {
    "callable": (pulse,),
    "expression": (sp.Piecewise((FORMULA, sp.And(t_ > BEGIN, t_ < BEGIN + WIDTH)), (0, True)),),
    "table": (fx.table(GRID, [pulse(t) for t in GRID]),),
    "signal of time": (
        fx.where(fx.time() - BEGIN, fx.where(fx.time() - BEGIN - WIDTH / 2, 0.0, FORCE), 0.0),
    ),
    "two rises": tuple(
        fx.smooth_step(0.0, sign * FORCE, WIDTH / 2, begin)
        for sign, begin in ((1, BEGIN), (-1, BEGIN + WIDTH / 2))
    ),
}


def pushed(loads) -> fx.System:
    s = fx.System("pushed", planar=True)
    body = s.rigid_body("body", MASS, 1.0)
    s.prismatic("slide", s.ground, body, axis="x")
    for k, load in enumerate(loads):
        s.force(f"push_{k}", body, [load, 0.0])
    s.channel("speed", fx.velocity(body, "x"))
    return s


METHODS = {
    "rk4": (fx.rk4(), None),
    "dopri5": (fx.dopri5(), None),
    "dop853": (fx.dop853(1e-8), None),
    "reference": (fx.reference(1e-8), None),
    "hht": (fx.hht(), 1e-4),
    "energy_decaying": (fx.energy_decaying(), 1e-4),
}


@pytest.mark.parametrize("interval", [None, 1.0])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["callable", "two rises"])
def test_the_impulse_of_a_short_load_becomes_momentum(kind, method, interval):
    """Long steps over the pulse once had an error of zero: a speed of 0 for 2.5 m/s, in silence."""
    scheme, tolerance = METHODS[method]
    run = fx.simulate(pushed(PULSES[kind]), 4.0, 1e-3, scheme, interval=interval, tolerance=tolerance)
    assert run.channel("speed")[-1] == pytest.approx(SPEED, rel=1e-3)
    rows = 5 if interval else 4001 if tolerance is None else 501
    assert np.allclose(run.time, np.linspace(0.0, 4.0, rows), rtol=1e-12)


@pytest.mark.parametrize("kind", PULSES)
def test_every_kind_of_function_wakes_the_run(kind):
    run = fx.simulate(pushed(PULSES[kind]), 4.0, 1e-3, fx.rk4(), interval=1.0)
    assert run.channel("speed")[-1] == pytest.approx(SPEED, rel=1e-3)


def square(begin: float, width: float) -> dict[str, object]:
    """Half the load that has the impulse of the pulse, on at once and off at once."""
    force = 0.5 * FORCE * WIDTH / width
    return {
        "callable": lambda t: force if begin < t < begin + width else 0.0,
        "up to the end": lambda t: force if begin <= t <= begin + width else 0.0,
        "expression": sp.Piecewise((force, sp.And(t_ > begin, t_ < begin + width)), (0, True)),
        "signal of time": fx.where(fx.time() - begin, fx.where(fx.time() - begin - width, 0.0, force), 0.0),
    }


@pytest.mark.parametrize("begin", [0.0, 1.3, 1.2345678])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", square(0.0, 1.0))
def test_a_step_ends_where_a_load_jumps_and_the_next_begins_behind(kind, method, begin):
    """Explicit methods stopped: the error of a step over a jump falls as its share of the tolerance does."""
    scheme, tolerance = METHODS[method]
    load = square(begin, 0.7)[kind]
    run = fx.simulate(pushed((load,)), 4.0, 1e-3, scheme, interval=0.5, tolerance=tolerance)
    inside = np.clip(run.time - begin, 0.0, 0.7) / 0.7
    assert run.channel("speed") == pytest.approx(SPEED * inside, abs=2e-4 * SPEED)
    assert "error" not in " ".join(run.warnings)


def test_a_change_that_is_steep_is_no_jump():
    steep = fx.from_callable(lambda t: math.tanh((t - 1.3004) / 1e-7))
    found = wakes([steep], 0.0, 4.0, 1e-3)
    assert np.array_equal(found[:, 0], found[:, 1])
    jump = wakes([fx.from_callable(lambda t: float(t > 1.3004))], 0.0, 4.0, 1e-3)
    at, after = jump[jump[:, 0] < jump[:, 1]][0]
    assert (at, after) == (1.3004, np.nextafter(1.3004, 2.0))


def test_a_function_wakes_where_it_leaves_rest_and_where_it_finds_it_again():
    f = fx.from_callable(pulse)
    assert wakes([f], 0.0, 4.0, 1e-3)[:, 0] == pytest.approx(
        [BEGIN, BEGIN + WIDTH / 2, BEGIN + WIDTH], abs=1.1e-3
    )
    rise = fx.cycloidal(0.0, 1.0, 0.5, begin=1.0)
    assert wakes([rise], 0.0, 4.0, 1e-3).tolist() == [[1.0, 1.0], [1.5, 1.5]]
    assert wakes([rise], 1.2, 4.0, 1e-3).tolist() == [[1.5, 1.5]]
    steady = [fx.harmonic(1.0, 3.0), fx.ramp(2.0), fx.constant(1.0), fx.from_callable(math.sin)]
    assert len(wakes([*steady, fx.expression(sp.sin(t_)), fx.table(GRID, GRID**2)], 0.0, 4.0, 1e-3)) == 0


@pytest.mark.parametrize("method", ["dop853", "hht"])
def test_a_run_that_was_stopped_lands_as_if_it_had_not_been(method, tmp_path):
    scheme, tolerance = METHODS[method]
    keys = {"interval": 2e-3, "tolerance": tolerance, "block": 32}
    whole = fx.simulate(pushed(PULSES["callable"]), 4.0, 1e-3, scheme, **keys)
    file = tmp_path / "pushed.h5"

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fx.simulate(pushed(PULSES["callable"]), 4.0, 1e-3, scheme, out=file, progress=stop, **keys)
    on = fx.simulate(pushed(PULSES["callable"]), 4.0, 1e-3, scheme, out=file, resume=True, **keys)
    assert np.array_equal(on.channel("speed"), whole.channel("speed"))


def test_a_load_that_hardly_differs_from_nothing_is_no_failure():
    """A spline rings by 1e-300 before its pulse: squares of such errors once made a step too small."""
    run = fx.simulate(pushed(PULSES["table"]), 4.0, 1e-3, fx.dop853())
    assert run.channel("speed")[-1] == pytest.approx(SPEED, rel=1e-3)
