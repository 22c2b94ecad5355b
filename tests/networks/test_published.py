"""Examples of the Modelica Standard Library that are networks, beside their published results.

Figures: ``modelica/MAP-LIB_ReferenceResults``, branch v4.1.0, commit 6db6c501, rows as printed there; a few
rows a case. A figure may be off by twice the *check* of its case times the range (max - min) of its column,
which stands beside it as read from the published file. Mechanisms:
``tests/cases/test_modelica_mechanisms.py``; the servo drive: ``test_servo_axis.py``; control blocks are for
the tests of signals.
"""

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
import flexnet.algebra as algebra

t = sp.Symbol("t")


def at(run: fx.Run, name: str, time: float) -> float:
    k = int(np.abs(run.t - time).argmin())
    assert run.t[k] == pytest.approx(time, abs=1e-9)
    return float(run.channel(name)[k])


def test_two_heat_capacities() -> None:
    s = fx.System("two_masses")
    s.heat_capacity("mass1", "a", 15.0, start=373.15)
    s.heat_capacity("mass2", "b", 15.0, start=273.15)
    s.heat_conductor("conduction", "a", "b", 10.0)
    run = fx.simulate(s, end=1.0, step=4e-3, method=fx.dop853())
    for time, T1 in ((0.316, 355.958074309), (1.0, 336.329645029)):
        assert at(run, "mass1.temperature", time) == pytest.approx(T1, abs=2 * 2e-5 * 36.82)
        exact = 323.15 + 50.0 * np.exp(-4.0 * time / 3.0)
        # errors of a state are measured by what it becomes, some 373 K
        assert at(run, "mass1.temperature", time) == pytest.approx(exact, rel=1e-9)
        total = at(run, "mass1.temperature", time) + at(run, "mass2.temperature", time)
        assert total == pytest.approx(646.3, abs=1e-10)


def test_series_resonance_is_passed() -> None:
    s = fx.System("resonance")
    L, C = 0.1 / (2 * np.pi), 1e-3 / (2 * np.pi)
    for k, wave in (("1", sp.sin), ("2", sp.cos)):
        s.voltage_source(f"E{k}", f"a{k}", s.ground, wave(200 * sp.pi * t**2))
        s.inductor(f"L{k}", f"a{k}", f"b{k}", L, start=0.0)
        s.capacitor(f"C{k}", f"b{k}", f"c{k}", C, start=0.0)
        s.resistor(f"R{k}", f"c{k}", s.ground, 0.5)
    run = fx.simulate(s, end=1.0, step=1e-3, method=fx.dop853())
    for time, i1, v1, v2 in (
        (0.316, 0.102980848239, -0.266755490748, 1.64060670743),
        (0.476, -0.546100491178, -2.33851679275, -5.79666150485),
        (1.0, -0.065984544956, -0.0156744889594, -0.326989724593),
    ):
        assert at(run, "L1.current", time) == pytest.approx(i1, abs=2 * 2e-5 * 2.604)
        assert at(run, "C1.voltage", time) == pytest.approx(v1, abs=2 * 2e-5 * 25.35)
        assert at(run, "C2.voltage", time) == pytest.approx(v2, abs=2 * 2e-5 * 25.39)


def test_an_amplifier_of_finite_gain_filters() -> None:
    s = fx.System("low_pass")
    corners = [0.0, *sorted(c + 0.1 * n for n in range(10) for c in (0.015, 0.035, 0.065, 0.085)), 1.0]
    level = [5.0, *([5.0, 0.0, 0.0, 5.0] * 10), 5.0]
    s.voltage_source("source", "in", s.ground, fx.lookup(fx.time(), corners, np.array(level), unit="V"))
    s.resistor("R1", "in", "minus", 1000.0)
    s.resistor("R2", "out", "minus", 1000.0)
    s.capacitor("c", "out", "minus", 1.0 / (2 * np.pi * 1000.0), start=0.0)
    s.controlled_source("amplifier", (s.ground, "minus"), ("out", s.ground), 15000.0)
    run = fx.simulate(s, end=1.0, step=1e-3, method=fx.reference(1e-9), interval=4e-3)
    for time, c, out in (
        (0.156, -1.43067023452, -1.43057486287),
        (0.316, -2.41711227499, -2.41695114491),
        (1.0, -2.52401736434, -2.52384910773),
    ):
        assert at(run, "c.voltage", time) == pytest.approx(c, abs=2 * 7e-7 * 2.804)
        assert at(run, "amplifier.out.voltage", time) == pytest.approx(out, abs=2 * 7e-7 * 2.804)


