"""Energy-preserving and energy-decaying schemes on a manifold, in one compiled loop.

A stage looks for the acceleration A, the multipliers λ and a small velocity w = M⁻¹Gᵀμ in

    V = v + c' A' + c A,   U = V + w,   Q = q ⊕ (c' U' + c U)                     the stage          (1)
    v₁ = v + b' A' + b A,               q₁ = q ⊕ (b' U' + b U)                    the end            (2)
    r(tₛ, Q, U, A, λ) + ε M U = 0                                                 motion             (3)
    E(t₁, q₁, v₁) = E(t₀, q, v) + W - D                                           energy, gives ε    (4)
    Φ(q₁, t₁) = 0,  Φ̇(q₁, v₁, t₁) = 0                                             constraints, give w, λ (5)

with r = M A + Gᵀλ - F and W the work of drivers and forces, powers at the stages times their weights b.
Primes are the stage before. One stage with c = h/2, b = h preserves energy (D = 0); the decaying scheme has
two, and D ≥ 0 is a square (docs/theory/energy.md). In (4) the energy at the start is that of the beginning of
the run plus all work since, so that round-off does not add up.

Newton's matrix is that of the α-methods, [M + c D + c² K, Gᵀ; G, 0], and serves (3) with Φ̇ and, once more,
w with Φ.

Two tolerances. (3) is a truncation of the motion, so it is solved as the α-methods solve theirs, to a share
of the local error. (4) and (5) are laws, so they are closed to round-off; that needs the energy and the
constraints of the end alone, no residual.
"""

from typing import Any, NamedTuple

import numpy as np

from flexnet.integrators.alpha_loop import (
    DONE,
    NO_CONVERGENCE,
    NOT_A_NUMBER,
    SINGULAR,
    STEP_TOO_SMALL,
    Output,
)
from flexnet.integrators.momentum_loop import Kept, couple, find_shift, lock, make_kept, momentum_of
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve, lu_solve_two
from flexnet.typing import Array, IntArray

# places in State.clock; works are those of drivers, forces, damping, constraints and the scheme itself,
# stages the times of the last three, PEAK the largest kinetic energy so far, rates those of convergence,
# EPSILON the ε of the last step, SLOPE the change of the energy by ε over the expected one,
# GRIP the least change of the energy by ε that a stage must expect
T, H, H_OLD, RESIDUAL, WORK, TARGET, STAGE, STAGE_OLD, STAGE_OLDER, PEAK, RATE, CLOSING_RATE, EPSILON, SLOPE, GRIP = (
    0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
)  # fmt: skip
# places in State.counts
STEPS, ITERATIONS, FACTORISATIONS, REJECTED, WORST, TANGENT, STAGES, REFRESH = range(8)
# places in the constants
GAMMA, ERROR_CONSTANT, ENERGY_CONTROL, TOLERANCE, SPAN, H_MIN, H_MAX, T_START, IS_STIFF, NEWTON, LOADS = (
    range(11)
)
# places in Scratch.sums
NOISE, DISSIPATED, SQUARE, KNOWN, TRAVEL, DRIVEN, EPS = range(7)

