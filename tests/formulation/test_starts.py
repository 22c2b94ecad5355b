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


def test_a_driven_joint_keeps_the_rate_of_its_driver():
    s = double_pendulum()
    s.motion("drive", joint="P", angle=fx.harmonic(0.5, 4.0))
    s.start("P", angle=0.0)
    equations = fx.formulate(s, "joint")
    assert equations.initial.v[0] == pytest.approx(2.0)
    assert np.abs(equations.constraint_rates(equations.initial)).max() < 1e-9


def test_the_same_start_twice_keeps_the_rate():
    s = double_pendulum()
    s.start("P", angle=0.3, rate=2.0)
    s.start("P", angle=0.3)
    assert np.allclose(fx.formulate(s, "joint").initial.v[0], 2.0)


def test_a_start_that_chooses_the_branch_of_a_flexible_loop_moves_no_elastic_coordinate():
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    rod = fx.beam_body(0.6, 4, steel, fx.rectangle(0.02, 0.02))
    s = fx.System("four-bar", planar=True)
    s.ground.frame("D", [0.6, 0])
    crank = s.rigid_body("crank", 1.0, 0.01, {"A": [-0.15, 0], "B": [0.15, 0]})
    coupler = s.flexible_body("coupler", rod, fx.Pinned("start", "end"), 3, position=[0.2, 0.2, 0])
    follower = s.rigid_body("follower", 1.0, 0.01, {"D": [-0.25, 0], "C": [0.25, 0]}, position=[0.7, 0.3])
    s.revolute("A", s.ground, crank["A"])
    s.revolute("B", crank["B"], coupler["start"])
    s.revolute("C", coupler["end"], follower["C"])
    s.revolute("D", s.ground["D"], follower["D"])
    s.start("A", angle=0.5, rate=3.0)
    equations = fx.formulate(s, "joint")
    D = equations.poses(equations.initial).R[equations.packer.bodies.index("follower")]
    s.start("D", angle=float(np.arctan2(D[1, 0], D[0, 0])))
    both = fx.formulate(s, "joint")
    assert np.abs(both.constraint_rates(both.initial)).max() < 1e-9
    elastic = both.packer.elastic_indices()[1]
    assert np.abs(both.initial.v[elastic]).max() < 1e-12


def test_a_value_is_met_at_the_time_of_assembly():
    s = double_pendulum()
    s.start("P", angle=0.3, rate=2.0)
    poses = fx.assemble(s, 1.0)
    assert np.arctan2(poses.R[1][1, 0], poses.R[1][0, 0]) == pytest.approx(0.3)
    assert poses.omega[1, 2] == pytest.approx(2.0)


def test_a_planar_free_joint_starts_at_its_angle():
    s = fx.System("free", planar=True)
    s.free("u", s.ground, s.rigid_body("b", 1.0, 0.1))
    s.start("u", angle=0.4)
    assert fx.formulate(s, "joint").initial.q[2] == pytest.approx(0.4)
    with pytest.raises(fx.ModelError, match="no coordinate 'z'"):
        s.start("u", z=0.3)
