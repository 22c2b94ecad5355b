"""Generalised-α for index-3 DAEs on a manifold, in the form of Arnold and Brüls (2007, 2012).

From (q, v, a, v̇) at t to t₁ = t + h, with v̇₁ and λ₁ unknown:

    (1 - αm) a₁ + αm a = (1 - αf) v̇₁ + αf v̇                                                  (1)
    q₁ = q ⊕ (h v + h² ((½ - β) a + β a₁)),     v₁ = v + h ((1 - γ) a + γ a₁)                  (2)
    M(q₁) v̇₁ + G(q₁)ᵀ λ₁ = F(q₁, v₁, t₁),       Φ(q₁, t₁) = 0                                 (3)

The algorithmic acceleration a is not v̇: a ≈ v̇(t + (αm - αf) h). Keeping the two apart is what keeps
second order when M depends on q.

The first of (2) has the local error h³ (C v̈ - [v, v̇]/12), C = β + (αm - αf)/2 - 1/6; the bracket is that
of the group, zero but for rotations. Across the constraints v answers it with h² d, d its part across
them with the sign changed. A start without it, or a projection that takes it
away, would cost λ an order (Arnold, Brüls and Cardona 2015): the start adds it to v, and where velocities
are projected it is kept apart, as ``offset``, and added in (2).

Newton's matrix, with c_q = h²β(1 - αf)/(1 - αm) and c_v = hγ(1 - αf)/(1 - αm), is

    [ M + c_v D + c_q K   Gᵀ ] [ δv̇₁ ]     [ r      ]
    [ G                   0  ] [ δλ₁ ]  = - [ Φ/c_q  ]                                         (4)

well scaled for every h. At acceleration level (DynaFlex §5.3) the constraint in (3) is Φ̈ = 0 instead,
its residual in (4) is Φ̈, and positions and velocities are put back on Φ = 0 and Φ̇ = 0 after every step.
M and G are refreshed when convergence slows. Of the tangents K = ∂r/∂q and D = ∂r/∂v the constant part
of flexible bodies is always there; the whole, by differences, is taken only when convergence asks for it
(stiff springs).
"""

from typing import Any, NamedTuple

import numpy as np

from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import inner, shared, typeof
from flexnet.kernels.handle import make_restore, store
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve
from flexnet.typing import Array, IntArray

DONE, NO_CONVERGENCE, NOT_A_NUMBER, SINGULAR, STEP_TOO_SMALL = range(5)

# places in State.clock; works and powers are those of drivers, forces, damping and constraints
T, H, H_OLD, RESIDUAL, WORK, POWER, RATE, H_OLDER = 0, 1, 2, 3, 4, 8, 12, 13
# places in State.counts
STEPS, ITERATIONS, FACTORISATIONS, REJECTED, WORST, TANGENT, HAS_OLD, REFRESH = range(8)
# places in the constants
ALPHA_M, ALPHA_F, BETA, GAMMA, NEWTON, TOLERANCE, SPAN, H_MIN, H_MAX, PROJECT, T_START, LEVEL, LOADS = range(
    13
)

