"""A stage of an energy scheme: the motion (3), solved to a share of its local error."""

from typing import Any

from flexnet.integrators.energy_newton import (
    accelerate,
    apply_change,
    driver_change,
    find_direction,
    find_end,
    find_stage,
    find_tangent,
    refresh_matrix,
    remember_worst,
    solve,
    times_mass,
)
from flexnet.integrators.energy_state import AGEING, Scratch, State
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import DONE, NO_CONVERGENCE, NOT_A_NUMBER, SINGULAR
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array

#: Broyden's updates have room for as many changes
MAX_ITERATIONS = 20
#: part of the local error the corrector may leave; velocities feel it over the step
SHARE = 1e-4
#: convergence that asks for a new matrix at the next step: it costs about as much as the iteration it saves
SLOW = 0.02
#: iterations of a stage after which the next one begins with a new matrix in any case
SPENT = 3
#: iterations after which tangents are worth a residual for every coordinate, at most; half as many as these
PATIENCE = 8
#: convergence never assumed to be better: gyroscopic terms come late
BEST_RATE = 0.1
#: convergence beyond which what is left cannot be told from it: it may be as much as the correction itself
WORST_RATE = 0.9
#: convergence that is none: corrections of round-off, amplified, stand still
STILL = 0.3
#: convergence at which a new matrix is worth its cost at once, and after three updates
LOST, LATE = 0.5, 0.1
#: part of the largest kinetic energy that what the corrector leaves may be worth
AMISS = 1e-8
#: round-off of a position over its size, ten units in the last place
ROUND_OFF = 2e-15
#: amplification of round-off near a singular position that is put up with
AMPLIFIED = 100.0
#: a number that only an overflow leads to, and a correction that only a wrong matrix does
HUGE, ASTRAY = 1e300, 1e100
#: stands where nothing is divided by zero
TINY = 1e-300


@shared
def predict(y: State, s: Scratch, t: float) -> None:
    """Extrapolate A and λ through the last three stages, through fewer where they are not smooth."""
    n, known, clock = y.v.shape[0], y.counts[0].stages, y.clock[0]
    t0, t1, t2 = clock.stage, clock.stage_old, clock.stage_older
    w0, w1, w2 = 1.0, 0.0, 0.0
    if known > 2:
        first, second = 0.0, 0.0
        for i in range(n):
            slope = (y.a[i] - y.a_old[i]) / (t0 - t1)
            bend = slope - (y.a_old[i] - y.a_older[i]) / (t1 - t2)
            first, second = max(first, abs(slope) / s.sizes[i]), max(second, abs(bend) / s.sizes[i])
        # a bend as large as the slope itself is no curve but a jump
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


@shared
def remember(y: State, a: Array, lam: Array, t: float) -> None:
    """Add a stage to the history."""
    copy(y.a_old, y.a_older)
    copy(y.a, y.a_old)
    copy(a, y.a)
    copy(y.lam_old, y.lam_older)
    copy(y.lam_stage, y.lam_old)
    copy(lam, y.lam_stage)
    clock, counts = y.clock[0], y.counts[0]
    clock.stage_older = clock.stage_old
    clock.stage_old = clock.stage
    clock.stage = t
    counts.stages = min(counts.stages + 1, 3)


@shared
def _add_foreseen_force(s: Scratch) -> None:
    """Add the force ε M U that the step before suggests to the residual."""
    times_mass(s, s.u, s.d)
    for i in range(s.d.shape[0]):
        s.r[i] += s.trial[0].epsilon * s.d[i]


@shared
def _foresee_w(s: Scratch, w: Array) -> None:
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
        solve(s)
        copy(s.rhs[0 : s.inertial[0]], s.w)


@shared
def _is_finite(s: Scratch) -> bool:
    """Whether residual and energy consist of numbers; a maximum would not notice."""
    total = s.energy[0] + s.energy[1] + s.energy[2]
    for i in range(s.r.shape[0]):
        total += s.r[i]
    for i in range(s.phi.shape[0]):
        total += s.phi[i] + s.rate[i]
    return bool(abs(total) < HUGE)


@shared
def _work_of_residual(s: Scratch) -> float:
    """Power r·U of the motion that is not solved, W."""
    total = 0.0
    for i in range(s.inertial[0]):
        total += s.r[i] * s.u[i]
    return total


@shared
def _work_of_change(s: Scratch, change: float) -> float:
    """Power of drivers, forces and dampers that a change of U leaves out, W: they were found before it."""
    largest = TINY
    for i in range(s.inertial[0]):
        largest = max(largest, abs(s.u[i]) / s.sizes[i])
    power = abs(s.power[0]) + abs(s.power[1]) + abs(s.power[2])
    return float(power * min(change / largest, 1.0))


@shared
def _local_error(y: State, s: Scratch, error_constant: float) -> float:
    """Local error of the position, largest in sizes, from the change of A since the stage before."""
    change, b = 0.0, s.tableau[0].b
    for i in range(y.v.shape[0]):
        change = max(change, abs(s.a[i] - y.a[i]) / s.sizes[i])
    return float(abs(error_constant) * b * b * change)


