"""Statics that depends on the mechanism alone: cantilevers, columns, a roll-up; every case in every tree."""

import catalogue
import numpy as np
import pytest
from images import Units, image
from pendulums import pendulum, slider_crank
from rods import Rod, cantilever, configuration, place
from scipy.integrate import quad
from scipy.optimize import brentq

import flexnet as fx

TREES = pytest.mark.parametrize("tree", catalogue.TREES)


@TREES
def test_a_cantilever_bends_by_its_end_load(tree):
    rod = Rod()
    s, end = cantilever(rod, 1)
    s.force("P", end["end"], [0.0, -1.0])
    found = fx.equilibrium(s, tree)
    assert place(found, end["end"])[1] == pytest.approx(-1.0 / (3 * rod.EI), rel=1e-4)
    assert found.loads["weld_1"].force[1] == pytest.approx(1.0, rel=1e-9)


@pytest.mark.sweep(4)
@TREES
@pytest.mark.parametrize("units", [Units(), Units(2.0**10, 2.0**-10, 2.0**-6), Units(1e3, 1e-3, 1e-2)])
def test_an_end_moment_rolls_a_cantilever_up(units, tree):
    """M = 2π EI/L closes the circle: the end is back at the clamp, whatever there is of rotary inertia."""
    rod = Rod()
    s, end = cantilever(rod, 8)
    s.torque("M", end["end"], 2 * np.pi * rod.EI / rod.L)
    found = fx.equilibrium(image(s, units), tree)
    assert np.abs(place(found, end["end"])).max() < 1e-8 * units.length
    assert found.is_stable
    assert found.iterations < 40


def elastica(ratio: float) -> tuple[float, float]:
    """End of a clamped elastica under an axial dead load of ratio times Euler's: x/L and y/L.

    p = sin(α/2) from K(p) = π/2 √ratio; Timoshenko & Gere, *Theory of Elastic Stability*, section 2.7.
    """

    def K(p):
        return quad(lambda f: 1 / np.sqrt(1 - (p * np.sin(f)) ** 2), 0, np.pi / 2)[0]

    p = brentq(lambda p: K(p) - np.pi / 2 * np.sqrt(ratio), 1e-6, 0.999)
    E = quad(lambda f: np.sqrt(1 - (p * np.sin(f)) ** 2), 0, np.pi / 2)[0]
    return 2 * E / K(p) - 1, 2 * p / K(p)


@pytest.mark.sweep(2)
@TREES
@pytest.mark.parametrize("ratio", [1.02, 1.1, 1.5])
def test_beyond_its_critical_load_a_column_says_which_branch_it_is_on(ratio, tree):
    """Straight by symmetry, called unstable; on either side the elastica, mirror images of each other."""
    rod = Rod(side=1e-3)
    s, end = cantilever(rod, 12)
    s.force("P", end["end"], [-ratio * rod.critical, 0.0])
    straight = fx.equilibrium(s, tree)
    assert abs(place(straight, end["end"])[1]) < 1e-12
    assert straight.is_stable is False
    assert "is pushed on" in str(straight.stability)
    sides = fx.branches(straight)
    assert [x.is_stable for x in sides] == [True, True]
    up, down = (place(x, end["end"]) for x in sides)
    np.testing.assert_allclose(up * [1, -1, 1], down, atol=1e-8)
    x, y = elastica(ratio)
    assert up[0] == pytest.approx(x, abs=5e-3)
    assert abs(up[1]) == pytest.approx(y, rel=2e-2)
    assert not fx.branches(sides[0])


@pytest.mark.sweep(3)
@TREES
def test_the_least_push_decides_the_side(tree):
    rod = Rod()
    for side in (1e-6, -1e-6):
        s, end = cantilever(rod)
        s.force("P", end["end"], [-1.02 * rod.critical, side * rod.critical])
        found = fx.equilibrium(s, tree)
        assert np.sign(place(found, end["end"])[1]) == np.sign(side)
        assert found.is_stable


def test_rest_does_not_depend_on_masses():
    found = []
    for factor in (1.0, 1e-3, 1e6):
        s = slider_crank()
        s.gravity([0.0, 0.0])
        for part in s.components.values():
            if type(part).__name__ == "RigidBody":
                object.__setattr__(part, "mass", part.mass * factor**0.5)
                object.__setattr__(part, "inertia", part.inertia * factor)
        found.append(fx.equilibrium(s))
    for other in found[1:]:
        assert other.iterations == found[0].iterations
        np.testing.assert_allclose(configuration(other), configuration(found[0]), atol=1e-11)


@pytest.mark.sweep(1)
@TREES
def test_the_freedom_that_drifts_is_named(tree):
    s = pendulum()
    s.free("air", s.ground, s.rigid_body("stone", 1.0, 0.1, position=[1.0, 0.0]))
    with pytest.raises(fx.ConvergenceError, match=r"'(air|stone)\.y' drifts, .* times the length") as raised:
        fx.equilibrium(s, tree)
    assert "bob" not in str(raised.value)
    assert "pivot" not in str(raised.value)


CASES = [*catalogue.NAMES, *catalogue.FLEXIBLE]
SAMPLE = ("double_pendulum", "leger_a10_serial", "squeezer", "four_bar")


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=[] if c in SAMPLE else [pytest.mark.slow]) for c in CASES]
)
def test_a_case_rests_in_the_same_place_with_the_same_verdict_in_every_tree_and_unit(case):
    rests = [(_rest(catalogue.build(case), tree), 1.0) for tree in catalogue.TREES]
    for u in (Units(2.0**-6, 2.0**4), Units(2.0**10, 2.0**-4, 2.0**6)):
        rests.append((_rest(image(catalogue.build(case), u), "joint"), u.length))
    first = rests[0][0]
    if first is None:
        assert not any(other for other, _ in rests)
        return
    allowed = 1e-8 * first.equations.scale.length + 1e-8
    for other, length in rests[1:]:
        assert other is not None
        assert other.is_stable is first.is_stable
        np.testing.assert_allclose(_placed(other, length), _placed(first), atol=allowed)


def _rest(system: fx.System, tree: str) -> fx.Equilibrium | None:
    try:
        return fx.equilibrium(system, tree)
    except fx.ConvergenceError:
        return None


def _placed(found: fx.Equilibrium, length: float = 1.0) -> np.ndarray:
    """Orientations, places and deformations of all bodies, as seen from one that floats if one does.

    Nothing holds what floats: its shape comes to rest, and where it is then, the steps on the way decide.
    """
    e = found.equations
    poses = e.poses(found.state)
    R, p = poses.R[1:], poses.p[1:] / length
    if e.system._floating:
        k = list(e.packer.rotation_node).index(min(e.system._floating)) - 1
        R, p = R[k].T @ R, (p - p[k]) @ R[k]
    return np.concatenate([R.ravel(), p.ravel(), poses.elastic / length])
