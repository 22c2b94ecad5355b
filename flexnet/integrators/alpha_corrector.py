"""One step of an α-method: prediction, and Newton's method on (1)-(3) of `alpha_loop`."""

from typing import Any

from flexnet.integrators.alpha_state import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    DONE,
    FACTORISATIONS,
    GAMMA,
    H_OLD,
    H_OLDER,
    HAS_OLD,
    ITERATIONS,
    LEVEL,
    NEWTON,
    NO_CONVERGENCE,
    NOT_A_NUMBER,
    POSITION,
    RATE,
    REFRESH,
    RESIDUAL,
    SINGULAR,
    TANGENT,
    WORST,
    Scratch,
    State,
)
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve, weigh
from flexnet.typing import Array

MAX_ITERATIONS = 12
#: part of the local error the corrector may leave
SHARE = 3e-4
#: change of λ after which one iteration is not enough, over its size
LAM_CHANGE = 1e-3
#: convergence that asks for a new matrix, convergence never assumed to be better, its change per step
SLOW, BEST_RATE, AGEING = 0.02, 1e-3, 1.1


@inner
def error_constant(c: Array) -> float:
    """C = β + (αm - αf)/2 - 1/6 of the local error h³ C v̈ of the position."""
    return float(c[BETA] + 0.5 * (c[ALPHA_M] - c[ALPHA_F]) - 1.0 / 6.0)


@inner
def local_error(c: Array, h: float) -> float:
    """Local error of the position over the change of a."""
    return abs(error_constant(c)) * h * h


@inner
def trial(compose: Any, model: Any, y: State, s: Scratch, c: Array, h: float) -> float:
    """Equations (1) and (2) for the present v̇₁; returns the largest local error of the position."""
    beta, gamma = c[BETA], c[GAMMA]
    change = 0.0
    for i in range(y.v.shape[0]):
        a1 = ((1.0 - c[ALPHA_F]) * s.vdot1[i] + c[ALPHA_F] * y.vdot[i] - c[ALPHA_M] * y.a[i]) / (
            1.0 - c[ALPHA_M]
        )
        s.a1[i] = a1
        s.dq[i] = h * (y.v[i] + h * (h * y.offset[i] + (0.5 - beta) * y.a[i] + beta * a1))
        s.v1[i] = y.v[i] + h * ((1.0 - gamma) * y.a[i] + gamma * a1)
        change = max(change, abs(a1 - y.a[i]))
    compose(model, y.q, s.dq, s.q1)
    return local_error(c, h) * change


@shared
def tangents(residual: Any, compose: Any, model: Any, work: Any, t: float, s: Scratch) -> None:
    """K = ∂r/∂q and D = ∂r/∂v by differences at the trial state."""
    n = s.v1.shape[0]
    eps = 1e-7
    residual(model, t, s.q1, s.v1, s.vdot1, s.lam1, work, s.r, s.phi)
    for k in range(n):
        s.vp[:] = 0.0
        s.vp[k] = eps
        compose(model, s.q1, s.vp, s.qp)
        residual(model, t, s.qp, s.v1, s.vdot1, s.lam1, work, s.rp, s.phi)
        for i in range(n):
            s.K[i, k] = (s.rp[i] - s.r[i]) / eps
        scale = eps * max(1.0, abs(s.v1[k]))
        copy(s.v1, s.vp)
        s.vp[k] += scale
        residual(model, t, s.q1, s.vp, s.vdot1, s.lam1, work, s.rp, s.phi)
        for i in range(n):
            s.D[i, k] = (s.rp[i] - s.r[i]) / scale