MAX_ITERATIONS, MAX_CLOSING = 20, 12
#: of a step that cannot keep both energy and momenta
GIVE_UP = -1
#: part of the local error the corrector may leave
SHARE = 1e-4
#: convergence that asks for a new matrix, its change per step
SLOW, AGEING = 0.02, 1.1
#: convergence never assumed to be better, of the motion (gyroscopic terms come late) and of the closing
BEST_RATE, BEST_CLOSING = 0.1, 1e-2
#: part of the largest kinetic energy that what the corrector leaves may be worth
AMISS = 1e-8
#: largest relative change of the velocity by ε in one stage; the rest waits for the next
LIMIT = 0.5
#: relative change of the velocity by ε in one step above which it is not foreseen
FORESEEN = 0.05
#: part of the kinetic energy that must not be in the momenta that are kept, for ε to act on
FREE = 1e-8
#: part of the fixed step down to which a step is divided for the sake of the energy
PATIENCE = 0.1
#: change of a coordinate (m, rad) after which M and G are found again: they direct w and the correction
FAR = 0.03


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run."""

    q: Array
    v: Array
    vdot: Array  # v̇ and λ of the present state, for output
    lam: Array
    a: Array  # A and λ of the last three stages
    a_old: Array
    a_older: Array
    lam_stage: Array
    lam_old: Array
    lam_older: Array
    w: Array  # w of the last step, one after another for each of its stages
    momentum: Array  # (k,) momenta to keep
    clock: Array
    counts: IntArray


class Scratch(NamedTuple):
    """Arrays of one step, overwritten."""

    q1: Array
    v1: Array
    qs: Array  # stage configuration Q
    u: Array  # stage velocity U
    a: Array  # stage acceleration A
    w: Array
    u_before: Array  # U' and A' of the stage before
    a_before: Array
    w_before: Array
    lam_before: Array
    lam: Array
    dq: Array
    r: Array
    d: Array  # direction M U of the correction
    phi: Array
    phi0: Array
    rate: Array
    acceleration: Array
    rhs: Array
    second: Array  # another right-hand side
    M: Array
    G: Array
    A: Array
    pivots: IntArray
    qp: Array
    up: Array
    ap: Array
    rp: Array
    power: Array
    power_before: Array
    energy: Array
    sums: Array
    J: Array  # tangent M + c D + c² K
    B: Array  # matrix of the present state, for output
    pivots_B: IntArray
    z: Array  # answer of Newton's matrix to M U
    x: Array  # change of A, λ and w in one iteration
    S: Array  # (20, ·) changes before it
    phi_p: Array  # constraints nearby, not needed
    rate_p: Array
    plan: sparse_ldl.Plan
    values: Array  # factors of a sparse matrix
    kept: Kept
    begun: Array  # A, w and λ before the step is closed
    is_sparse: IntArray  # (1,) whether the present factors are in values, else in A


def make_state(q: Array, v: Array, m: int, k: int) -> State:
    """Allocate a state for a configuration, a velocity, m constraints and k momenta that are kept."""
    n = len(v)
    z = np.zeros
    return State(
        q.copy(), v.copy(), z(n), z(m), z(n), z(n), z(n), z(m), z(m), z(m), z(2 * n), z(k), z(19),
        z(8, dtype=np.int64),
    )  # fmt: skip


def make_scratch(n_q: int, n: int, m: int, plan: sparse_ldl.Plan, twists: Array) -> Scratch:
    """Allocate the arrays of one step."""
    z = np.zeros
    return Scratch(
        z(n_q), z(n), z(n_q), z(n), z(n), z(n), z(n), z(n), z(n), z(m), z(m), z(n), z(n), z(n), z(m), z(m),
        z(m), z(m), z(n + m), z(n + m), z((n, n)), z((m, n)), z((n + m, n + m)), z(n + m, dtype=np.int64), z(n_q), z(n),
        z(n), z(n), z(4), z(4), z(3), z(7), z((n, n)), z((n + m, n + m)), z(n + m, dtype=np.int64), z(n + m),
        z(2 * n + m), z((20, 2 * n + m)), z(m), z(m), plan, z(n + m + len(plan.rows)),
        make_kept(twists, n), z(2 * n + m), z(1, dtype=np.int64),
    )  # fmt: skip


@inner
def _trial(compose: Any, model: Any, y: State, s: Scratch, k: Array) -> None:
    """Equations (1) and (2) for the present A and w; k holds b', b, c', c."""
    _end(compose, model, y, s, k)
    for i in range(y.v.shape[0]):
        s.dq[i] = k[2] * s.u_before[i] + k[3] * s.u[i]
    compose(model, y.q, s.dq, s.qs)


@shared
def _end(compose: Any, model: Any, y: State, s: Scratch, k: Array) -> None:
    """Velocity U, and equations (2); ``s.dq`` is the increment of the whole step."""
    b_before, b, c_before, c = k[0], k[1], k[2], k[3]
    for i in range(y.v.shape[0]):
        s.u[i] = y.v[i] + c_before * s.a_before[i] + c * s.a[i] + s.w[i]
        s.v1[i] = y.v[i] + b_before * s.a_before[i] + b * s.a[i]
        s.dq[i] = b_before * s.u_before[i] + b * s.u[i]
    compose(model, y.q, s.dq, s.q1)


@shared
def _tangent(
    residual: Any, compose: Any, model: Any, work: Any, y: State, s: Scratch, t: float, k: Array
) -> None:
    """J = ∂r/∂A = M + c D + c² K by differences along A, through velocity and position."""
    n = y.v.shape[0]
    c_before, c = k[2], k[3]
    residual(model, t, s.qs, s.u, s.a, s.lam, work, s.r, s.rhs[n:])
    for j in range(n):
        change = 1e-7 * max(1.0, abs(s.u[j])) / c
        copy(s.a, s.ap)
        copy(s.u, s.up)
        s.ap[j] += change
        s.up[j] += c * change
        for i in range(n):
            s.dq[i] = c_before * s.u_before[i] + c * s.up[i]
        compose(model, y.q, s.dq, s.qp)
        residual(model, t, s.qp, s.up, s.ap, s.lam, work, s.rp, s.rhs[n:])
        for i in range(n):
            s.J[i, j] = (s.rp[i] - s.r[i]) / change


@shared
def _factor(s: Scratch, block: Array, A: Array, pivots: IntArray) -> bool:
    """Factor [block, Gᵀ; G, 0], dense."""
    m, n = s.G.shape
    for i in range(n):
        for j in range(n):
            A[i, j] = block[i, j]
        for j in range(m):
            A[i, n + j] = s.G[j, i]
            A[n + j, i] = s.G[j, i]
    for i in range(m):
        for j in range(m):
            A[n + i, n + j] = 0.0
    return lu_factor(A, pivots) > 1e-16


@shared
def _factor_mass(s: Scratch) -> bool:
    """Factor [M, Gᵀ; G, 0], along its plan where there is one, unless a pivot is too small there."""
    s.is_sparse[0] = 0
    if s.plan.order.shape[0] > 0:
        sparse_ldl.gather(s.plan, s.M, s.G, s.values)
        if sparse_ldl.factor(s.plan, s.values) > 1e-13:
            s.is_sparse[0] = 1
            return True
    return bool(_factor(s, s.M, s.A, s.pivots))


@shared
def _solve(s: Scratch) -> None:
    """Solve with Newton's matrix for the right-hand side in ``s.rhs``, in place."""
    if s.is_sparse[0] == 1:
        sparse_ldl.solve(s.plan, s.values, s.rhs, s.A[0])
    else:
        lu_solve(s.A, s.pivots, s.rhs)


@inner
def _refresh(
    matrices: Any, momenta: Any, follow: Any, model: Any, twin: Any, work: Any, y: State, s: Scratch, c: Array,
    c_stage: float, t: float,
) -> bool:  # fmt: skip
    """Newton's matrix at the stage of the last residual: J by differences, with constant stiffness, or M."""
    y.counts[FACTORISATIONS] += 1
    s.sums[TRAVEL] = 0.0
    matrices(model, work, 0.0, 0.0, s.M, s.G)
    if s.kept.keeps[0] == 1:
        lock(momenta, follow, twin, s.kept, t, s.qs, s.u, s.dq)
    if y.counts[TANGENT] == 0:
        if c[IS_STIFF] == 0.0:
            return bool(_factor_mass(s))
        s.J[:] = 0.0
        matrices(model, work, c_stage * c_stage, c_stage, s.J, s.G)
    s.is_sparse[0] = 0
    return bool(_factor(s, s.J, s.A, s.pivots))


@inner
def _worst(s: Scratch, y: State, b: float) -> None:
    """Remember the equation with the largest residual."""
    worst, value = 0, -1.0
    n = s.r.shape[0]
    for i in range(n + s.phi.shape[0]):
        size = abs(s.r[i]) if i < n else abs(s.phi[i - n]) / (b * b)
        if not size <= value:
            worst, value = i, size
    y.counts[WORST] = worst
    y.clock[RESIDUAL] = value


