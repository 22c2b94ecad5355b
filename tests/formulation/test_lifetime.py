"""Addresses in compiled equations: what they point at lives as long as they do."""

import copy
import gc
import pickle

import numpy as np
import pytest

import flexnet as fx


def sprung(k):
    s = fx.System("sprung", planar=True)
    bob = s.rigid_body("bob", 1.0, 0.1, {"O": [0, 1.0]})
    s.revolute("O", s.ground, bob["O"])
    s.start("O", angle=1.0)
    s.torsional_spring("spring", joint="O", law=lambda x, v, t: -k * x)
    return s


def answer(dae):
    r, phi = np.zeros(dae.n_v), np.zeros(dae.m)
    zero, lam = np.zeros(dae.n_v), np.zeros(dae.m)
    dae.residual(dae.model, 0.0, dae.q, dae.v, zero, lam, dae.work, r, phi)
    return r.copy()


def test_a_dae_keeps_the_laws_it_calls():
    dae = fx.formulate(sprung(3.0), "joint").dae()
    before = answer(dae)
    gc.collect()
    others = [fx.formulate(sprung(50.0 + k), "joint") for k in range(8)]
    assert np.array_equal(answer(dae), before)
    assert len(others) == 8


@pytest.mark.parametrize("how", [copy.deepcopy, pickle.dumps])
def test_equations_are_not_carried_elsewhere(how):
    with pytest.raises(fx.ModelError, match="'sprung' cannot be copied or pickled"):
        how(fx.formulate(sprung(3.0), "joint"))


def test_a_shallow_copy_is_the_same_equations():
    equations = fx.formulate(sprung(3.0), "joint")
    assert np.array_equal(answer(copy.copy(equations).dae()), answer(equations.dae()))
