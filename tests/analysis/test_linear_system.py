"""A mechanism with its states as ẋ = A x + B u, y = C x + D u: closed forms, algebraic rows, trees."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError

J, K, KP, KI, T_F = 0.8, 5.0, 40.0, 60.0, 0.03
SECOND = fx.quantity(1, "s")


def loop():
    """A rotor on a spring under PI control with a filtered measurement; wanted angle is the input."""
    s = fx.System("rotor", planar=True)
    disc = s.rigid_body("disc", 1.0, J, {"rim": [0.2, 0]})
    s.revolute("O", s.ground, disc)
    s.torsional_spring("spring", joint="O", stiffness=K)
    wanted = fx.known(fx.constant(0.0))
    seen = fx.lag(fx.joint_coordinate("O"), T_F, name="sensor")
    u = fx.pid(wanted - seen, KP, KI, unit="N*m", name="pid")
    s.torque("motor", joint="O", torque=u)
    s.channel("angle", fx.joint_coordinate("O"))
    s.channel("motor", fx.torque("motor", along="z"))
    s.channel("rim", fx.acceleration(disc["rim"], "y"))
    return s, wanted


def wanted_matrices():
    # x = θ, ω, integral, sensor by name: J ω̇ = -K θ + KP (u - d) + i, i' = KI (u - d), d' = (θ - d)/T_F
    A = {
        "O.angle": {"O.angle_dot": 1.0},
        "O.angle_dot": {"O.angle": -K / J, "sensor": -KP / J, "pid.integral": 1 / J},
        "pid.integral": {"sensor": -KI},
        "sensor": {"O.angle": 1 / T_F, "sensor": -1 / T_F},
    }
    B = {"O.angle_dot": KP / J, "pid.integral": KI}
    return A, B


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_controlled_rotor_has_the_matrices_written_by_hand(tree):
    s, wanted = loop()
    found = fx.linear_system(fx.formulate(s, tree), {"wanted": wanted}, ["angle", "motor", "rim"])
    A, B = wanted_matrices()
    # the angle of the joint is that of the body where the body is a branch
    order = [name.replace("disc.angle", "O.angle") for name in found.names]
    exact = np.array([[A[a].get(b, 0.0) for b in order] for a in order])
    assert np.abs(found.A - exact).max() < 1e-7
    assert found.B[:, 0] == pytest.approx([B.get(a, 0.0) for a in order], abs=1e-7)
    assert found.C[0] == pytest.approx([float(a == "O.angle") for a in order], abs=1e-8)
    assert found.C[2] == pytest.approx(0.2 * exact[order.index("O.angle_dot")], abs=1e-6)
    assert found.D[:, 0] == pytest.approx([0.0, KP, 0.2 * KP / J], abs=1e-6)
    s = np.array([1j * 2 * np.pi * f for f in (0.1, 1.0, 3.0, 50.0)])
    plant, control, sensor = 1 / (J * s**2 + K), KP + KI / s, 1 / (T_F * s + 1)
    closed = plant * control / (1 + plant * control * sensor)
    answer = found.response([0.1, 1.0, 3.0, 50.0])
    assert answer[:, 0, 0] == pytest.approx(closed, rel=1e-6)
    assert answer[:, 1, 0] == pytest.approx(closed / plant, rel=1e-6)


@pytest.mark.filterwarnings("ignore:drive. linearised where it is not in balance")
def test_algebraic_unknowns_leave_no_trace_but_their_effect():
    def drive(is_algebraic):
        s = fx.System("drive", planar=True)
        s.revolute("O", s.ground, s.rigid_body("disc", 1.0, J))
        s.torsional_spring("spring", joint="O", stiffness=K)
        u, rate = fx.known(fx.constant(1.0)), fx.joint_rate("O") * SECOND
        if is_algebraic:
            i = fx.algebraic(lambda i: u - 2.0 * i - i * i * i - 0.5 * rate, name="i")
            s.torque("motor", joint="O", torque=i * fx.quantity(0.5, "N*m"))
            s.channel("i", i)
        s.channel("angle", fx.joint_coordinate("O"))
        return s, u

    s, u = drive(True)
    found = fx.linear_system(fx.formulate(s, "joint"), {"u": u}, ["i", "angle"])
    assert found.names == ("O.angle", "O.angle_dot")
    (i,) = [x.real for x in np.roots([1, 0, 2, -1]) if abs(x.imag) < 1e-12]
    slope = 1 / (2 + 3 * i * i)
    exact = np.array([[0, 1], [-K / J, -0.25 * slope / J]])
    assert np.abs(found.A - exact).max() < 1e-8
    assert found.B[:, 0] == pytest.approx([0, 0.5 * slope / J], abs=1e-8)
    assert found.C[0] == pytest.approx([0, -0.5 * slope], abs=1e-7)
    assert found.D[0, 0] == pytest.approx(slope, abs=1e-7)
    assert found.is_stable is True


def test_a_loop_that_is_too_fast_is_unstable_and_what_does_not_fit_is_refused():
    s, wanted = loop()
    assert fx.linear_system(s, {"wanted": wanted}).is_stable is False  # PI without damping on a rotor
    with pytest.raises(ModelError, match="the input 'u' is no constant"):
        fx.linear_system(s, {"u": fx.time()})
    with pytest.raises(ModelError, match="'nothing' of 'rotor' is not a channel"):
        fx.linear_system(s, outputs=["nothing"])
    with pytest.raises(ModelError, match="take linear_system"):
        fx.linearise(fx.formulate(s))


def leaning(angle: float) -> fx.System:
    """A pendulum at an angle under a torque that a network does not know of, beside a filter of a source."""
    s = fx.System("leaning", planar=True)
    s.gravity([0.0, -9.81])
    place = [np.sin(angle), -np.cos(angle)]
    rod = s.rigid_body("rod", 1.0, J, {"O": [0.0, 1.0]}, place, fx.rotation("z", angle))
    s.revolute("O", s.ground, rod["O"])
    s.voltage_source("E", "a", s.ground, 1.0)
    s.resistor("R", "a", "b", 10.0)
    s.capacitor("C", "b", s.ground, 1e-3, start=1.0)
    s.channel("angle", fx.joint_coordinate("O"))
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_mechanism_out_of_balance_is_said_once(tree):
    """Its matrices belong to the coordinates of the tree; about its rest they do not, and nothing is said."""
    asked = [
        lambda s: fx.linear_system(fx.formulate(s, tree)),
        lambda s: fx.bode(s, ("E",), ("angle",), 0.1, 10.0, 3),
        lambda s: fx.transfer(s, "E", "angle"),
    ]
    for ask in asked:
        with pytest.warns(UserWarning, match="leaning: linearised where it is not in balance") as said:
            ask(leaning(1.0))
        assert len(said) == 1
        ask(leaning(0.0))
