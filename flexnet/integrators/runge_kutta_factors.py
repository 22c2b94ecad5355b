"""Factors of [M Gᵀ; G 0] at a stage of an explicit Runge-Kutta method, and what is solved with them.

Coordinates are eliminated before constraints: with M positive definite no pivot vanishes. Where one does,
pivots are chosen. Along a tree of bodies M is never made.
"""

from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import FACTORISATIONS
from flexnet.integrators.runge_kutta_state import Scratch, State
from flexnet.kernels import recursion, sparse_ldl
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import (
    ldl_inwards,
    ldl_outwards,
    ldl_solve,
    lu_factor,
    lu_solve,
    saddle,
    upper_saddle,
    weigh,
)

#: which factors are the present ones
SPARSE, SYMMETRIC, PIVOTED, RECURSIVE = range(4)
#: smallest pivot over largest of an elimination without choice of pivots
SOUND = 1e-13


@shared
def factor(f: Functions, y: State, s: Scratch) -> bool:
    """Build and factor the matrix at the state of the last residual.

    Of a tree or a dense matrix ``s.rhs`` goes inwards on the way, for :func:`finish`.
    """
    f.matrices(f.model, f.work, 0.0, 0.0, s.M, s.G)
    y.counts[FACTORISATIONS] += 1
    if s.recursion.parent.shape[0] > 0:
        s.form[0] = RECURSIVE
        return recursion.factor(s.recursion, s.M, s.rhs) > 0.0
    if s.plan.order.shape[0] > 0:
        sparse_ldl.gather(s.plan, s.M, s.G, s.values)
        if sparse_ldl.factor(s.plan, s.values) > SOUND:
            s.form[0] = SPARSE
            return True
    upper_saddle(s.M, s.G, s.units, s.A)
    for i in range(s.rhs.shape[0]):
        s.values[i] = s.units[i] * s.rhs[i]
    if ldl_inwards(s.A, s.values) > SOUND:
        s.form[0] = SYMMETRIC
        return True
    s.form[0] = PIVOTED
    saddle(s.M, s.G, s.units, s.A)  # the failed factors stand in it
    return lu_factor(s.A, s.pivots) > 1e-16


@shared
def solve(s: Scratch) -> None:
    """Solve for the right-hand side in ``s.rhs``, in place."""
    if s.form[0] == SPARSE:
        sparse_ldl.solve(s.plan, s.values, s.rhs, s.A[0])
        return
    if s.form[0] == RECURSIVE:
        recursion.solve(s.recursion, s.M, s.rhs)
        return
    weigh(s.units, s.rhs)
    if s.form[0] == SYMMETRIC:
        ldl_solve(s.A, s.rhs)
    else:
        lu_solve(s.A, s.pivots, s.rhs)
    weigh(s.units, s.rhs)


@shared
def finish(s: Scratch) -> None:
    """Solve for the right-hand side that :func:`factor` was given, in place."""
    if s.form[0] == RECURSIVE:
        recursion.outwards(s.recursion, s.M, s.rhs)
    elif s.form[0] == SYMMETRIC:
        ldl_outwards(s.A, s.values)
        for i in range(s.rhs.shape[0]):
            s.rhs[i] = s.units[i] * s.values[i]
    else:
        solve(s)
