"""Newton's matrix of the α-methods, (4) of `alpha_loop`: tangents, factors, and answers."""

from flexnet.integrators.alpha_state import (
    DENSE,
    IN_BLOCKS,
    SYMMETRIC,
    TANGENT,
    TIME,
    WITH_STATES,
    WITH_TANGENTS,
    Scratch,
    State,
)
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import (
    FACTORISATIONS,
)
from flexnet.kernels import sparse_ldl, sparse_lu, unreduced
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve, saddle, weigh
from flexnet.typing import Array

#: difference of a position over its size, and of a velocity over its own or the model's
DIFFERENCE = 1e-7


@shared
def tangents(f: Functions, t: float, s: Scratch, c: Array) -> None:
    """K = ∂r/∂q and D = ∂r/∂v by differences at the trial state, in the sizes of the coordinates."""
    n = s.v1.shape[0]
    f.residual(f.model, t, s.q1, s.v1, s.vdot1, s.lam1, f.work, s.r, s.phi)
    if s.tangent.columns.shape[0] > 0:
        _sparse_tangents(f, t, s, c)
        return
    for k in range(n):
        eps = DIFFERENCE * s.sizes[k]
        s.vp[:] = 0.0
        s.vp[k] = eps
        f.compose(f.model, s.q1, s.vp, s.qp)
        f.residual(f.model, t, s.qp, s.v1, s.vdot1, s.lam1, f.work, s.rp, s.phi)
        for i in range(n):
            s.K[i, k] = (s.rp[i] - s.r[i]) / eps
        scale = DIFFERENCE * max(s.sizes[k] / c[TIME], abs(s.v1[k]))
        copy(s.v1, s.vp)
        s.vp[k] += scale
        f.residual(f.model, t, s.q1, s.vp, s.vdot1, s.lam1, f.work, s.rp, s.phi)
        for i in range(n):
            s.D[i, k] = (s.rp[i] - s.r[i]) / scale


@shared
def _sparse_tangents(f: Functions, t: float, s: Scratch, c: Array) -> None:
    """The same, all columns of a colour at once: no row feels two of them."""
    w = s.tangent
    for g in range(w.first_column.shape[0] - 1):
        s.vp[:] = 0.0
        for l in range(w.first_column[g], w.first_column[g + 1]):
            s.vp[w.columns[l]] = DIFFERENCE * s.sizes[w.columns[l]]
        f.compose(f.model, s.q1, s.vp, s.qp)
        f.residual(f.model, t, s.qp, s.v1, s.vdot1, s.lam1, f.work, s.rp, s.phi)
        for e in range(w.first_entry[g], w.first_entry[g + 1]):
            i, k = w.entries[e, 0], w.entries[e, 1]
            s.slopes[0, e] = (s.rp[i] - s.r[i]) / (DIFFERENCE * s.sizes[k])
        copy(s.v1, s.vp)
        for l in range(w.first_column[g], w.first_column[g + 1]):
            k = w.columns[l]
            s.vp[k] += DIFFERENCE * max(s.sizes[k] / c[TIME], abs(s.v1[k]))
        f.residual(f.model, t, s.q1, s.vp, s.vdot1, s.lam1, f.work, s.rp, s.phi)
        for e in range(w.first_entry[g], w.first_entry[g + 1]):
            i, k = w.entries[e, 0], w.entries[e, 1]
            s.slopes[1, e] = (s.rp[i] - s.r[i]) / (DIFFERENCE * max(s.sizes[k] / c[TIME], abs(s.v1[k])))


@shared
def _without_metric(s: Scratch) -> None:
    """Rows without a rate have a unit on the diagonal of M alone (:class:`~flexnet.dae.Dae`): none here."""
    first = s.v1.shape[0] - s.per_unknown.shape[0]
    for k in range(s.per_unknown.shape[0]):
        if s.per_unknown[k] > 0.0:
            s.M[first + k, first + k] = 0.0


@shared
def couplings(f: Functions, t: float, s: Scratch, c: Array) -> None:
    """∂r/∂v̇ - M and ∂r/∂λ - Gᵀ by differences at the trial state, where forces follow v̇ or λ."""
    n, m = s.v1.shape[0], s.lam1.shape[0]
    f.residual(f.model, t, s.q1, s.v1, s.vdot1, s.lam1, f.work, s.r, s.phi)
    f.matrices(f.model, f.work, 0.0, 0.0, s.M, s.G)
    _without_metric(s)
    action = 0.0
    for i in range(n):
        action = max(action, abs(s.M[i, i]) * (s.sizes[i] / c[TIME]) ** 2)
    for k in range(n + m):
        x = s.vdot1 if k < n else s.lam1
        i = k if k < n else k - n
        before = x[i]
        least = s.sizes[i] / c[TIME] ** 2 if k < n else action / s.row_sizes[i]
        x[i] = before + DIFFERENCE * max(abs(before), least)
        f.residual(f.model, t, s.q1, s.v1, s.vdot1, s.lam1, f.work, s.rp, s.phi)
        for j in range(n):
            known = s.M[j, k] if k < n else s.G[i, j]
            s.coupling[j, k] = (s.rp[j] - s.r[j]) / (x[i] - before) - known
        x[i] = before


