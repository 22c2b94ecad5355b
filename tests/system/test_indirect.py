"""Virtual joints that are offered by themselves."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.graph import select
from flexnet.system import with_indirect_joints
from tests.catalogue import NAMES, build
from tests.sampling import answer


def without_virtual(name, **parameters):
    system = build(name, **parameters)
    system.components = {k: c for k, c in system.components.items() if c.kind is not fx.Kind.VIRTUAL}
    return system


def test_the_serial_manipulator_gets_the_virtual_joint_of_the_thesis():
    system = without_virtual("leger_a10_serial")
    made, told = with_indirect_joints(system)
    assert told == [
        "virtual joint indirect_h13_h14 from m1.r6 to m3.r9: h13 and h14 are parallel: their angles add up"
    ]
    assert "indirect_h13_h14" not in system.components
    for rule in ("variable_based", "formulation_based"):
        found = select(made.graph, rule)
        assert set(found.R.names) == {"h12", "h13", "m4", "indirect_h13_h14"}


def test_a_planar_system_gets_the_angles_of_its_bodies():
    made, told = with_indirect_joints(build("leger_a07_3rrr", virtual=False))
    assert len(told) == 7
    R = set(select(made.graph, "formulation_based").R.names)
    assert {"planar_m2", "planar_m4", "planar_m6", "planar_m7", "h25", "h28", "h31"} == R


def test_what_is_there_is_not_offered_again():
    assert with_indirect_joints(build("leger_a10_serial"))[1] == []
    assert with_indirect_joints(build("leger_a07_3rrr"))[1] == []


@pytest.mark.sweep(10)
@pytest.mark.parametrize("name", NAMES)
def test_virtual_joints_change_nothing_of_the_motion(name):
    system = build(name)
    plain = fx.formulate(system, "absolute")
    expected = answer(plain, plain.initial)
    for rule in ("variable_based", "formulation_based"):
        made = fx.formulate(system, rule, virtual=True)
        found = answer(made, made.initial)
        scale = max(np.abs(expected.linear).max(), np.abs(expected.angular).max(), 1e-9)
        assert np.abs(found.linear - expected.linear).max() < 1e-8 * scale
        assert np.abs(found.angular - expected.angular).max() < 1e-8 * scale