@shared
def factor(matrices: Any, model: Any, work: Any, y: State, s: Scratch, c_q: float, c_v: float) -> bool:
    """Build and factor the matrix of (4) at the state of the last residual.

    A sparse matrix without tangents is factored along its plan, unless a pivot is too small there.
    """
    n, m = s.v1.shape[0], s.phi.shape[0]
    # differences, where taken, hold all of K and D; the constant part would then count twice
    has_tangent = y.counts[TANGENT] == 1
    matrices(model, work, 0.0 if has_tangent else c_q, 0.0 if has_tangent else c_v, s.M, s.G)
    y.counts[FACTORISATIONS] += 1
    s.is_sparse[0] = 0
    if s.plan.order.shape[0] > 0 and not has_tangent:
        sparse_ldl.gather(s.plan, s.M, s.G, s.values)
        if sparse_ldl.factor(s.plan, s.values) > 1e-13:
            s.is_sparse[0] = 1
            return True
    # without units, so that the choice of pivots does not depend on them
    A, d = s.A, s.weights
    for i in range(n):
        for j in range(n):
            A[i, j] = d[i] * d[j] * s.M[i, j]
        for j in range(m):
            A[i, n + j] = A[n + j, i] = d[i] * d[n + j] * s.G[j, i]
    for i in range(m):
        for j in range(m):
            A[n + i, n + j] = 0.0
    if has_tangent:
        for i in range(n):
            for j in range(n):
                A[i, j] += d[i] * d[j] * (c_v * s.D[i, j] + c_q * s.K[i, j])
    return lu_factor(A, s.pivots) > 1e-16


@inner
def solve(s: Scratch) -> None:
    """Solve (4) for the right-hand side in ``s.rhs``, in place."""
    if s.is_sparse[0] == 1:
        sparse_ldl.solve(s.plan, s.values, s.rhs, s.A[0])
    else:
        weigh(s.weights, s.rhs)
        lu_solve(s.A, s.pivots, s.rhs)
        weigh(s.weights, s.rhs)


@inner
def defect(rates: Any, model: Any, work: Any, s: Scratch, c: Array, c_q: float) -> None:
    """Right-hand side of (4) after a residual."""
    n, m = s.r.shape[0], s.phi.shape[0]
    for i in range(n):
        s.rhs[i] = -s.r[i]
    if c[LEVEL] == POSITION:
        for i in range(m):
            s.rhs[n + i] = -s.phi[i] / c_q
    else:
        rates(model, s.v1, s.vdot1, work, s.rate, s.acceleration)
        for i in range(m):
            s.rhs[n + i] = -s.acceleration[i]


@inner
def worst_equation(s: Scratch, y: State, c_q: float) -> None:
    """Remember the equation with the largest residual."""
    worst, value = 0, -1.0
    n = s.r.shape[0]
    for i in range(n + s.phi.shape[0]):
        size = abs(s.r[i]) if i < n else abs(s.phi[i - n]) / c_q
        if not size <= value:
            worst, value = i, size
    y.counts[WORST] = worst
    y.clock[RESIDUAL] = value


@shared
def is_finite(s: Scratch) -> bool:
    """Whether the residual consists of numbers; a maximum would not notice."""
    total = 0.0
    for i in range(s.r.shape[0]):
        total += s.r[i]
    for i in range(s.phi.shape[0]):
        total += s.phi[i]
    return abs(total) < 1e300


@inner
def predict(y: State, s: Scratch, h: float) -> None:
    """Extrapolate v̇ and λ from the last three steps, or as many as there are."""
    w0, w1, w2 = 1.0, 0.0, 0.0
    if y.counts[HAS_OLD] == 1:
        w1 = -h / y.clock[H_OLD]
        w0 = 1.0 - w1
    elif y.counts[HAS_OLD] == 2:
        h1, h2 = y.clock[H_OLD], y.clock[H_OLDER]
        w1 = -h * (h + h1 + h2) / (h1 * h2)
        w2 = h * (h + h1) / (h2 * (h1 + h2))
        w0 = 1.0 - w1 - w2
    for i in range(y.v.shape[0]):
        s.vdot1[i] = w0 * y.vdot[i] + w1 * y.vdot_old[i] + w2 * y.vdot_older[i]
    for i in range(y.lam.shape[0]):
        s.lam1[i] = w0 * y.lam[i] + w1 * y.lam_old[i] + w2 * y.lam_older[i]


