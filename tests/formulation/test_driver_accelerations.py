"""Drivers that agree in position and rate but not in acceleration are refused, by name, in every tree."""

import pytest

import flexnet as fx

TREES = ("joint", "absolute", "absolute_angular", "default")


def two_drivers(curve: float, planar: bool = True) -> fx.System:
    """A parallelogram whose two cranks are driven, by curves that part in t²; so is a wheel."""
    s = fx.System("two drivers", planar=planar)
    inertia = 0.1 if planar else [0.1, 0.1, 0.1]
    ends = {"1": [-0.2, 0, 0], "2": [0.2, 0, 0]}
    left = s.rigid_body("left", 1.0, inertia, ends, [0.2, 0, 0])
    right = s.rigid_body("right", 1.0, inertia, ends, [1.2, 0, 0])
    coupler = s.rigid_body("coupler", 1.0, inertia, {"1": [-0.5, 0, 0], "2": [0.5, 0, 0]}, [0.9, 0, 0])
    wheel = s.rigid_body("wheel", 1.0, inertia, position=[0.9, 0, 0])
    s.revolute("O", s.ground, left["1"], axis="z")
    s.revolute("A", left["2"], coupler["1"], axis="z")
    s.revolute("B", coupler["2"], right["2"], axis="z")
    s.revolute("C", s.ground.frame("C", [1.0, 0, 0]), right["1"], axis="z")
    s.revolute("top", coupler, wheel, axis="z")
    s.motion("first", joint="O", angle=fx.polynomial(0.8, 1.0, 0.5))
    s.motion("second", joint="C", angle=fx.polynomial(0.8, 1.0, curve))
    s.motion("third", joint="top", angle=fx.polynomial(0.0, 2.0, 3.0))
    return s


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("tree", TREES)
def test_they_are_named(tree, planar):
    text = "accelerations of drivers 'first' and 'second' together cannot be met"
    with pytest.raises(fx.AssemblyError, match=text):
        fx.formulate(two_drivers(0.7, planar), tree)


@pytest.mark.parametrize("tree", TREES)
def test_drivers_that_agree_pass(tree):
    assert fx.formulate(two_drivers(0.5), tree).redundant