@shared
def factor(f: Functions, y: State, s: Scratch, c_q: float, c_v: float) -> bool:
    """Build and factor the matrix of (4) at the state of the last residual.

    A sparse matrix is factored along its plan, with tangents or without, unless a pivot is too small there.
    That with states is not symmetric. Unreduced bodies are eliminated first, and never get tangents.
    """
    n, m = s.v1.shape[0], s.phi.shape[0]
    if s.blocks.bodies.shape[0] > 0:
        f.matrices(f.model, f.work, c_q, c_v, s.blocks.M, s.blocks.G)
        y.counts[FACTORISATIONS] += 1
        s.is_sparse[0] = IN_BLOCKS
        s.norm[n + m + 2] = s.norm[n + m + 3] = 0.0
        return unreduced.factor(s.blocks, s.weights, c_q, c_v)
    # differences, where taken, hold all of K and D; the constant part would then count twice
    has_tangent = y.counts[TANGENT] == 1
    f.matrices(f.model, f.work, 0.0 if has_tangent else c_q, 0.0 if has_tangent else c_v, s.M, s.G)
    if has_tangent:
        _without_metric(s)
    y.counts[FACTORISATIONS] += 1
    s.is_sparse[0] = DENSE
    s.norm[n + m + 2] = s.norm[n + m + 3] = 0.0
    if s.plan.order.shape[0] > 0 and not has_tangent and s.coupling.shape[0] == 0:
        if s.per_unknown.shape[0] > 0:
            sparse_lu.gather_plain(s.plan, s.M, s.G, s.lower, s.upper)
            if sparse_lu.factor(s.plan, s.lower, s.upper) > 1e-13:
                s.is_sparse[0] = WITH_STATES
                return True
        else:
            sparse_ldl.gather(s.plan, s.M, s.G, s.values)
            if sparse_ldl.factor(s.plan, s.values) > 1e-13:
                s.is_sparse[0] = SYMMETRIC
                return True
    is_wide = s.tangent.columns.shape[0] > 0
    if is_wide and has_tangent:
        sparse_lu.gather(s.tangent, s.M, s.G, s.slopes, c_q, c_v, s.lower, s.upper)
        if sparse_lu.factor(s.tangent.plan, s.lower, s.upper) > 1e-13:
            s.is_sparse[0] = WITH_TANGENTS
            return True
    A, d = s.A, s.weights
    saddle(s.M, s.G, d, A)
    if has_tangent and is_wide:
        for e in range(s.tangent.entries.shape[0]):
            i, j = s.tangent.entries[e, 0], s.tangent.entries[e, 1]
            A[i, j] += d[i] * d[j] * (c_v * s.slopes[1, e] + c_q * s.slopes[0, e])
    elif has_tangent:
        for i in range(n):
            for j in range(n):
                A[i, j] += d[i] * d[j] * (c_v * s.D[i, j] + c_q * s.K[i, j])
    for i in range(s.coupling.shape[0]):
        for j in range(n + m):
            A[i, j] += d[i] * d[j] * s.coupling[i, j]
    return lu_factor(A, s.pivots) > 1e-16


@shared
def solve(s: Scratch) -> None:
    """Solve (4) for the right-hand side in ``s.rhs``, in place."""
    if s.is_sparse[0] == IN_BLOCKS:
        unreduced.solve(s.blocks, s.rhs)
    elif s.is_sparse[0] == SYMMETRIC:
        sparse_ldl.solve(s.plan, s.values, s.rhs, s.A[0])
    elif s.is_sparse[0] == WITH_STATES:
        sparse_lu.solve(s.plan, s.lower, s.upper, s.rhs, s.A[0])
    elif s.is_sparse[0] == WITH_TANGENTS:
        sparse_lu.solve(s.tangent.plan, s.lower, s.upper, s.rhs, s.A[0])
    else:
        weigh(s.weights, s.rhs)
        lu_solve(s.A, s.pivots, s.rhs)
        weigh(s.weights, s.rhs)


@shared
def across(s: Scratch, x: Array, out: Array) -> None:
    """G x (m,) for a change x of the velocities, which may be longer."""
    if s.blocks.bodies.shape[0] > 0:
        unreduced.across(s.blocks, x, out)
        return
    if s.plan.order.shape[0] > 0:
        out[:] = 0.0
        for e in range(s.plan.jacobian.shape[0]):
            j, i = s.plan.jacobian[e, 0], s.plan.jacobian[e, 1]
            out[j] += s.G[j, i] * x[i]
        return
    for j in range(s.phi.shape[0]):
        out[j] = 0.0
        for i in range(s.v1.shape[0]):
            out[j] += s.G[j, i] * x[i]
