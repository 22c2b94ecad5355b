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
w with Φ. ε follows from (3) times b U: near the solution it does not change to first order.
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
from flexnet.kernels.compile import kernel
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve
from flexnet.typing import Array, IntArray

# places in State.clock; works are those of drivers, forces, damping, constraints and the scheme itself,
# stages the times of the last two, PEAK the largest kinetic energy so far
T, H, H_OLD, RESIDUAL, WORK, TARGET, STAGE, STAGE_OLD, PEAK = 0, 1, 2, 3, 4, 9, 10, 11, 12
# places in State.counts
STEPS, ITERATIONS, FACTORISATIONS, REJECTED, WORST, TANGENT, HAS_OLD, REFRESH = range(8)
# places in the constants
GAMMA, ERROR_CONSTANT, ENERGY_CONTROL, TOLERANCE, SPAN, H_MIN, H_MAX, T_START, IS_STIFF = range(9)
# places in Scratch.sums
NOISE, DISSIPATED, DEFECT, KNOWN, TRAVEL = range(5)

MAX_ITERATIONS = 20
#: largest relative change of the velocity by ε in one stage; the rest waits for the next
LIMIT = 0.5
#: change of a coordinate (m, rad) after which M and G are found again: they direct w and the correction
FAR = 0.05


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run."""

    q: Array
    v: Array
    vdot: Array  # v̇ and λ of the present state, for output
    lam: Array
    a: Array  # A of the last stage and of the one before
    a_old: Array
    lam_stage: Array
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
    lam: Array
    dq: Array
    r: Array
    d: Array  # direction M U of the correction
    phi: Array
    phi0: Array
    rate: Array
    acceleration: Array
    rhs: Array
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
    x: Array  # change of A, λ and w in one iteration
    S: Array  # (20, ·) changes before it


def make_state(q: Array, v: Array, m: int) -> State:
    """Allocate a state for a configuration, a velocity and m constraints."""
    n = len(v)
    z = np.zeros
    return State(q.copy(), v.copy(), z(n), z(m), z(n), z(n), z(m), z(13), z(8, dtype=np.int64))


def make_scratch(n_q: int, n: int, m: int) -> Scratch:
    """Allocate the arrays of one step."""
    z = np.zeros
    return Scratch(
        z(n_q), z(n), z(n_q), z(n), z(n), z(n), z(n), z(n), z(m), z(n), z(n), z(n), z(m), z(m), z(m), z(m),
        z(n + m), z((n, n)), z((m, n)), z((n + m, n + m)), z(n + m, dtype=np.int64), z(n_q), z(n), z(n), z(n),
        z(4), z(4), z(3), z(5), z((n, n)), z((n + m, n + m)), z(n + m, dtype=np.int64), z(2 * n + m),
        z((20, 2 * n + m)),
    )  # fmt: skip


@kernel
def _trial(compose: Any, model: Any, y: State, s: Scratch, k: Array) -> None:
    """Equations (1) and (2) for the present A and w; k holds b', b, c', c."""
    b_before, b, c_before, c = k[0], k[1], k[2], k[3]
    n = y.v.shape[0]
    for i in range(n):
        s.u[i] = y.v[i] + c_before * s.a_before[i] + c * s.a[i] + s.w[i]
        s.v1[i] = y.v[i] + b_before * s.a_before[i] + b * s.a[i]
        s.dq[i] = c_before * s.u_before[i] + c * s.u[i]
    compose(model, y.q, s.dq, s.qs)
    for i in range(n):
        s.dq[i] = b_before * s.u_before[i] + b * s.u[i]
    compose(model, y.q, s.dq, s.q1)


@kernel
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


@kernel
def _factor(block: Array, G: Array, A: Array, pivots: IntArray) -> bool:
    """Factor [block, Gᵀ; G, 0]."""
    m, n = G.shape
    for i in range(n):
        for j in range(n):
            A[i, j] = block[i, j]
        for j in range(m):
            A[i, n + j] = G[j, i]
            A[n + j, i] = G[j, i]
    for i in range(m):
        for j in range(m):
            A[n + i, n + j] = 0.0
    return lu_factor(A, pivots) > 1e-16


@kernel
def _refresh(matrices: Any, model: Any, work: Any, y: State, s: Scratch, c: Array, c_stage: float) -> bool:
    """Newton's matrix at the stage of the last residual: J by differences, with constant stiffness, or M."""
    y.counts[FACTORISATIONS] += 1
    s.sums[TRAVEL] = 0.0
    matrices(model, work, 0.0, 0.0, s.M, s.G)
    if y.counts[TANGENT] == 1:
        return _factor(s.J, s.G, s.A, s.pivots)
    if c[IS_STIFF] == 1.0:
        s.J[:] = 0.0
        matrices(model, work, c_stage * c_stage, c_stage, s.J, s.G)
        return _factor(s.J, s.G, s.A, s.pivots)
    return _factor(s.M, s.G, s.A, s.pivots)


