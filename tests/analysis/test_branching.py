"""A run that stops at a branching position says which freedom comes free there."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State, branching_freedom
from flexnet.integrators import Outcome, Status


def parallelogram(angle: float) -> fx.System:
    """Two cranks and a coupler as long as the ground between them; flat at 0 and π it may fold instead."""
    s = fx.System("parallelogram", planar=True)
    d = 0.5 * np.array([np.cos(angle), np.sin(angle)])
    ends = {"1": [-0.25, 0], "2": [0.25, 0]}
    R = fx.rotation("z", angle)
    left = s.rigid_body("left", 1.0, 0.1, ends, [*(d / 2), 0], rotation=R)
    right = s.rigid_body("right", 1.0, 0.1, ends, [1 + d[0] / 2, d[1] / 2, 0], rotation=R)
    coupler = s.rigid_body("coupler", 1.0, 0.1, {"1": [-0.5, 0], "2": [0.5, 0]}, [0.5 + d[0], d[1], 0])
    s.revolute("O", s.ground, left["1"])
    s.revolute("A", left["2"], coupler["1"])
    s.revolute("B", coupler["2"], right["2"])
    s.revolute("C", s.ground.frame("C", [1.0, 0]), right["1"])
    s.start("O", angle=angle, rate=1.0)
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular", "default"])
def test_the_freedom_that_branches_is_named(tree):
    equations = fx.formulate(parallelogram(1.0), tree)
    assert branching_freedom(equations, equations.initial) == ""
    flat = fx.formulate(parallelogram(pi - 1e-3), tree).initial
    found = branching_freedom(equations, State(0.0, flat.q, flat.v))
    assert found in equations.coordinates.v_names
    status = replace(Status(Outcome.SINGULAR, 1.0, "A: force x"), branch=found)
    assert f"{found!r} comes free here: the mechanism branches" in str(status)
