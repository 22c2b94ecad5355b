"""The motion does not depend on the tree or the integrator, for every case."""

import catalogue
import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import Poses, assemble

STEPS = 60


def end_of(name: str, poses: Poses, tree: str, method: object, h: float) -> tuple[np.ndarray, float]:
    """Positions of all frames at the end as the step goes to zero, (frames, 3), and what a step leaves, m."""
    equations = fx.formulate(catalogue.build(name), tree, poses=poses)
    frames = sorted(equations.system.frames)
    found = []
    for cut in (1, 4):
        run = fx.simulate(equations, h * STEPS, h / cut, method, interval=h * STEPS, newton=1e-13)
        found.append(np.array([run[f"frames/{frame}/position"][-1] for frame in frames]))
    change = found[1] - found[0]
    return found[1] + change / 15, np.abs(change).max() / 15


@pytest.mark.sweep(9)
@pytest.mark.parametrize("name", catalogue.NAMES)
def test_every_tree_and_integrator_gives_the_same_motion(name):
    h = min(catalogue.load(name).END / 20 / STEPS, 2e-3)
    poses = assemble(catalogue.build(name))
    expected, error = end_of(name, poses, "default", fx.hht(), h)
    others = [(tree, fx.hht()) for tree in catalogue.TREES[:3]]
    others += [("default", fx.generalised_alpha(0.8)), ("default", fx.acceleration_level())]
    for tree, method in others:
        found, own = end_of(name, poses, tree, method, h)
        assert np.abs(found - expected).max() < error + own + 1e-9, (tree, method.name)
