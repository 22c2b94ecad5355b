"""What is seen behind a handle is the model that was stored, and no other."""

import numpy as np
import pytest

import flexnet as fx
from cases import pendulating_rotor, squeezer
from flexnet.kernels import entrance, entry


@pytest.mark.parametrize("build", [squeezer.build, pendulating_rotor.build])
def test_functions_behind_a_handle_agree_with_each_other(build) -> None:
    """The residual is linear in v̇ and λ with the M and Gᵀ of ``matrices``; Φ̇ and Φ̈ are linear with G."""
    equations = fx.formulate(build())
    n, m, q = equations.n_v, equations.m, equations.initial.q
    rng = np.random.default_rng(2)
    v, a, lam = rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(m)
    M, G, none = np.zeros((n, n)), np.zeros((m, n)), np.zeros(0)

    def at(v, a, lam):
        r, phi, rate, second = (np.zeros(k) for k in (n, m, m, m))
        entry.residual(equations.handle, 0.1, q, v, a, lam, none, r, phi)
        entry.rates(equations.handle, v, a, none, rate, second)
        return r, phi, rate, second

    loaded, free = at(v, a, lam), at(v, 0 * a, 0 * lam)
    entry.matrices(equations.handle, none, 0.0, 0.0, M, G)
    np.testing.assert_allclose(loaded[0] - free[0], M @ a + G.T @ lam, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(loaded[3] - free[3], G @ a, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(loaded[2] - at(0 * v, a, lam)[2], G @ v, rtol=1e-10, atol=1e-10)


def test_a_short_residual_asks_for_kinematics_alone() -> None:
    equations = fx.formulate(squeezer.build())
    n, m, q = equations.n_v, equations.m, equations.initial.q
    v, zero, lam, none = np.ones(n), np.zeros(n), np.zeros(m), np.zeros(0)
    full, alone = np.zeros(m), np.zeros(m)
    entry.residual(equations.handle, 0.1, q, v, zero, lam, none, np.zeros(n), full)
    p, omega, force = equations.work.p.copy(), equations.work.omega.copy(), equations.work.force.copy()
    entry.residual(equations.handle, 0.1, q, 2 * v, zero, lam, none, none, alone)
    np.testing.assert_array_equal(alone, full)
    np.testing.assert_array_equal(equations.work.p, p)
    np.testing.assert_array_equal(equations.work.omega, 2 * omega)
    np.testing.assert_array_equal(equations.work.force, force)


def test_two_handles_do_not_disturb_each_other() -> None:
    one, other = fx.formulate(squeezer.build()), fx.formulate(pendulating_rotor.build())
    before = one.forces(one.initial)
    other.forces(other.initial)
    np.testing.assert_array_equal(one.forces(one.initial), before)


@pytest.mark.parametrize(
    "place", ["_HEAD", "_DATA", "_NDIM", "_FLAGS", "_NUMBER", "_TUPLE_ITEMS", "_TYPE_FLAGS"]
)
def test_objects_that_are_kept_in_another_way_are_refused_in_words(place, monkeypatch) -> None:
    """Python 3.14 moved the items of tuples: a wrong place must be a sentence, not a crash."""
    assert entrance._probe()
    monkeypatch.setattr(entrance, place, getattr(entrance, place) + 8)
    with pytest.raises(fx.FlexnetError, match="FLEXNET_INTERPRETED=1 runs kernels as plain Python"):
        entrance.make_known.__wrapped__()