@inner
def _dissipation(
    compose: Any, energy: Any, model: Any, work: Any, s: Scratch, t1: float, gamma: float, h: float
) -> float:
    """D = ½ (γ - ¼) h² (ΔAᵀM ΔA + ΔUᵀK ΔU) ≥ 0, Δ between the stages; ΔUᵀK ΔU from the potential itself.

    The energy of the end is in ``s.energy`` and stays there.
    """
    n = s.v1.shape[0]
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += s.M[i, j] * (s.a[j] - s.a_before[j])
        total += row * (s.a[i] - s.a_before[i]) * h * h
    curvature = -2.0 * (s.energy[1] + s.energy[2])
    kept = (s.energy[0], s.energy[1], s.energy[2])
    for sign in (1.0, -1.0):
        for i in range(n):
            s.dq[i] = sign * h * (s.u[i] - s.u_before[i])
        compose(model, s.q1, s.dq, s.qp)
        energy(model, t1, s.qp, s.v1, work, s.phi_p, s.rate_p, s.energy)
        curvature += s.energy[1] + s.energy[2]
    s.energy[0], s.energy[1], s.energy[2] = kept
    return float(0.5 * (gamma - 0.25) * max(total + curvature, 0.0))


@inner
def _unlock(s: Scratch) -> None:
    """U without its part ``s.kept.locked`` along ξ, into ``s.up``."""
    copy(s.u, s.up)
    for a in range(s.kept.locked.shape[0]):
        for i in range(s.up.shape[0]):
            s.up[i] -= s.kept.locked[a] * s.kept.X[a, i]


@inner
def _times_mass(s: Scratch, x: Array, out: Array) -> float:
    """M x, and x·Mx."""
    n = x.shape[0]
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += s.M[i, j] * x[j]
        out[i] = row
        total += row * x[i]
    return total


@inner
def _foreseen(s: Scratch) -> None:
    """Add the force ε M U that the step before suggests to the residual."""
    _times_mass(s, s.u, s.d)
    for i in range(s.d.shape[0]):
        s.r[i] += s.sums[EPS] * s.d[i]


@inner
def _excess(momenta: Any, twin: Any, y: State, s: Scratch, t1: float) -> float:
    """Momenta over what they should be, into ``s.kept.excess``; returns the energy it takes to put them right, J."""
    momenta(twin, t1, s.q1, s.v1, s.kept.six)
    energy = 0.0
    for a in range(s.kept.excess.shape[0]):
        s.kept.excess[a] = momentum_of(s.kept, a) - y.momentum[a]
        energy += s.kept.dual[a] * s.kept.excess[a]
    return energy


@inner
def _surplus(s: Scratch, y: State, b: float) -> float:
    """Energy of the end over what (4) asks for, J."""
    power = s.power[0] + s.power[1] + s.power[2]
    total = s.energy[0] + s.energy[1] + s.energy[2]
    return float(total - (y.clock[TARGET] + s.sums[KNOWN] + b * power - s.sums[DISSIPATED]))


@inner
def _predict(y: State, s: Scratch, t: float) -> None:
    """Extrapolate A and λ through the last three stages, through fewer where they are not smooth."""
    n, known = y.v.shape[0], y.counts[STAGES]
    t0, t1, t2 = y.clock[STAGE], y.clock[STAGE_OLD], y.clock[STAGE_OLDER]
    w0, w1, w2 = 1.0, 0.0, 0.0
    if known > 2:
        first, second = 0.0, 0.0
        for i in range(n):
            slope = (y.a[i] - y.a_old[i]) / (t0 - t1)
            first = max(first, abs(slope))
            second = max(second, abs(slope - (y.a_old[i] - y.a_older[i]) / (t1 - t2)))
        known = 3 if second < 0.5 * first else (2 if second < first else 1)
    if known == 2:
        w0 = (t - t1) / (t0 - t1)
        w1 = 1.0 - w0
    elif known > 2:
        w0 = (t - t1) * (t - t2) / ((t0 - t1) * (t0 - t2))
        w1 = (t - t0) * (t - t2) / ((t1 - t0) * (t1 - t2))
        w2 = 1.0 - w0 - w1
    for i in range(n):
        s.a[i] = w0 * y.a[i] + w1 * y.a_old[i] + w2 * y.a_older[i]
    for i in range(y.lam.shape[0]):
        s.lam[i] = w0 * y.lam_stage[i] + w1 * y.lam_old[i] + w2 * y.lam_older[i]


@inner
def _remember(y: State, a: Array, lam: Array, t: float) -> None:
    """Add a stage to the history."""
    copy(y.a_old, y.a_older)
    copy(y.a, y.a_old)
    copy(a, y.a)
    copy(y.lam_old, y.lam_older)
    copy(y.lam_stage, y.lam_old)
    copy(lam, y.lam_stage)
    y.clock[STAGE_OLDER] = y.clock[STAGE_OLD]
    y.clock[STAGE_OLD] = y.clock[STAGE]
    y.clock[STAGE] = t
    y.counts[STAGES] = min(y.counts[STAGES] + 1, 3)


@shared
def _direction(s: Scratch, r: Array, b: float, c_stage: float) -> None:
    """Newton's change of A, λ and w into ``s.x`` for a residual r of the motion: A with Φ̇, w with Φ."""
    n, m = s.d.shape[0], s.phi.shape[0]
    for i in range(n):
        s.rhs[i] = -r[i]
        s.second[i] = 0.0
    for i in range(m):
        s.rhs[n + i] = -s.rate[i] / b
        s.second[n + i] = (c_stage * s.rate[i] - s.phi[i]) / b
    if m == 0 or s.is_sparse[0] == 1:
        _solve(s)
        copy(s.rhs, s.x)
        if m > 0:
            copy(s.second, s.rhs)
            _solve(s)
            copy(s.rhs, s.second)
    else:
        lu_solve_two(s.A, s.pivots, s.rhs, s.second)
        copy(s.rhs, s.x)
    for i in range(n):
        s.x[n + m + i] = s.second[i]