@kernel
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


@kernel
def _dissipation(
    compose: Any, energy: Any, model: Any, work: Any, s: Scratch, t1: float, gamma: float, h: float
) -> float:
    """D = ½ (γ - ¼) h² (ΔAᵀM ΔA + ΔUᵀK ΔU) ≥ 0, Δ between the stages; ΔUᵀK ΔU from the potential itself."""
    n = s.v1.shape[0]
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += s.M[i, j] * (s.a[j] - s.a_before[j])
        total += row * (s.a[i] - s.a_before[i]) * h * h
    energy(model, t1, s.q1, s.v1, work, s.phi, s.rate, s.energy)
    curvature = -2.0 * (s.energy[1] + s.energy[2])
    for sign in (1.0, -1.0):
        for i in range(n):
            s.dq[i] = sign * h * (s.u[i] - s.u_before[i])
        compose(model, s.q1, s.dq, s.qp)
        energy(model, t1, s.qp, s.v1, work, s.phi, s.rate, s.energy)
        curvature += s.energy[1] + s.energy[2]
    return float(0.5 * (gamma - 0.25) * max(total + curvature, 0.0))


@kernel
def _correction(s: Scratch, y: State, b: float, known: float) -> float:
    """ε of (3) from (4): what the energy lacks, less the work b U·r of the motion that does not fit yet."""
    n = y.v.shape[0]
    along, power, norm, largest = 0.0, s.power[0] + s.power[1] + s.power[2], 0.0, 0.0
    for i in range(n):
        d = 0.0
        for j in range(n):
            d += s.M[i, j] * s.u[j]
        s.d[i] = d
        norm += d * s.u[i]
        along += s.r[i] * s.u[i]
        largest = max(largest, abs(s.u[i]))
    total = s.energy[0] + s.energy[1] + s.energy[2]
    s.sums[DEFECT] = total - (y.clock[TARGET] + known + b * power - s.sums[DISSIPATED]) - b * along
    s.sums[NOISE] = 0.0
    if not norm > 0.0:
        return 0.0
    # change of the velocity by round-off of the energies
    size = y.clock[PEAK] + abs(s.energy[0]) + abs(s.energy[1]) + abs(s.energy[2]) + b * abs(power)
    s.sums[NOISE] = min(1e-15 * size / norm, LIMIT) * largest
    epsilon = s.sums[DEFECT] / (b * norm)
    return float(min(max(epsilon, -LIMIT / b), LIMIT / b))


@kernel
def _predict(y: State, s: Scratch, t: float) -> None:
    """Extrapolate A along the last two stages; λ as it was."""
    span = y.clock[STAGE] - y.clock[STAGE_OLD]
    grow = (t - y.clock[STAGE]) / span if y.counts[HAS_OLD] == 1 and span > 0.0 else 0.0
    grow = min(grow, 2.0)
    for i in range(y.v.shape[0]):
        s.a[i] = y.a[i] + grow * (y.a[i] - y.a_old[i])
    copy(y.lam_stage, s.lam)