@shared
def round_off(y: State, s: Scratch) -> float:
    """Smallest correction of a position, over its size, that means anything."""
    largest = 1.0
    for i in range(y.q.shape[0]):
        largest = max(largest, abs(y.q[i]) / s.q_sizes[i])
    for i in range(s.inertial[0], y.v.shape[0]):
        largest = max(largest, s.tableau[0].c * abs(y.v[i]) / s.sizes[i])
    return largest * ROUND_OFF


@shared
def _evaluate(f: Functions, y: State, s: Scratch, c: Any, ts: float, t1: float, refresh: bool) -> int:
    """Residual, powers, Newton's matrix where it is asked for, and constraints of the end."""
    counts = y.counts[0]
    if refresh and counts.tangent == 1:
        find_tangent(f, y, s, ts, c.per_time)
    f.residual(f.model, ts, s.qs, s.u, s.a, s.lam, f.work, s.r, s.phi)
    f.power(f.model, s.qs, s.u, s.lam, f.work, s.power)
    if refresh and not refresh_matrix(f, y, s, c.is_stiff == 1.0):
        return SINGULAR
    if y.lam.shape[0] > 0:
        f.energy(f.model, t1, s.q1, s.v1, f.work, s.phi, s.rate, s.energy)
    return DONE if _is_finite(s) else NOT_A_NUMBER


@shared
def _finish(f: Functions, y: State, s: Scratch, is_slow: bool) -> None:
    """Take the last correction along to the end of the step; a slow finish asks for a new matrix."""
    if s.power[0] != 0.0:
        s.power[0] += driver_change(s, 0.0)
    find_end(f, y, s)
    y.counts[0].refresh = 1 if is_slow else 0
    y.clock[0].rate = min(AGEING * y.clock[0].rate, 1.0)


@shared
def stage(f: Functions, y: State, s: Scratch, c: Any, w: Array, ts: float, t1: float, is_fresh: bool) -> int:
    """Solve (1), (2), (3) with the ε foreseen, and (5) by Newton's method; ``s`` receives the end.

    It stops when it leaves SHARE of the local error, or ``c.newton``, whichever is less. The matrix is kept
    as long as Broyden's updates make up for its age. The right ε is left for the projection.
    """
    clock, counts = y.clock[0], y.counts[0]
    b, c_stage = s.tableau[0].b, s.tableau[0].c
    s.w[:] = 0.0
    if not is_fresh:
        _foresee_w(s, w)
    s.trial[0].dissipated = 0.0
    refresh, before, changes = is_fresh, 0.0, 0
    was_refreshed, floor, patience = False, round_off(y, s), min(y.v.shape[0] // 2, PATIENCE)
    for iteration in range(MAX_ITERATIONS):
        find_stage(f, y, s)
        newton = max(min(SHARE * _local_error(y, s, c.error_constant), c.newton), floor)
        if refresh:
            changes, was_refreshed = 0, True
        status = _evaluate(f, y, s, c, ts, t1, refresh)
        if status != DONE:
            remember_worst(s, y)
            return int(status)
        refresh = False
        if s.trial[0].epsilon != 0.0:
            _add_foreseen_force(s)
        find_direction(s, s.r)
        accelerate(s, changes)
        changes += 1
        size = b * c_stage * apply_change(s)
        counts.iterations += 1
        if not size < ASTRAY:
            remember_worst(s, y)
            return NOT_A_NUMBER
        rate = clock.rate
        if iteration > 0:
            rate = size / before if before > 0.0 else 0.0
        if iteration == 1:
            # of the matrix alone: Broyden's updates, later, are faster than it is in the next step;
            # corrections at the floor are round-off: the rate is no worse than what led to it
            clock.rate = max(rate if size > floor else floor / before, BEST_RATE)
        if _is_solved(y, s, c, iteration, size, rate, newton, floor):
            # one with tangents costs a residual for every coordinate: it is given iterations instead
            enough = max(1, patience // 2) if counts.tangent == 1 else 0
            # where the matrix of this very stage is slow, another is no faster; near round-off a rate is none
            is_aged = (not was_refreshed or iteration > SPENT) and size > AMPLIFIED * floor
            _finish(f, y, s, is_aged and iteration > enough and rate > SLOW)
            return DONE
        if changes > 1 and (rate > LOST or (changes > 3 and rate > LATE and size * rate**3 > newton)):
            refresh = not was_refreshed
            if was_refreshed and iteration + 1 >= patience:
                refresh, counts.tangent = True, 1
        before = size
    remember_worst(s, y)
    return NO_CONVERGENCE


@shared
def _is_solved(
    y: State, s: Scratch, c: Any, iteration: int, size: float, rate: float, newton: float, floor: float
) -> bool:
    """Whether what a correction of this size leaves is small, in motion and energy, or round-off."""
    clock, b = y.clock[0], abs(s.tableau[0].b)
    slow = max(rate, BEST_RATE)
    left = size * slow / (1.0 - slow) if slow < WORST_RATE else size
    # work that the motion, as it is left, would put into the energy
    amiss = b * (abs(_work_of_residual(s)) * min(slow, 1.0) + _work_of_change(s, size / b))
    is_stuck = rate > STILL and (size <= AMPLIFIED * floor or (iteration > 2 and size <= c.newton))
    is_small = left <= newton and amiss <= AMISS * min(clock.peak, clock.response) + clock.rest
    # the power of a driver in a tree is known only where the residual was found
    return bool((size <= floor or is_stuck or is_small) and (iteration > 0 or c.loads_do_work == 0.0))