@shared
def _answer(s: Scratch) -> float:
    """Answer z of Newton's matrix to M U, U without its part along ξ where momenta are kept.

    Returns the largest velocity.
    """
    m, n = s.G.shape
    if s.kept.keeps[0] == 1:
        _unlock(s)
    else:
        copy(s.u, s.up)
    s.sums[SQUARE] = _times_mass(s, s.up, s.d)
    largest = 0.0
    for i in range(n):
        s.rhs[i] = s.d[i]
        largest = max(largest, abs(s.u[i]))
    s.rhs[n : n + m] = 0.0
    _solve(s)
    copy(s.rhs, s.z)
    return largest


@inner
def _driven(energy: Any, model: Any, work: Any, s: Scratch, t1: float, largest: float) -> None:
    """Power g·z of drivers in a tree by the answer z: g = ∂T/∂v - M v, T from a difference along z."""
    n = s.d.shape[0]
    kept = (s.energy[0], s.energy[1], s.energy[2])
    size, along, square = 0.0, 0.0, 0.0
    for i in range(n):
        size = max(size, abs(s.z[i]))
    step = 1e-2 * max(largest, 1e-3) / max(size, 1e-300)
    for i in range(n):
        s.up[i] = s.v1[i] + step * s.z[i]
        row = 0.0
        for j in range(n):
            row += s.M[i, j] * s.z[j]
        square += row * s.z[i]
        along += row * s.v1[i]
    energy(model, t1, s.q1, s.up, work, s.phi_p, s.rate_p, s.energy)
    s.sums[DRIVEN] = (s.energy[0] - kept[0]) / step - 0.5 * step * square - along
    s.energy[0], s.energy[1], s.energy[2] = kept


@inner
def _share(s: Scratch) -> float:
    """Part of -z in the change of A."""
    along, whole = 0.0, 0.0
    for i in range(s.d.shape[0]):
        along -= s.x[i] * s.d[i]
        whole += s.z[i] * s.d[i]
    return float(along / whole) if whole > 0.0 else 0.0


@inner
def _driver_change(s: Scratch, change: float) -> float:
    """Change of the drivers' power g·A + λ·Φ_t by -``change`` z in A and by that of λ; Φ_t = -G U."""
    m, n = s.G.shape
    total = -change * s.sums[DRIVEN]
    for i in range(m):
        for j in range(n):
            total -= s.x[n + i] * s.G[i, j] * s.u[j]
    return float(total)


@inner
def _product(s: Scratch, x: Array, z: Array, b: float) -> float:
    """Scalar product of two changes, as velocities of A and w."""
    n, m = s.d.shape[0], s.phi.shape[0]
    total = 0.0
    for i in range(n):
        total += b * b * x[i] * z[i] + x[n + m + i] * z[n + m + i]
    return total


@shared
def _accelerate(s: Scratch, count: int, b: float) -> None:
    """Broyden's update of the change in ``s.x`` from the ``count`` changes before it (Kelley 1995, §7.3)."""
    x = s.x
    for j in range(count):
        norm = _product(s, s.S[j], s.S[j], b)
        share = _product(s, s.S[j], x, b) / norm if norm > 0.0 else 0.0
        if j + 1 < count:
            for i in range(x.shape[0]):
                x[i] += share * s.S[j + 1, i]
        elif share < 0.8:
            for i in range(x.shape[0]):
                x[i] /= 1.0 - share
    if count < s.S.shape[0]:
        copy(x, s.S[count])


@shared
def _apply(s: Scratch) -> float:
    """Add the change; returns its largest velocity over b, of A or w."""
    n, m = s.d.shape[0], s.phi.shape[0]
    size = 0.0
    for i in range(n):
        s.a[i] += s.x[i]
        s.w[i] += s.x[n + m + i]
        # not >: what is not a number comes through
        if not abs(s.x[i]) <= size:
            size = abs(s.x[i])
    for i in range(m):
        s.lam[i] += s.x[n + i]
    return size


@inner
def _round_offs(y: State, s: Scratch, b: float) -> float:
    """Size of the change of v₁ and q₁ in units of their round-off."""
    n, m = s.d.shape[0], s.phi.shape[0]
    change, moved, scale, place = 0.0, 0.0, 1e-8, 1.0
    for i in range(n):
        change = max(change, b * abs(s.x[i]))
        moved = max(moved, b * abs(s.x[n + m + i]))
        scale = max(scale, abs(s.v1[i]), abs(b * s.a[i]))
    for i in range(y.q.shape[0]):
        place = max(place, abs(y.q[i]))
    return float(max(change / (4e-15 * scale + s.sums[NOISE]), moved / (2e-15 * place)))


@inner
def _is_finite(s: Scratch) -> bool:
    """Whether residual and energy consist of numbers; a maximum would not notice."""
    total = s.energy[0] + s.energy[1] + s.energy[2]
    for i in range(s.r.shape[0]):
        total += s.r[i]
    for i in range(s.phi.shape[0]):
        total += s.phi[i] + s.rate[i]
    return bool(abs(total) < 1e300)


@inner
def _work_of_residual(s: Scratch) -> float:
    """Power r·U of the motion that is not solved, W."""
    total = 0.0
    for i in range(s.r.shape[0]):
        total += s.r[i] * s.u[i]
    return total


@inner
def _local_error(y: State, s: Scratch, c: Array, b: float) -> float:
    """Local error of the position, largest, from the change of A since the stage before."""
    change = 0.0
    for i in range(y.v.shape[0]):
        change = max(change, abs(s.a[i] - y.a[i]))
    return float(abs(c[ERROR_CONSTANT]) * b * b * change)


@inner
def _foresee(s: Scratch, w: Array) -> None:
    """Begin with the w of the step before, as far as it lies across the constraints of today.

    What lies along them would stay for ever: Newton's method changes w across them only.
    """
    m, n = s.G.shape
    s.rhs[0:n] = 0.0
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += s.G[i, j] * w[j]
        s.rhs[n + i] = total
    if m > 0:
        _solve(s)
        copy(s.rhs[0:n], s.w)


