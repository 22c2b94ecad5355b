"""A stage of an energy scheme: the motion (3), solved to a share of its local error."""

from typing import Any

from flexnet.integrators.energy_newton import (
    accelerate,
    apply_change,
    driver_change,
    find_direction,
    find_end,
    find_tangent,
    refresh_matrix,
    remember_worst,
    solve,
    times_mass,
    trial,
)
from flexnet.integrators.energy_state import (
    AGEING,
    DISSIPATED,
    EPS,
    ERROR_CONSTANT,
    GRIP,
    LOADS,
    NEWTON,
    PEAK,
    RATE,
    REFRESH,
    REST,
    STAGE,
    STAGE_OLD,
    STAGE_OLDER,
    STAGES,
    TANGENT,
    Scratch,
    State,
)
from flexnet.integrators.rows import DONE, ITERATIONS, NO_CONVERGENCE, NOT_A_NUMBER, SINGULAR
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array

MAX_ITERATIONS = 20
#: part of the local error the corrector may leave; velocities feel it over the step
SHARE = 1e-4
#: convergence that asks for a new matrix
SLOW = 0.02
#: convergence never assumed to be better: gyroscopic terms come late
BEST_RATE = 0.1
#: part of the largest kinetic energy that what the corrector leaves may be worth
AMISS = 1e-8


@shared
def predict(y: State, s: Scratch, t: float) -> None:
    """Extrapolate A and λ through the last three stages, through fewer where they are not smooth."""
    n, known = y.v.shape[0], y.counts[STAGES]
    t0, t1, t2 = y.clock[STAGE], y.clock[STAGE_OLD], y.clock[STAGE_OLDER]
    w0, w1, w2 = 1.0, 0.0, 0.0
    if known > 2:
        first, second = 0.0, 0.0
        for i in range(n):
            slope = (y.a[i] - y.a_old[i]) / (t0 - t1)
            bend = slope - (y.a_old[i] - y.a_older[i]) / (t1 - t2)
            first, second = max(first, abs(slope) / s.sizes[i]), max(second, abs(bend) / s.sizes[i])
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
    y.clock[STAGE_OLDER] = y.clock[STAGE_OLD]
    y.clock[STAGE_OLD] = y.clock[STAGE]
    y.clock[STAGE] = t
    y.counts[STAGES] = min(y.counts[STAGES] + 1, 3)


@shared
def _foreseen(s: Scratch) -> None:
    """Add the force ε M U that the step before suggests to the residual."""
    times_mass(s, s.u, s.d)
    for i in range(s.d.shape[0]):
        s.r[i] += s.sums[EPS] * s.d[i]


@shared
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
        solve(s)
        copy(s.rhs[0:n], s.w)


@shared
def _is_finite(s: Scratch) -> bool:
    """Whether residual and energy consist of numbers; a maximum would not notice."""
    total = s.energy[0] + s.energy[1] + s.energy[2]
    for i in range(s.r.shape[0]):
        total += s.r[i]
    for i in range(s.phi.shape[0]):
        total += s.phi[i] + s.rate[i]
    return bool(abs(total) < 1e300)


@shared
def _work_of_residual(s: Scratch) -> float:
    """Power r·U of the motion that is not solved, W."""
    total = 0.0
    for i in range(s.r.shape[0]):
        total += s.r[i] * s.u[i]
    return total


@shared
def _work_of_change(s: Scratch, change: float) -> float:
    """Power of forces and dampers that a change of U leaves out, W: they were found before it."""
    largest = 1e-300
    for i in range(s.u.shape[0]):
        largest = max(largest, abs(s.u[i]) / s.sizes[i])
    return float((abs(s.power[1]) + abs(s.power[2])) * min(change / largest, 1.0))


@shared
def _local_error(y: State, s: Scratch, c: Array, b: float) -> float:
    """Local error of the position, largest in sizes, from the change of A since the stage before."""
    change = 0.0
    for i in range(y.v.shape[0]):
        change = max(change, abs(s.a[i] - y.a[i]) / s.sizes[i])
    return float(abs(c[ERROR_CONSTANT]) * b * b * change)


@shared
def stage(
    residual: Any, matrices: Any, compose: Any, power: Any, energy: Any, model: Any, work: Any,
    y: State, s: Scratch, c: Array, k: Array, w: Array, ts: float, t1: float, is_fresh: bool,
) -> int:  # fmt: skip
    """Solve (1), (2), (3) with the ε foreseen, and (5) by Newton's method; ``s`` receives the end.

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
        floor = max(floor, abs(y.q[i]) / s.q_sizes[i])
    floor *= 2e-15
    for iteration in range(MAX_ITERATIONS):
        trial(compose, model, y, s, k)
        newton = max(min(SHARE * _local_error(y, s, c, b), c[NEWTON]), floor)
        if refresh and y.counts[TANGENT] == 1:
            find_tangent(residual, compose, model, work, y, s, c, ts, k)
        residual(model, ts, s.qs, s.u, s.a, s.lam, work, s.r, s.phi)
        power(model, s.qs, s.u, s.lam, work, s.power)
        if refresh:
            changes, refresh = 0, False
            refreshed += 1
            if not refresh_matrix(matrices, model, work, y, s, c, c_stage):
                remember_worst(s, y, b)
                return SINGULAR
        if y.lam.shape[0] > 0:
            energy(model, t1, s.q1, s.v1, work, s.phi, s.rate, s.energy)
        if not _is_finite(s):
            remember_worst(s, y, b)
            return NOT_A_NUMBER
        if s.sums[EPS] != 0.0:
            _foreseen(s)
        find_direction(s, s.r, b, c_stage)
        accelerate(s, changes, b)
        changes += 1
        size = b * c_stage * apply_change(s)
        y.counts[ITERATIONS] += 1
        if not size < 1e100:
            remember_worst(s, y, b)
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
        amiss = b * (abs(_work_of_residual(s)) * min(slow, 1.0) + _work_of_change(s, size / b))
        is_stuck = rate > 0.3 and (size <= 100.0 * floor or (iteration > 2 and size <= c[NEWTON]))
        is_small = left <= newton and amiss <= AMISS * min(y.clock[PEAK], y.clock[GRIP]) + y.clock[REST]
        # the power of a driver in a tree is known only where the residual was found
        if (size <= floor or is_stuck or is_small) and (iteration > 0 or c[LOADS] == 0.0):
            if s.power[0] != 0.0:
                s.power[0] += driver_change(s, 0.0)
            find_end(compose, model, y, s, k)
            # a slow finish asks for a new matrix at the next step; one with tangents costs many residuals
            patience = y.counts[TANGENT]
            y.counts[REFRESH] = 1 if iteration > patience and rate > SLOW and size > floor else 0
            y.clock[RATE] = min(AGEING * y.clock[RATE], 1.0)
            return DONE
        if changes > 1 and (rate > 0.5 or (changes > 3 and rate > 0.1 and size * rate**3 > newton)):
            refresh = True
            y.counts[TANGENT] = 1 if refreshed > 0 else y.counts[TANGENT]
        before = size
    remember_worst(s, y, b)
    return NO_CONVERGENCE