def test_inertias_on_a_gear() -> None:
    s = fx.System("first")
    s.shaft_inertia("J1", "1", 0.1)
    s.shaft_inertia("J2", "2", 2.0)
    s.shaft_inertia("J3", "3", 2.0)
    s.shaft_gear("gear", "1", "2", 10.0)
    s.shaft_spring("spring", "2", "3", 1e4)
    s.shaft_damper("damper", s.ground, "2", 10.0)
    s.shaft_torque_source("torque", "1", fx.harmonic(10.0, 2 * np.pi * 5))
    assert len(s.network.solved.system.rates) == len(s.network.solved.system.states) - 1  # one is tied
    run = fx.simulate(s, end=1.0, step=1e-3, method=fx.dop853())
    for time, two, three in (
        (0.316, 0.0680237031264, 0.0683315636184),
        (1.0, 0.162328181082, 0.162860011994),
    ):
        assert at(run, "J2.angle", time) == pytest.approx(two, abs=2 * 2e-5 * 0.1648)
        assert at(run, "J3.angle", time) == pytest.approx(three, abs=2 * 2e-5 * 0.1657)
        assert at(run, "J1.angle", time) == pytest.approx(10 * at(run, "J2.angle", time), abs=1e-12)


def test_a_wheel_rolls_against_the_wind() -> None:
    s = fx.System("wheel")
    s.shaft_inertia("inertia", "w", 1.0)
    s.line_mass("mass", "x", 1.0)
    s.rack_and_pinion("wheel", "w", "x", 1.0)
    s.shaft_torque_source("torque", "w", fx.where(fx.time() - 0.1, fx.quantity(10.0, "N*m"), 0.0))
    v = fx.line_velocity("mass")
    s.line_force_source("wind", "x", -0.4 * v * abs(v) * fx.quantity(1.0, "N*s^2/m^2"))
    run = fx.simulate(s, end=5.0, step=0.01, method=fx.reference(1e-9), interval=0.02)
    for time, angle, speed in ((0.78, 1.07655434293, 2.95759725002), (5.0, 21.0345476982, 4.99944476094)):
        assert at(run, "inertia.angle", time) == pytest.approx(angle, abs=2 * 8e-7 * 21.03)
        assert at(run, "inertia.angle_rate", time) == pytest.approx(speed, abs=2 * 8e-7 * 4.999)


def test_masses_at_resonance() -> None:
    s = fx.System("oscillator")
    for k in ("1", "2"):
        s.line_mass(f"m{k}", k, 1.0)
        s.line_spring(f"k{k}", s.ground, k, 1e4)
        s.line_force_source(f"F{k}", k, fx.harmonic(1.0, 2 * np.pi * 15.9155))
    s.line_damper("d2", s.ground, "2", 10.0)
    run = fx.simulate(s, end=1.0, step=1e-3, method=fx.dop853())
    for time, one, two in ((0.476, -0.497909001896, 0.9991980285), (1.0, -0.504334594557, 1.00085701149)):
        assert at(run, "m1.displacement", time) == pytest.approx(one + 0.5, abs=2 * 5e-4 * 0.00943)
        assert at(run, "m2.displacement", time) == pytest.approx(1.0 - two, abs=2 * 2e-4 * 0.00197)


def test_a_separately_excited_machine_starts_and_is_loaded() -> None:
    s = fx.System("dcee", planar=True)
    rotor = s.rigid_body("rotor", 1.0, 0.3)
    s.revolute("O", s.ground, rotor)
    s.voltage_source("excitation", "e", s.ground, 100.0)
    s.resistor("Re", "e", "f", 100.0)
    s.inductor("Le", "f", s.ground, 1.0, start=0.0)
    share = fx.quantity(1.25, "1/s") * fx.limit(fx.time() - 0.2, 0.0, 0.8)
    s.voltage_source("armature", "a", s.ground, 100 * share)
    s.dc_machine("machine", "a", s.ground, "O", 0.6366197724, 0.05, 0.0015, field="Le")
    s.torque("load", joint="O", torque=fx.where(fx.time() - 1.5, fx.quantity(-63.66, "N*m"), 0.0))
    s.channel("angle", fx.joint_coordinate("O"))
    s.channel("speed", fx.joint_rate("O"))
    run = fx.simulate(s, 2.0, 1e-3, fx.reference(1e-9), interval=4e-3)
    for time, i, angle, speed in (
        (0.632, 92.5873378454, 15.2331529401, 77.556952265),
        (2.0, 99.9743264576, 210.2259836, 149.227847945),
    ):
        assert at(run, "machine.L.current", time) == pytest.approx(i, abs=2 * 1e-6 * 123.5)
        assert at(run, "angle", time) == pytest.approx(angle, abs=2 * 1e-6 * 210.2)
        assert at(run, "speed", time) == pytest.approx(speed, abs=2 * 1e-6 * 158.6)
    # flux: 1 - exp(-100 t)
    assert at(run, "Le.current", 0.02) == pytest.approx(1.0 - np.exp(-2.0), abs=1e-7)