@shared
def stage(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, momenta: Any, follow: Any,
    model: Any, twin: Any, work: Any, y: State, s: Scratch, c: Array, k: Array, w: Array, ts: float, t1: float, is_fresh: bool,
) -> int:  # fmt: skip
    """Solve (1), (2), (3) with the ε foreseen, and (5) by Newton's method; ``s`` receives the end of the stage.

    It stops when it leaves SHARE of the local error, or NEWTON, whichever is less. The matrix is kept as long
    as Broyden's updates make up for its age. The right ε is left for :func:`close`.
    """
    b, c_stage = k[1], k[3]
    s.w[:] = 0.0
    if not is_fresh:
        _foresee(s, w)
    s.sums[DISSIPATED] = 0.0
    refresh, before, changes, refreshed = is_fresh, 0.0, 0, 0
    floor = 1.0
    for i in range(y.q.shape[0]):
        floor = max(floor, abs(y.q[i]))
    floor *= 2e-15
    for iteration in range(MAX_ITERATIONS):
        _trial(compose, model, y, s, k)
        newton = max(min(SHARE * _local_error(y, s, c, b), c[NEWTON]), floor)
        if refresh and y.counts[TANGENT] == 1:
            _tangent(residual, compose, model, work, y, s, ts, k)
        residual(model, ts, s.qs, s.u, s.a, s.lam, work, s.r, s.phi)
        power(model, s.qs, s.u, s.lam, work, s.power)
        if refresh:
            changes, refresh = 0, False
            refreshed += 1
            if not _refresh(matrices, momenta, follow, model, twin, work, y, s, c, c_stage, ts):
                _worst(s, y, b)
                return SINGULAR
        if y.lam.shape[0] > 0:
            energy(model, t1, s.q1, s.v1, work, s.phi, s.rate, s.energy)
        if not _is_finite(s):
            _worst(s, y, b)
            return NOT_A_NUMBER
        if s.sums[EPS] != 0.0:
            _foreseen(s)
        _direction(s, s.r, b, c_stage)
        _accelerate(s, changes, b)
        changes += 1
        size = b * c_stage * _apply(s)
        y.counts[ITERATIONS] += 1
        if not size < 1e100:
            _worst(s, y, b)
            return NOT_A_NUMBER
        rate = y.clock[RATE]
        if iteration > 0:
            rate = size / before if before > 0.0 else 0.0
        if iteration == 1:
            # of the matrix alone: Broyden's updates, later, are faster than it is in the next step;
            # corrections at the floor are round-off: the rate is no worse than what led to it
            y.clock[RATE] = max(rate if size > floor else floor / before, BEST_RATE)
        slow = max(rate, BEST_RATE)
        left = size * slow / (1.0 - slow) if slow < 0.9 else size
        # work that the motion, as it is left, would put into the energy
        amiss = b * abs(_work_of_residual(s)) * min(slow, 1.0)
        is_stuck = rate > 0.3 and (size <= 100.0 * floor or (iteration > 2 and size <= c[NEWTON]))
        if (
            size <= floor
            or is_stuck
            or (left <= newton and amiss <= AMISS * min(y.clock[PEAK], y.clock[GRIP]))
        ):
            _end(compose, model, y, s, k)
            # a slow finish asks for a new matrix at the next step; one with tangents costs many residuals
            patience = y.counts[TANGENT]
            y.counts[REFRESH] = 1 if iteration > patience and rate > SLOW and size > floor else 0
            y.clock[RATE] = min(AGEING * y.clock[RATE], 1.0)
            return DONE
        if changes > 1 and (rate > 0.5 or (changes > 3 and rate > 0.1 and size * rate**3 > newton)):
            refresh = True
            y.counts[TANGENT] = 1 if refreshed > 0 else y.counts[TANGENT]
        before = size
    _worst(s, y, b)
    return NO_CONVERGENCE


@inner
def _put_right(s: Scratch, change: float, b: float, c_stage: float) -> None:
    """Add to ``s.x`` the shift that belongs to a change of ε, and what takes the excess of the momenta away."""
    n, m = s.d.shape[0], s.phi.shape[0]
    k = s.kept.grade.shape[0]
    for a in range(k):
        s.kept.grade[a] = -change * b * b * s.kept.shift[a]
        for e in range(k):
            s.kept.excess[e] += b * s.kept.grade[a] * s.kept.D[a, e]
    lu_solve(s.kept.H, s.kept.pivots_H, s.kept.excess)
    for a in range(k):
        alpha = -s.kept.excess[a] / b
        moved = s.kept.grade[a] + c_stage * alpha
        for i in range(n):
            s.x[i] += alpha * s.kept.X[a, i] + moved * s.kept.Y[a, i]
            s.x[n + m + i] += moved * s.kept.Z[a, i] - c_stage * (
                alpha * s.kept.X[a, i] + moved * s.kept.Y[a, i]
            )