MAX_ITERATIONS = 12
#: part of the local error the corrector may leave
SHARE = 3e-4
#: convergence that asks for a new matrix, convergence never assumed to be better, its change per step
SLOW, BEST_RATE, AGEING = 0.02, 1e-3, 1.1
#: length of a move that tells the bracket of two velocities
NEAR = 1e-3
#: level of the constraints in the equations of a step
POSITION, ACCELERATION = 0.0, 2.0


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run exactly."""

    q: Array
    v: Array
    a: Array
    vdot: Array
    lam: Array
    vdot_old: Array
    lam_old: Array
    vdot_older: Array
    lam_older: Array
    offset: Array
    clock: Array
    counts: IntArray


class Scratch(NamedTuple):
    """Arrays of one step, overwritten."""

    q1: Array
    v1: Array
    a1: Array
    vdot1: Array
    lam1: Array
    dq: Array
    r: Array
    phi: Array
    rhs: Array
    M: Array
    G: Array
    K: Array
    D: Array
    A: Array
    pivots: IntArray
    qp: Array
    vp: Array
    rp: Array
    rate: Array
    acceleration: Array
    power: Array
    bracket: Array
    plan: sparse_ldl.Plan
    values: Array  # factors of a sparse matrix
    is_sparse: IntArray  # (1,) whether the present factors are in values, else in A


class Output(NamedTuple):
    """Rows written by the loop."""

    t: Array
    q: Array
    v: Array
    a: Array
    lam: Array
    work: Array  # (rows, 5) work of drivers, forces, damping, constraints, and of the scheme itself, J
    solver: Array  # (rows, 2) step size and iterations of the step


def make_state(q: Array, v: Array, m: int) -> State:
    """Allocate a state for a configuration, a velocity and m constraints."""
    n = len(v)
    z = np.zeros
    return State(
        q.copy(), v.copy(), z(n), z(n), z(m), z(n), z(m), z(n), z(m), z(n), z(14), z(8, dtype=np.int64)
    )  # fmt: skip


def make_scratch(n_q: int, n: int, m: int, plan: sparse_ldl.Plan) -> Scratch:
    """Allocate the arrays of one step."""
    z = np.zeros
    return Scratch(
        z(n_q), z(n), z(n), z(n), z(m), z(n), z(n), z(m), z(n + m), z((n, n)), z((m, n)), z((n, n)),
        z((n, n)), z((n + m, n + m)), z(n + m, dtype=np.int64), z(n_q), z(n), z(n), z(m), z(m), z(4), z(m),
        plan, z(n + m + len(plan.rows)), z(1, dtype=np.int64),
    )  # fmt: skip


_NONE = np.zeros(0)
_KIND = typeof((make_state(_NONE, _NONE, 0), make_scratch(0, 0, 0, sparse_ldl.no_plan())))
_restore = make_restore(_KIND)


def handle(y: State, s: Scratch) -> IntArray:
    """Pack a state and the arrays of a step, both of which must outlive the handle."""
    assert typeof((y, s)) == _KIND, "an array of the step has an unexpected type"
    return store((y, s))


def make_output(rows: int, n_q: int, n: int, m: int) -> Output:
    """Allocate a block of output rows."""
    z = np.zeros
    return Output(
        z(rows), z((rows, n_q)), z((rows, n)), z((rows, n)), z((rows, m)), z((rows, 5)), z((rows, 2))
    )


@inner
def _error_constant(c: Array) -> float:
    """C = β + (αm - αf)/2 - 1/6 of the local error h³ C v̈ of the position."""
    return float(c[BETA] + 0.5 * (c[ALPHA_M] - c[ALPHA_F]) - 1.0 / 6.0)


@inner
def _local_error(c: Array, h: float) -> float:
    """Local error of the position over the change of a."""
    return abs(_error_constant(c)) * h * h


@inner
def _trial(compose: Any, model: Any, y: State, s: Scratch, c: Array, h: float) -> float:
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
    return _local_error(c, h) * change


@shared
def _tangents(residual: Any, compose: Any, model: Any, work: Any, t: float, s: Scratch) -> None:
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
def _factor(matrices: Any, model: Any, work: Any, y: State, s: Scratch, c_q: float, c_v: float) -> bool:
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
    A = s.A
    for i in range(n):
        for j in range(n):
            A[i, j] = s.M[i, j]
        for j in range(m):
            A[i, n + j] = s.G[j, i]
            A[n + j, i] = s.G[j, i]
    for i in range(m):
        for j in range(m):
            A[n + i, n + j] = 0.0
    if has_tangent:
        for i in range(n):
            for j in range(n):
                A[i, j] += c_v * s.D[i, j] + c_q * s.K[i, j]
    return lu_factor(A, s.pivots) > 1e-16


@inner
def _solve(s: Scratch) -> None:
    """Solve (4) for the right-hand side in ``s.rhs``, in place."""
    if s.is_sparse[0] == 1:
        sparse_ldl.solve(s.plan, s.values, s.rhs, s.A[0])
    else:
        lu_solve(s.A, s.pivots, s.rhs)


@inner
def _worst(s: Scratch, y: State, c_q: float) -> None:
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
def _is_finite(s: Scratch) -> bool:
    """Whether the residual consists of numbers; a maximum would not notice."""
    total = 0.0
    for i in range(s.r.shape[0]):
        total += s.r[i]
    for i in range(s.phi.shape[0]):
        total += s.phi[i]
    return abs(total) < 1e300


@inner
def _predict(y: State, s: Scratch, h: float) -> None:
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
    _predict(y, s, h)
    refresh = is_fresh
    is_first = True
    before = 0.0
    floor = 1.0
    for i in range(y.q.shape[0]):
        floor = max(floor, abs(y.q[i]))
    floor *= 2e-15
    for k in range(MAX_ITERATIONS):
        newton = max(min(SHARE * _trial(compose, model, y, s, c, h), c[NEWTON]), floor)
        if refresh and y.counts[TANGENT] == 1:
            _tangents(residual, compose, model, work, t1, s)
        residual(model, t1, s.q1, s.v1, s.vdot1, s.lam1, work, s.r, s.phi)
        if not _is_finite(s):
            _worst(s, y, c_q)
            return NOT_A_NUMBER
        if refresh:
            if not _factor(matrices, model, work, y, s, c_q, c_v):
                _worst(s, y, c_q)
                return SINGULAR
            refresh = False
        for i in range(n):
            s.rhs[i] = -s.r[i]
        if c[LEVEL] == POSITION:
            for i in range(m):
                s.rhs[n + i] = -s.phi[i] / c_q
        else:
            rates(model, s.v1, s.vdot1, work, s.rate, s.acceleration)
            for i in range(m):
                s.rhs[n + i] = -s.acceleration[i]
        _solve(s)
        size = 0.0
        for i in range(n):
            s.vdot1[i] += s.rhs[i]
            size = max(size, abs(s.rhs[i]))
        for i in range(m):
            s.lam1[i] += s.rhs[n + i]
        size *= c_q
        y.counts[ITERATIONS] += 1
        if not size < 1e100:
            _worst(s, y, c_q)
            return NOT_A_NUMBER
        if is_first:
            rate = y.clock[RATE]
        else:
            rate = size / before if before > 0.0 else 0.0
            # corrections at the floor are round-off: the rate is no worse than what led to it
            y.clock[RATE] = max(rate if size > floor else floor / before, BEST_RATE)
        left = size * rate / (1.0 - rate) if rate < 0.9 else size
        # near a singular position round-off is amplified: what no longer shrinks may still be small enough
        is_stuck = rate > 0.3 and (size <= 100.0 * floor or (k > 2 and size <= c[NEWTON]))
        if left <= newton or size <= newton or is_stuck:
            _trial(compose, model, y, s, c, h)
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
            _predict(y, s, h)
            y.clock[RATE] = 1.0
        is_first = is_lost
        before = size
    _worst(s, y, c_q)
    return NO_CONVERGENCE


@inner
def _accept(y: State, s: Scratch, t1: float, h: float) -> None:
    """Make the trial state the present one."""
    copy(y.vdot_old, y.vdot_older)
    copy(y.lam_old, y.lam_older)
    copy(y.vdot, y.vdot_old)
    copy(y.lam, y.lam_old)
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    copy(s.a1, y.a)
    copy(s.vdot1, y.vdot)
    copy(s.lam1, y.lam)
    y.clock[T] = t1
    y.clock[H_OLDER] = y.clock[H_OLD]
    y.clock[H_OLD] = h
    y.counts[HAS_OLD] = min(y.counts[HAS_OLD] + 1, 2)
    y.counts[STEPS] += 1


@shared
def _correct(
    residual: Any, matrices: Any, compose: Any, rates: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array,
) -> None:  # fmt: skip
    """Put the accepted state back on its constraints, as far as the method asks for it."""
    if c[LEVEL] == ACCELERATION:
        _project_position(residual, matrices, compose, model, work, y, s)
    if c[PROJECT] == 1.0:
        # the projection leaves its own matrix, whose rate of convergence is not known
        y.clock[RATE] = 1.0
        _project_velocity(residual, matrices, compose, rates, model, work, y, s, c)


@shared
def _project_position(
    residual: Any, matrices: Any, compose: Any, model: Any, work: Any, y: State, s: Scratch
) -> None:
    """Move q on Φ = 0 by Newton's method, with the mass as metric."""
    n, m = y.v.shape[0], y.lam.shape[0]
    for _ in range(4):
        residual(model, y.clock[T], y.q, y.v, y.vdot, y.lam, work, s.r, s.phi)
        worst = 0.0
        for i in range(m):
            worst = max(worst, abs(s.phi[i]))
        if worst < 1e-14 or not _factor(matrices, model, work, y, s, 0.0, 0.0):
            return
        s.rhs[0:n] = 0.0
        for i in range(m):
            s.rhs[n + i] = -s.phi[i]
        _solve(s)
        for i in range(n):
            s.dq[i] = s.rhs[i]
        compose(model, y.q, s.dq, s.qp)
        copy(s.qp, y.q)