@kernel
def _direction(s: Scratch, b: float, c_stage: float, epsilon: float) -> None:
    """Newton's change of A, λ and w into ``s.x``: motion with Φ̇, then w with Φ."""
    n, m = s.d.shape[0], s.phi.shape[0]
    for i in range(n):
        s.rhs[i] = -s.r[i] - epsilon * s.d[i]
    for i in range(m):
        s.rhs[n + i] = -s.rate[i] / b
    lu_solve(s.A, s.pivots, s.rhs)
    for i in range(n + m):
        s.x[i] = s.rhs[i]
    if m > 0:
        s.rhs[0:n] = 0.0
        for i in range(m):
            s.rhs[n + i] = (c_stage * s.rate[i] - s.phi[i]) / b
        lu_solve(s.A, s.pivots, s.rhs)
        for i in range(n):
            s.x[n + m + i] = s.rhs[i]


@kernel
def _product(s: Scratch, x: Array, z: Array, b: float) -> float:
    """Scalar product of two changes, as velocities of A and w."""
    n, m = s.d.shape[0], s.phi.shape[0]
    total = 0.0
    for i in range(n):
        total += b * b * x[i] * z[i] + x[n + m + i] * z[n + m + i]
    return total


@kernel
def _accelerate(s: Scratch, count: int, b: float) -> None:
    """Broyden's update of the change in ``s.x`` from the ``count`` changes before it (Kelley 1995, §7.3)."""
    x = s.x
    for j in range(count):
        norm = _product(s, s.S[j], s.S[j], b)
        share = _product(s, s.S[j], x, b) / norm if norm > 0.0 else 0.0
        if j + 1 < count:
            for i in range(x.shape[0]):
                x[i] += share * s.S[j + 1, i]
        elif abs(share) < 0.8:
            for i in range(x.shape[0]):
                x[i] /= 1.0 - share
    if count < s.S.shape[0]:
        copy(x, s.S[count])


@kernel
def _apply(y: State, s: Scratch, b: float) -> float:
    """Add the change; returns its size in units of the round-off of A, λ and w."""
    n, m = s.d.shape[0], s.phi.shape[0]
    change, scale, impulse = 0.0, 1e-8, 1e-300
    for i in range(n):
        s.a[i] += s.x[i]
        change = max(change, b * abs(s.x[i]))
        scale = max(scale, abs(s.v1[i]), abs(b * s.a[i]))
        impulse = max(impulse, abs(s.d[i]) / b)
    size = change / (4e-15 * scale + s.sums[NOISE])
    if m == 0:
        return float(size)
    change = 0.0
    for i in range(m):
        s.lam[i] += s.x[n + i]
        change = max(change, abs(s.x[n + i]))
        impulse = max(impulse, abs(s.lam[i]))
    size = max(size, change / (1e-14 * impulse))
    change, scale = 0.0, 1.0
    for i in range(n):
        s.w[i] += s.x[n + m + i]
        change = max(change, b * abs(s.x[n + m + i]))
    for i in range(y.q.shape[0]):
        scale = max(scale, abs(y.q[i]))
    return float(max(size, change / (2e-15 * scale)))


