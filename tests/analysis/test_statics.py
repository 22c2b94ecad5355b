import catalogue
import numpy as np
import pytest
from pendulums import G, pendulum, slider_crank

import flexnet as fx
from flexnet.formulation import snapshot


def weighted(stiffness: float = 50.0) -> fx.System:
    """Pendulum held up by a torsional spring: k θ = m g sin θ about the pivot."""
    s = pendulum(angle=0.8)
    s.torsional_spring("spring", joint="pivot", stiffness=stiffness, free_angle=1.2)
    return s


def test_a_pendulum_comes_to_rest_below_its_pivot():
    found = fx.equilibrium(pendulum(angle=2.9))
    assert found.state.q == pytest.approx([0.0], abs=1e-9)
    assert found.is_stable
    np.testing.assert_allclose(found.loads["pivot"].force, [0, 2.0 * G, 0], atol=1e-8)


def test_an_unstable_equilibrium_is_kept_and_called_so():
    found = fx.equilibrium(pendulum(angle=np.pi))
    assert found.iterations == 0
    assert not found.is_stable


@pytest.mark.parametrize("tree", catalogue.TREES)
def test_spring_and_weight_balance_for_every_tree(tree):
    found = fx.equilibrium(weighted(), tree)
    R = found.equations.poses(found.state).R[1]
    theta = np.arctan2(R[1, 0], R[0, 0])
    assert 50.0 * (theta - 1.2) + 2.0 * G * np.sin(theta) == pytest.approx(0.0, abs=1e-8)


def test_a_closed_loop_comes_to_rest_where_its_energy_is_least():
    found = fx.equilibrium(slider_crank())
    assert found.is_stable
    e, rest = found.equations, found.state
    r, phi = e.residual(rest, np.zeros(e.n_v), found.lam)
    assert np.abs(r).max() < 1e-8
    assert np.abs(phi).max() < 1e-10
    run = fx.simulate(slider_crank(), 1.0, 1e-3)
    still = snapshot(e, [0.0], [rest.q], [rest.v], [rest.v], [found.lam]).values.energy[0, 1]
    assert still < run["energy/potential"].min()


def test_drivers_are_held_where_they_are():
    s = catalogue.build("quick_return")
    forces = [fx.equilibrium(s, tree, t=0.1).loads["w21"].torque for tree in ("joint", "absolute")]
    np.testing.assert_allclose(forces[0], forces[1], atol=1e-8)


def test_a_body_that_falls_has_no_equilibrium_and_the_error_says_where():
    s = fx.System("stone", planar=True)
    s.gravity([0, -G])
    s.free("air", s.ground, s.rigid_body("stone", 1.0, 0.1))
    with pytest.raises(
        fx.ConvergenceError, match=r"no static equilibrium.*'(air|stone)\.y'.*hold that coordinate"
    ):
        fx.equilibrium(s)
