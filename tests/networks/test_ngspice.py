"""Circuits beside ngspice: transients agree to the tolerance of both; skipped where it is absent."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexnet as fx

NGSPICE = shutil.which("ngspice")
needs_ngspice = pytest.mark.skipif(NGSPICE is None, reason="ngspice is not installed (Debian: ngspice)")
#: ngspice's thermal voltage at 27 °C, V, and the conductance it puts beside every junction, 1/ohm
THERMAL, GMIN = 1.38064852e-23 * 300.15 / 1.6021766208e-19, 1e-12
DIODE = ".model d1 d(is=1e-12 n=1)"


@dataclass(frozen=True)
class Circuit:
    """A circuit said twice.

    Attributes
    ----------
    netlist : lines of ngspice; what is compared is v(out).
    build : adds the same elements; node ``out`` is compared.
    end : s.
    """

    netlist: str
    build: Callable[[fx.System], None]
    end: float


def _low_pass(s: fx.System) -> None:
    s.voltage_source("V", "a", s.ground, fx.harmonic(5.0, 2 * np.pi * 50.0))
    s.resistor("R", "a", "out", 1e3)
    s.capacitor("C", "out", s.ground, 1e-6, start=1.0)


def _resonant(s: fx.System) -> None:
    s.voltage_source("V", "a", s.ground, fx.harmonic(1.0, 2 * np.pi * 450.0))
    s.resistor("R", "a", "b", 5.0)
    s.inductor("L", "b", "out", 10e-3, start=0.0)
    s.capacitor("C", "out", s.ground, 10e-6, start=0.0)


def _parallel(s: fx.System) -> None:
    s.current_source("I", s.ground, "out", fx.harmonic(1e-2, 2 * np.pi * 100.0))
    s.resistor("R", "out", s.ground, 200.0)
    s.inductor("L", "out", s.ground, 0.2, start=0.01)
    s.capacitor("C", "out", s.ground, 5e-6, start=0.0)


def _coupled(s: fx.System) -> None:
    s.voltage_source("V", "a", s.ground, fx.harmonic(10.0, 2 * np.pi * 50.0))
    s.resistor("R1", "a", "b", 1.0)
    M = 0.9 * np.sqrt(0.1 * 0.4)
    s.coupled_inductors("L", [("b", s.ground), ("out", s.ground)], [[0.1, M], [M, 0.4]], [0.0, 0.0])
    s.resistor("R2", "out", s.ground, 50.0)


def _diode(s: fx.System, name: str, a: str, b: str) -> None:
    s.diode(name, a, s.ground if b == "0" else b, 1e-12, THERMAL, GMIN)


def _half_wave(s: fx.System) -> None:
    s.voltage_source("V", "a", s.ground, fx.harmonic(10.0, 2 * np.pi * 50.0))
    s.resistor("Rs", "a", "b", 1.0)
    _diode(s, "D", "b", "out")
    s.capacitor("C", "out", s.ground, 1e-4, start=0.0)
    s.resistor("R", "out", s.ground, 500.0)


def _clipper(s: fx.System) -> None:
    s.voltage_source("V", "a", s.ground, fx.harmonic(5.0, 2 * np.pi * 50.0))
    s.resistor("R", "a", "out", 1e3)
    _diode(s, "D1", "out", "0")
    s.diode("D2", s.ground, "out", 1e-12, THERMAL, GMIN)
    s.capacitor("C", "out", s.ground, 1e-8, start=0.0)


def _bridge(s: fx.System) -> None:
    s.voltage_source("V", "a", "b", fx.harmonic(10.0, 2 * np.pi * 50.0))
    s.resistor("Rg", "b", s.ground, 1e6)
    _diode(s, "D1", "a", "out")
    _diode(s, "D2", "b", "out")
    s.diode("D3", s.ground, "a", 1e-12, THERMAL, GMIN)
    s.diode("D4", s.ground, "b", 1e-12, THERMAL, GMIN)
    s.resistor("R", "out", s.ground, 100.0)
    s.capacitor("C", "out", s.ground, 1e-4, start=0.0)


def _amplifier(s: fx.System) -> None:
    s.voltage_source("V", "a", s.ground, fx.harmonic(1.0, 2 * np.pi * 50.0))
    s.resistor("R1", "a", "m", 1e3)
    s.resistor("R2", "m", "out", 1e4)
    s.capacitor("C", "m", "out", 1e-7, start=0.0)
    s.controlled_source("A", (s.ground, "m"), ("out", s.ground), 1e5)


def _gyrator(s: fx.System) -> None:
    s.current_source("I", s.ground, "out", fx.harmonic(1e-3, 2 * np.pi * 150.0))
    s.capacitor("C1", "out", s.ground, 1e-6, start=0.0)
    s.resistor("R", "out", s.ground, 1e4)
    s.gyrator("G", ("out", s.ground), ("b", s.ground), 1e3)
    s.capacitor("C2", "b", s.ground, 1e-6, start=0.0)


def _ladder(s: fx.System) -> None:
    s.voltage_source("V", "n0", s.ground, fx.harmonic(1.0, 2 * np.pi * 1000.0))
    for k in range(10):
        end = "out" if k == 9 else f"n{k + 1}"
        s.resistor(f"R{k}", f"n{k}", end, 100.0)
        s.capacitor(f"C{k}", end, s.ground, 1e-7, start=0.0)


def _van_der_pol(s: fx.System) -> None:
    s.inductor("L", "out", s.ground, 1.0, start=0.0)
    s.capacitor("C", "out", s.ground, 1.0, start=0.5)
    s.nonlinear_resistor("N", "out", s.ground, current=lambda v: v * v * v / 3.0 - v)


def _ladder_lines() -> str:
    ends = [f"n{k + 1}" for k in range(9)] + ["out"]
    pieces = [f"R{k} n{k} {end} 100\nC{k} {end} 0 100n ic=0" for k, end in enumerate(ends)]
    return "\n".join(["V1 n0 0 sin(0 1 1000)", *pieces])


CIRCUITS = {
    "low-pass": Circuit("V1 a 0 sin(0 5 50)\nR1 a out 1k\nC1 out 0 1u ic=1", _low_pass, 0.04),
    "resonance": Circuit(
        "V1 a 0 sin(0 1 450)\nR1 a b 5\nL1 b out 10m ic=0\nC1 out 0 10u ic=0", _resonant, 0.02
    ),
    "parallel": Circuit(
        "I1 0 out sin(0 10m 100)\nR1 out 0 200\nL1 out 0 0.2 ic=0.01\nC1 out 0 5u ic=0", _parallel, 0.04
    ),
    "coupled coils": Circuit(
        "V1 a 0 sin(0 10 50)\nR1 a b 1\nL1 b 0 0.1 ic=0\nL2 out 0 0.4 ic=0\nK1 L1 L2 0.9\nR2 out 0 50",
        _coupled, 0.08,
    ),
    "half wave": Circuit(
        f"V1 a 0 sin(0 10 50)\nRs a b 1\nD1 b out d1\nC1 out 0 100u ic=0\nR1 out 0 500\n{DIODE}",
        _half_wave, 0.06,
    ),
    "clipper": Circuit(
        f"V1 a 0 sin(0 5 50)\nR1 a out 1k\nD1 out 0 d1\nD2 0 out d1\nC1 out 0 10n ic=0\n{DIODE}",
        _clipper, 0.04,
    ),
    "bridge": Circuit(
        "V1 a b sin(0 10 50)\nRg b 0 1meg\nD1 a out d1\nD2 b out d1\nD3 0 a d1\nD4 0 b d1\nR1 out 0 100\n"
        f"C1 out 0 100u ic=0\n{DIODE}",
        _bridge, 0.04,
    ),
    "amplifier": Circuit(
        "V1 a 0 sin(0 1 50)\nR1 a m 1k\nR2 m out 10k\nC1 m out 0.1u ic=0\nE1 out 0 0 m 1e5", _amplifier, 0.04
    ),
    "gyrator": Circuit(
        "I1 0 out sin(0 1m 150)\nC1 out 0 1u ic=0\nR1 out 0 10k\nG1 out 0 b 0 1m\nG2 0 b out 0 1m\n"
        "C2 b 0 1u ic=0",
        _gyrator, 0.03,
    ),
    "ladder": Circuit(_ladder_lines(), _ladder, 4e-3),
    "van der Pol": Circuit(
        "L1 out 0 1 ic=0\nC1 out 0 1 ic=0.5\nB1 out 0 i=v(out)*v(out)*v(out)/3-v(out)", _van_der_pol, 30.0
    ),
}  # fmt: skip


def by_ngspice(circuit: Circuit, folder: Path, steps: int, times: np.ndarray) -> np.ndarray:
    """v(out) of a transient of at least so many steps, at some times."""
    step = circuit.end / steps
    deck = (
        f"circuit\n{circuit.netlist}\n.options reltol=1e-7 abstol=1e-14 vntol=1e-10 gmin={GMIN:g} temp=27\n"
        f".control\nset numdgt=14\nset wr_singlescale\ntran {step:g} {circuit.end:g} 0 {step:g} uic\n"
        f"wrdata out v(out)\nquit\n.endc\n.end\n"
    )
    (folder / "deck.cir").write_text(deck)
    subprocess.run([str(NGSPICE), "-b", "deck.cir"], cwd=folder, capture_output=True, timeout=60, check=False)
    t, v = np.loadtxt(folder / "out", unpack=True)
    kept = np.concatenate([[True], np.diff(t) > 0.0])
    return np.asarray(CubicSpline(t[kept], v[kept])(times))


def by_flexnet(circuit: Circuit, steps: int) -> fx.Run:
    """The same circuit here."""
    s = fx.System("circuit")
    circuit.build(s)
    s.channel("out", fx.voltage(node="out"))
    return fx.simulate(s, circuit.end, circuit.end / steps, interval=circuit.end / 200)


@needs_ngspice
@pytest.mark.parametrize(
    "name",
    [n if n in ("resonance", "half wave") else pytest.param(n, marks=pytest.mark.slow) for n in CIRCUITS],
)
def test_a_transient_is_that_of_ngspice(name: str, tmp_path: Path) -> None:
    """Both are of order two: with twice the steps a run changes by three times the error it then has."""
    circuit = CIRCUITS[name]
    runs = [by_flexnet(circuit, n) for n in (4000, 8000)]
    own = [run.channel("out") for run in runs]
    theirs = [by_ngspice(circuit, tmp_path, n, runs[0].t) for n in (4000, 8000)]
    # their sources begin one step late where an initial condition is used
    changes = [np.abs(np.subtract(*x))[1:].max() for x in (own, theirs)]
    assert max(changes) < 1e-4 * np.ptp(own[0])
    assert np.abs(own[1] - theirs[1])[1:].max() < sum(changes)
