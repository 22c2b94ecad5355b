"""The entry points see, behind their handle, the model that was stored."""

import numpy as np
import pytest

import flexnet as fx
from cases import pendulating_rotor, squeezer
from flexnet.kernels import constraints, dynamics, entry, kinematics


@pytest.mark.parametrize("build", [squeezer.build, pendulating_rotor.build])
def test_entry_points_equal_the_kernels_they_wrap(build) -> None:
    equations = fx.formulate(build())
    n, m = equations.n_v, equations.m
    rng = np.random.default_rng(2)
    q, v = equations.initial.q, rng.standard_normal(n)
    a, lam = rng.standard_normal(n), rng.standard_normal(m)
    model, work, handle = equations.model, equations.work, entry.handle(equations.model, equations.work)
    none = np.zeros(0)

    def by_kernels() -> list[np.ndarray]:
        out = [np.zeros(n), np.zeros(m), np.zeros((n, n)), np.zeros((m, n)), np.zeros(len(q))]
        dynamics.residual(model, 0.1, q, v, a, lam, work, out[0], out[1])
        dynamics.newton_matrices(model, work, 0.1, 0.2, out[2], out[3])
        kinematics.compose(model, q, v, out[4])
        rates = [np.zeros(m), np.zeros(m)]
        constraints.rates_and_accelerations(model, v, a, work, *rates)
        return out + rates

    def by_entry() -> list[np.ndarray]:
        out = [np.zeros(n), np.zeros(m), np.zeros((n, n)), np.zeros((m, n)), np.zeros(len(q))]
        entry.residual(handle, 0.1, q, v, a, lam, none, out[0], out[1])
        entry.matrices(handle, none, 0.1, 0.2, out[2], out[3])
        entry.compose(handle, q, v, out[4])
        rates = [np.zeros(m), np.zeros(m)]
        entry.rates(handle, v, a, none, *rates)
        return out + rates

    for ours, theirs in zip(by_entry(), by_kernels(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
