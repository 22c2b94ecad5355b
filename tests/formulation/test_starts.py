"""Initial values that are asked for, and those that are not."""

import numpy as np
import pytest

import flexnet as fx


def double_pendulum():
    s = fx.System("double pendulum", planar=True)
    one, two = (s.rigid_body(name, 1.0, 0.1, {"a": [-0.5, 0], "b": [0.5, 0]}) for name in ("one", "two"))
    s.revolute("P", s.ground, one["a"])
    s.revolute("Q", one["b"], two["a"])
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_joint_placed_without_a_rate_stands_still(tree):
    s = double_pendulum()
    s.start("P", angle=0.7)
    s.start("Q", angle=-0.3, rate=1.0)
    s.channel("p", fx.joint_coordinate("P"), "rad")
    s.channel("q", fx.joint_coordinate("Q"), "rad")
    equations = fx.formulate(s, tree)
    poses = equations.poses(equations.initial)
    assert np.allclose(poses.omega[:, 2], [0.0, 0.0, 1.0], atol=1e-12)


def test_velocities_that_were_given_to_bodies_are_kept():
    s = fx.System("spinning", planar=True)
    one = s.rigid_body("one", 1.0, 0.1, {"a": [-0.5, 0]}, angular_velocity=[0, 0, 2.0], velocity=[0, 1.0, 0])
    s.revolute("P", s.ground, one["a"])
    s.start("P", angle=0.0)
    equations = fx.formulate(s, "joint")
    assert equations.initial.v[0] == pytest.approx(2.0)