@kernel
def stage(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, ts: float, t1: float, h: float, is_fresh: bool,
) -> int:  # fmt: skip
    """Solve (1)-(5) by Newton's method to round-off; ``s`` receives the end of the stage.

    ``h`` is the step whose dissipation D counts, 0 in a stage that preserves energy. The matrix is kept as
    long as Broyden's updates make up for its age.
    """
    b, c_stage = k[1], k[3]
    s.sums[DISSIPATED] = 0.0
    # from nothing: what is left of another place would stay along the constraints for ever
    s.w[:] = 0.0
    refresh, before, changes, refreshed = is_fresh, 0.0, 0, 0
    least = 2 if h > 0.0 else 0
    for iteration in range(MAX_ITERATIONS):
        _trial(compose, model, y, s, k)
        if h > 0.0 and iteration > 0 and (iteration == 1 or before > 1e8):
            # until A and U are known to a few digits; then it may rest
            s.sums[DISSIPATED] = _dissipation(compose, energy, model, work, s, t1, c[GAMMA], h)
            changes = 0 if iteration == 1 else changes
        if refresh and y.counts[TANGENT] == 1:
            _tangent(residual, compose, model, work, y, s, ts, k)
        residual(model, ts, s.qs, s.u, s.a, s.lam, work, s.r, s.phi)
        power(model, s.qs, s.u, s.lam, work, s.power)
        if refresh:
            changes, refresh = 0, False
            refreshed += 1
            if not _refresh(matrices, model, work, y, s, c, c_stage):
                _worst(s, y, b)
                return SINGULAR
        energy(model, t1, s.q1, s.v1, work, s.phi, s.rate, s.energy)
        _direction(s, b, c_stage, _correction(s, y, b, s.sums[KNOWN]))
        _accelerate(s, changes, b)
        changes += 1
        size = _apply(y, s, b)
        y.counts[ITERATIONS] += 1
        if not size < 1e100:
            _worst(s, y, b)
            return NOT_A_NUMBER
        rate = size / before if iteration > 0 and before > 0.0 else 1.0
        if iteration >= least and _is_converged(size, rate, iteration):
            _trial(compose, model, y, s, k)
            y.counts[REFRESH] = 1 if iteration > 3 and rate > 0.1 else 0
            return DONE
        if changes > 1 and (rate > 0.5 or (changes > 3 and rate > 0.1 and size * rate**3 > 1.0)):
            refresh = True
            y.counts[TANGENT] = 1 if refreshed > 0 else y.counts[TANGENT]
        before = size
    if before <= 1e5:
        # stuck in round-off that was not foreseen; the next step makes up for the energy
        _trial(compose, model, y, s, k)
        y.counts[REFRESH] = 1
        return DONE
    _worst(s, y, b)
    return NO_CONVERGENCE


@kernel
def _is_converged(size: float, rate: float, iteration: int) -> bool:
    """Whether what is left is round-off, or does not get smaller any more.

    The next change may shrink less than the last: not all unknowns converge at the same rate.
    """
    slow = max(rate, 3e-3)
    left = size * slow / (1.0 - slow) if slow < 0.9 else size
    return left <= 1.0 or size <= 1.0 or (iteration > 1 and rate > 0.3 and size <= 1e2)


@kernel
def _step(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, t1: float, h: float, is_fresh: bool,
) -> int:  # fmt: skip
    """One step: a single stage, or the two of the decaying scheme."""
    t = t1 - h
    gamma = c[GAMMA]
    s.sums[KNOWN] = 0.0
    k[0] = k[2] = 0.0
    if gamma == 0.0:
        k[1], k[3] = h, 0.5 * h
        _predict(y, s, t + 0.5 * h)
        return int(
            stage(
                residual,
                matrices,
                compose,
                power,
                energy,
                model,
                work,
                y,
                s,
                c,
                k,
                t + 0.5 * h,
                t1,
                0.0,
                is_fresh,
            )
        )
    k[1], k[3] = 2.0 * gamma * h, gamma * h
    _predict(y, s, t + gamma * h)
    status = stage(
        residual, matrices, compose, power, energy, model, work, y, s, c, k,
        t + gamma * h, t + 2.0 * gamma * h, 0.0, is_fresh,
    )  # fmt: skip
    if status != DONE:
        return int(status)
    # the second stage is predicted along the last of the step before and the first of this one
    lead = t + gamma * h - y.clock[STAGE]
    grow = (1.0 - 2.0 * gamma) * h / lead if y.counts[HAS_OLD] == 1 and lead > 0.0 else 0.0
    for i in range(y.v.shape[0]):
        s.a_before[i] = s.a[i]
        s.a[i] += grow * (s.a[i] - y.a[i])
    copy(s.u, s.u_before)
    copy(s.power, s.power_before)
    s.sums[KNOWN] = 0.5 * h * (s.power[0] + s.power[1] + s.power[2])
    k[0], k[1], k[2], k[3] = 0.5 * h, 0.5 * h, (1.0 - 2.0 * gamma) * h, gamma * h
    return int(
        stage(
            residual, matrices, compose, power, energy, model, work, y, s, c, k,
            t + (1.0 - gamma) * h, t1, h, y.counts[REFRESH] == 1,
        )
    )  # fmt: skip


