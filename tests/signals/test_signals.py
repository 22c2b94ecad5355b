"""Signals as expressions: units, functions, blocks, and what is refused."""

import numpy as np
import pytest
from plants import rotor

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.signals import evaluate, leaves, states_of


def value_at(signal: fx.Signal, x: float) -> float:
    return float(evaluate([signal], lambda leaf: x, of_arrays=True)[0])


def test_units_are_carried_through_arithmetic():
    angle, rate = fx.joint_coordinate("O"), fx.joint_rate("O")
    stiffness, damping = fx.quantity(20, "N*m/rad"), fx.quantity(2, "N*m*s/rad")
    assert (stiffness * angle + damping * rate).unit == "N*m"
    assert (angle - 0.5).unit == "1"
    assert np.sqrt(rate**2).unit == "1/s"
    assert fx.quantity(1, "km").value == 1000.0
    assert fx.integral(rate).unit == "1"


def test_signals_of_different_units_are_not_added():
    with pytest.raises(ModelError, match=r"add of signals in 1 and 1/s; expected the same unit"):
        fx.joint_coordinate("O") + fx.joint_rate("O")


def test_signals_are_not_compared():
    with pytest.raises(ModelError, match=r"not compared by < and >; where\(a - b"):
        fx.where(fx.time() > 1.0, 1.0, 2.0)
    with pytest.raises(ModelError, match="neither true nor false"):
        bool(fx.joint_coordinate("O"))


def test_a_function_of_a_length_is_refused():
    with pytest.raises(ModelError, match=r"sin of a signal in s; expected a pure number"):
        np.sin(fx.time())


def test_a_torque_in_metres_is_refused():
    s = rotor()
    with pytest.raises(ModelError, match=r"'more' is given a signal in 1; expected N\*m"):
        s.torque("more", joint="O", torque=2.0 * fx.joint_coordinate("O"))


def test_a_signal_of_what_is_not_there_is_refused_with_the_near_name():
    s = rotor()
    with pytest.raises(
        ModelError, match=r"measures 'disk', which is not in the system; did you mean 'disc'\?"
    ):
        s.torque("more", joint="O", torque=fx.torque("disk"))


def test_a_motion_follows_signals_of_time_and_of_nothing_else():
    def driven(angle):
        s = rotor()
        s.motion("drive", joint="O", angle=angle)
        s.channel("bend", fx.angular_acceleration(s.bodies["disc"], "z"))
        return s

    t, wave = fx.time(), fx.known(fx.harmonic(0.3, 5.0), "rad")
    angle = 0.2 * np.exp(-t / fx.quantity(2.0, "s")) * wave + wave.rate * fx.quantity(0.1, "s")
    run = fx.simulate(driven(angle), 0.5, 1e-2)
    x, w = run.t, 5.0 * run.t
    fall = 0.06 * np.exp(-x / 2)
    rate = fall * (5 * np.cos(w) - np.sin(w) / 2) - 0.75 * np.sin(w)
    bend = fall * (-25 * np.sin(w) - 5 * np.cos(w) + np.sin(w) / 4) - 3.75 * np.cos(w)
    assert run.channel("angle") == pytest.approx(fall * np.sin(w) + 0.15 * np.cos(w), abs=1e-12)
    assert run["frames/disc/angular_velocity"][:, 2] == pytest.approx(rate, abs=1e-11)
    assert run.channel("bend") == pytest.approx(bend, abs=1e-9)
    alone = fx.simulate(driven(fx.known(fx.smooth_step(0.0, 1.0, 0.4), "rad")), 0.5, 1e-2)
    assert alone.channel("angle")[-1] == pytest.approx(1.0, abs=1e-12)
    for wrong, words in (
        (0.5 * fx.torque("motor", "z").measured_in("rad"), "that follows the state"),
        (fx.time(), "is given a signal in s; expected rad"),
        (2.0 * fx.known(fx.smooth_step(0, 1, 1)), "computes with a smooth step, which is no formula"),
    ):
        with pytest.raises(ModelError, match=words):
            driven(wrong)


def test_the_load_of_an_actuator_is_fed_back_but_not_to_itself():
    s = rotor()
    s.torque("half", joint="O", torque=-0.5 * fx.torque("motor", along="z"))
    s.channel("half", fx.torque("half", along="z"))
    equations = fx.formulate(s)
    state = equations.initial
    equations.residual(state, np.zeros(1), np.zeros(0))
    motor, half = (equations.work.loads[equations.element_names.index(n)][5] for n in ("motor", "half"))
    assert motor != 0.0
    assert half == pytest.approx(-0.5 * motor)
    with pytest.raises(ModelError, match="measures 'echo', which is not in the system"):
        s.torque("echo", joint="O", torque=0.5 * fx.torque("echo", along="z"))


def test_limits_dead_zones_and_tables_are_what_they_say():
    x = fx.joint_coordinate("O")
    assert [value_at(fx.limit(x, -1, 2), v) for v in (-3, 0.5, 3)] == [-1, 0.5, 2]
    assert [value_at(fx.dead_zone(x, 1.0), v) for v in (-3, 0.5, 3)] == [-2, 0, 2]
    table = fx.lookup(x, [0, 1, 3], [0, 2, -2])
    for v in (-1.0, 0.25, 1.0, 2.0, 9.0):
        assert value_at(table, v) == pytest.approx(np.interp(v, [0, 1, 3], [0, 2, -2]))
    both = fx.lookup(x, [0, 1], [[0, 1], [2, 5]], y=x, y_points=[0, 1])
    assert value_at(both, 0.5) == pytest.approx(2.0)
    assert value_at(fx.where(x, 3.0, 4.0), 0.1) == 3.0


def test_a_transfer_function_has_its_poles_and_its_gain():
    y = fx.transfer_function(fx.joint_coordinate("O"), [3.0], [2.0, 4.0, 6.0])
    (block,), found = states_of([y])
    assert len(found) == 3
    n = len(block.starts)
    A = np.array(
        [
            [
                float(evaluate([r], lambda s, k=k: float(getattr(s, "index", -1) == k), True)[0])
                for k in range(n)
            ]
            for r in block.rates
        ]
    )
    assert np.sort_complex(np.linalg.eigvals(A)) == pytest.approx(np.sort_complex(np.roots([2.0, 4.0, 6.0])))


def test_a_controller_with_a_derivative_needs_a_filter_or_a_rate():
    with pytest.raises(ModelError, match="needs rate=, the rate of its error, or filter="):
        fx.pid(fx.joint_coordinate("O"), 1.0, kd=1.0)


def test_leaves_are_met_once():
    x = fx.joint_coordinate("O")
    assert list(leaves([x * x + x])) == [x]