@shared
def _bracket(residual: Any, compose: Any, model: Any, work: Any, y: State, s: Scratch) -> None:
    """G [v, v̇] as Φ tells it: moves along v and v̇ that are taken in the other order end elsewhere."""
    n, m = y.v.shape[0], y.lam.shape[0]
    fast, faster = 1e-300, 1e-300
    for i in range(n):
        fast, faster = max(fast, abs(y.v[i])), max(faster, abs(y.vdot[i]))
    x, z = NEAR / fast, NEAR / faster
    for k in range(2):
        for i in range(n):
            s.vp[i] = x * y.v[i] if k == 0 else z * y.vdot[i]
            s.dq[i] = z * y.vdot[i] if k == 0 else x * y.v[i]
        compose(model, y.q, s.vp, s.qp)
        compose(model, s.qp, s.dq, s.q1)
        residual(model, y.clock[T], s.q1, y.v, y.vdot, y.lam, work, s.r, s.phi)
        for i in range(m):
            s.bracket[i] = s.phi[i] if k == 0 else (s.bracket[i] - s.phi[i]) / (x * z)


@shared
def _project_velocity(
    residual: Any, matrices: Any, compose: Any, rates: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array,
) -> None:  # fmt: skip
    """Remove the velocity that violates G v + Φ_t = 0, with the mass as metric; find the offset.

    M and G must be those of the new state: an old direction would leave a first-order error in the
    motion along the constraints.
    """
    n, m = y.v.shape[0], y.lam.shape[0]
    if c[LEVEL] == POSITION and y.q.shape[0] > n:
        _bracket(residual, compose, model, work, y, s)
    residual(model, y.clock[T], y.q, y.v, y.vdot, y.lam, work, s.r, s.phi)
    rates(model, y.v, y.vdot, work, s.rate, s.acceleration)
    if not _factor(matrices, model, work, y, s, 0.0, 0.0):
        y.counts[REFRESH] = 1
        return
    s.rhs[0:n] = 0.0
    for i in range(m):
        s.rhs[n + i] = -s.rate[i]
    _solve(s)
    for i in range(n):
        y.v[i] += s.rhs[i]
        s.rhs[i] = 0.0
    y.counts[REFRESH] = y.counts[TANGENT]
    if c[LEVEL] == ACCELERATION:
        return
    for i in range(m):
        across = 0.0
        for k in range(n):
            across += s.G[i, k] * (y.vdot[k] - y.vdot_old[k])
        s.rhs[n + i] = s.bracket[i] / 12.0 - _error_constant(c) * across / y.clock[H_OLD]
    _solve(s)
    for i in range(n):
        y.offset[i] = s.rhs[i]


