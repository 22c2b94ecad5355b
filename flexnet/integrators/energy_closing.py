"""The end of a step of an energy scheme: energy, momenta and constraints, closed to round-off.

This needs their values at the end, and no residual unless forces do much work in the step. Equation numbers
are those of :mod:`flexnet.integrators.energy_loop`.
"""

from typing import Any

from flexnet.integrators.energy_momentum import couple, find_shift, lock, momentum_of
from flexnet.integrators.energy_newton import (
    accelerate,
    apply_change,
    driver_change,
    find_direction,
    find_end,
    remember_worst,
    solve,
    times_mass,
)
from flexnet.integrators.energy_state import (
    AGEING,
    CLOSING_RATE,
    DISSIPATED,
    DRIVEN,
    EPS,
    FORCED,
    GAMMA,
    GRIP,
    H_MAX,
    KNOWN,
    LOADS,
    NOISE,
    PEAK,
    PER_TIME,
    REST,
    SLOPE,
    SQUARE,
    TARGET,
    Scratch,
    State,
)
from flexnet.integrators.rows import DONE, NO_CONVERGENCE
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_solve
from flexnet.typing import Array

MAX_CLOSING = 12
#: of a step that cannot keep both energy and momenta
GIVE_UP = -1
#: convergence never assumed to be better
BEST_CLOSING = 1e-2
#: largest relative change of the velocity by ε in one stage; the rest waits for the next
LIMIT = 0.5
#: part of the kinetic energy that must not be in the momenta that are kept, for ε to act on
FREE = 1e-8
#: work of forces over the kinetic energy above which it is followed while a step is closed
WORKING = 0.05
#: part of the fixed step down to which a step is divided for the sake of the energy
PATIENCE = 0.1


@shared
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


@shared
def _unlock(s: Scratch) -> None:
    """U without its part ``s.kept.locked`` along ξ, into ``s.up``."""
    copy(s.u, s.up)
    for a in range(s.kept.locked.shape[0]):
        for i in range(s.up.shape[0]):
            s.up[i] -= s.kept.locked[a] * s.kept.X[a, i]


@shared
def find_excess(momenta: Any, twin: Any, y: State, s: Scratch, t1: float) -> float:
    """Momenta over what they should be, into ``s.kept.excess``; returns the energy they are worth, J."""
    momenta(twin, t1, s.q1, s.v1, s.kept.six)
    energy = 0.0
    for a in range(s.kept.excess.shape[0]):
        s.kept.excess[a] = momentum_of(s.kept, a) - y.momentum[a]
        energy += s.kept.dual[a] * s.kept.excess[a]
    return energy


@shared
def _surplus(s: Scratch, y: State, b: float) -> float:
    """Energy of the end over what (4) asks for, J."""
    power = s.power[0] + s.power[1] + s.power[2]
    total = s.energy[0] + s.energy[1] + s.energy[2]
    return float(total - (y.clock[TARGET] + s.sums[KNOWN] + b * power - s.sums[DISSIPATED]))


@shared
def _answer(s: Scratch) -> float:
    """Answer z of Newton's matrix to M U, U without its part along ξ where momenta are kept.

    Returns the largest velocity, in sizes.
    """
    m, n = s.G.shape
    if s.kept.keeps[0] == 1:
        _unlock(s)
    else:
        copy(s.u, s.up)
    s.sums[SQUARE] = times_mass(s, s.up, s.d)
    largest = 0.0
    for i in range(n):
        s.rhs[i] = s.d[i]
        largest = max(largest, abs(s.u[i]) / s.sizes[i])
    s.rhs[n : n + m] = 0.0
    solve(s)
    copy(s.rhs, s.z)
    return largest


