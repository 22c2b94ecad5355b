"""Theorems over networks: Tellegen, conserved energy, ties, errors, growth."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ConvergenceError, ModelError
from flexnet.integrators.alpha import Alpha


def powers(run: fx.Run, s: fx.System) -> tuple[np.ndarray, np.ndarray]:
    """Sum of ατ over all edges, and of |ατ|."""
    total, size = np.zeros(len(run.t)), np.zeros(len(run.t))
    for name, p in s.network.ports.items():
        d = p.domain
        rate = "_rate" if d.has_places else ""
        across = run.channel(f"{name}.{d.across}{rate}".replace(" ", "_"))
        one = d.sense * across * run.channel(f"{name}.{d.through}".replace(" ", "_"))
        total, size = total + one, size + np.abs(one)
    return total, size


def bridge() -> fx.System:
    """All kinds of elements: a rectifier bridge, a transformer, coupled coils, a gyrator."""
    s = fx.System("bridge")
    g = s.ground
    s.voltage_source("E", "a", g, fx.harmonic(10.0, 300.0))
    s.resistor("R0", "a", "b", 2.0)
    s.coupled_inductors("M", [("b", g), ("c", g)], [[0.1, 0.05], [0.05, 0.2]])
    s.transformer("T", ("c", g), ("d", g), 2.0)
    s.resistor("R1", "d", g, 5.0)
    s.gyrator("G", ("d", g), ("e", g), 3.0)
    s.capacitor("C", "e", g, 1e-3)
    s.nonlinear_resistor("N", "e", g, current=lambda v: 0.1 * v + 0.01 * v * v * v)
    return s


def test_tellegen_in_a_network_of_all_kinds() -> None:
    s = bridge()
    run = fx.simulate(s, end=0.05, step=1e-4)
    total, size = powers(run, s)
    assert np.abs(total).max() < 1e-12 * size.max()
    assert size.max() > 1.0


def test_a_resonant_circuit_keeps_its_energy() -> None:
    s = fx.System("lc")
    s.inductor("L", "a", s.ground, 1.0 / (2 * np.pi))
    s.capacitor("C", "a", s.ground, 1.0 / (2 * np.pi), start=1.0)
    run = fx.simulate(s, end=200.0, step=0.02, method=fx.generalised_alpha(1.0))
    E = run.channel("C.voltage") ** 2 + run.channel("L.current") ** 2
    assert np.abs(E - 1.0).max() < 1e-11 * len(run.t)
    assert run.channel("L.current").min() < -0.9
    # a midpoint step keeps ½ z·E z of a lossless linear network, whatever its length
    run = fx.simulate(s, end=200.0, step=0.2, method=fx.energy_preserving())
    E = run.channel("C.voltage") ** 2 + run.channel("L.current") ** 2
    assert np.abs(E - 1.0).max() < 1e-13


@pytest.mark.parametrize("gear", [1.0, 4.0])
def test_a_motor_on_an_inertia(gear: float) -> None:
    J, b, k, R, V, load = 0.02, 1e-3, 0.05, 1.0, 12.0, -0.05
    s = fx.System("motor", planar=True)
    rotor = s.rigid_body("rotor", 1.0, J)
    s.revolute("O", s.ground, rotor)
    s.torsional_spring("brake", joint="O", damping=b)
    s.torque("load", joint="O", torque=load)
    s.motor("m", "O", V, constant=k, resistance=R, gear=gear)
    s.channel("w", fx.joint_rate("O"))
    s.channel("T", fx.torque("m", "z"))
    run = fx.simulate(s, end=2.0, step=1e-2, method=fx.dop853())
    K = k * gear
    w = (V * K + R * load) / (K**2 + R * b) * (1.0 - np.exp(-run.t * (K**2 + b * R) / (J * R)))
    np.testing.assert_allclose(run.channel("w"), w, rtol=0, atol=1e-8)
    i = run.channel("m.R.current")
    # what the source gives is heat and mechanical power; the coupling itself takes nothing
    np.testing.assert_allclose(
        -V * run.channel("m.source.current"), R * i**2 + run.channel("T") * w, atol=1e-7
    )
    total, size = powers(run, s)
    assert np.abs(total).max() < 1e-12 * size.max()


@pytest.mark.parametrize("is_joint", [True, False])
def test_a_cylinder_pushes_with_its_pressure_and_takes_the_flow_of_its_motion(is_joint: bool) -> None:
    A1, A2, P, R = 1e-3, 5e-4, 1e5, 1e8
    s = fx.System("cylinder", planar=True)
    slide = s.rigid_body("slide", 10.0, 1.0, {"rod": [0.0, 0.0]}, position=[0.5, 0.0])
    s.prismatic("P", s.ground, slide, axis="x")
    s.start("P", displacement=0.5)
    s.pressure_source("pump", "p", s.ground, P)
    s.pipe("inlet", "p", "a", resistance=R)
    s.pipe("outlet", "b", s.ground, resistance=R)
    where = {"joint": "P"} if is_joint else {"tail": s.ground, "head": slide["rod"]}
    s.cylinder("c", "a", "b", (A1, A2), compliance=(1e-11, 1e-11), **where)
    s.channel("v", fx.joint_rate("P", "displacement"))
    s.channel("F", fx.force("c", "x"))
    run = fx.simulate(s, end=2.0, step=2e-3)
    v = run.channel("v")
    assert v[-1] == pytest.approx(P * A1 / (R * (A1**2 + A2**2)), rel=1e-6)
    F = A1 * run.channel("c.1.pressure") - A2 * run.channel("c.2.pressure")
    np.testing.assert_allclose(run.channel("F"), F, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.channel("c.1.flow"), A1 * v, rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.channel("c.2.flow"), -A2 * v, rtol=0, atol=1e-15)


def test_a_cylinder_whose_rod_is_in_the_open_pushes_with_one_chamber() -> None:
    s = fx.System("jack", planar=True)
    slide = s.rigid_body("slide", 10.0, 1.0)
    s.prismatic("P", s.ground, slide, axis="x")
    s.pressure_source("pump", "p", s.ground, 1e5)
    s.pipe("inlet", "p", "a", resistance=1e8)
    s.cylinder("c", "a", s.ground, (1e-3, 5e-4), joint="P")
    assert set(s.network.ports) == {"pump", "inlet", "c.1"}
    s.channel("v", fx.joint_rate("P", "displacement"))
    run = fx.simulate(s, 0.5, 1e-3, fx.dop853())
    # m v̇ = A P₁, P₁ = P - R A v: v = P/(R A) (1 - exp(-A² R t/m))
    v = 1e5 / (1e8 * 1e-3) * (1.0 - np.exp(-(1e-3**2) * 1e8 * run.t / 10.0))
    np.testing.assert_allclose(run.channel("v"), v, rtol=0, atol=1e-9)


def test_a_series_machine_has_the_torque_of_the_square_of_its_current() -> None:
    s = fx.System("series", planar=True)
    rotor = s.rigid_body("rotor", 1.0, 0.1)
    s.revolute("O", s.ground, rotor)
    s.torsional_spring("brake", joint="O", damping=0.02)
    s.voltage_source("E", "a", s.ground, 24.0)
    s.dc_machine("m", "a", s.ground, "O", 0.02, 0.5, 5e-3, field="series")
    s.channel("w", fx.joint_rate("O"))
    s.channel("T", fx.torque("m", "z"))
    run = fx.simulate(s, end=40.0, step=1e-2)
    i, w = run.channel("m.L.current"), run.channel("w")
    np.testing.assert_allclose(run.channel("T"), 0.02 * i**2, rtol=0, atol=1e-10)
    # rest: 24 = 0.5 i + 0.02 i ω, 0.02 i² = 0.02 ω
    root = np.roots([0.02, 0.0, 0.5, -24.0])
    wanted = float(root[np.abs(root.imag) < 1e-9].real[0])
    assert i[-1] == pytest.approx(wanted, rel=1e-6)
    assert w[-1] == pytest.approx(wanted**2, rel=1e-6)


def test_capacitors_in_a_loop_with_a_source_are_reduced() -> None:
    C1, C2, R = 1e-3, 2e-3, 100.0
    s = fx.System("loop")
    s.voltage_source("E", "a", s.ground, fx.harmonic(5.0, 40.0))
    s.capacitor("C1", "a", "b", C1, start=0.0)
    s.capacitor("C2", "b", s.ground, C2)
    s.resistor("R", "b", s.ground, R)
    assert len(s.network.solved.system.rates) == 1
    run = fx.simulate(s, end=0.5, step=1e-3, method=fx.dop853())
    T, w = R * (C1 + C2), 40.0  # (C1 + C2) v̇ + v/R = C1 Ė, v(0) = 0
    a = C1 * 5.0 * w * R / (1 + (w * T) ** 2)
    v = a * (np.cos(w * run.t) + w * T * np.sin(w * run.t) - np.exp(-run.t / T))
    np.testing.assert_allclose(run.channel("C2.voltage"), v, rtol=0, atol=1e-9)


def test_a_start_that_a_loop_of_capacitors_overrules_is_told() -> None:
    s = fx.System("loop")
    s.voltage_source("E", "a", s.ground, 5.0)
    s.capacitor("C1", "a", "b", 1e-3, start=1.0)
    s.capacitor("C2", "b", s.ground, 2e-3, start=3.0)
    assert s.warnings == (
        "the start of 'C2' is not used: what it stores follows from other states and sources",
    )


def test_a_source_by_signal_in_a_loop_of_capacitors_is_refused_by_name() -> None:
    s = fx.System("loop")
    s.voltage_source("E", "a", s.ground, fx.time() * fx.quantity(1.0, "V/s"))
    s.capacitor("C1", "a", "b", 1.0)
    s.capacitor("C2", "b", s.ground, 1.0)
    with pytest.raises(ModelError, match="is tied to a source that follows a signal"):
        _ = s.network.solved


def test_a_negative_resistance_without_a_solution_is_named() -> None:
    s = fx.System("negative")
    s.voltage_source("E", "a", s.ground, 10.0)
    s.resistor("R", "a", "b", 1.0)
    s.nonlinear_resistor("N", "b", s.ground, current=lambda v: 20.0 + v * v)
    with pytest.raises(ConvergenceError, match=r"Newton does not converge beyond .* branch 'N'"):
        fx.operating_point(s)


def test_a_curve_that_folds_back_is_told_by_its_negative_resistance() -> None:
    """Beside 10 ohm, I = v³ - 3 v + v/10 folds back at v = -√(2.9/3), where it is 1.90 A."""

    def driven(I):
        s = fx.System("fold")
        s.current_source("I", s.ground, "b", I)
        s.resistor("R", "b", s.ground, 10.0)
        s.nonlinear_resistor("N", "b", s.ground, current=lambda v: v * v * v - 3.0 * v)
        return s

    below = fx.operating_point(driven(1.8))["N.voltage"]
    assert below**3 - 2.9 * below == pytest.approx(1.8, rel=1e-9)
    assert -((2.9 / 3) ** 0.5) < below < 0.0
    with pytest.raises(
        ConvergenceError,
        match="beyond 95 % of the sources; worst is the branch 'N': the resistance of 'N' is negative there",
    ):
        fx.operating_point(driven(2.0))


def test_a_negative_resistance_whose_branch_ends_is_named_in_a_transient() -> None:
    """A curve i = v³/3 - 2 v folds back: nothing stores what a jump from branch to branch would take."""
    s = fx.System("fold")
    s.voltage_source("E", "a", s.ground, fx.harmonic(5.0, 10.0))
    s.resistor("R", "a", "b", 1.0)
    s.nonlinear_resistor("N", "b", s.ground, current=lambda v: v * v * v / 3.0 - 2.0 * v)
    with pytest.raises(ConvergenceError, match=r"stopped at t = .* 'network\.N\.parameter'"):
        fx.simulate(s, 1.0, 0.01)


def test_an_operating_point_with_a_diode() -> None:
    s = fx.System("diode")
    s.voltage_source("E", "a", s.ground, 10.0)
    s.resistor("R", "a", "b", 1000.0)
    s.diode("D", "b", s.ground)
    s.capacitor("C", "b", s.ground, 1e-6)
    point = fx.operating_point(s)
    v = point["D.voltage"]
    assert point["D.current"] == pytest.approx(1e-12 * np.expm1(v / 0.02585), rel=1e-9)
    assert point["R.current"] == pytest.approx((10.0 - v) / 1000.0, rel=1e-12)
    assert point["C.current"] == pytest.approx(0.0, abs=1e-15)


def test_what_follows_from_itself_at_once_is_refused() -> None:
    s = fx.System("itself")
    s.voltage_source("E", "a", s.ground, fx.voltage("R") * 0.5 + fx.quantity(1.0, "V"))
    s.resistor("R", "a", "b", 1.0)
    s.capacitor("C", "b", s.ground, 1.0)
    with pytest.raises(ModelError, match="follows from itself through a source"):
        fx.simulate(s, end=0.1, step=0.01)


def test_a_measure_of_another_domain_is_refused() -> None:
    s = fx.System("units")
    s.resistor("R", "a", s.ground, 1.0)
    s.voltage_source("E", "a", s.ground, 1.0)
    s.channel("p", fx.pressure("R"))
    with pytest.raises(ModelError, match=r"'R' in Pa, but it is electrical"):
        _ = s.signals


def ladder(n: int) -> fx.System:
    s = fx.System("ladder")
    s.voltage_source("E", "n0", s.ground, 1.0)
    for i in range(n):
        s.resistor(f"R{i}", f"n{i}", f"n{i + 1}", 1.0)
        s.capacitor(f"C{i}", f"n{i + 1}", s.ground, 1.0)
    return s


def test_a_ladder_needs_no_system_of_equations() -> None:
    """Operations grow as the sections do: every rate rests on three states at most."""
    for n in (10, 200):
        solved = ladder(n).network.solved
        assert not solved.free
        sizes = [len(solved.values["w", w]) for w in solved.system.rates.values()]
        assert max(sizes) == 3


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (fx.hht(), {"step": 1e-4, "tolerance": 1e-5}),
        (fx.hht(), {"step": 1e-3}),
        (fx.dop853(), {"step": 1e-3}),
    ],
    ids=["adaptive", "fixed", "explicit"],
)
def test_a_circuit_of_nanoamperes_is_one_of_amperes(method, options):
    """A linear circuit, its source 1e-9 and 1e6 times as strong: the same curves but for the factor."""

    def curves(factor):
        s = fx.System("rlc")
        s.voltage_source("E", "a", s.ground, fx.harmonic(10.0 * factor, 50.0))
        s.resistor("R", "a", "b", 5.0)
        s.inductor("L", "b", "c", 0.1)
        s.capacitor("C", "c", s.ground, 1e-3)
        run = fx.simulate(s, 0.1, method=method, interval=1e-3, **options)
        return np.array([run.channel("C.voltage"), run.channel("L.current")]) / factor

    one = curves(1.0)
    for factor in (1e-9, 1e6):
        assert curves(factor) == pytest.approx(one, abs=1e-11 * np.abs(one).max())


@pytest.mark.parametrize("method", [fx.hht(-0.1), fx.generalised_alpha(0.0)], ids=["hht", "alpha"])
def test_steps_too_long_for_a_diode_are_told(method: Alpha) -> None:
    """The diode lets C ω V through within a share of a step: of two steps one takes half of it or more.

    So the second difference of the current is half that jump at least, of a peak of V √((C ω)² + 1/R²), and
    the estimate C_v times that; a jump that overshoots raises both.
    """
    s = fx.System("rectifier")
    s.voltage_source("E", "a", s.ground, fx.harmonic(10.0, 2 * np.pi * 50))
    s.diode("D", "a", "b")
    s.capacitor("C", "b", s.ground, 1e-4)
    s.resistor("R", "b", s.ground, 100.0)
    coarse = fx.simulate(s, 0.06, 0.02 / 40, method)  # it cannot follow the diode: volts off
    assert any("energy balance is off" in w for w in coarse.warnings)
    assert any("not resolved by the step" in w for w in coarse.warnings)
    halfway = fx.simulate(s, 0.06, 0.02 / 200, method, interval=0.02 / 10)  # the current is 16 to 31 % off
    assert any("accelerations and loads" in w for w in halfway.warnings)
    x = 2 * np.pi * 50 * 1e-4 * 100.0  # ω R C
    assert halfway.status.load_error > method.load_constants[0] * 0.5 * x / np.hypot(x, 1.0)
    fine = fx.simulate(s, 0.06, 0.02 / 800, method)
    assert not any("energy balance is off" in w for w in fine.warnings)
    assert np.abs(fine.channel("C.voltage")[::20] - coarse.channel("C.voltage")).max() > 1.0
