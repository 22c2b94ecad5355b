"""Verdicts mode by mode: a stiff neighbour hides no motion that grows and condemns none that does not."""

import catalogue
import numpy as np
import pytest
from images import Units, image
from pendulums import G, pendulum
from rods import Rod, cantilever

import flexnet as fx

TREES = pytest.mark.parametrize("tree", catalogue.TREES)


def beside(stiffness: float, angle: float) -> fx.System:
    """A pendulum, upright or hanging, beside a block on a spring."""
    s = pendulum(angle)
    block = s.rigid_body("block", 1.0, 0.1, position=[1.0, 0.0])
    s.prismatic("rail", s.ground, block, axis="x")
    s.spring("spring", s.ground, block, stiffness=stiffness, free_length=1.0)
    return s


@TREES
@pytest.mark.parametrize("stiffness", [1.0, 1e4, 1e8, 1e12])
def test_an_upright_pendulum_beside_a_stiff_spring_falls_and_is_named(stiffness, tree):
    rest = fx.equilibrium(beside(stiffness, np.pi), tree)
    linear = fx.linearise(rest.equations, rest.state)
    for verdict in (rest.stability, linear.stability):
        assert verdict.is_stable is False
        (text,) = verdict.growing
        assert "'pivot.angle'" in text or "'bob." in text
        assert "block" not in text
        assert "rail" not in text
    assert linear.is_stable is rest.is_stable is False
    assert max(linear.eigenvalues.real) == pytest.approx(np.sqrt(G), rel=1e-6)
    assert fx.equilibrium(beside(stiffness, 0.0), tree).is_stable is True


@pytest.mark.sweep(9)
@TREES
@pytest.mark.parametrize(("ratio", "is_stable"), [(0.99, True), (1.01, False), (1.1, False)])
def test_a_column_is_stable_up_to_its_critical_load(ratio, is_stable, tree):
    rod = Rod()
    s, end = cantilever(rod)
    s.force("P", end["end"], [-ratio * rod.critical, 0.0])
    rest = fx.equilibrium(s, tree)
    linear = fx.linearise(rest.equations, rest.state)
    assert rest.is_stable is linear.is_stable is is_stable
    assert len(linear.stability.growing) == len(rest.stability.growing) == (not is_stable)


@pytest.mark.parametrize("units", [Units(2.0**-20), Units(1e-3, 1e3), Units(1e4, 1e-6, 1e-3)])
def test_a_verdict_does_not_depend_on_units(units):
    for ratio, wanted in ((0.99, True), (1.01, False)):
        rod = Rod()
        s, end = cantilever(rod)
        s.force("P", end["end"], [-ratio * rod.critical, 0.0])
        rest = fx.equilibrium(image(s, units))
        assert rest.is_stable is fx.linearise(rest.equations, rest.state).is_stable is wanted


@TREES
def test_what_cannot_be_decided_says_so(tree):
    """A torsional spring that balances the weight of an upright pendulum to the last digits."""
    for share, wanted in ((1.0 + 1e-9, True), (1.0 - 1e-9, False), (1.0, None)):
        s = pendulum(np.pi)
        s.torsional_spring("spring", joint="pivot", stiffness=share * 2.0 * G, free_angle=np.pi)
        rest = fx.equilibrium(s, tree)
        linear = fx.linearise(rest.equations, rest.state)
        assert rest.is_stable is linear.is_stable is wanted
        if wanted is None:
            assert "not decided" in str(rest.stability)
            assert "not decided" in str(linear.stability)


def test_damping_decides_and_undamped_gyroscopes_do_not_grow():
    s = pendulum(0.0)
    s.torsional_spring("damper", joint="pivot", stiffness=0.0, damping=-1e-3)
    linear = fx.linearise(fx.formulate(s))
    assert linear.is_stable is False
    assert "grows" in linear.stability.growing[0]


def follower(load: float, damping: float = 0.0, stiffness: float = 0.0) -> fx.System:
    """Ziegler's column: two links of 1 m, masses 2 and 1, springs of 1 N m, a load along the second link."""
    s = fx.System("Ziegler", planar=True)
    inner = s.rigid_body("inner", 2.0, 1e-9, {"foot": [-1.0, 0.0]}, position=[1.0, 0.0])
    outer = s.rigid_body("outer", 1.0, 1e-9, {"foot": [-1.0, 0.0]}, position=[2.0, 0.0])
    s.revolute("lower", s.ground, inner["foot"])
    s.revolute("upper", inner, outer["foot"])
    for joint in ("lower", "upper"):
        s.torsional_spring(f"at {joint}", joint=joint, stiffness=1.0, damping=damping)
    s.force("load", outer, [-load, 0.0], follows=True)
    if stiffness:
        block = s.rigid_body("block", 1.0, 0.1, position=[1.0, 3.0])
        s.prismatic("rail", s.ground.frame("rail", [0.0, 3.0]), block, axis="x")
        s.spring("spring", s.ground.frame("wall", [0.0, 3.0]), block, stiffness=stiffness, free_length=1.0)
    return s


#: load at which Ziegler's column flutters, without dampers and with small equal ones, c/l (Ziegler 1952;
#: Herrmann and Jong, J. Appl. Mech. 32 (1965) 592-597)
FLUTTER, DAMPED = 3.5 - 2.0**0.5, 1.464


@TREES
@pytest.mark.parametrize(("damping", "critical"), [(0.0, FLUTTER), (1e-3, DAMPED)])
def test_a_load_that_follows_the_motion_lets_a_column_flutter_where_ziegler_says(damping, critical, tree):
    """Stiffness alone called it stable up to 2, damped or not, and unstable from there."""
    for ratio, is_stable in ((0.99, True), (1.01, False)):
        rest = fx.equilibrium(follower(ratio * critical, damping), tree)
        linear = fx.linearise(rest.equations, rest.state)
        assert rest.is_stable is linear.is_stable is is_stable


@TREES
@pytest.mark.parametrize("stiffness", [1e6, 1e9, 1e13])
def test_a_stiff_neighbour_hides_no_load_that_follows_the_motion(stiffness, tree):
    """K was taken for symmetric beside 1e13 N/m: 0.28 for 0.17 1/s, and 0.13 1/s of what does not grow."""
    for ratio, flutters in ((0.98, False), (1.05, True)):
        rest = fx.equilibrium(follower(ratio * FLUTTER, 0.0, stiffness), tree)
        linear = fx.linearise(rest.equations, rest.state)
        assert flutters or max(linear.eigenvalues.real) <= max(linear.errors)
        assert rest.is_stable in (not flutters, None)
        assert linear.is_stable in (not flutters, None)
