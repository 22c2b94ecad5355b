"""What kernels leave in their workspace when they run on nodes has the values of what they compute."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation.symbolic import Evaluator, make_programs, symbolic
from flexnet.kernels import entry
from tests.catalogue import build
from tests.symbolic.agreement import beside, distance

FRAMES = ("R", "omega", "omega_dot", "p", "v", "a", "force", "torque", "row", "loads")


@pytest.mark.parametrize(
    ("case", "tree"), [("squeezer", "absolute"), ("four_bar", "joint"), ("cam_follower", "joint")]
)
def test_frames_rows_cutsets_energies_and_powers(case, tree):
    numeric, rng = fx.formulate(build(case), tree), np.random.default_rng(5)
    made, state = symbolic(numeric), beside(numeric, rng, 0.01)
    a, lam = rng.standard_normal(numeric.n_v), rng.standard_normal(numeric.m)
    extra = {f"work_{name}": getattr(made.work, name).copy() for name in FRAMES}
    extra |= {"energies": np.array(made.energies), "powers": np.array(made.mechanism.powers)}
    evaluate = Evaluator(made, make_programs(made, extra=extra))
    found = evaluate("residual", state.t, q=state.q, v=state.v, a=a, lam=lam)
    numeric.residual(state, a, lam)
    for name in FRAMES:
        assert distance(found[f"work_{name}"], getattr(numeric.work, name)) < 1e-12, name
    assert distance(found["energies"], numeric.energies(state)) < 1e-12
    numeric.residual(state, a, lam)
    powers = np.zeros(8)
    entry.power(numeric.handle, state.q, state.v, lam, np.zeros(0), powers)
    assert distance(found["powers"], powers[:3]) < 1e-12