@inner
def _account(
    residual: Any, rates: Any, power: Any, model: Any, work: Any, y: State, s: Scratch, c: Array, h: float
) -> None:
    """Add the work of drivers, forces, damping and constraints over the step by the trapezoidal rule.

    A constraint whose rate Φ̇ is not zero does the power -λΦ̇.
    """
    if c[LOADS] == 1.0:
        residual(model, y.clock[T], y.q, y.v, y.vdot, y.lam, work, s.r, s.phi)
    power(model, y.q, y.v, y.lam, work, s.power)
    rates(model, y.v, y.vdot, work, s.rate, s.acceleration)
    s.power[3] = 0.0
    for i in range(y.lam.shape[0]):
        s.power[3] -= y.lam[i] * s.rate[i]
    for k in range(4):
        y.clock[WORK + k] += 0.5 * h * (y.clock[POWER + k] + s.power[k])
        y.clock[POWER + k] = s.power[k]


@inner
def _write(y: State, out: Output, row: int, iterations: int) -> None:
    out.t[row] = y.clock[T]
    copy(y.q, out.q[row])
    copy(y.v, out.v[row])
    copy(y.vdot, out.a[row])
    copy(y.lam, out.lam[row])
    for k in range(4):
        out.work[row, k] = y.clock[WORK + k]
    out.solver[row, 0] = y.clock[H_OLD]
    out.solver[row, 1] = iterations


