"""Signals without a formula of the frames: energies, and users' functions that cannot be traced."""

from math import nan

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import FlexnetError, ModelError

J = 0.8


def rotor(torque: fx.Signal) -> fx.System:
    s = fx.System("rotor", planar=True)
    disc = s.rigid_body("disc", 1.0, J)
    s.revolute("O", s.ground, disc)
    s.start("O", angle=0.5, rate=3.0)
    s.torque("motor", joint="O", torque=torque)
    s.channel("angle", fx.joint_coordinate("O"))
    s.channel("rate", fx.joint_rate("O"))
    s.channel("motor", fx.torque("motor", "z"))
    return s


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("method", [fx.dop853(1e-11), fx.hht(0.0)], ids=lambda m: m.name)
def test_a_torque_that_follows_the_energy_has_its_closed_form(engine, method):
    """J ω̇ = -b J ω²/2: ω = ω₀/(1 + b ω₀ t/2)."""
    b = 0.7
    s = rotor(-b * fx.energy("kinetic"))
    s.channel("work", fx.integral(fx.energy(), name="summed"))
    run = fx.simulate(s, 1.0, 1e-3, method, interval=0.1, engine=engine)
    omega = 3.0 / (1 + b * 1.5 * run.t)
    close = 1e-9 if method.name == "dop853" else 1e-6
    assert run.channel("rate") == pytest.approx(omega, abs=close)
    # ∫ J ω²/2 dt by the same
    assert run.channel("work") == pytest.approx(J / b * (3.0 - omega), abs=10 * close)


def swing() -> fx.System:
    """A pendulum on a spring beside a strip that bends: kinetic, potential and strain energy."""
    s = fx.System("swing", planar=True)
    s.gravity([0, -9.81])
    strip = fx.beam_body(0.5, 2, fx.Material(E=7e10, nu=0.33, rho=2700.0), fx.rectangle(0.004, 0.02))
    bent = s.flexible_body("strip", strip, support=fx.Clamped("start"), modes=2)
    s.revolute("O", s.ground, bent["start"])
    bob = s.rigid_body("bob", 0.3, 1e-3, position=[0.5, 0.0])
    s.weld("end", bent["end"], bob)
    s.spring("spring", s.ground.frame("wall", [0.2, 0.8]), bob, stiffness=40.0, free_length=0.6)
    for kind in ("kinetic", "potential", "strain", "mechanical"):
        s.channel(kind, fx.energy(kind))
    return s


def test_energies_are_those_of_the_run_and_events_watch_them():
    s = swing()
    s.event("bent", fx.energy("strain") - 2e-5, fx.stop(), "rising")
    run = fx.simulate(s, 0.5, 5e-4, fx.dop853())
    for kind in ("kinetic", "potential", "strain"):
        assert run.channel(kind) == pytest.approx(run[f"energy/{kind}"], rel=1e-12, abs=1e-15)
    assert np.ptp(run.channel("mechanical")) < 1e-9 < np.ptp(run.channel("kinetic"))
    assert run.channel("strain")[-1] == pytest.approx(2e-5, rel=1e-9)
    assert run.events[0].t == run.t[-1]


def test_an_energy_nobody_knows_is_refused_with_the_near_name():
    with pytest.raises(ModelError, match="no energy 'kinetik'; did you mean 'kinetic'"):
        fx.energy("kinetik")


def soft(x: float, v: float) -> float:
    """A spring of two stiffnesses and a damper, that Python must be asked for."""
    return -(20.0 if x >= 0.0 else 5.0) * x - 0.3 * v


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("method", [fx.hht(), fx.dop853()], ids=lambda m: m.name)
def test_a_function_that_cannot_be_traced_is_called_and_moves_as_its_formula_does(engine, method):
    x, v = fx.joint_coordinate("O"), fx.joint_rate("O")
    called = fx.function(soft, x, fx.lag(v, 0.02, name="seen"), unit="N*m")
    # one called with what another gives
    called = fx.function(lambda u: float(str(u)), called, unit="N*m")
    damped = (0.3 * fx.lag(v, 0.02, name="seen")).measured_in("N*m")
    written = fx.where(x, -20.0 * x, -5.0 * x).measured_in("N*m") - damped
    runs = [fx.simulate(rotor(u), 1.0, 1e-3, method, engine=engine, interval=0.1) for u in (called, written)]
    assert runs[0].channel("angle") == pytest.approx(runs[1].channel("angle"), abs=2e-6)
    assert runs[0].channel("motor") == pytest.approx(runs[1].channel("motor"), abs=1e-4)
    assert fx.report(runs[1].equations).python_laws == ()
    assert set(fx.report(runs[0].equations).python_laws) == {
        "function '<lambda>' of signals",
        "function 'soft' of signals",
    }


def test_a_function_of_another_number_of_arguments_and_one_that_fails_are_named():
    x = fx.joint_coordinate("O")
    with pytest.raises(ModelError, match="'soft' of signals cannot be called with 1 numbers"):
        fx.function(soft, x)

    def broken(x: float) -> float:
        return nan if x > 0.6 else float(str(x))

    with pytest.raises(FlexnetError, match="motor"):
        fx.simulate(rotor(fx.function(broken, x, unit="N*m")), 1.0, 1e-3)
