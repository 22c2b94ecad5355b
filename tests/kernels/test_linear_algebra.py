"""Elimination without a choice of pivots, the right-hand side with it."""

import numpy as np
import pytest

from flexnet.kernels.compile import kernel
from flexnet.kernels.linear_algebra import ldl_inwards, ldl_outwards, ldl_solve, saddle, upper_saddle
from flexnet.typing import Array


@kernel
def inwards(A: Array, b: Array) -> float:
    return ldl_inwards(A, b)


@kernel
def outwards(A: Array, b: Array) -> None:
    ldl_outwards(A, b)


@kernel
def again(A: Array, b: Array) -> None:
    ldl_solve(A, b)


@kernel
def matrices(M: Array, G: Array, d: Array, whole: Array, upper: Array) -> None:
    saddle(M, G, d, whole)
    upper_saddle(M, G, d, upper)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (2, 1), (7, 0), (10, 4)])
def test_what_goes_inwards_with_the_factors_comes_out_as_the_solution(n: int, m: int) -> None:
    random = np.random.default_rng(n)
    L, G = random.normal(size=(n, n)), random.normal(size=(m, n))
    A, upper = np.zeros((2, n + m, n + m))
    upper[:] = np.nan  # what is not written is not read
    matrices(L @ L.T + np.eye(n), G, 0.5 + random.random(n + m), A, upper)
    b, c = random.normal(size=(2, n + m))
    x, y = b.copy(), c.copy()
    assert inwards(upper, x) > 1e-6
    outwards(upper, x)
    again(upper, y)
    assert np.allclose(A @ x, b, rtol=0, atol=1e-10)
    assert np.allclose(A @ y, c, rtol=0, atol=1e-10)


def test_a_pivot_that_vanishes_is_told() -> None:
    assert inwards(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones(2)) == 0.0
