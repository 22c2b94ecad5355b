"""Rests under growing loads: snap-through, columns, an arch, loads that follow; in every tree and unit."""

from itertools import pairwise

import catalogue
import numpy as np
import pytest
from images import Units, image
from rods import Rod, cantilever, place

import flexnet as fx
from flexnet.formulation import State

TREES = pytest.mark.parametrize("tree", catalogue.TREES)
FEW = pytest.mark.parametrize(
    "tree",
    [t if t in ("joint", "absolute") else pytest.param(t, marks=pytest.mark.slow) for t in catalogue.TREES],
)


def turned(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


class Truss:
    r"""Von Mises' truss: two bars that yield along their axes, pinned to a block that slides upright.

      P ↓
     /‾‾\      h      P(y) = 2 k (l₀ - l) y/l,  l² = 1 + y²;  extremes where l³ = l₀
    /    \
        △      △   ±1
    """

    def __init__(self, h: float = 0.2, k: float = 1000.0) -> None:
        self.h, self.k, self.rest = h, k, np.hypot(1.0, h)

    def load(self, y):
        length = np.hypot(1.0, y)
        return 2.0 * self.k * (self.rest - length) * y / length

    @property
    def limit(self) -> float:
        return self.load(np.sqrt(self.rest ** (2 / 3) - 1.0))

    def system(self, is_guided: bool = True) -> fx.System:
        s = fx.System("truss", planar=True)
        block = s.rigid_body("block", 1.0, 0.1, position=[0.0, self.h])
        if is_guided:
            s.prismatic("guide", s.ground, block, axis="y")
        for side, x in (("left", -1.0), ("right", 1.0)):
            turn = turned(np.arctan2(self.h, -x))
            low = s.rigid_body(f"{side}_low", 0.1, 0.01, position=[x, 0.0], rotation=turn)
            high = s.rigid_body(f"{side}_high", 0.1, 0.01, position=[0.0, self.h], rotation=turn)
            s.revolute(f"{side}_foot", s.ground.frame(side, [x, 0.0, 0.0]), low)
            s.prismatic(f"{side}_bar", low, high, axis="x")
            s.revolute(f"{side}_top", high, block)
            s.spring(f"{side}_spring", low, high, stiffness=self.k, free_length=self.rest, axis="x")
        s.force("P", block, [0.0, -1.0])
        return s


def height(path: fx.LoadPath, row: int) -> float:
    e = path.loading.full
    return float(e.poses(State(0.0, path.q[row], np.zeros(e.n_v))).p[1, 1])


@pytest.mark.sweep(3)
@TREES
def test_a_shallow_truss_snaps_through_at_its_limit_load(tree):
    truss = Truss()
    path = fx.load_path(truss.system(), tree, end=1.5 * truss.limit)
    assert [c.kind for c in path.critical] == ["limit", "limit"]
    assert [c.factor for c in path.critical] == pytest.approx([truss.limit, -truss.limit], rel=1e-9)
    heights = np.array([height(path, k) for k in range(len(path.factor))])
    np.testing.assert_allclose(truss.load(heights), path.factor, atol=1e-8 * truss.limit)
    assert path.factor[-1] == 1.5 * truss.limit
    assert heights[-1] < -truss.h
    # unstable between the limit points alone
    first, second = (c.after for c in path.critical)
    assert list(path.falling) == [int(first < k <= second) for k in range(len(path.factor))]
    assert path.equilibrium(first + 1).is_stable is False
    assert path.equilibrium(len(path.factor) - 1).is_stable is True
    assert path.iterations < 200


@pytest.mark.sweep(1)
@pytest.mark.parametrize("units", [Units(2.0**-20, 2.0**12, 2.0**-6), Units(1e4, 1e-3, 1e2)])
def test_the_path_is_the_same_in_other_units(units):
    truss = Truss()
    one = fx.load_path(truss.system(), "joint", end=1.2 * truss.limit)
    other = fx.load_path(image(truss.system(), units), "joint", end=1.2 * truss.limit)
    np.testing.assert_allclose(other.factor, one.factor, rtol=1e-7, atol=1e-7)
    assert [str(c) for c in other.critical] == [str(c) for c in one.critical]


def test_the_path_does_not_depend_on_masses():
    truss = Truss()
    light, heavy = truss.system(), truss.system()
    for part in heavy.components.values():
        if type(part).__name__ == "RigidBody":
            object.__setattr__(part, "mass", 1e6 * part.mass)
    one, other = (fx.load_path(s, "joint", end=1.2 * truss.limit) for s in (light, heavy))
    np.testing.assert_allclose(other.factor, one.factor, rtol=1e-9)


@pytest.mark.sweep(1)
@FEW
def test_a_steep_truss_without_a_guide_branches_sideways_before_its_limit(tree):
    truss = Truss(h=3.0)
    path = fx.load_path(truss.system(is_guided=False), tree, end=0.999 * truss.limit)
    assert [c.kind for c in path.critical] == ["branch"]
    # sideways stiffness 2 k (cos² - (l₀/l - 1) sin²) = 0, cos = 1/l: l³ = l₀ (l² - 1)
    lengths = np.roots([1.0, -truss.rest, 0.0, truss.rest]).real
    y = [np.sqrt(l * l - 1.0) for l in lengths if 1.0 < l < truss.rest]
    assert path.critical[0].factor == pytest.approx(min(truss.load(v) for v in y), rel=1e-6)


@pytest.mark.sweep(1)
@FEW
def test_a_column_says_at_which_loads_it_branches(tree):
    rod = Rod(side=1e-3)
    s, end = cantilever(rod, 6)
    s.force("P", end["end"], [-rod.critical, 0.0])
    path = fx.load_path(s, tree, end=10.0)
    assert [c.kind for c in path.critical] == ["branch", "branch"]
    assert [c.factor for c in path.critical] == pytest.approx([1.0, 9.0], rel=1e-3)
    assert path.falling[-1] == 2
    assert len(fx.branches(path.equilibrium(-1))) == 4


def test_only_the_loads_that_are_named_grow():
    truss = Truss()
    s = truss.system()
    s.force("side", s.bodies["block"], [5.0, -0.5 * truss.limit])
    path = fx.load_path(s, "joint", end=2.0 * truss.limit, loads=["P"])
    assert path.critical[0].factor == pytest.approx(0.5 * truss.limit, rel=1e-9)
    with pytest.raises(fx.ModelError, match="no load is called 'Q'; there are gravity"):
        fx.load_path(s, loads=["Q"])


def test_a_path_that_does_not_come_to_its_end_says_how_far_it_came():
    truss = Truss()
    with pytest.raises(fx.ConvergenceError, match=r"2\.\d+ at most, not to 6.*'left_foot\.angle'"):
        fx.load_path(truss.system(), "joint", end=6.0, steps=8)


@pytest.mark.sweep(1)
@FEW
def test_where_the_way_down_is_too_long_the_loads_grow_and_it_is_said(monkeypatch, tree):
    """A cantilever rolled up by M = 2π EI/L, with no more than five iterations at once."""
    monkeypatch.setattr("flexnet.analysis.descent.ITERATIONS", 5)
    rod = Rod()
    s, end = cantilever(rod, 5)
    s.torque("M", end["end"], 2 * np.pi * rod.EI / rod.L)
    with pytest.warns(UserWarning, match=r"as they grow, in \d+ steps"):
        found = fx.equilibrium(s, tree)
    assert found.load_steps > 5
    assert np.abs(place(found, end["end"])).max() < 1e-8
    assert found.is_stable


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*divide the body into several")  # its small motions are looked at, too
@pytest.mark.filterwarnings("ignore:.*linear elasticity is meant for less")
def test_a_load_that_follows_leads_to_the_same_rest_in_every_tree():
    """P L²/EI = 200 across the end winds a cantilever up; no way down from the straight one ends there."""
    rod = Rod()
    s, end = cantilever(rod, 8)
    s.force("P", end["end"], [0.0, -200.0 * rod.EI], follows=True)
    ends = []
    for tree in ("joint", "absolute"):
        with pytest.warns(UserWarning, match=r"as they grow, in \d+ steps"):
            found = fx.equilibrium(s, tree)
        e = found.equations
        r, _ = e.residual(found.state, np.zeros(e.n_v), found.lam)
        assert np.abs(e.sizes * r).max() < 1e-7 * 200.0 * rod.EI
        ends.append(place(found, end["end"]))
    np.testing.assert_allclose(*ends, atol=1e-8)


def arch(pieces: int) -> fx.System:
    """Circular arch of 215°, radius 1, clamped at one foot, hinged at the other, EI = 1, P at the crown."""
    side = 1e-2
    material, section = fx.Material(E=12.0 / side**4, nu=0.3, rho=1.0), fx.rectangle(side, side)
    angles = np.radians(np.linspace(-107.5, 107.5, pieces + 1))
    points = np.array([np.sin(angles), np.cos(angles), 0.0 * angles]).T
    s = fx.System("arch", planar=True)
    before = s.ground.frame("clamp", points[0])
    for i, (a, b) in enumerate(pairwise(points)):
        length = float(np.linalg.norm(b - a))
        beam = fx.beam_body(
            length, 1, material, section, direction=(b - a) / length, shear=False, rotary_inertia=False
        )
        piece = s.flexible_body(
            f"piece_{i + 1}", beam, fx.Clamped("start"), modes=0, method="craig_bampton", position=a
        )
        s.weld(f"weld_{i + 1}", before, piece["start"])
        before = piece["end"]
        if 2 * (i + 1) == pieces:
            s.force("P", before, [0.0, -1.0])
    s.revolute("hinge", s.ground.frame("hinge", points[-1]), before)
    return s


@pytest.mark.slow
def test_a_deep_arch_collapses_at_the_published_load():
    """P R²/EI = 8.97; DaDeppo & Schmidt, J. Appl. Mech. 42 (1975) 305-311."""
    coarse, fine = (fx.load_path(arch(n), "joint", end=12.0).critical[0] for n in (16, 32))
    assert coarse.kind == fine.kind == "limit"
    assert fine.factor + (fine.factor - coarse.factor) / 3.0 == pytest.approx(8.97, rel=2e-3)
