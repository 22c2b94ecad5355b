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
of the local error. (4), (5) and (6) are laws, so the end is projected on them to round-off; that needs
energy, constraints and momenta of the end alone, no residual.
"""

from typing import Any

from flexnet.integrators.algebraic_rows import settle_rows
from flexnet.integrators.energy_balance import find_excess
from flexnet.integrators.energy_errors import look_at_rates, look_at_step
from flexnet.integrators.energy_newton import factor, factor_mass, solve, solve_dense
from flexnet.integrators.energy_projection import project
from flexnet.integrators.energy_stage import predict, remember, stage
from flexnet.integrators.energy_state import Scratch, State, restore
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import DONE, NO_CONVERGENCE, WORKS, Output
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import add_correction, copy
from flexnet.typing import IntArray

#: relative change of the velocity by ε in one step above which it is not foreseen: it is no small correction
FORESEEN = 0.05
#: change of a coordinate, in sizes, after which M and G are found again: they direct w and the correction
FAR = 0.03
#: parts into which a fixed step that fails is divided, at most: a power of two
PARTS = 64
#: iterations of v̇ and λ where forces follow loads of joints, and the change over the size that is none
SETTLING, SETTLED = 80, 1e-14


@shared
def _first_stage(f: Functions, y: State, s: Scratch, c: Any, t: float, h: float, is_fresh: bool) -> int:
    """The first stage of the decaying scheme, and where its second one begins."""
    k, gamma, n = s.tableau[0], c.gamma, y.v.shape[0]
    k.b, k.c = 2.0 * gamma * h, gamma * h
    predict(y, s, t + gamma * h)
    status = stage(f, y, s, c, y.w[n:], t + gamma * h, t + 2.0 * gamma * h, is_fresh)
    if status != DONE:
        return int(status)
    # the second stage is predicted along the last of the step before and the first of this one
    lead = t + gamma * h - y.clock[0].stage
    grow = (1.0 - 2.0 * gamma) * h / lead if y.counts[0].stages > 0 and lead > 0.0 else 0.0
    for i in range(n):
        s.a_before[i] = s.a[i]
        s.a[i] += grow * (s.a[i] - y.a[i])
    for i in range(y.lam.shape[0]):
        s.lam_before[i] = s.lam[i]
        s.lam[i] += grow * (s.lam[i] - y.lam_stage[i])
    copy(s.u, s.u_before)
    copy(s.w, s.w_before)
    copy(s.power, s.power_before)
    s.trial[0].earlier = 0.5 * h * (s.power[0] + s.power[1] + s.power[2])
    k.b_before, k.c_before = 0.5 * h, (1.0 - 2.0 * gamma) * h
    return DONE


@shared
def _step(f: Functions, y: State, s: Scratch, c: Any, t1: float, h: float, is_fresh: bool) -> int:
    """One step: a single stage, or the two of the decaying scheme; then its end is projected."""
    k, trial, clock = s.tableau[0], s.trial[0], y.clock[0]
    t, gamma, n = t1 - h, c.gamma, y.v.shape[0]
    place, weight, lead = 0.5 * h, h, 0.5 * h
    k.b_before = k.c_before = trial.earlier = 0.0
    trial.epsilon = 0.0
    trial.keeps = 1 if y.momentum.shape[0] > 0 else 0
    copy(y.momentum, s.kept.target)
    if gamma > 0.0:
        status = _first_stage(f, y, s, c, t, h, is_fresh)
        if status != DONE:
            return int(status)
        is_fresh = y.counts[0].refresh == 1
        place, weight, lead = (1.0 - gamma) * h, 0.5 * h, gamma * h
    else:
        predict(y, s, t + place)
    k.b, k.c = weight, lead
    # ε, of the size h², of the stage that is projected; with momenta, that does more to A than a force does
    grown = (h / clock.h_old) ** 2
    if trial.keeps == 0 and abs(clock.epsilon * h) * grown < FORESEEN:
        trial.epsilon = grown * clock.epsilon
    status = stage(f, y, s, c, y.w[0:n], t + place, t1, is_fresh)
    if status == DONE:
        status = project(f, y, s, c, t + place, t1, h if gamma > 0.0 else 0.0)
    if status == DONE and s.unknowns.at.shape[0] > 0:
        # what the stage holds of them is right there; the end has its own
        is_met = settle_rows(f, t1, s.q1, s.v1, s.a, s.lam, s.unknowns)
        status = DONE if is_met else NO_CONVERGENCE
    if status == DONE and y.momentum.shape[0] > 0 and trial.keeps == 0:
        # what was given up is not asked for again: that would be a jump
        find_excess(f, y, s, t1)
        for i in range(y.momentum.shape[0]):
            s.kept.target[i] += s.kept.excess[i]
    return int(status)


@shared
def attempt(f: Functions, y: State, s: Scratch, c: Any, t1: float, h: float, is_fresh: bool) -> int:
    """One step; where it fails, again with a new matrix."""
    status = _step(f, y, s, c, t1, h, is_fresh)
    if status != DONE and not is_fresh:
        status = _step(f, y, s, c, t1, h, True)
    return int(status)


@shared
def accept(f: Functions, y: State, s: Scratch, c: Any, t1: float, h: float) -> None:
    """Make the end of the step the present state and add up the work of its stages."""
    gamma, n, clock, trial = c.gamma, y.v.shape[0], y.clock[0], s.trial[0]
    total = -trial.dissipated
    for i in range(3):
        work = h * s.power[i] if gamma == 0.0 else 0.5 * h * (s.power_before[i] + s.power[i])
        clock.work[i] += work
        total += work
    for i in range(5, WORKS):
        clock.work[i] += h * s.power[i] if gamma == 0.0 else 0.5 * h * (s.power_before[i] + s.power[i])
    clock.target += total
    clock.work[4] -= trial.dissipated
    for i in range(s.phi.shape[0]):
        clock.work[3] -= s.lam[i] * (s.phi[i] - y.phi[i])
    copy(s.phi, y.phi)
    moved = 0.0
    for i in range(s.inertial[0]):
        moved = max(moved, abs(s.dq[i]) / s.sizes[i])
    trial.travel += moved
    if trial.travel > FAR:
        y.counts[0].refresh = 1
    look_at_rates(f, y, s, c, t1, h)
    look_at_step(y, s, c, t1 - (gamma if gamma > 0.0 else 0.5) * h, h)
    if gamma > 0.0:
        remember(y, s.a_before, s.lam_before, t1 - (1.0 - gamma) * h)
        copy(s.w_before, y.w[n:])
    remember(y, s.a, s.lam, t1 - (gamma if gamma > 0.0 else 0.5) * h)
    copy(s.w, y.w[0:n])
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    clock.epsilon = trial.epsilon
    copy(s.kept.target, y.momentum)
    clock.peak = max(clock.peak, s.energy[0])
    done = clock.work[0] + clock.work[1] + clock.work[2]
    left = s.energy[0] + s.energy[1] + s.energy[2] - done - clock.work[4] - clock.closed
    clock.left = max(clock.left, abs(left))
    clock.largest = max(clock.largest, s.energy[0], s.energy[2], abs(done))
    clock.t = t1
    clock.h_old = h
    y.counts[0].steps += 1
    if c.counts == 1.0:
        f.count(f.counted, t1, y.q)


@shared
def _cover(f: Functions, y: State, s: Scratch, c: Any, t1: float, h: float, is_fresh: bool) -> int:
    """Advance by h, in one step if it converges, else in parts."""
    status = attempt(f, y, s, c, t1, h, is_fresh)
    if status == DONE:
        accept(f, y, s, c, t1, h)
        return DONE
    at, part = 0, PARTS // 2
    while at < PARTS:
        t = t1 if at + part == PARTS else t1 - h + h * (at + part) / PARTS
        size = h * part / PARTS
        status = _step(f, y, s, c, t, size, True)
        if status == DONE:
            accept(f, y, s, c, t, size)
            at += part
        elif part == 1:
            return int(status)
        else:
            y.counts[0].rejected += 1
            part //= 2
    y.counts[0].refresh = 1
    return DONE


@shared
def _answer(s: Scratch, own: bool) -> None:
    """Solve with the matrix of the present state, for the right-hand side in ``s.rhs``."""
    if own:
        solve_dense(s, s.B, s.pivots_B)
    else:
        solve(s)


@shared
def _settle_loads(f: Functions, y: State, s: Scratch, own: bool) -> None:
    """Iterate v̇ and λ of a row where forces follow accelerations or loads of joints."""
    n, m, t = y.v.shape[0], y.lam.shape[0], y.clock[0].t
    for _ in range(SETTLING):
        f.residual(f.model, t, y.q, y.v, y.vdot, y.lam, f.work, s.r, s.rate)
        f.rates(f.model, y.v, y.vdot, f.work, s.rate, s.acceleration)
        for i in range(n):
            s.rhs[i] = -s.r[i]
        for i in range(m):
            s.rhs[n + i] = -s.acceleration[i]
        _answer(s, own)
        moved, size = add_correction(s.rhs, s.weights, y.vdot, y.lam)
        if moved <= SETTLED * size:
            return


@shared
def record(f: Functions, y: State, s: Scratch, c: Any, out: Output, row: int, iterations: int) -> bool:
    """Write a row, v̇ and λ from M v̇ + Gᵀλ = F and Φ̈ = 0; returns whether Newton needs a new matrix.

    Where no stiffness is in Newton's matrix, the one of the row is a fresh start for the next step.
    """
    n, m, clock = y.v.shape[0], y.lam.shape[0], y.clock[0]
    s.ap[:] = 0.0
    s.phi[:] = 0.0  # stands for no λ
    f.residual(f.model, clock.t, y.q, y.v, s.ap, s.phi, f.work, s.r, s.rate)
    f.rates(f.model, y.v, s.ap, f.work, s.rate, s.acceleration)
    f.matrices(f.model, f.work, 0.0, 0.0, s.M, s.G)
    own = y.counts[0].tangent == 1 or c.is_stiff == 1.0
    is_singular = not (factor(s, s.M, s.B, s.pivots_B) if own else factor_mass(s))
    if not own:
        s.trial[0].travel, clock.rate = 0.0, 1.0
    for i in range(n):
        s.rhs[i] = -s.r[i]
    for i in range(m):
        s.rhs[n + i] = -s.acceleration[i]
    if not is_singular:
        _answer(s, own)
        copy(s.rhs[0:n], y.vdot)
        copy(s.rhs[n:], y.lam)
        if c.is_coupled == 1.0:
            _settle_loads(f, y, s, own)
    out.t[row] = clock.t
    copy(y.q, out.q[row])
    copy(y.v, out.v[row])
    copy(y.vdot, out.a[row])
    copy(y.lam, out.lam[row])
    for i in range(WORKS):
        out.work[row, i] = clock.work[i]
    out.solver[row, 0] = clock.h_old
    out.solver[row, 1] = iterations
    return is_singular or (own and y.counts[0].refresh == 1)


def run_fixed(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    momenta: Any, follow: Any, model: Any, kept: Any, counted: Any, work: Any,
    data: IntArray, constants: Any, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out``, ``every`` fixed steps apart; step number ``first`` comes next."""
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, momenta, follow, model, kept, counted, work
    )
    y, s = restore(data)
    c = constants[0]
    h, number, is_fresh = c.h_max, first, True
    for row in range(len(out.t)):
        before = y.counts[0].iterations
        for _ in range(every):
            number += 1
            status = _cover(f, y, s, c, c.t_start + number * h, h, is_fresh)
            if status != DONE:
                return int(status + 16 * row)
            is_fresh = y.counts[0].refresh == 1
        is_fresh = record(f, y, s, c, out, row, y.counts[0].iterations - before)
    return DONE + 16 * len(out.t)
