"""Unknowns of algebraic rows at a state, compiled: 0 = f(q, v, z, t) solved for the z_a that are in it.

Newton's method, f_z δ = -f, halved until the rows fall. It begins at what v holds: the values of a time or a
stage before. :mod:`flexnet.integrators.algebraic` does the same once, at a start, and says what is wrong.
"""

from typing import NamedTuple

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators.functions import Functions
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import lu_factor, lu_solve
from flexnet.typing import Array, IntArray

MAX_ITERATIONS = 60
#: correction of an unknown over its value, and value over its size that counts as one, at the end
NEAR, SMALL = 1e-12, 1e-6
#: pivots over the largest below which the rows do not determine their unknowns
SINGULAR = 1e-15


class Unknowns(NamedTuple):
    """Algebraic unknowns: where they are, how large, and arrays to work on."""

    at: IntArray  # (k,) places in v and r
    sizes: Array  # (k,)
    r: Array
    phi: Array
    M: Array
    G: Array
    A: Array  # (k, k) rows of f_z, each over its largest entry
    pivots: IntArray
    per_row: Array  # (k,) one over the largest entry
    change: Array
    before: Array


def make_unknowns(dae: Dae) -> Unknowns:
    """Allocate for the algebraic rows of a DAE; next to nothing where it has none."""
    at = np.flatnonzero(dae.is_algebraic) + dae.n_v - dae.n_z
    return _allocate(at.astype(np.int64), dae.sizes[at] / dae.scale.time, dae.n_v, dae.m)


def no_unknowns() -> Unknowns:
    """None at all, for the type alone."""
    return _allocate(np.zeros(0, dtype=np.int64), np.zeros(0), 0, 0)


def _allocate(at: IntArray, sizes: Array, n: int, m: int) -> Unknowns:
    k, z = len(at), np.zeros
    n, m = (n, m) if k else (0, 0)
    return Unknowns(
        at, sizes, z(n), z(m), z((n, n)), z((m, n)), z((k, k)), z(k, dtype=np.int64), z(k), z(k), z(k)
    )


@shared
def _find_change(f: Functions, x: Unknowns) -> bool:
    """Newton's change at the state of the last residual; False where the rows do not determine one."""
    k = x.at.shape[0]
    f.matrices(f.model, f.work, 0.0, 1.0, x.M, x.G)
    for i in range(k):
        largest = 0.0
        for j in range(k):
            largest = max(largest, abs(x.M[x.at[i], x.at[j]]))
        if not largest > 0.0:
            return False
        x.per_row[i] = 1.0 / largest
        x.change[i] = -x.r[x.at[i]] * x.per_row[i]
        for j in range(k):
            x.A[i, j] = x.M[x.at[i], x.at[j]] * x.per_row[i]
    if not lu_factor(x.A, x.pivots) > SINGULAR:
        return False
    lu_solve(x.A, x.pivots, x.change)
    return True


@shared
def _left(x: Unknowns) -> float:
    """Largest row, as a change of its unknown in sizes."""
    left = 0.0
    for i in range(x.at.shape[0]):
        row = abs(x.r[x.at[i]]) * x.per_row[i] / x.sizes[i]
        # not >: what is not a number comes through
        if not row <= left:
            left = row
    return left


@shared
def settle_rows(f: Functions, t: float, q: Array, v: Array, a: Array, lam: Array, x: Unknowns) -> bool:
    """Put the algebraic unknowns in v where their rows are zero; whether there is such a place nearby."""
    fallen = -1.0
    for _ in range(MAX_ITERATIONS):
        f.residual(f.model, t, q, v, a, lam, f.work, x.r, x.phi)
        if fallen >= 0.0 and not _left(x) < fallen:
            for i in range(x.at.shape[0]):
                x.change[i] *= 0.5
                v[x.at[i]] = x.before[i] + x.change[i]
            continue
        if not _find_change(f, x):
            return False
        fallen, is_small = _left(x), True
        for i in range(x.at.shape[0]):
            x.before[i] = v[x.at[i]]
            v[x.at[i]] += x.change[i]
            size = abs(x.change[i]) / (abs(v[x.at[i]]) + SMALL * x.sizes[i])
            is_small = is_small and size <= NEAR
        if is_small or fallen == 0.0:
            return True
    return False