@shared
def _close(
    compose: Any, energy: Any, momenta: Any, follow: Any, model: Any, twin: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, t1: float, h: float,
) -> int:  # fmt: skip
    """Close (4) and (5), and the momenta if ``s.kept.keeps`` says so; GIVE_UP if they leave no way to the energy."""
    b, c_stage = k[1], k[3]
    n, m = y.v.shape[0], y.lam.shape[0]
    before, rate = 0.0, y.clock[CLOSING_RATE]
    epsilon, is_spent, count = s.sums[EPS], False, 0
    first, slope = 0.0, y.clock[SLOPE]
    if s.kept.keeps[0] == 1:
        lock(momenta, follow, twin, s.kept, t1, s.q1, s.v1, s.dq)
        momenta(twin, t1, s.q1, s.u, s.kept.six)
        for a in range(s.kept.locked.shape[0]):
            s.kept.locked[a] = momentum_of(s.kept, a)
        lu_solve(s.kept.I, s.kept.pivots_I, s.kept.locked)
        momenta(twin, t1, s.q1, s.v1, s.kept.six)
        couple(s.kept, c_stage)
    largest = _answer(s)
    square = s.sums[SQUARE]
    s.sums[DRIVEN] = 0.0
    for iteration in range(MAX_CLOSING):
        energy(model, t1, s.q1, s.v1, work, s.phi, s.rate, s.energy)
        if h > 0.0 and iteration == 0:
            s.sums[DISSIPATED] = _dissipation(compose, energy, model, work, s, t1, c[GAMMA], h)
        if iteration == 0 and c[LOADS] == 1.0:
            _driven(energy, model, work, s, t1, largest)
        surplus = _surplus(s, y, b)
        free = surplus
        if s.kept.keeps[0] == 1:
            free -= _excess(momenta, twin, y, s, t1)
            if iteration == 0:
                square += b * b * find_shift(s.kept, b)
                y.clock[GRIP] = square
        noise = 1e-15 * (y.clock[PEAK] + abs(s.energy[0]) + abs(s.energy[1]) + abs(s.energy[2]))
        if iteration == 1 and abs(first) > 1e4 * noise:
            y.clock[SLOPE] = min(max(y.clock[SLOPE] * (1.0 - free / first), 0.5), 2.0)
        first = free
        # change of the velocity by round-off of the energies
        s.sums[NOISE] = min(noise / square, LIMIT) * largest if square > 0.0 else 0.0
        change = 0.0
        if not is_spent and square > FREE * y.clock[PEAK]:
            change = free / (b * square * slope)
            if abs(epsilon + change) > LIMIT / b:
                if s.kept.keeps[0] == 1:
                    return GIVE_UP
                # the energy that this leaves over is asked for in the next step
                change = (LIMIT / b if change > 0.0 else -LIMIT / b) - epsilon
                is_spent, count, first = True, 0, 0.0
        s.x[:] = 0.0
        if m > 0:
            s.rp[:] = 0.0
            _direction(s, s.rp, b, c_stage)
        for i in range(n + m):
            s.x[i] -= change * s.z[i]
        if s.kept.keeps[0] == 1:
            _put_right(s, change, b, c_stage)
        _accelerate(s, count, b)
        count += 1
        _apply(s)
        if s.sums[SQUARE] > FREE * y.clock[PEAK]:
            change = _share(s)
        epsilon += change
        s.sums[EPS] = epsilon
        if s.power[0] != 0.0:
            s.power[0] += _driver_change(s, change)
        _end(compose, model, y, s, k)
        size = _round_offs(y, s, b)
        if not size < 1e100:
            break
        if iteration > 0:
            rate = size / before if before > 0.0 else 0.0
        if iteration == 1:
            y.clock[CLOSING_RATE] = min(max(rate if size > 1.0 else 1.0 / before, BEST_CLOSING), 1.0)
        slow = max(rate, BEST_CLOSING)
        left = size * slow / (1.0 - slow) if slow < 0.9 else size
        if left <= 1.0 or size <= 1.0 or (iteration > 1 and rate > 0.3 and size <= 1e2):
            if s.kept.keeps[0] == 1 and square <= FREE * y.clock[PEAK] and abs(surplus) > 1e2 * noise:
                # all of the velocity is in the momenta; do they keep the energy?
                if size <= 1.0:
                    return GIVE_UP
                before = size
                continue
            y.clock[CLOSING_RATE] = min(AGEING * y.clock[CLOSING_RATE], 1.0)
            if is_spent:
                if h > 0.0:
                    # what a velocity near zero cannot take up, dissipation does, as long as it stays one
                    kept = max(s.sums[DISSIPATED] - surplus, 0.0)
                    surplus += kept - s.sums[DISSIPATED]
                    s.sums[DISSIPATED] = kept
                if abs(surplus) > 1e2 * noise and b > PATIENCE * c[H_MAX]:
                    # smaller steps pass elsewhere; at rest it waits for the next
                    return NO_CONVERGENCE
            return DONE
        before = size
    if before <= 1e4 and s.kept.keeps[0] == 0:
        # stuck in round-off that was not foreseen; the next step makes up for the energy
        return DONE
    _worst(s, y, b)
    return NO_CONVERGENCE


@shared
def close(
    compose: Any, energy: Any, momenta: Any, follow: Any, model: Any, twin: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, t1: float, h: float,
) -> int:  # fmt: skip
    """Close (4), (5) and (6) to round-off; h > 0 where D counts.

    The energy is closed along the answer z of Newton's matrix to M U, and the constraints across them, so
    that the motion (3) stays solved: only ε and λ change. The work of drivers follows A and λ, that of forces
    stays. Where momenta and energy cannot both be kept, the energy is.
    """
    n, power, epsilon = y.v.shape[0], s.power[0], s.sums[EPS]
    if s.kept.keeps[0] == 1:
        copy(s.a, s.begun[0:n])
        copy(s.w, s.begun[n : 2 * n])
        copy(s.lam, s.begun[2 * n :])
    status = _close(compose, energy, momenta, follow, model, twin, work, y, s, c, k, t1, h)
    if s.kept.keeps[0] == 1 and status != DONE:
        s.kept.keeps[0] = 0
        s.power[0], s.sums[EPS] = power, epsilon
        copy(s.begun[0:n], s.a)
        copy(s.begun[n : 2 * n], s.w)
        copy(s.begun[2 * n :], s.lam)
        _end(compose, model, y, s, k)
        status = _close(compose, energy, momenta, follow, model, twin, work, y, s, c, k, t1, h)
    return int(status)