def run_fixed(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, model: Any, work: Any,
    data: IntArray, c: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out``, ``every`` fixed steps apart; step number ``first`` comes next.

    Times are t_start + k h, not sums, so that a run can be cut anywhere.
    """
    y, s = _restore(data)
    h = c[H_MAX]
    k = first
    is_fresh = True
    for row in range(len(out.t)):
        before = y.counts[ITERATIONS]
        for _ in range(every):
            k += 1
            t1 = c[T_START] + k * h
            status = NO_CONVERGENCE
            for attempt in range(2):
                if attempt == 1:
                    y.counts[HAS_OLD] = min(y.counts[HAS_OLD], 1)  # predict more cautiously
                    y.clock[RATE] = 1.0
                fresh = is_fresh or attempt == 1
                status = step(residual, matrices, compose, rates, model, work, y, s, c, t1, h, fresh)
                if status == DONE or (fresh and y.counts[HAS_OLD] < 2):
                    break
            if status != DONE:
                return int(status + 16 * row)
            _accept(y, s, t1, h)
            _correct(residual, matrices, compose, rates, model, work, y, s, c)
            is_fresh = y.counts[REFRESH] == 1
            _account(residual, rates, power, model, work, y, s, c, h)
        _write(y, out, row, y.counts[ITERATIONS] - before)
    return DONE + 16 * len(out.t)


@inner
def _error(y: State, s: Scratch, c: Array, h: float) -> float:
    """Largest local error of a position per unit of tolerance.

    e = |C| h² (a₁ - a); it is held to the share h/span of the tolerance, so that the error at the end
    follows the tolerance.
    """
    largest = 0.0
    for i in range(y.v.shape[0]):
        largest = max(largest, abs(s.a1[i] - y.a[i]))
    return float(_local_error(c, h) * largest / (c[TOLERANCE] * h / c[SPAN]))


@shared
def _write_between(
    compose: Any, model: Any, y: State, s: Scratch, out: Output, row: int, t: float, h: float
) -> None:
    """Row at a time inside the step by Hermite interpolation, before the step is accepted."""
    x = (t - y.clock[T]) / h
    n = y.v.shape[0]
    for i in range(n):
        d, v0, v1 = s.dq[i], h * y.v[i], h * s.v1[i]
        s.vp[i] = x * (v0 + x * (3.0 * d - 2.0 * v0 - v1 + x * (v0 + v1 - 2.0 * d)))
        out.v[row, i] = (v0 + x * (2.0 * (3.0 * d - 2.0 * v0 - v1) + x * 3.0 * (v0 + v1 - 2.0 * d))) / h
        out.a[row, i] = y.vdot[i] + x * (s.vdot1[i] - y.vdot[i])
    compose(model, y.q, s.vp, out.q[row])
    for i in range(y.lam.shape[0]):
        out.lam[row, i] = y.lam[i] + x * (s.lam1[i] - y.lam[i])
    out.t[row] = t
    for k in range(4):
        out.work[row, k] = y.clock[WORK + k] + x * h * y.clock[POWER + k]
    out.solver[row, 0] = h


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, model: Any, work: Any,
    data: IntArray, c: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, choosing the step by its error.

    When the step changes, a is moved along v̈ to where the new step expects it (Arnold and Brüls).
    """
    y, s = _restore(data)
    row, rows = 0, len(out.t)
    is_fresh = True
    iterations = 0
    end = out.t[rows - 1]
    shift = c[ALPHA_M] - c[ALPHA_F]
    while row < rows:
        planned = y.clock[H]
        left = end - y.clock[T]
        # the block ends on its last row, reached by halves: a very short step would amplify round-off
        h = left if left <= 1.01 * planned else (0.5 * left if left < 2.0 * planned else planned)
        t1 = end if h == left else y.clock[T] + h
        _rescale(y, planned, h, shift)
        before = y.counts[ITERATIONS]
        status = NO_CONVERGENCE
        for attempt in range(2):
            if attempt == 1:
                y.counts[HAS_OLD] = min(y.counts[HAS_OLD], 1)  # predict more cautiously
                y.clock[RATE] = 1.0
            fresh = is_fresh or attempt == 1
            status = step(residual, matrices, compose, rates, model, work, y, s, c, t1, h, fresh)
            if status == DONE or (fresh and y.counts[HAS_OLD] < 2):
                break
        iterations += y.counts[ITERATIONS] - before
        error = _error(y, s, c, h) if status == DONE else 100.0
        if error > 1.0:
            y.counts[REJECTED] += 1
            new = h * max(0.2, 0.9 / error**0.5)
            if new < c[H_MIN]:
                return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
            _rescale(y, h, new, shift)
            y.clock[H] = new
            is_fresh = True
            continue
        first_row, t0 = row, y.clock[T]
        p0, p1, p2, p3 = y.clock[POWER], y.clock[POWER + 1], y.clock[POWER + 2], y.clock[POWER + 3]
        while row < rows and out.t[row] < t1 - 1e-9 * h:
            _write_between(compose, model, y, s, out, row, out.t[row], h)
            out.solver[row, 1] = iterations
            iterations = 0
            row += 1
        _accept(y, s, t1, h)
        _correct(residual, matrices, compose, rates, model, work, y, s, c)
        is_fresh = y.counts[REFRESH] == 1 or y.counts[TANGENT] == 1
        _account(residual, rates, power, model, work, y, s, c, h)
        for k in range(first_row, row):
            # inside the step powers grow linearly, as the trapezoidal rule has it
            grown = 0.5 * (out.t[k] - t0) ** 2 / h
            out.work[k, 0] += grown * (y.clock[POWER] - p0)
            out.work[k, 1] += grown * (y.clock[POWER + 1] - p1)
            out.work[k, 2] += grown * (y.clock[POWER + 2] - p2)
            out.work[k, 3] += grown * (y.clock[POWER + 3] - p3)
        if row < rows and abs(out.t[row] - t1) <= 1e-9 * h:
            _write(y, out, row, iterations)
            iterations = 0
            row += 1
        new = min(h * min(2.0, max(0.5, 0.9 / max(error, 1e-8) ** 0.5)), c[H_MAX])
        if h < planned:
            new = max(new, min(planned, c[H_MAX]))
        if h <= new < 1.2 * h:
            new = h
        _rescale(y, h, new, shift)
        y.clock[H] = new
    return DONE + 16 * rows


@inner
def _rescale(y: State, h: float, new: float, shift: float) -> None:
    """Move a ≈ v̇(t + shift h) to v̇(t + shift new)."""
    if y.counts[HAS_OLD] > 0:
        for i in range(y.a.shape[0]):
            y.a[i] += shift * (new - h) * (y.vdot[i] - y.vdot_old[i]) / y.clock[H_OLD]
