"""Named components beside equations written here and integrated by scipy, or in closed form."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexnet as fx
from flexnet.algebra import tanh


def exact(f, start, t):
    """States at times t of ẏ = f(t, y)."""
    return solve_ivp(f, (0.0, t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-14).y


@pytest.mark.parametrize(("tree", "engine"), [("joint", "symbolic"), ("absolute", "numeric")])
def test_a_hydraulic_motor_on_a_shaft_turns_it_by_pressure_and_takes_the_flow_of_its_motion(tree, engine):
    D, C, G, J, d, P0 = 2e-5, 4e-12, 3e-10, 0.3, 0.4, 8e6
    s = fx.System("motor", planar=True)
    frame = s.rigid_body("frame", 2.0, 0.9)
    rotor = s.rigid_body("rotor", 1.0, J)
    s.revolute("base", s.ground, frame)
    s.revolute("shaft", frame, rotor)
    s.torsional_spring("drag", joint="shaft", damping=d)
    s.pressure_source("pump", "P", s.ground, P0)
    s.pipe("line", "P", "A", conductance=G, exponent=1.0)
    s.accumulator("hose", "A", s.ground, C)
    s.hydraulic_motor("m", "A", s.ground, "shaft", D)
    for name, signal in (
        ("speed", fx.joint_rate("shaft")),
        ("frame", fx.joint_rate("base")),
        ("pressure", fx.pressure("hose")),
        ("flow", fx.flow("m.q")),
    ):
        s.channel(name, signal)
    run = fx.simulate(s, 0.2, 1e-3, fx.dop853(), tree, 0.02, tolerance=1e-10, engine=engine)

    def f(t, y):
        # rotor against frame, frame, pressure: the torque on the rotor acts back on the frame
        T = D * y[2] - d * y[0]
        return [T / J + T / 0.9, -T / 0.9, (G * (P0 - y[2]) - D * y[0]) / C]

    w, back, P = exact(f, [0.0, 0.0, 0.0], run.t)
    assert run.channel("speed") == pytest.approx(w, rel=1e-7, abs=1e-7)
    assert run.channel("frame") == pytest.approx(back, rel=1e-7, abs=1e-7)
    assert run.channel("pressure") == pytest.approx(P, rel=1e-7, abs=1.0)
    assert run.channel("flow") == pytest.approx(D * w, rel=1e-7, abs=1e-11)
    # what the network gives at the port the mechanism gets
    found = fx.audit(run)
    np.testing.assert_allclose(found.works["ports"] + found.works["forces"], 0.0, atol=1e-9 * found.scale)


def test_a_switch_closes_by_signal_at_an_event_and_opens_again():
    R, C, on, off = 10.0, 1e-3, 1e-3, 1e-6
    s = fx.System("charger", planar=True)
    level, charging = fx.voltage("C"), fx.mode(1.0, name="charging")
    s.voltage_source("E", "e", s.ground, 9.0)
    s.switch("S", "e", "a", charging, on, off)
    s.resistor("R1", "a", "c", R)
    s.capacitor("C", "c", s.ground, C)
    s.resistor("R2", "c", s.ground, 4 * R)
    s.event("full", level - 6.0, fx.reset(charging, 0.0), "rising")
    s.event("low", level - 2.0, fx.reset(charging, 1.0), "falling")
    run = fx.simulate(s, 0.2, 1e-4, fx.dop853(), interval=0.01, tolerance=1e-11)

    def rest(is_on):
        # end value and rate of C v̇ = G (9 - v) - v/4R
        G = 1.0 / (R + (on if is_on else 1.0 / off))
        return 9.0 * G / (G + 0.025), (G + 0.025) / C

    times, v, t, is_on = [], 0.0, 0.0, True
    while t < 0.2:
        goal = 6.0 if is_on else 2.0
        end, rate = rest(is_on)
        t += np.log((v - end) / (goal - end)) / rate
        times, v, is_on = [*times, t], goal, not is_on
    assert len(run.events) == len(times) - 1 > 5
    assert [e.t for e in run.events] == pytest.approx(times[:-1], abs=1e-10)


def test_shafts_rub_are_moved_and_slip_as_their_laws_say():
    J, k, c = 0.2, 30.0, 0.7
    s = fx.System("shafts", planar=True)
    s.shaft_motion("crank", "a", fx.harmonic(0.4, 5.0))
    s.shaft_spring("shaft", "a", "b", k)
    s.shaft_inertia("J", "b", J)
    s.shaft_friction("rub", s.ground, "b", lambda w: 0.5 * tanh(w / 0.3) + c * w)
    s.line_motion("table", "x", fx.harmonic(0.01, 4.0))
    s.line_spring("rod", "x", "y", 200.0)
    s.line_mass("m", "y", 2.0, start=0.0)
    for name, signal in (
        ("b", fx.shaft_angle("J")),
        ("w", fx.shaft_speed(node="b")),
        ("T", fx.shaft_torque("rub")),
        ("y", fx.line_displacement("m")),
        ("F", fx.line_force("rod")),
    ):
        s.channel(name, signal)
    run = fx.simulate(s, 2.0, 1e-3, fx.dop853(), interval=0.1, tolerance=1e-10)
    w, v = 5.0, 4.0

    def f(t, y):
        a = 0.4 * np.sin(w * t)
        return [y[1], (-k * (y[0] - a) - 0.5 * np.tanh(y[1] / 0.3) - c * y[1]) / J, y[3],
                -100.0 * (y[2] - 0.01 * np.sin(v * t))]  # fmt: skip

    b, wb, y, _ = exact(f, [0.0] * 4, run.t)
    assert run.channel("b") == pytest.approx(b, abs=1e-8)
    assert run.channel("w") == pytest.approx(wb, abs=1e-8)
    assert run.channel("T") == pytest.approx(-0.5 * np.tanh(wb / 0.3) - c * wb, abs=1e-8)
    assert run.channel("y") == pytest.approx(y, abs=1e-9)
    assert run.channel("F") == pytest.approx(-200.0 * (y - 0.01 * np.sin(v * run.t)), abs=1e-7)


def test_a_wall_between_two_temperatures_carries_the_heat_of_the_closed_form():
    s = fx.System("wall", planar=True)
    s.temperature_source("room", "in", fx.quantity(20.0, "K"))
    s.heat_conductor("inside", "in", "wall", 5.0)
    s.heat_capacity("wall", "wall", 400.0, start=0.0)
    s.heat_conductor("outside", "wall", s.ground, 3.0)
    s.channel("T", fx.temperature("wall"))
    s.channel("lost", fx.heat_flow("outside"))
    run = fx.simulate(s, 200.0, 0.5, fx.dop853(), interval=20.0, tolerance=1e-10)
    T = 12.5 * (1.0 - np.exp(-8.0 * run.t / 400.0))
    assert run.channel("T") == pytest.approx(T, abs=1e-8)
    assert run.channel("lost") == pytest.approx(3.0 * T, abs=1e-8)


def test_a_transistor_of_three_terminals_is_two_edges_and_amplifies_as_ebers_and_moll_say():
    Is, Vt, aF, aR = 1e-14, 0.02585, 0.99, 0.5
    s = fx.System("amplifier", planar=True)
    s.voltage_source("V", "v", s.ground, 10.0)
    s.voltage_source("B", "bb", s.ground, 1.2)
    s.resistor("Rb", "bb", "b", 20e3)
    s.resistor("Rc", "v", "c", 1e3)
    # edges base-emitter and base-collector, a diode each, and what either sends through the other
    s.diode("F", "b1", "e", Is / aF, Vt)
    s.controlled_source("aF", ("b", "b1"), ("c", "b"), aF, "current by current")
    s.diode("R", "b2", "c", Is / aR, Vt)
    s.controlled_source("aR", ("b", "b2"), ("e", "b"), aR, "current by current")
    s.resistor("Re", "e", s.ground, 100.0)
    point = fx.operating_point(s)
    i_F, i_R = point["F.current"], point["R.current"]
    i_c, i_e = aF * i_F - i_R, i_F - aR * i_R
    assert i_F == pytest.approx(Is / aF * np.expm1(point["F.voltage"] / Vt), rel=1e-9)
    assert point["Rc.current"] == pytest.approx(i_c, rel=1e-9)
    assert point["Re.current"] == pytest.approx(i_e, rel=1e-9)
    # forward active: the collector has nearly β = 99 times the base's current
    assert i_c / point["Rb.current"] == pytest.approx(99.0, rel=1e-6)


def test_states_of_a_network_have_the_unit_of_their_domain(tmp_path):
    s = fx.System("two")
    s.voltage_source("V", "a", s.ground, 10.0)
    s.resistor("R", "a", "b", 5.0)
    s.inductor("L", "b", "c", 0.1)
    s.capacitor("C", "c", s.ground, 1e-3)
    s.line_mass("M", "m", 2.0, rate=1.0)
    s.line_damper("D", s.ground, "m", 1.0)
    run = fx.simulate(s, 0.01, 1e-3, out=tmp_path / "n.h5")
    results = fx.Results.open(run.path)
    units = {n: results.channel(f"state/z/{n}").channel.unit for n in results.names("state/z")}
    assert {name.removeprefix("network."): unit for name, unit in units.items()} == {
        "L.current": "A", "C.voltage": "V", "M.displacement": "m", "M.displacement_rate": "m/s",
    }  # fmt: skip
