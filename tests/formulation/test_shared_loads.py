"""Loads of redundant joints, shared so that their norm is least: the same in every tree and in any unit."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import loads, snapshot
from tests.analysis.test_watched_rows import four_bar

TREES = ("joint", "absolute", "absolute_angular", "default")


@pytest.mark.parametrize("tree", TREES)
def test_every_tree_shares_alike(tree):
    answers = []
    for t in ("absolute", tree):
        equations = fx.formulate(four_bar(push=[1.0, -2.0, 3.0]), t)
        assert len(equations.redundant) == 3
        answers.append(fx.reactions(equations, equations.initial, shared=True))
    for name in "ABCD":
        for kind in ("force", "torque"):
            expected, found = (getattr(a[name], kind) for a in answers)
            assert found == pytest.approx(expected, abs=1e-9)


def test_shared_loads_balance_and_are_the_least():
    """The pins to the ground carry the out-of-plane push together, and no other sharing is smaller."""
    equations = fx.formulate(four_bar(push=[0.0, 0.0, 3.0]), "joint")
    shared = fx.reactions(equations, equations.initial, shared=True)
    motion, at = equations.motion(equations.initial), equations.initial
    kept = loads(equations, snapshot(equations, [at.t], [at.q], [at.v], [motion.a], [motion.lam]))
    alone = {name: fx.Load(x.force[0], x.torque[0]) for name, x in kept.items()}
    length = equations.scale.length

    def norm(found):
        return sum(x.force @ x.force + x.torque @ x.torque / length**2 for x in found.values())

    for found in (shared, alone):
        assert found["A"].force[2] + found["D"].force[2] == pytest.approx(-3.0, abs=1e-9)
    assert norm(shared) < 0.9 * norm(alone)
    assert np.abs(shared["D"].force[2]) > 0.1
