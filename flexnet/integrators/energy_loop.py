"""Energy-preserving and energy-decaying schemes on a manifold, in one compiled loop.

A stage looks for the acceleration A, the multipliers λ and a small velocity w = M⁻¹Gᵀμ in

    V = v + c' A' + c A,   U = V + w,   Q = q ⊕ (c' U' + c U)                     the stage          (1)
    v₁ = v + b' A' + b A,               q₁ = q ⊕ (b' U' + b U)                    the end            (2)
    r(tₛ, Q, U, A, λ) + ε M U = 0                                                 motion             (3)
    E(t₁, q₁, v₁) = E(t₀, q, v) + W - D                                           energy, gives ε    (4)
    Φ(q₁, t₁) = 0,  Φ̇(q₁, v₁, t₁) = 0                                             constraints, give w, λ (5)
    ξᵀM v(q₁, v₁) = ξᵀM v(q, v) for every symmetry ξ                              momenta            (6)

with r = M A + Gᵀλ - F and W the work of drivers and forces, powers at the stages times their weights b.
Primes are the stage before. One stage with c = h/2, b = h preserves energy (D = 0); the decaying scheme has
two, and D ≥ 0 is a square (docs/theory/energy.md). In (4) the energy at the start is that of the beginning of
the run plus all work since, so that round-off does not add up.

Newton's matrix is that of the α-methods, [M + c D + c² K, Gᵀ; G, 0], and serves (3) with Φ̇ and, once more,
w with Φ.

Two tolerances. (3) is a truncation of the motion, so it is solved as the α-methods solve theirs, to a share
of the local error. (4), (5) and (6) are laws, so they are closed to round-off; that needs energy, constraints
and momenta of the end alone, no residual.
"""

from typing import Any

from flexnet.integrators.energy_closing import close, find_excess
from flexnet.integrators.energy_newton import factor, factor_mass, solve, solve_dense
from flexnet.integrators.energy_stage import predict, remember, stage
from flexnet.integrators.energy_state import (
    COUNTS,
    DISSIPATED,
    ENERGY_CONTROL,
    EPS,
    EPSILON,
    ERROR_CONSTANT,
    GAMMA,
    GRIP,
    H_MAX,
    H_MIN,
    IS_STIFF,
    KNOWN,
    PEAK,
    RATE,
    REFRESH,
    SPAN,
    SQUARE,
    STAGE,
    STAGES,
    T_START,
    TANGENT,
    TARGET,
    TOLERANCE,
    TRAVEL,
    Scratch,
    State,
    restore,
)
from flexnet.integrators.rows import (
    DONE,
    H_OLD,
    ITERATIONS,
    REJECTED,
    STEP_TOO_SMALL,
    STEPS,
    WORK,
    H,
    Output,
    T,
)
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array, IntArray

#: relative change of the velocity by ε in one step above which it is not foreseen
FORESEEN = 0.05
#: change of a coordinate, in sizes, after which M and G are found again: they direct w and the correction
FAR = 0.03