@inner
def round_off(y: State) -> float:
    """Smallest correction of a position that means anything."""
    largest = 1.0
    for i in range(y.q.shape[0]):
        largest = max(largest, abs(y.q[i]))
    return 2e-15 * largest


@inner
def step(
    residual: Any, matrices: Any, compose: Any, rates: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, t1: float, h: float, is_fresh: bool,
) -> int:  # fmt: skip
    """Solve (1)-(3) for v̇₁ and λ₁ by Newton's method; ``s`` receives the new state.

    The corrector stops when it leaves SHARE of the local error, or NEWTON, whichever is less,
    and never asks for more than round-off allows. ``is_fresh`` asks for a new matrix at the first
    iteration.
    """
    n, m = y.v.shape[0], y.lam.shape[0]
    ratio = (1.0 - c[ALPHA_F]) / (1.0 - c[ALPHA_M])
    c_q, c_v = h * h * c[BETA] * ratio, h * c[GAMMA] * ratio
    predict(y, s, h)
    refresh = is_fresh
    is_first = True
    before = 0.0
    floor = round_off(y)
    for k in range(MAX_ITERATIONS):
        newton = max(min(SHARE * trial(compose, model, y, s, c, h), c[NEWTON]), floor)
        if refresh and y.counts[TANGENT] == 1:
            tangents(residual, compose, model, work, t1, s)
        residual(model, t1, s.q1, s.v1, s.vdot1, s.lam1, work, s.r, s.phi)
        if not is_finite(s):
            worst_equation(s, y, c_q)
            return NOT_A_NUMBER
        if refresh:
            if not factor(matrices, model, work, y, s, c_q, c_v):
                worst_equation(s, y, c_q)
                return SINGULAR
            refresh = False
        defect(rates, model, work, s, c, c_q)
        solve(s)
        size, change, largest = 0.0, 0.0, 0.0
        for i in range(n):
            s.vdot1[i] += s.rhs[i]
            size = max(size, abs(s.rhs[i]))
        for i in range(m):
            s.lam1[i] += s.rhs[n + i]
            change = max(change, abs(s.rhs[n + i]))
            largest = max(largest, abs(s.lam1[i]))
        size *= c_q
        y.counts[ITERATIONS] += 1
        if not size < 1e100:
            worst_equation(s, y, c_q)
            return NOT_A_NUMBER
        if is_first:
            rate = y.clock[RATE]
        else:
            rate = size / before if before > 0.0 else 0.0
            # corrections at the floor are round-off: the rate is no worse than what led to it
            y.clock[RATE] = max(rate if size > floor else floor / before, BEST_RATE)
        left = size * rate / (1.0 - rate) if rate < 0.9 else size
        # the rate is that of v̇; λ is trusted to follow once it has been corrected twice
        is_settled = k > 0 or change <= LAM_CHANGE * largest
        # near a singular position round-off is amplified: what no longer shrinks may still be small enough
        is_stuck = rate > 0.3 and (size <= 100.0 * floor or (k > 2 and size <= c[NEWTON]))
        if ((left <= newton or size <= newton) and is_settled) or size <= floor or is_stuck:
            trial(compose, model, y, s, c, h)
            # a slow finish asks for a new matrix at the next step; one with tangents costs many residuals
            patience = y.counts[TANGENT]
            y.counts[REFRESH] = 1 if k > patience and rate > SLOW and size > floor else 0
            # the matrix ages
            y.clock[RATE] = min(AGEING * y.clock[RATE], 1.0)
            return DONE
        is_lost = not is_first and rate > 1.0 and y.counts[TANGENT] == 0
        # at this rate the iterations left would not do
        is_slow = rate > 0.5 or left * rate ** max(MAX_ITERATIONS - 2 - k, 0) > newton
        if not is_first and is_slow:
            refresh = True
            if k > 1 or is_lost:
                y.counts[TANGENT] = 1
        if is_lost:
            # iterations without tangents led away: once more from the prediction, with them
            predict(y, s, h)
            y.clock[RATE] = 1.0
        is_first = is_lost
        before = size
    worst_equation(s, y, c_q)
    return NO_CONVERGENCE