@kernel
def _accept(y: State, s: Scratch, c: Array, t1: float, h: float) -> None:
    """Make the end of the step the present state and add up the work of its stages."""
    gamma = c[GAMMA]
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
    if gamma == 0.0:
        copy(y.a, y.a_old)
        y.clock[STAGE_OLD] = y.clock[STAGE]
        y.clock[STAGE] = t1 - 0.5 * h
    else:
        copy(s.a_before, y.a_old)
        y.clock[STAGE_OLD] = t1 - (1.0 - gamma) * h
        y.clock[STAGE] = t1 - gamma * h
    copy(s.a, y.a)
    copy(s.lam, y.lam_stage)
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    y.clock[PEAK] = max(y.clock[PEAK], s.energy[0])
    y.clock[T] = t1
    y.clock[H_OLD] = h
    y.counts[HAS_OLD] = 1
    y.counts[STEPS] += 1


@kernel
def _cover(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, t1: float, h: float, is_fresh: bool,
) -> int:  # fmt: skip
    """Advance by h, in one step if it converges, else in parts, the smallest h/64."""
    status = _step(residual, matrices, compose, power, energy, model, work, y, s, c, k, t1, h, is_fresh)
    if status != DONE and not is_fresh:
        status = _step(residual, matrices, compose, power, energy, model, work, y, s, c, k, t1, h, True)
    if status == DONE:
        _accept(y, s, c, t1, h)
        return DONE
    at, part = 0, 32
    while at < 64:
        t = t1 if at + part == 64 else t1 - h + h * (at + part) / 64.0
        size = h * part / 64.0
        status = _step(residual, matrices, compose, power, energy, model, work, y, s, c, k, t, size, True)
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


@kernel
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
    A, pivots = (s.B, s.pivots_B) if own else (s.A, s.pivots)
    s.sums[TRAVEL] = s.sums[TRAVEL] if own else 0.0
    is_singular = not _factor(s.M, s.G, A, pivots)
    for i in range(n):
        s.rhs[i] = -s.r[i]
    for i in range(m):
        s.rhs[n + i] = -s.acceleration[i]
    if not is_singular:
        lu_solve(A, pivots, s.rhs)
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
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, out: Output, first: int, every: int, k: Array,
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
                residual, matrices, compose, power, energy, model, work, y, s, c, k, t1, h, is_fresh
            )
            if status != DONE:
                return int(status + 16 * row)
            is_fresh = y.counts[REFRESH] == 1
        before = y.counts[ITERATIONS] - before
        is_fresh = _output(residual, matrices, rates, model, work, y, s, c, out, row, before)
    return DONE + 16 * len(out.t)


@kernel
def _error(y: State, s: Scratch, c: Array, h: float) -> float:
    """Local error of the step per unit of tolerance, held to the share h/span of the tolerance."""
    allowed = c[TOLERANCE] * h / c[SPAN]
    if c[ENERGY_CONTROL] == 1.0:
        return float(abs(s.sums[DEFECT]) / (allowed * max(y.clock[PEAK], s.energy[0], 1e-300)))
    gamma = c[GAMMA]
    total = 0.0
    n = y.v.shape[0]
    for i in range(n):
        if gamma > 0.0:
            jerk = (s.a[i] - s.a_before[i]) / ((1.0 - 2.0 * gamma) * h)
        else:
            # from the acceleration at the start where no stage lies before
            lead = y.clock[T] + 0.5 * h - (y.clock[STAGE] if y.counts[HAS_OLD] == 1 else y.clock[T])
            jerk = (s.a[i] - y.a[i]) / lead
        e = c[ERROR_CONSTANT] * h**3 * jerk
        total += e * e
    return float((total / max(n, 1)) ** 0.5 / allowed)


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, out: Output, first: int, every: int, k: Array,
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
                residual, matrices, compose, power, energy, model, work, y, s, c, k, t1, h, is_fresh
            )
            if status != DONE and not is_fresh:
                status = _step(
                    residual, matrices, compose, power, energy, model, work, y, s, c, k, t1, h, True
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
