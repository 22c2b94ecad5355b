"""Rest of mechanisms with states: an integral carries the weight, a drifting state is named."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ConvergenceError

M, L, G, WANTED = 2.0, 0.6, 9.81, 0.4


def arm(kd=8.0, ki=50.0, wanted=WANTED):
    """An arm held at an angle against its weight by a PID controller."""
    s = fx.System("arm", planar=True)
    s.gravity([0, -G])
    body = s.rigid_body("arm", M, 0.1, {"O": [-L, 0]})
    s.revolute("O", s.ground, body["O"])
    rate = -fx.joint_rate("O")
    u = fx.pid(wanted - fx.joint_coordinate("O"), 80.0, ki, kd, rate=rate, unit="N*m", name="pid")
    s.torque("motor", joint="O", torque=u)
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_the_integral_of_a_controller_carries_the_weight(tree):
    rest = fx.equilibrium(arm(), tree)
    assert rest.state.z[0] == pytest.approx(M * G * L * np.cos(WANTED), rel=1e-9)
    assert rest.loads["O"].force == pytest.approx([0, M * G, 0], abs=1e-8)
    assert rest.is_stable is True


def test_a_gain_of_the_wrong_sign_rests_where_the_other_does_and_leaves_it():
    rest = fx.equilibrium(arm(kd=-8.0))
    assert rest.state.z[0] == pytest.approx(M * G * L * np.cos(WANTED), rel=1e-9)
    assert rest.is_stable is False


def test_a_state_that_nothing_answers_is_named():
    s = arm()
    s.channel("drift", fx.integral(fx.quantity(1, "m"), name="drift"))
    with pytest.raises(ConvergenceError, match="'drift' drifts"):
        fx.equilibrium(s)
