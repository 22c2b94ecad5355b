"""A run says how well it follows first-order states, whatever their units and beside whatever they stand."""

import numpy as np
import pytest
from pendulums import pendulum

import flexnet as fx
from flexnet.integrators import METHODS

FIXED = [m for make in METHODS.values() if (m := make()).traits.is_fixed]
ENERGY = [fx.energy_preserving(), fx.energy_decaying(), fx.energy_decaying(0.5)]
#: rad/s of the source
RATE = 50.0


def add_circuit(s: fx.System, volts: float, time: float) -> None:
    """A capacitor of 1 µF behind a resistor on a source V sin ωt, RC given."""
    s.voltage_source("E", "a", s.ground, fx.harmonic(volts, RATE))
    s.resistor("R", "a", "b", time / 1e-6)
    s.capacitor("C", "b", s.ground, 1e-6)


def circuit(volts: float, time: float) -> fx.System:
    s = fx.System("RC")
    add_circuit(s, volts, time)
    return s


def exact(volts: float, time: float, t):
    """Voltage of the capacitor, at first without charge, and its current."""
    x = RATE * time
    swing = volts / (1 + x * x)
    fade = x * np.exp(-t / time)
    v = swing * (np.sin(RATE * t) - x * np.cos(RATE * t) + fade)
    return v, 1e-6 * swing * (RATE * np.cos(RATE * t) + x * RATE * np.sin(RATE * t) - fade / time)


@pytest.mark.parametrize("method", ENERGY, ids=lambda m: f"{m.name}-{m.rho}")
@pytest.mark.parametrize("h", [1e-3, 5e-4])
def test_currents_of_a_circuit_faster_than_the_step_are_told_to_be_wrong(method, h):
    """They are (V - v)/R: an error of the voltage is divided by RC. Estimate and error are of one size."""
    run = fx.simulate(circuit(4000.0, 1e-6), 0.1, h, method)
    v, i = exact(4000.0, 1e-6, np.array(run["time"]))
    off = np.abs(run.channel("C.current") - i)[1:].max() / np.abs(i).max()
    assert off > 1.0
    assert np.abs(run.channel("C.voltage") - v).max() < 1e-3 * 4000.0  # the voltage itself is right
    assert 0.5 < run.status.rate_error / off < 2.0
    assert run.status.state_error < 0.02
    (text,) = run.warnings
    assert "rates of states" in text
    assert "not resolved by the step" in text
    assert "of rates of states" in run.validity


@pytest.mark.parametrize("method", FIXED, ids=lambda m: m.name)
def test_a_circuit_slower_than_the_step_is_not_warned_of_and_its_error_is_of_the_size_told(method):
    for h in (1e-3, 5e-4):
        run = fx.simulate(circuit(4000.0, 1e-2), 0.1, h, method)
        v, i = exact(4000.0, 1e-2, np.array(run["time"]))
        assert not run.warnings
        assert np.isnan(run.status.error)  # there are no positions
        if method.name != "radau":  # of order 5, told by the tolerance that would have chosen its steps
            off = np.abs(run.channel("C.voltage") - v).max() / np.abs(v).max()
            assert 0.3 < run.status.state_error / off < 10.0
        if method in ENERGY:
            assert run.status.rate_error > np.abs(run.channel("C.current") - i).max() / np.abs(i).max()


@pytest.mark.parametrize("method", FIXED, ids=lambda m: m.name)
def test_errors_of_positions_and_of_states_are_each_beside_their_own(method):
    """A pendulum beside a circuit that has nothing to do with it, a millivolt and a gigavolt.

    By the size of their dimension volts once were "positions", and 4.3 times their size off at a megavolt.
    """
    alone = fx.simulate(pendulum(1.0), 0.4, 2e-3, method).status
    found = []
    for volts in (1e-3, 1.0, 1e9):
        s = pendulum(1.0)
        add_circuit(s, volts, 1e-2)
        run = fx.simulate(s, 0.4, 2e-3, method)
        assert not any("positions" in text or "states" in text for text in run.warnings)
        found.append(run.status)
    for status in found:
        assert status.error == pytest.approx(alone.error, rel=1e-3)
        assert status.state_error == pytest.approx(found[0].state_error, rel=1e-3)
    assert 0.0 < found[0].state_error < 0.02


def test_schemes_in_turn_add_up_the_errors_of_states():
    s = circuit(1.0, 1e-2)
    legs = [(0.0, fx.hht()), (0.05, fx.energy_preserving())]
    whole, turns = (fx.simulate(s, 0.1, 1e-3, method).status for method in (fx.hht(), legs))
    assert 0.5 < turns.state_error / whole.state_error < 2.0
    assert turns.rate_error > 0.0