def test_tanks_level_out_and_the_flow_carries_its_heat() -> None:
    s = fx.System("two_tanks")
    s.tank("one", "a", 1.0 / 10.0, start=9.0)  # A/(ρ g), section 1 m², ρ 1 kg/m³, g 10 m/s²
    s.tank("two", "b", 1.0 / 10.0, start=1.0)
    s.pipe("pipe", "a", "b", resistance=5.0)
    # enthalpies, J, as what capacities of 1 J/K hold; the flow carries the temperature of the tank it leaves
    s.heat_capacity("H1", "h1", 1.0, start=281.835)
    s.heat_capacity("H2", "h2", 1.0, start=29.315)
    mass = fx.pressure("one") / fx.quantity(10.0, "Pa")
    carried = fx.quantity(1.0, "Pa") * fx.flow("pipe") * fx.temperature("H1") / mass
    s.heat_source("leaves", "h1", -carried)
    s.heat_source("arrives", "h2", carried)
    run = fx.simulate(s, end=1.5, step=6e-3, method=fx.dop853())
    for time, m1, H1, H2 in (
        (0.234, 0.656877448644, 205.701173043, 105.448826957),
        (1.002, 0.5072681964, 158.851035703, 152.298964297),
    ):
        assert at(run, "one.pressure", time) / 10.0 == pytest.approx(m1, abs=2 * 8e-7 * 0.399)
        assert at(run, "H1.temperature", time) == pytest.approx(H1, abs=2 * 8e-7 * 124.9)
        assert at(run, "H2.temperature", time) == pytest.approx(H2, abs=2 * 8e-7 * 124.9)


def test_a_permanent_magnet_machine_starts_and_is_loaded() -> None:
    s = fx.System("dcpm", planar=True)
    s.revolute("O", s.ground, s.rigid_body("rotor", 1.0, 0.3))
    for name, when in (("rises", 0.2), ("full", 1.0), ("loaded", 1.5)):
        s.event(name, fx.time() - when, fx.record())
    share = fx.quantity(1.25, "1/s") * fx.limit(fx.time() - 0.2, 0.0, 0.8)
    s.motor("machine", "O", 100 * share, 0.6366197724, 0.05, 0.0015)
    s.torque("load", joint="O", torque=fx.where(fx.time() - 1.5, fx.quantity(-63.66, "N*m"), 0.0))
    s.channel("angle", fx.joint_coordinate("O"))
    s.channel("speed", fx.joint_rate("O"))
    run = fx.simulate(s, 2.0, 1e-3, fx.radau(), interval=8e-3)
    for time, i, angle, speed in (
        (0.632, 92.5873348075, 15.2331529463, 77.5569522927),
        (1.64, 111.330661654, 156.500390415, 148.620279075),
        (2.0, 99.9743466411, 210.225983651, 149.227845277),
    ):
        assert at(run, "machine.L.current", time) == pytest.approx(i, abs=2 * 1e-6 * 123.5)
        assert at(run, "angle", time) == pytest.approx(angle, abs=2 * 1e-6 * 210.2)
        assert at(run, "speed", time) == pytest.approx(speed, abs=2 * 1e-6 * 158.6)