@shared
def _step(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, momenta: Any, follow: Any,
    model: Any, twin: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, t1: float, h: float, is_fresh: bool,
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
        predict(y, s, t + gamma * h)
        status = stage(
            residual, matrices, compose, power, energy, model, work, y, s, c, k,
            y.w[n:], t + gamma * h, t + 2.0 * gamma * h, is_fresh,
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
        predict(y, s, t + place)
    k[1], k[3] = weight, lead
    # ε, of the size h², of the stage that is closed; with momenta, closing does more to A than a force does
    grown = (h / y.clock[H_OLD]) ** 2
    if s.kept.keeps[0] == 0 and abs(y.clock[EPSILON]) * grown * h < FORESEEN:
        s.sums[EPS] = grown * y.clock[EPSILON]
    status = stage(
        residual, matrices, compose, power, energy, model, work, y, s, c, k,
        y.w[0:n], t + place, t1, is_fresh,
    )  # fmt: skip
    if status == DONE:
        status = close(
            residual, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k,
            t + place, t1, h if gamma > 0.0 else 0.0,
        )  # fmt: skip
    if status == DONE and y.momentum.shape[0] > 0 and s.kept.keeps[0] == 0:
        # what was given up is not asked for again: that would be a jump
        find_excess(momenta, twin, y, s, t1)
        for i in range(y.momentum.shape[0]):
            s.kept.target[i] += s.kept.excess[i]
    return int(status)


@shared
def _accept(count: Any, counted: Any, y: State, s: Scratch, c: Array, t1: float, h: float) -> None:
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
        y.clock[WORK + 3] -= s.lam[i] * (s.phi[i] - y.phi[i])
    copy(s.phi, y.phi)
    moved = 0.0
    for i in range(s.dq.shape[0]):
        moved = max(moved, abs(s.dq[i]) / s.sizes[i])
    s.sums[TRAVEL] += moved
    if s.sums[TRAVEL] > FAR:
        y.counts[REFRESH] = 1
    if gamma > 0.0:
        remember(y, s.a_before, s.lam_before, t1 - (1.0 - gamma) * h)
        copy(s.w_before, y.w[n:])
    remember(y, s.a, s.lam, t1 - (gamma if gamma > 0.0 else 0.5) * h)
    copy(s.w, y.w[0:n])
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    y.clock[EPSILON] = s.sums[EPS]
    copy(s.kept.target, y.momentum)
    y.clock[PEAK] = max(y.clock[PEAK], s.energy[0])
    y.clock[T] = t1
    y.clock[H_OLD] = h
    y.counts[STEPS] += 1
    if c[COUNTS] == 1.0:
        count(counted, t1, y.q)


@shared
def _cover(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, count: Any, momenta: Any,
    follow: Any, model: Any, twin: Any, counted: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, t1: float, h: float, is_fresh: bool,
) -> int:  # fmt: skip
    """Advance by h, in one step if it converges, else in parts, the smallest h/64."""
    status = _step(
        residual, matrices, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k, t1, h,
        is_fresh,
    )  # fmt: skip
    if status != DONE and not is_fresh:
        status = _step(
            residual, matrices, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k, t1,
            h, True,
        )  # fmt: skip
    if status == DONE:
        _accept(count, counted, y, s, c, t1, h)
        return DONE
    at, part = 0, 32
    while at < 64:
        t = t1 if at + part == 64 else t1 - h + h * (at + part) / 64.0
        size = h * part / 64.0
        status = _step(
            residual, matrices, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k, t,
            size, True,
        )  # fmt: skip
        if status == DONE:
            _accept(count, counted, y, s, c, t, size)
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
    is_singular = not (factor(s, s.M, s.B, s.pivots_B) if own else factor_mass(s))
    if not own:
        s.sums[TRAVEL], y.clock[RATE] = 0.0, 1.0
    for i in range(n):
        s.rhs[i] = -s.r[i]
    for i in range(m):
        s.rhs[n + i] = -s.acceleration[i]
    if not is_singular:
        if own:
            solve_dense(s, s.B, s.pivots_B)
        else:
            solve(s)
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
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    momenta: Any, follow: Any, model: Any, twin: Any, counted: Any, work: Any,
    data: IntArray, c: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out``, ``every`` fixed steps apart; step number ``first`` comes next."""
    y, s = restore(data)
    k = s.tableau
    h = c[H_MAX]
    number = first
    is_fresh = True
    for row in range(len(out.t)):
        before = y.counts[ITERATIONS]
        for _ in range(every):
            number += 1
            t1 = c[T_START] + number * h
            status = _cover(
                residual, matrices, compose, power, energy, count, momenta, follow, model, twin, counted,
                work, y, s, c, k, t1, h, is_fresh,
            )  # fmt: skip
            if status != DONE:
                return int(status + 16 * row)
            is_fresh = y.counts[REFRESH] == 1
        before = y.counts[ITERATIONS] - before
        is_fresh = _output(residual, matrices, rates, model, work, y, s, c, out, row, before)
    return DONE + 16 * len(out.t)


@shared
def _error(y: State, s: Scratch, c: Array, h: float) -> float:
    """Local error of the step per unit of tolerance, held to the share h/span of the tolerance."""
    allowed = c[TOLERANCE] * h / c[SPAN]
    if c[ENERGY_CONTROL] == 1.0:
        square = y.clock[GRIP] if y.momentum.shape[0] > 0 else s.sums[SQUARE]
        defect = (h if c[GAMMA] == 0.0 else 0.5 * h) * s.sums[EPS] * square
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
        e = c[ERROR_CONSTANT] * h**3 * jerk / s.sizes[i]
        total += e * e
    return float((total / max(n, 1)) ** 0.5 / allowed)


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    momenta: Any, follow: Any, model: Any, twin: Any, counted: Any, work: Any,
    data: IntArray, c: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``; every row ends a step."""
    y, s = restore(data)
    k = s.tableau
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
                residual, matrices, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k,
                t1, h, is_fresh,
            )  # fmt: skip
            if status != DONE and not is_fresh:
                status = _step(
                    residual, matrices, compose, power, energy, momenta, follow, model, twin, work, y, s,
                    c, k, t1, h, True,
                )  # fmt: skip
            error = _error(y, s, c, h) if status == DONE else 100.0
            if error > 1.0:
                y.counts[REJECTED] += 1
                new = h * max(0.2, 0.9 / error**0.5)
                if new < c[H_MIN]:
                    return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
                y.clock[H] = new
                is_fresh = True
                continue
            _accept(count, counted, y, s, c, t1, h)
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