@shared
def _step(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, momenta: Any, follow: Any,
    model: Any, twin: Any, work: Any, y: State, s: Scratch, c: Array, k: Array, t1: float, h: float, is_fresh: bool,
) -> int:  # fmt: skip
    """One step: a single stage, or the two of the decaying scheme; then it is closed."""
    t, gamma, n = t1 - h, c[GAMMA], y.v.shape[0]
    place, weight, lead = 0.5 * h, h, 0.5 * h
    k[0] = k[2] = s.sums[KNOWN] = 0.0
    s.sums[EPS] = 0.0
    s.kept.keeps[0] = 1 if y.momentum.shape[0] > 0 else 0
    copy(y.momentum, s.kept.target)
    if gamma > 0.0:
        k[1], k[3] = 2.0 * gamma * h, gamma * h
        _predict(y, s, t + gamma * h)
        status = stage(
            residual, matrices, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k, y.w[n:],
            t + gamma * h, t + 2.0 * gamma * h, is_fresh,
        )  # fmt: skip
        if status != DONE:
            return int(status)
        is_fresh = y.counts[REFRESH] == 1
        # the second stage is predicted along the last of the step before and the first of this one
        lead = t + gamma * h - y.clock[STAGE]
        grow = (1.0 - 2.0 * gamma) * h / lead if y.counts[STAGES] > 0 and lead > 0.0 else 0.0
        for i in range(y.v.shape[0]):
            s.a_before[i] = s.a[i]
            s.a[i] += grow * (s.a[i] - y.a[i])
        for i in range(y.lam.shape[0]):
            s.lam_before[i] = s.lam[i]
            s.lam[i] += grow * (s.lam[i] - y.lam_stage[i])
        copy(s.u, s.u_before)
        copy(s.w, s.w_before)
        copy(s.power, s.power_before)
        s.sums[KNOWN] = 0.5 * h * (s.power[0] + s.power[1] + s.power[2])
        k[0], k[2] = 0.5 * h, (1.0 - 2.0 * gamma) * h
        place, weight, lead = (1.0 - gamma) * h, 0.5 * h, gamma * h
    else:
        _predict(y, s, t + place)
    k[1], k[3] = weight, lead
    # ε, of the size h², of the stage that is closed; with momenta the closing changes A by more than forces do
    grown = (h / y.clock[H_OLD]) ** 2
    if s.kept.keeps[0] == 0 and abs(y.clock[EPSILON]) * grown * h < FORESEEN:
        s.sums[EPS] = grown * y.clock[EPSILON]
    status = stage(
        residual,
        matrices,
        compose,
        power,
        energy,
        momenta,
        follow,
        model,
        twin,
        work,
        y,
        s,
        c,
        k,
        y.w[0:n],
        t + place,
        t1,
        is_fresh,
    )
    if status == DONE:
        status = close(
            compose, energy, momenta, follow, model, twin, work, y, s, c, k, t1, h if gamma > 0.0 else 0.0
        )
    if status == DONE and y.momentum.shape[0] > 0 and s.kept.keeps[0] == 0:
        # what was given up is not asked for again: that would be a jump
        _excess(momenta, twin, y, s, t1)
        for i in range(y.momentum.shape[0]):
            s.kept.target[i] += s.kept.excess[i]
    return int(status)


@shared
def _accept(y: State, s: Scratch, c: Array, t1: float, h: float) -> None:
    """Make the end of the step the present state and add up the work of its stages."""
    gamma, n = c[GAMMA], y.v.shape[0]
    total = -s.sums[DISSIPATED]
    for i in range(3):
        work = h * s.power[i] if gamma == 0.0 else 0.5 * h * (s.power_before[i] + s.power[i])
        y.clock[WORK + i] += work
        total += work
    y.clock[TARGET] += total
    y.clock[WORK + 4] -= s.sums[DISSIPATED]
    for i in range(s.phi.shape[0]):
        y.clock[WORK + 3] -= s.lam[i] * (s.phi[i] - s.phi0[i])
    copy(s.phi, s.phi0)
    moved = 0.0
    for i in range(s.dq.shape[0]):
        moved = max(moved, abs(s.dq[i]))
    s.sums[TRAVEL] += moved
    if s.sums[TRAVEL] > FAR:
        y.counts[REFRESH] = 1
    if gamma > 0.0:
        _remember(y, s.a_before, s.lam_before, t1 - (1.0 - gamma) * h)
        copy(s.w_before, y.w[n:])
    _remember(y, s.a, s.lam, t1 - (gamma if gamma > 0.0 else 0.5) * h)
    copy(s.w, y.w[0:n])
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    y.clock[EPSILON] = s.sums[EPS]
    copy(s.kept.target, y.momentum)
    y.clock[PEAK] = max(y.clock[PEAK], s.energy[0])
    y.clock[T] = t1
    y.clock[H_OLD] = h
    y.counts[STEPS] += 1


@shared
def _cover(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, momenta: Any, follow: Any,
    model: Any, twin: Any, work: Any, y: State, s: Scratch, c: Array, k: Array, t1: float, h: float, is_fresh: bool,
) -> int:  # fmt: skip
    """Advance by h, in one step if it converges, else in parts, the smallest h/64."""
    status = _step(
        residual,
        matrices,
        compose,
        power,
        energy,
        momenta,
        follow,
        model,
        twin,
        work,
        y,
        s,
        c,
        k,
        t1,
        h,
        is_fresh,
    )
    if status != DONE and not is_fresh:
        status = _step(
            residual,
            matrices,
            compose,
            power,
            energy,
            momenta,
            follow,
            model,
            twin,
            work,
            y,
            s,
            c,
            k,
            t1,
            h,
            True,
        )
    if status == DONE:
        _accept(y, s, c, t1, h)
        return DONE
    at, part = 0, 32
    while at < 64:
        t = t1 if at + part == 64 else t1 - h + h * (at + part) / 64.0
        size = h * part / 64.0
        status = _step(
            residual,
            matrices,
            compose,
            power,
            energy,
            momenta,
            follow,
            model,
            twin,
            work,
            y,
            s,
            c,
            k,
            t,
            size,
            True,
        )
        if status == DONE:
            _accept(y, s, c, t, size)
            at += part
        elif part == 1:
            return int(status)
        else:
            y.counts[REJECTED] += 1
            part //= 2
    y.counts[REFRESH] = 1
    return DONE


