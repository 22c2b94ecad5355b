"""Constraints at velocity level: every case of the project, in every ready-made tree."""

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import FLEXIBLE, NAMES, TREES, build, load

#: steps of the fast ones, s; flexible cases say theirs
STEP = {"squeezer": 1e-5}
#: what is left when a step is closed, predicted from the convergence seen, is up to some hundred round-offs
ROUND_OFF = 500 * np.finfo(float).eps


# energy schemes refuse events
@pytest.mark.sweep(30)
@pytest.mark.parametrize("scheme", [fx.energy_preserving(), fx.energy_decaying(0.0)], ids=lambda m: m.name)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", [*(n for n in NAMES if not build(n).events), *FLEXIBLE])
def test_velocities_meet_the_constraints_to_round_off_at_every_step(name, tree, scheme):
    made = fx.formulate(build(name), tree)
    h = getattr(load(name), "STEP", STEP.get(name, 1e-3))
    run = fx.simulate(made, made.initial.t + 20 * h, h, scheme)
    v, q = np.abs(run["state/v"]).max(), max(1.0, np.abs(run["state/q"]).max())
    if made.m:
        G = [made.mass_and_jacobian(x, t)[1] for x, t in zip(run["state/q"], run.t, strict=True)]
        condition = max(np.linalg.cond(g) for g in G)
        size = max(np.abs(g).sum(axis=1).max() for g in G)
        assert run["constraints/velocity"].max() < ROUND_OFF * condition * size * max(v, 1e-3)
        assert run["constraints/position"].max() < ROUND_OFF * condition * q
    else:
        assert run["constraints/velocity"].max() == 0.0