def test_a_toroid_with_an_air_gap_is_magnetised() -> None:
    s = fx.System("toroid")
    mu, A = 4 * np.pi * 1.00000000055e-7, np.pi * 0.01**2 / 4
    gap = 0.001 / (mu * A)
    current = fx.from_callable(
        lambda t: 100.0 * min(max(t - 0.01, 0.0), 0.015), lambda t: 100.0 * (0.01 <= t < 0.025), lambda t: 0.0
    )
    s.current_source("I", s.ground, "a", current)
    s.winding("coil", ("a", s.ground), ("p", s.ground), 500)
    s.reluctance("iron", "p", "q", (2 * np.pi * 0.05 - 0.001) / (1000 * mu * A))
    s.winding("measuring", ("m", s.ground), ("q", "r"), 1)
    s.current_source("open", s.ground, "m", 0.0)
    s.reluctance("gap", "r", s.ground, gap)
    run = fx.simulate(s, 0.05, 2.5e-4, fx.reference(1e-9))
    for time, flux, v in ((0.02, 3.75796168328e-05, -0.00375796168328), (0.05, 5.63694252492e-05, 0.0)):
        assert at(run, "gap.tension", time) / gap == pytest.approx(flux, rel=1e-7)
        assert at(run, "measuring.coil.voltage", time) == pytest.approx(v, abs=1e-12)
    v, i = np.array([at(run, f"coil.coil.{what}", 0.02) for what in ("voltage", "current")])
    assert at(run, "coil.core.tension", 0.02) * at(run, "coil.core.flux_rate", 0.02) == pytest.approx(-v * i)


def test_a_rectifier_heats_its_junction() -> None:
    Is, T0, boltzmann = 1e-6, 300.15, 1.380649e-23 / 1.602176634e-19

    def diode(v: object, T: object) -> object:
        Vt = boltzmann * T
        x = v / Vt
        low = algebra.minimum(x, 15.0)
        warm = algebra.power(T / T0, 3.0) * algebra.exp((T / T0 - 1.0) * 1.11 / Vt)
        return Is * (algebra.exp(low) * (1.0 + (x - low)) - 1.0) * warm + 1e-8 * v

    s = fx.System("rectifier")
    s.voltage_source("E", "1", s.ground, fx.harmonic(1.0, 2 * np.pi))
    s.capacitor("C", "2", s.ground, 1.0, start=0.0)
    s.resistor("R", "2", s.ground, 1.0)
    s.heat_capacity("heat", "c", 1.0, start=293.15)
    # the junction has no capacity of its own: v i = G (T - T_c) at every instant
    loss = fx.voltage("D") * fx.current("D")
    junction = fx.algebraic(
        lambda T: loss * fx.quantity(0.1, "1/W") - (T - fx.temperature("heat")), 293.15, name="junction"
    )
    s.nonlinear_resistor("D", "1", "2", current=diode, controls=(junction,))
    s.heat_source("loss", "c", loss)
    run = fx.simulate(s, end=5.0, step=5e-4, method=fx.generalised_alpha(0.0), interval=0.02)
    for time, v, T in (
        (0.4, 0.561371299802, 293.462620295),
        (3.5, 0.509468785379, 294.010964996),
        (5.0, 0.309310323658, 294.193073052),
    ):
        assert at(run, "C.voltage", time) == pytest.approx(v, abs=2 * 3e-5 * 0.626)
        assert at(run, "heat.temperature", time) == pytest.approx(T, abs=2 * 3e-5 * 1.043)


def test_a_zener_limiter_clips() -> None:
    Is, Vt, Bv, Ibv, n, Rp = 1e-6, 0.04, 5.1, 0.7, 0.74, 1e8

    def grown(x: object) -> object:
        low = algebra.minimum(x, 30.0)
        return algebra.exp(low) * (1.0 + (x - low))

    def zener(v: object) -> object:
        return Is * (grown(v / Vt) - 1.0) - Ibv * grown(-(v + Bv) / (n * Vt)) + v / Rp

    s = fx.System("zener")
    s.voltage_source("u", "1", s.ground, fx.harmonic(10.0, 2 * np.pi * 5))
    s.resistor("Rv", "1", "2", 20.0)
    s.resistor("RL", "2", s.ground, 2000.0)
    s.capacitor("CL", "2", s.ground, 1e-7, start=0.0)
    s.nonlinear_resistor("Z1", "2", "3", current=zener)
    s.nonlinear_resistor("Z2", s.ground, "3", current=zener)
    run = fx.simulate(s, end=0.0624, step=5e-5, interval=8e-4, method=fx.generalised_alpha(0.0))
    assert at(run, "CL.voltage", 0.0624) == pytest.approx(5.54479810605, abs=2 * 1.4e-6 * 11.11)