@shared
def _output(
    residual: Any, matrices: Any, rates: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, out: Output, row: int, iterations: int,
) -> bool:  # fmt: skip
    """Write a row, v̇ and λ from M v̇ + Gᵀλ = F and Φ̈ = 0; returns whether Newton needs a new matrix.

    Where no stiffness is in Newton's matrix, the one of the row is a fresh start for the next step.
    """
    n, m = y.v.shape[0], y.lam.shape[0]
    s.ap[:] = 0.0
    s.phi[:] = 0.0
    residual(model, y.clock[T], y.q, y.v, s.ap, s.phi, work, s.r, s.rate)
    rates(model, y.v, s.ap, work, s.rate, s.acceleration)
    matrices(model, work, 0.0, 0.0, s.M, s.G)
    own = y.counts[TANGENT] == 1 or c[IS_STIFF] == 1.0
    is_singular = not (_factor(s, s.M, s.B, s.pivots_B) if own else _factor_mass(s))
    if not own:
        s.sums[TRAVEL], y.clock[RATE] = 0.0, 1.0
    for i in range(n):
        s.rhs[i] = -s.r[i]
    for i in range(m):
        s.rhs[n + i] = -s.acceleration[i]
    if not is_singular:
        if own:
            lu_solve(s.B, s.pivots_B, s.rhs)
        else:
            _solve(s)
        for i in range(n):
            y.vdot[i] = s.rhs[i]
        for i in range(m):
            y.lam[i] = s.rhs[n + i]
    out.t[row] = y.clock[T]
    copy(y.q, out.q[row])
    copy(y.v, out.v[row])
    copy(y.vdot, out.a[row])
    copy(y.lam, out.lam[row])
    for k in range(5):
        out.work[row, k] = y.clock[WORK + k]
    out.solver[row, 0] = y.clock[H_OLD]
    out.solver[row, 1] = iterations
    return is_singular or (own and y.counts[REFRESH] == 1)


def run_fixed(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, momenta: Any,
    follow: Any, model: Any, twin: Any, work: Any, y: State, s: Scratch, c: Array, out: Output, first: int, every: int, k: Array,
) -> int:  # fmt: skip
    """Fill the rows of ``out``, ``every`` fixed steps apart; step number ``first`` comes next."""
    h = c[H_MAX]
    number = first
    is_fresh = True
    for row in range(len(out.t)):
        before = y.counts[ITERATIONS]
        for _ in range(every):
            number += 1
            t1 = c[T_START] + number * h
            status = _cover(
                residual,
                matrices,
                compose,
                power,
                energy,
                momenta,
                follow,
                model,
                twin,
                work,
                y,
                s,
                c,
                k,
                t1,
                h,
                is_fresh,
            )
            if status != DONE:
                return int(status + 16 * row)
            is_fresh = y.counts[REFRESH] == 1
        before = y.counts[ITERATIONS] - before
        is_fresh = _output(residual, matrices, rates, model, work, y, s, c, out, row, before)
    return DONE + 16 * len(out.t)


@inner
def _error(y: State, s: Scratch, c: Array, h: float) -> float:
    """Local error of the step per unit of tolerance, held to the share h/span of the tolerance."""
    allowed = c[TOLERANCE] * h / c[SPAN]
    if c[ENERGY_CONTROL] == 1.0:
        defect = (h if c[GAMMA] == 0.0 else 0.5 * h) * s.sums[EPS] * s.sums[SQUARE]
        return float(abs(defect) / (allowed * max(y.clock[PEAK], s.energy[0], 1e-300)))
    gamma = c[GAMMA]
    total = 0.0
    n = y.v.shape[0]
    for i in range(n):
        if gamma > 0.0:
            jerk = (s.a[i] - s.a_before[i]) / ((1.0 - 2.0 * gamma) * h)
        else:
            # from the acceleration at the start where no stage lies before
            lead = y.clock[T] + 0.5 * h - (y.clock[STAGE] if y.counts[STAGES] > 0 else y.clock[T])
            jerk = (s.a[i] - y.a[i]) / lead
        e = c[ERROR_CONSTANT] * h**3 * jerk
        total += e * e
    return float((total / max(n, 1)) ** 0.5 / allowed)


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, momenta: Any,
    follow: Any, model: Any, twin: Any, work: Any, y: State, s: Scratch, c: Array, out: Output, first: int, every: int, k: Array,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``; every row ends a step."""
    is_fresh = True
    for row in range(len(out.t)):
        end = out.t[row]
        before = y.counts[ITERATIONS]
        while y.clock[T] < end:
            planned = y.clock[H]
            left = end - y.clock[T]
            h = left if left <= 1.01 * planned else (0.5 * left if left < 2.0 * planned else planned)
            t1 = end if h == left else y.clock[T] + h
            # the stiffness in Newton's matrix is for one size of step
            is_fresh = is_fresh or (h != y.clock[H_OLD] and (y.counts[TANGENT] == 1 or c[IS_STIFF] == 1.0))
            status = _step(
                residual,
                matrices,
                compose,
                power,
                energy,
                momenta,
                follow,
                model,
                twin,
                work,
                y,
                s,
                c,
                k,
                t1,
                h,
                is_fresh,
            )
            if status != DONE and not is_fresh:
                status = _step(
                    residual,
                    matrices,
                    compose,
                    power,
                    energy,
                    momenta,
                    follow,
                    model,
                    twin,
                    work,
                    y,
                    s,
                    c,
                    k,
                    t1,
                    h,
                    True,
                )
            error = _error(y, s, c, h) if status == DONE else 100.0
            if error > 1.0:
                y.counts[REJECTED] += 1
                new = h * max(0.2, 0.9 / error**0.5)
                if new < c[H_MIN]:
                    return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
                y.clock[H] = new
                is_fresh = True
                continue
            _accept(y, s, c, t1, h)
            is_fresh = y.counts[REFRESH] == 1
            new = min(h * min(2.0, max(0.5, 0.9 / max(error, 1e-8) ** 0.5)), c[H_MAX])
            if h < planned:
                new = max(new, min(planned, c[H_MAX]))
            if h <= new < 1.2 * h:
                new = h
            y.clock[H] = new
        before = y.counts[ITERATIONS] - before
        is_fresh = _output(residual, matrices, rates, model, work, y, s, c, out, row, before)
    return DONE + 16 * len(out.t)
