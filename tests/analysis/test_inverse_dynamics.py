import catalogue
import numpy as np
import pytest

import flexnet as fx


def arm(damping: float) -> fx.System:
    """Double pendulum with a damper in each joint."""
    s = catalogue.build("double_pendulum")
    for joint in ("h7", "h8"):
        s.torsional_spring(f"damper_{joint}", joint=joint, damping=damping)
    return s


def test_inverse_dynamics_of_a_damped_motion_gives_back_the_dampers():
    run = fx.simulate(arm(0.7), 1.0, 1e-3, tree="joint", newton=1e-13)
    bare = fx.formulate(arm(0.0), "joint")
    found = fx.inverse_dynamics(bare, run.t, run["state/q"], run["state/v"], run["state/a"])
    assert found.actuated == ("h7.angle", "h8.angle")
    np.testing.assert_allclose(found.force, -0.7 * run["state/v"], atol=1e-6)


def test_rates_are_found_from_positions_alone():
    run = fx.simulate(arm(0.7), 1.0, 1e-3, tree="joint", tolerance=1e-8, interval=5e-3)
    found = fx.inverse_dynamics(fx.formulate(arm(0.0), "joint"), run.t, run["state/q"])
    inner = slice(5, -5)
    np.testing.assert_allclose(found.force[inner], -0.7 * run["state/v"][inner], atol=2e-3)


def test_spatial_rotations_are_differentiated_on_the_group():
    run = fx.simulate(catalogue.build("heavy_top"), 0.05, 1e-4, tree="absolute")
    found = fx.inverse_dynamics(
        run.equations, run.t, run["state/q"], actuated=run.equations.coordinates.v_names[-3:]
    )
    inner = slice(10, -10)
    np.testing.assert_allclose(found.v[inner], run["state/v"][inner], atol=1e-3)


def test_loads_of_a_closed_loop_balance_whatever_is_actuated():
    run = fx.simulate(catalogue.build("squeezer"), 0.005, 1e-5, interval=1e-4, tree="joint")
    e = run.equations
    found = fx.inverse_dynamics(e, run.t, run["state/q"], run["state/v"], run["state/a"], ["O.angle"])
    # nothing beside the motor and the spring of the model is needed
    assert np.abs(found.force).max() < 1e-6
    np.testing.assert_allclose(found.lam, run["state/lambda"], rtol=1e-6, atol=1e-4)


def test_a_wrong_choice_of_actuators_is_an_error():
    e = fx.formulate(catalogue.build("squeezer"), "joint")
    t, q = np.zeros(1), e.initial.q[None]
    zero = np.zeros((1, e.n_v))
    with pytest.raises(fx.ModelError, match="1 actuated coordinates are needed"):
        fx.inverse_dynamics(e, t, q, zero, zero)
    with pytest.raises(fx.ModelError, match="no coordinate is called 'X'"):
        fx.inverse_dynamics(e, t, q, zero, zero, ["X"])
