"""A joint of one's own is held to the theorems, and is as good as ours in both engines."""

from dataclasses import dataclass

import numpy as np
import pytest

import flexnet as fx
from flexnet.algebra import add, dot, mul
from flexnet.checks import check_joint
from flexnet.components import BUILDERS
from flexnet.errors import ModelError
from tests.formulation.chains import FURTHER, JOINTS
from tests.members import makes
from tests.symbolic.agreement import beside, distances


def ellipsoid(m):
    """Φ = √((d·x)²/a² + (d·y)²/b² + (d·z)²/c²) - 1, times a."""
    a, b, c = m.numbers
    scaled = [mul(dot(axis, m.d), 1 / size) for axis, size in zip(m.tail, (a, b, c), strict=True)]
    return mul(a, add(add(*(mul(s, s) for s in scaled)) ** 0.5, -1))


@dataclass(frozen=True, slots=True, eq=False)
class InEllipsoid(fx.Joint):
    """The origin of the head stays on an ellipsoid around the tail."""

    sizes: tuple[float, float, float]

    @property
    def terminal(self):
        row = fx.Row("force across", ellipsoid, tail=tuple(np.eye(3)), numbers=self.sizes)
        return fx.Terminal.of_rows(row)


def own(tail, head):
    return InEllipsoid("own", tail, head, (0.7, 0.9, 1.1))


def test_a_joint_of_ones_own_satisfies_the_theorems():
    findings = check_joint(own).findings
    assert {f.theorem for f in findings} >= {"G = ∂Φ/∂q", "load in every tree", "no power of an ideal joint"}


@pytest.mark.parametrize("joint", ["revolute", "universal", "weld", *FURTHER])
def test_joints_of_flexnet_satisfy_them_too(joint):
    check_joint(lambda tail, head: BUILDERS[joint]("j", tail, head, **(JOINTS | FURTHER)[joint]), seeds=1)


def test_every_joint_of_the_registry_is_among_them():
    pairs = {"gear_pair", "rack_pair"}  # conditions between two joints, not between two frames
    assert {name for name in BUILDERS if makes(name, fx.Joint)} == set(JOINTS | FURTHER) | pairs


def test_joints_in_the_plane_satisfy_them():
    check_joint(lambda tail, head: BUILDERS["distance_rod"]("j", tail, head, length=0.8), 1, planar=True)


def test_a_row_whose_load_does_work_is_found():
    """A condition on a known function of time drives: it is not ideal."""
    shrinking = fx.polynomial(0.8, -0.5)
    with pytest.raises(ModelError, match="joint 'j': no power of an ideal joint does not hold"):
        check_joint(lambda tail, head: BUILDERS["distance_rod"]("j", tail, head, length=shrinking), 1)


def test_a_joint_of_ones_own_is_in_the_report_and_in_both_engines():
    s = fx.System("own")
    s.gravity([0, -9.81, 0])
    body = s.rigid_body("b", 1.0, [0.1, 0.1, 0.1], {"A": [0.1, 0.2, 0.0]}, position=[0.5, -0.5, 0.2])
    s.add(own(s.ground.origin, body["A"]))
    e = fx.formulate(s, "absolute")
    assert fx.report(e).constraints == ("own: force across",)
    from flexnet.formulation.symbolic import symbolic

    rng = np.random.default_rng(3)
    far = distances(symbolic(e), beside(e, rng), rng)
    assert max(far.values()) < 1e-11, far
