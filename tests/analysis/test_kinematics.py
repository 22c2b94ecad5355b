import catalogue
import numpy as np
import pytest

import flexnet as fx
from flexnet.integrators import Outcome


def ram(t: np.ndarray) -> np.ndarray:
    """Displacement of the ram of the quick-return mechanism, GTM eq. (115)-(119)."""
    crank, rocker, link, l1, l2 = 0.75, 3.5, 1.0, 1.5, 1.5
    angle = 0.4356 + 4 * np.pi * t
    theta = np.arctan2(crank * np.sin(angle) + l2, crank * np.cos(angle))
    D = np.array([rocker * np.cos(theta), rocker * np.sin(theta) - l2])
    return D[0] - np.sqrt(link**2 - (l1 - D[1]) ** 2)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("tree", catalogue.TREES)
def test_quick_return_follows_its_closed_form_for_every_tree(tree):
    t = np.linspace(0.0, 1.0, 101)
    run = fx.kinematics(catalogue.build("quick_return"), t, tree=tree)
    np.testing.assert_allclose(run.channel("ram"), ram(t), atol=1e-10)
    # the driver's torque is the inverse dynamics of the motion: its work is the energy
    assert run.energy_error < 0.05 * np.abs(run["energy/total"]).max()
    expected = fx.kinematics(catalogue.build("quick_return"), t, tree="absolute").channel("crank_torque")
    np.testing.assert_allclose(run.channel("crank_torque"), expected, rtol=1e-8, atol=1e-6)


def test_velocities_and_accelerations_are_the_derivatives_of_positions():
    h = 1e-4
    t = 0.2 + h * np.arange(-1, 2)
    run = fx.kinematics(catalogue.build("quick_return"), t, tree="absolute")
    q, v, a = run["state/q"], run["state/v"], run["state/a"]
    np.testing.assert_allclose((q[2] - q[0]) / (2 * h), v[1], atol=2e-3)
    np.testing.assert_allclose((q[2] - 2 * q[1] + q[0]) / h**2, a[1], atol=2e-2)


def test_the_work_of_the_driver_is_the_energy():
    t = np.linspace(0.0, 0.5, 1001)
    run = fx.kinematics(catalogue.build("quick_return"), t)
    assert run.energy_error < 1e-6 * np.abs(run["energy/total"]).max()


def test_a_simulation_of_the_driven_mechanism_gives_the_same_motion_and_loads():
    t = np.linspace(0.0, 0.2, 21)
    exact = fx.kinematics(catalogue.build("quick_return"), t)
    run = fx.simulate(catalogue.build("quick_return"), 0.2, 1e-3, interval=1e-2)
    np.testing.assert_allclose(run.channel("ram"), exact.channel("ram"), atol=1e-9)
    scale = np.abs(exact.channel("crank_torque")).max()
    np.testing.assert_allclose(run.channel("crank_torque"), exact.channel("crank_torque"), atol=5e-3 * scale)


def test_columns_go_to_a_result_file(tmp_path):
    run = fx.kinematics(catalogue.build("quick_return"), np.linspace(0, 0.1, 11), out=tmp_path / "k.h5")
    results = fx.Results.open(tmp_path / "k.h5")
    assert results.status.state == "finished"
    np.testing.assert_allclose(results.read("channels/ram"), ram(run.t), atol=1e-10)


def test_freedoms_that_no_driver_fixes_are_an_error_that_says_what_to_do():
    with pytest.raises(fx.ModelError, match=r"leave 1 freedom of 'squeezer'; drive it .*simulate"):
        fx.kinematics(catalogue.build("squeezer"), [0.0, 1.0])


def locking_slider_crank() -> fx.System:
    """A rod shorter than the crank: the crank cannot be driven past 30°."""
    s = fx.System("locking", planar=True)
    crank = s.rigid_body("crank", 1.0, 0.1, {"O": [0, 0], "A": [1.0, 0]})
    rod = s.rigid_body("rod", 1.0, 0.1, {"A": [0, 0], "B": [0.5, 0]}, position=[1.0, 0.0])
    slider = s.rigid_body("slider", 1.0, 0.1, position=[1.5, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider)
    s.motion("drive", joint="O", angle=fx.ramp(1.0))
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_locking_position_is_a_status_with_time_and_equation(tree):
    run = fx.kinematics(locking_slider_crank(), np.linspace(0, 1, 101), tree=tree, throw=False)
    assert run.status.outcome in (Outcome.SINGULAR, Outcome.NO_CONVERGENCE)
    assert run.status.t == pytest.approx(np.pi / 6, abs=0.01)
    assert run.status.equation
    assert run.t[-1] <= run.status.t
    with pytest.raises(fx.ConvergenceError, match=r"stopped at t = 0\.52"):
        fx.kinematics(locking_slider_crank(), np.linspace(0, 1, 101), tree=tree)