@shared
def _driven(energy: Any, model: Any, work: Any, s: Scratch, t1: float, largest: float) -> None:
    """Power g·z of drivers in a tree by the answer z: g = ∂T/∂v - M v, T from a difference along z."""
    n = s.d.shape[0]
    kept = (s.energy[0], s.energy[1], s.energy[2])
    size, along, square = 0.0, 0.0, 0.0
    for i in range(n):
        size = max(size, abs(s.z[i]) / s.sizes[i])
    step = 1e-2 * largest / max(size, 1e-300)
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


@shared
def _forced(
    residual: Any, power: Any, model: Any, work: Any, s: Scratch, ts: float, c_stage: float, largest: float
) -> None:
    """Power of forces and dampers, and its change by the answer z, where a step's work is not small beside T.

    Where they nearly balance a potential, the energy of the end alone hardly tells what ε does.
    """
    n = s.d.shape[0]
    size = 1e-300
    for i in range(n):
        size = max(size, abs(s.z[i]) / s.sizes[i])
    step = 1e-3 * largest / (c_stage * size)
    for i in range(n):
        s.up[i] = s.u[i] + step * c_stage * s.z[i]
        s.ap[i] = s.a[i] + step * s.z[i]
    residual(model, ts, s.qs, s.up, s.ap, s.lam, work, s.r, s.phi_p)
    power(model, s.qs, s.up, s.lam, work, s.power)
    changed = s.power[1] + s.power[2]
    residual(model, ts, s.qs, s.u, s.a, s.lam, work, s.r, s.phi_p)
    power(model, s.qs, s.u, s.lam, work, s.power)
    s.sums[FORCED] = (changed - s.power[1] - s.power[2]) / step


@shared
def _share(s: Scratch, change: float) -> float:
    """Part of -z in the change of A; ``change`` where constraints and drivers leave no motion free."""
    along, whole = 0.0, 0.0
    for i in range(s.d.shape[0]):
        along -= s.x[i] * s.d[i]
        whole += s.z[i] * s.d[i]
    return float(along / whole) if whole > FREE * s.sums[SQUARE] else change


@shared
def _round_offs(y: State, s: Scratch, b: float, per_time: float) -> float:
    """Size of the change of v₁ and q₁ in units of their round-off."""
    n, m = s.d.shape[0], s.phi.shape[0]
    change, moved, scale, place = 0.0, 0.0, 1e-8 * per_time, 1.0
    for i in range(n):
        change = max(change, b * abs(s.x[i]) / s.sizes[i])
        moved = max(moved, b * abs(s.x[n + m + i]) / s.sizes[i])
        scale = max(scale, abs(s.v1[i]) / s.sizes[i], abs(b * s.a[i]) / s.sizes[i])
    for i in range(y.q.shape[0]):
        place = max(place, abs(y.q[i]) / s.q_sizes[i])
    return float(max(change / (4e-15 * scale + s.sums[NOISE]), moved / (2e-15 * place)))


