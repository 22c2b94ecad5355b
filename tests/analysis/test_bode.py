"""Frequency responses and transfer functions of networks and mechatronic systems."""

from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError

R, L, C = 20.0, 0.1, 1e-4


def filter_() -> fx.System:
    """A low-pass of second order."""
    s = fx.System("filter")
    s.voltage_source("E", "a", s.ground, fx.harmonic(1.0, 10.0))
    s.resistor("R", "a", "b", R)
    s.inductor("L", "b", "c", L)
    s.capacitor("C", "c", s.ground, C)
    return s


def test_a_filter_answers_as_its_transfer_function_says(tmp_path: Path) -> None:
    found = fx.bode(filter_(), ("E",), ("C.voltage", "R.current"))
    s = 2j * np.pi * found.frequencies
    exact = 1.0 / (L * C * s**2 + R * C * s + 1.0)
    np.testing.assert_allclose(found.response("C.voltage", "E"), exact, rtol=1e-9)
    np.testing.assert_allclose(found.response("R.current", "E"), C * s * exact, rtol=1e-9)
    assert found.magnitude("C.voltage", "E")[0] == pytest.approx(0.0, abs=0.1)
    assert found.phase("C.voltage", "E")[-1] == pytest.approx(-180.0, abs=5.0)
    assert found.plot(tmp_path / "bode.svg").stat().st_size > 1000


def test_a_transfer_function_has_its_gain_zeros_and_poles() -> None:
    G = fx.transfer(filter_(), "E", "R.current")
    np.testing.assert_allclose(G.denominator, [1.0, R / L, 1.0 / (L * C)], rtol=1e-9)
    assert G.gain == pytest.approx(1.0 / L, rel=1e-9)
    assert len(G.zeros) == 1
    assert abs(G.zeros[0]) < 1e-6 * abs(G.poles).min()
    assert G(1j) == pytest.approx(C * 1j / (1.0 - L * C + R * C * 1j), rel=1e-8)
    direct = fx.transfer(filter_(), "E", "R.voltage")
    assert direct(1j) == pytest.approx(R * G(1j), rel=1e-8)


def test_a_motor_with_its_load_has_the_poles_of_both() -> None:
    J, b, k, Ra, La = 0.02, 1e-3, 0.05, 1.0, 5e-3
    s = fx.System("motor", planar=True)
    rotor = s.rigid_body("rotor", 1.0, J)
    s.revolute("O", s.ground, rotor)
    s.torsional_spring("brake", joint="O", damping=b)
    s.motor("m", "O", 0.0, constant=k, resistance=Ra, inductance=La)
    s.channel("w", fx.joint_rate("O"))
    found = fx.bode(s, ("m.source",), ("w",), 1e-2, 1e3, 50)
    p = 2j * np.pi * found.frequencies
    exact = k / ((La * p + Ra) * (J * p + b) + k * k)
    np.testing.assert_allclose(found.response("w", "m.source"), exact, rtol=1e-7)


def test_what_is_no_source_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match="the input 'R' is no source of a network"):
        fx.bode(filter_(), ("R",), ("C.voltage",))
    with pytest.raises(ModelError, match="frequencies must be positive and rising"):
        fx.bode(filter_(), ("E",), ("C.voltage",), 10.0, 1.0)
