"""A chain whose bodies do not meet where they were placed is closed as ever, and that is said."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import assemble


def chain(height: float, rocker: bool = False) -> fx.System:
    """A column on the ground and an arm on it; with a rocker a loop."""
    s = fx.System("chain")
    column = s.rigid_body("column", 5.0, [0.05] * 3, {"top": [0, 0, 0.2]}, position=[0, 0, 0.2])
    frames = {"root": [-0.4, 0, 0], "tip": [0.4, 0, 0]}
    arm = s.rigid_body("arm", 1.0, [0.1] * 3, frames, position=[0.4, 0, 0.4])
    s.revolute("base", s.ground.frame("foot", [0, 0, height]), column, axis="y" if rocker else "z")
    s.revolute("shoulder", column["top"], arm["root"], axis="y")
    if rocker:
        ends = {"a": [0, 0, 0.2], "b": [0, 0, -0.2]}
        rod = s.rigid_body("rod", 1.0, [0.1] * 3, ends, position=[0.8, 0, 0.2])
        s.revolute("A", arm["tip"], rod["a"], axis="y")
        s.revolute("B", s.ground.frame("far", [0.8, 0, 0]), rod["b"], axis="y")
    return s


def test_a_chain_that_does_not_meet_says_which_joint_is_open_and_which_was_turned(caplog):
    poses = assemble(chain(0.0))
    turned = np.degrees(np.arccos(poses.R[2][0, 0]))
    assert turned > 1.0  # the arm was to lie level
    assert caplog.text.count("as its bodies") == 1
    assert "'base' is open by 0.2 m as its bodies were placed" in caplog.text
    assert f"turned joint 'shoulder' by {turned:.3g}°" in caplog.text


@pytest.mark.parametrize("kind", ["meets", "start", "driver", "loop"])
def test_nothing_is_said_where_it_meets_or_something_else_says_how_joints_stand(kind, caplog):
    s = chain(0.2 if kind == "meets" else 0.0, rocker=kind == "loop")
    if kind == "start":
        s.start("shoulder", angle=0.0)
    if kind == "driver":
        s.motion("turn", joint="shoulder", angle=fx.ramp(rate=1.0))
    assemble(s)
    assert not caplog.text