@shared
def _put_right(s: Scratch, change: float, b: float, c_stage: float) -> None:
    """Add to ``s.x`` the shift that belongs to a change of ε, and take away the excess of the momenta."""
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
    residual: Any, compose: Any, power: Any, energy: Any, momenta: Any, follow: Any,
    model: Any, twin: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, ts: float, t1: float, h: float,
) -> int:  # fmt: skip
    """Close (4), (5), and (6) if ``s.kept.keeps`` says so; GIVE_UP if that leaves no way to the energy."""
    b, c_stage = k[1], k[3]
    n, m = y.v.shape[0], y.lam.shape[0]
    before, rate = 0.0, y.clock[CLOSING_RATE]
    epsilon, is_spent, count = s.sums[EPS], False, 0
    first, slope = 0.0, y.clock[SLOPE]
    if s.kept.keeps[0] == 1:
        if lock(momenta, follow, twin, s.kept, t1, s.q1, s.v1, s.dq) < 1e-14:
            return GIVE_UP
        momenta(twin, t1, s.q1, s.u, s.kept.six)
        for a in range(s.kept.locked.shape[0]):
            s.kept.locked[a] = momentum_of(s.kept, a)
        lu_solve(s.kept.I, s.kept.pivots_I, s.kept.locked)
        momenta(twin, t1, s.q1, s.v1, s.kept.six)
        couple(s.kept, c_stage)
    largest = _answer(s)
    square = s.sums[SQUARE]
    if s.kept.keeps[0] == 1:
        square += b * b * find_shift(s.kept, b)
        y.clock[GRIP] = square
    s.sums[DRIVEN] = s.sums[FORCED] = 0.0
    if b * (abs(s.power[1]) + abs(s.power[2])) > WORKING * square:
        _forced(residual, power, model, work, s, ts, c_stage, largest)
    for iteration in range(MAX_CLOSING):
        energy(model, t1, s.q1, s.v1, work, s.phi, s.rate, s.energy)
        if h > 0.0 and iteration == 0:
            s.sums[DISSIPATED] = _dissipation(compose, energy, model, work, s, t1, c[GAMMA], h)
        if iteration == 0 and c[LOADS] == 1.0:
            _driven(energy, model, work, s, t1, max(largest, 1e-3 * c[PER_TIME]))
        surplus = _surplus(s, y, b)
        free = surplus
        if s.kept.keeps[0] == 1:
            free -= find_excess(momenta, twin, y, s, t1)
        noise = 1e-15 * (y.clock[PEAK] + abs(s.energy[0]) + abs(s.energy[1]) + abs(s.energy[2]))
        noise += y.clock[REST]
        if iteration == 1 and abs(first) > 10.0 * noise:
            # not 1 where work that is not followed is not small
            measured = y.clock[SLOPE] * (1.0 - free / first)
            y.clock[SLOPE] = measured if abs(measured) > 0.2 else 1.0
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
            find_direction(s, s.rp, b, c_stage)
        for i in range(n + m):
            s.x[i] -= change * s.z[i]
        if s.kept.keeps[0] == 1:
            _put_right(s, change, b, c_stage)
        accelerate(s, count, b)
        count += 1
        apply_change(s)
        if s.sums[SQUARE] > FREE * y.clock[PEAK]:
            change = _share(s, change)
        epsilon += change
        s.sums[EPS] = epsilon
        if s.power[0] != 0.0:
            s.power[0] += driver_change(s, change)
        s.power[1] -= change * s.sums[FORCED]
        find_end(compose, model, y, s, k)
        size = _round_offs(y, s, b, c[PER_TIME])
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
    remember_worst(s, y, b)
    return NO_CONVERGENCE


@shared
def close(
    residual: Any, compose: Any, power: Any, energy: Any, momenta: Any, follow: Any,
    model: Any, twin: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, ts: float, t1: float, h: float,
) -> int:  # fmt: skip
    """Close (4), (5) and (6) to round-off; h > 0 where D counts.

    The energy is closed along the answer z of Newton's matrix to M U, and the constraints across them, so
    that the motion (3) stays solved: only ε and λ change. The work of drivers follows A and λ, that of forces
    follows A where it is not small. Where momenta and energy cannot both be kept, the energy is.
    """
    n, epsilon = y.v.shape[0], s.sums[EPS]
    powers = (s.power[0], s.power[1], s.power[2])
    if s.kept.keeps[0] == 1:
        copy(s.a, s.begun[0:n])
        copy(s.w, s.begun[n : 2 * n])
        copy(s.lam, s.begun[2 * n :])
    status = _close(
        residual, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k, ts, t1, h
    )
    if s.kept.keeps[0] == 1 and status != DONE:
        s.kept.keeps[0] = 0
        s.power[0], s.power[1], s.power[2] = powers
        s.sums[EPS] = epsilon
        copy(s.begun[0:n], s.a)
        copy(s.begun[n : 2 * n], s.w)
        copy(s.begun[2 * n :], s.lam)
        find_end(compose, model, y, s, k)
        status = _close(
            residual, compose, power, energy, momenta, follow, model, twin, work, y, s, c, k, ts, t1, h
        )
    return int(status)
