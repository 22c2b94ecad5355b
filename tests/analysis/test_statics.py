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


@pytest.mark.parametrize("mount", [1e3, 1e6, 1e9, 1e12])
def test_a_stiff_neighbour_does_not_hide_what_does_not_balance(mount):
    """-20 a - 9.81 cos a = 0 whatever carries the pivot."""
    s = fx.System("mounted", planar=True)
    s.gravity([0, -9.81])
    block = s.rigid_body("block", 1.0, 0.1)
    bob = s.rigid_body("bob", 1.0, 1e-3, {"pivot": [-1.0, 0]}, position=[1.0, 0])
    s.prismatic("rail", s.ground, block, axis="x")
    s.spring("mount", s.ground, block, stiffness=mount, axis="x")
    s.revolute("pivot", block, bob["pivot"])
    s.torsional_spring("spring", joint="pivot", stiffness=20.0)
    found = fx.equilibrium(s, "joint")
    names = found.equations.coordinates.v_names
    assert found.state.q[names.index("pivot.angle")] == pytest.approx(-0.4431255, abs=1e-6)


@pytest.mark.parametrize("elements", [4, 24])
def test_a_fine_mesh_bends_as_a_coarse_one(elements):
    """A cantilever under its weight: w L⁴/8EI, and a weld that carries all of it."""
    aluminium = fx.Material(E=7e10, nu=0.3, rho=2700.0)
    section = fx.rectangle(0.02, 0.02)
    rod = fx.beam_body(1.0, elements, aluminium, section, shear=False, rotary_inertia=False)
    s = fx.System("cantilever", planar=True)
    s.gravity([0, -9.81])
    body = s.flexible_body("rod", rod, fx.Clamped("start"), method="full", stiffening=False)
    s.weld("wall", s.ground, body["start"])
    found = fx.equilibrium(s, "joint")
    table = s.components["rod"].table
    tip = (table.frames.translation[1] @ found.state.q[: table.m])[1]
    w = 2700.0 * 9.81 * section.A
    assert tip == pytest.approx(-w / (8 * 7e10 * section.Iz), rel=1e-4)
    assert found.loads["wall"].force[1] == pytest.approx(w, rel=1e-6)
