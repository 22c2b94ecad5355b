"""Controlled drives against figures of the Modelica Standard Library's own reference results (version 4.1.0).

From Modelica.Blocks.Examples.PID_Controller and DCPM_Start of Modelica.Electrical.Machines, as published with
the library; these results are good to 3e-5 and 1e-6.
"""

import numpy as np
import pytest

import flexnet as fx


def row(run: fx.Run, t: float) -> int:
    found = int(np.argmin(np.abs(run.t - t)))
    assert run.t[found] == pytest.approx(t)
    return found


def test_a_limited_pi_controller_moves_a_drive_of_two_masses():
    s = fx.System("drive", planar=True)
    one, two = s.rigid_body("one", 1.0, 1.0), s.rigid_body("two", 1.0, 2.0)
    s.revolute("A", s.ground, one)
    s.revolute("B", s.ground, two)
    s.torsional_spring("shaft", tail=one, head=two, stiffness=1e4, damping=100.0)
    s.torque("load", joint="B", torque=10.0)
    ramps = fx.limit(fx.time() - 0.5, 0, 1) - fx.limit(fx.time() - 0.5 - np.pi / 2, 0, 1)
    error = fx.quantity(1.0, "rad/s^2") * ramps - fx.joint_rate("A")
    u = fx.pid(error, kp=100, ki=1000, low=-12, high=12, tracking=0.01, unit="N*m", name="pi", start=-10.0)
    s.torque("motor", joint="A", torque=u)
    s.start("A", angle=0.0, rate=0.0)
    s.start("B", angle=1e-3, rate=0.0)
    s.channel("angle", fx.joint_coordinate("A"))
    s.channel("speed", fx.joint_rate("A"))
    s.channel("u", u)
    run = fx.simulate(s, 4.0, 1e-3, fx.reference(1e-9), interval=0.016)
    assert run.channel("u").min() == -12.0
    # while the limiter acts, and at the end
    for t, x, angle, speed in (
        (2.496, 0.0131762107051, 1.43961895381, 0.726103225063),
        (4.0, -0.100004194829, 1.8363387923, -8.73419763385e-06),
    ):
        k = row(run, t)
        assert run["state/z"][k, 0] / 100 == pytest.approx(x, abs=3e-6)
        assert run.channel("angle")[k] == pytest.approx(angle, rel=3e-6)
        assert run.channel("speed")[k] == pytest.approx(speed, abs=3e-6)


def test_a_direct_current_motor_starts_and_is_loaded():
    s = fx.System("machine", planar=True)
    rotor = s.rigid_body("rotor", 1.0, 0.3)
    s.revolute("O", s.ground, rotor)
    share = fx.quantity(1.25, "1/s") * fx.limit(fx.time() - 0.2, 0.0, 0.8)
    s.motor("motor", "O", 100 * share, constant=0.6366197724, resistance=0.05, inductance=0.0015)
    s.torque("load", joint="O", torque=fx.where(fx.time() - 1.5, fx.quantity(-63.66, "N*m"), 0.0))
    s.channel("angle", fx.joint_coordinate("O"))
    s.channel("speed", fx.joint_rate("O"))
    run = fx.simulate(s, 2.0, 1e-3, fx.reference(1e-9), interval=0.01)
    for t, current, angle, speed in (
        (1.0, 92.5273820973, 57.069126267, 149.812537472),
        (2.0, 99.9743466411, 210.225983651, 149.227845277),
    ):
        k = row(run, t)
        assert run["state/z"][k, 0] == pytest.approx(current, rel=1e-6)
        assert run.channel("angle")[k] == pytest.approx(angle, rel=1e-6)
        assert run.channel("speed")[k] == pytest.approx(speed, rel=1e-6)


#: real pole and complex pair of third-order low-pass filters with a cut-off of 2 Hz, rad/s
FILTERS = {
    "critical": (-24.69576741, None),
    "bessel": (-16.64734183, (-13.1828059, 12.57685115)),
    "butterworth": (-12.56637061, (-6.28318531, 10.88279619)),
    "chebyshev": (-6.74588023, (-3.37294012, 11.00443624)),
}


def test_four_filters_answer_a_step():
    """Modelica.Blocks.Examples.Filter, from where its input steps from 0.1 to 1.1; results good to 5e-6."""
    s = fx.System("filters", planar=True)
    s.revolute("O", s.ground, s.rigid_body("disc", 1.0, 1.0))
    for name, (pole, pair) in FILTERS.items():
        out = fx.lag(1.1, -1 / pole, 0.1, f"{name}_1")
        if pair is None:
            out = fx.lag(fx.lag(out, -1 / pole, 0.1, f"{name}_2"), -1 / pole, 0.1, f"{name}_3")
        else:
            a, b = pair
            A, B = [[a, -b], [b, a]], [[(a * a + b * b) / b], [0.0]]
            (out,) = fx.state_space([out], A, B, [[0, 1]], start=[-0.1 * a / b, 0.1], name=name)
        s.channel(name, out)
    run = fx.simulate(s, 0.8, 2e-4)
    for t, values in (
        (0.2412, (0.776750392256, 0.642675614975, 0.455165964745, 0.333541517434)),
        (0.4536, (1.09228091412, 1.10669430702, 1.16952447577, 1.13466438551)),
        (0.9, (1.09999942965, 1.10000153607, 1.09496873701, 1.07144837879)),
    ):
        found = [run.channel(name)[row(run, t - 0.1)] for name in FILTERS]
        assert found == pytest.approx(values, abs=1e-5)
