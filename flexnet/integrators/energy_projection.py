"""The end of a step of an energy scheme: projected on energy, momenta and constraints, to round-off.

The energy is put right along the answer z of Newton's matrix to M U, and the constraints across them, so that
the motion (3) stays solved: only ε and λ change. This needs their values at the end, and no residual unless
forces do much work in the step. Equation numbers are those of :mod:`flexnet.integrators.energy_loop`.
"""

from typing import Any

from flexnet.integrators.energy_balance import (
    FREE,
    dissipation,
    find_answer,
    find_driven,
    find_excess,
    find_forced,
    find_surplus,
    in_round_offs,
    put_momenta_right,
    share_along,
)
from flexnet.integrators.energy_momentum import couple, find_shift, lock, momentum_of
from flexnet.integrators.energy_newton import (
    accelerate,
    apply_change,
    driver_change,
    find_direction,
    find_end,
    remember_worst,
)
from flexnet.integrators.energy_state import AGEING, Scratch, State
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import DONE, NO_CONVERGENCE
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_solve

#: a projection converges in two or three iterations, or not at all
MAX_ITERATIONS = 12
#: of a step that cannot keep both energy and momenta
GIVE_UP = -1
#: of a projection that goes on
GO_ON = -2
#: convergence never assumed to be better
BEST_RATE = 1e-2
#: convergence beyond which what is left cannot be told from it, and convergence that is none
WORST_RATE, STILL = 0.9, 0.3
#: largest relative change of the velocity by ε in one stage; the rest waits for the next
LIMIT = 0.5
#: work of drivers and forces over the kinetic energy above which it is followed while a step is projected
WORKING = 0.05
#: part of the fixed step down to which a step is divided for the sake of the energy
SMALLEST_PART = 0.1
#: inertia as one body, smallest over largest pivot, below which a motion is not told from none
DEGENERATE = 1e-14
#: round-off of an energy over the sum of all
ROUND_OFF = 1e-15
#: round-offs of the energy that tell a change from them, and that are left where ε is at its limit
CLEAR, OPEN = 10.0, 1e2
#: least part of the expected answer of the energy to ε that is believed
LEAST_SLOPE = 0.2
#: round-offs of a change that stands still, and of one that is stuck, in which a step is accepted
STANDING, STUCK = 1e2, 1e4
#: velocity of a mechanism that hardly moves, over its size and time
SLOW = 1e-3
#: a change that only a wrong matrix leads to
ASTRAY = 1e100


@shared
def _begin(f: Functions, y: State, s: Scratch, c: Any, ts: float, t1: float) -> bool:
    """Find the direction z of the projection and what ε does to the energy; False if momenta leave no way."""
    p, trial, k = s.projection[0], s.trial[0], s.tableau[0]
    p.before, p.rate, p.slope, p.first = 0.0, y.clock[0].projection_rate, y.clock[0].slope, 0.0
    p.count, p.is_limited = 0, 0
    if trial.keeps == 1:
        if lock(f, s.kept, t1, s.q1, s.v1, s.dq) < DEGENERATE:
            return False
        f.momenta(f.kept, t1, s.q1, s.u, s.kept.six)
        for a in range(s.kept.locked.shape[0]):
            s.kept.locked[a] = momentum_of(s.kept, a)
        lu_solve(s.kept.I, s.kept.pivots_I, s.kept.locked)
        f.momenta(f.kept, t1, s.q1, s.v1, s.kept.six)
        couple(s.kept, k.c)
    p.largest = find_answer(s)
    p.square = trial.square
    if trial.keeps == 1:
        p.square += k.b * k.b * find_shift(s.kept, k.b)
        y.clock[0].response = p.square
    trial.driven = trial.forced = 0.0
    p.is_followed = 0
    if abs(k.b) * (abs(s.power[0]) + abs(s.power[1]) + abs(s.power[2])) > WORKING * p.square:
        find_forced(f, s, ts, max(p.largest, SLOW * c.per_time))
        p.is_followed = 1
    return True


@shared
def _measure(f: Functions, y: State, s: Scratch, c: Any, t1: float, h: float, iteration: int) -> float:
    """Energies and constraints of the end; returns the surplus of energy that ε has to take, J."""
    p, trial, clock = s.projection[0], s.trial[0], y.clock[0]
    f.energy(f.model, t1, s.q1, s.v1, f.work, s.phi, s.rate, s.energy)
    if h > 0.0 and iteration == 0:
        trial.dissipated = dissipation(f, s, t1, c.gamma, h)
    if iteration == 0 and c.loads_do_work == 1.0 and p.is_followed == 0:
        find_driven(f, s, t1, max(p.largest, SLOW * c.per_time))
    p.surplus = find_surplus(s, y)
    free = p.surplus
    if trial.keeps == 1:
        free -= find_excess(f, y, s, t1)
    p.noise = ROUND_OFF * (clock.peak + abs(s.energy[0]) + abs(s.energy[1]) + abs(s.energy[2]))
    p.noise += clock.rest
    if iteration == 1 and abs(p.first) > CLEAR * p.noise:
        # not 1 where work that is not followed is not small
        measured = clock.slope * (1.0 - free / p.first)
        clock.slope = measured if abs(measured) > LEAST_SLOPE else 1.0
    p.first = free
    # change of the velocity by round-off of the energies
    trial.noise = min(p.noise / p.square, LIMIT) * p.largest if p.square > 0.0 else 0.0
    return float(free)


@shared
def _change_of_epsilon(y: State, s: Scratch, free: float) -> float:
    """Change of ε that takes a surplus, up to its limit: what that leaves over waits for the next step."""
    p, epsilon, b = s.projection[0], s.trial[0].epsilon, s.tableau[0].b
    if p.is_limited == 1 or not p.square > FREE * y.clock[0].peak:
        return 0.0
    change = free / (b * p.square * p.slope)
    limit = LIMIT / abs(b)
    if abs(epsilon + change) > limit:
        change = (limit if change > 0.0 else -limit) - epsilon
        p.is_limited, p.count, p.first = 1, 0, 0.0
    return float(change)


@shared
def _apply(f: Functions, y: State, s: Scratch, c: Any, change: float) -> float:
    """Change ε, λ, w and, where momenta are kept, A along ξ; returns the size of the change in round-offs."""
    p, trial = s.projection[0], s.trial[0]
    n, m = y.v.shape[0], y.lam.shape[0]
    s.x[:] = 0.0
    if m > 0:
        s.rp[:] = 0.0
        find_direction(s, s.rp)
    for i in range(n + m):
        s.x[i] -= change * s.z[i]
    if trial.keeps == 1:
        put_momenta_right(s, change)
    accelerate(s, p.count)
    p.count += 1
    apply_change(s)
    if trial.square > FREE * y.clock[0].peak:
        change = share_along(s, change)
    trial.epsilon += change
    if s.power[0] != 0.0:
        s.power[0] += driver_change(s, change)
    s.power[1] -= change * trial.forced
    find_end(f, y, s)
    return in_round_offs(y, s, c.per_time)


@shared
def _judge(y: State, s: Scratch, iteration: int, size: float) -> int:
    """Whether a change of this size was the last one: DONE, GO_ON, or GIVE_UP the momenta."""
    p, trial, clock = s.projection[0], s.trial[0], y.clock[0]
    if iteration > 0:
        p.rate = size / p.before if p.before > 0.0 else 0.0
    if iteration == 1:
        clock.projection_rate = min(max(p.rate if size > 1.0 else 1.0 / p.before, BEST_RATE), 1.0)
    slow = max(p.rate, BEST_RATE)
    left = size * slow / (1.0 - slow) if slow < WORST_RATE else size
    is_standing = iteration > 1 and p.rate > STILL and size <= STANDING
    if not (left <= 1.0 or size <= 1.0 or is_standing):
        return GO_ON
    is_locked = trial.keeps == 1 and p.square <= FREE * clock.peak
    if is_locked and abs(p.surplus) > OPEN * p.noise:
        # all of the velocity is in the momenta; do they keep the energy?
        return GIVE_UP if size <= 1.0 else GO_ON
    clock.projection_rate = min(AGEING * clock.projection_rate, 1.0)
    return DONE


@shared
def _leave_over(s: Scratch, c: Any, h: float) -> int:
    """What becomes of the energy that ε, at its limit, cannot take."""
    p, trial = s.projection[0], s.trial[0]
    if h > 0.0:
        # what a velocity near zero cannot take up, dissipation does, as long as it stays one
        kept = max(trial.dissipated - p.surplus, 0.0)
        p.surplus += kept - trial.dissipated
        trial.dissipated = kept
    # smaller steps pass elsewhere; at rest it waits for the next
    is_open = abs(p.surplus) > OPEN * p.noise and abs(s.tableau[0].b) > SMALLEST_PART * c.h_max
    return NO_CONVERGENCE if is_open else DONE


@shared
def _project(f: Functions, y: State, s: Scratch, c: Any, ts: float, t1: float, h: float) -> int:
    """Project on (4), (5), and (6) if the step keeps momenta; GIVE_UP if that leaves no way to the energy."""
    p, keeps = s.projection[0], s.trial[0].keeps == 1
    if not _begin(f, y, s, c, ts, t1):
        return GIVE_UP
    for iteration in range(MAX_ITERATIONS):
        free = _measure(f, y, s, c, t1, h, iteration)
        change = _change_of_epsilon(y, s, free)
        if keeps and p.is_limited == 1:
            return GIVE_UP
        size = _apply(f, y, s, c, change)
        if not size < ASTRAY:
            remember_worst(s, y)
            return NO_CONVERGENCE
        verdict = _judge(y, s, iteration, size)
        if verdict == DONE:
            return _leave_over(s, c, h) if p.is_limited == 1 else DONE
        if verdict == GIVE_UP:
            return GIVE_UP
        p.before = size
    if p.before <= STUCK and not keeps:
        # stuck in round-off that was not foreseen; the next step makes up for the energy
        return DONE
    remember_worst(s, y)
    return NO_CONVERGENCE


@shared
def project(f: Functions, y: State, s: Scratch, c: Any, ts: float, t1: float, h: float) -> int:
    """Project the end of a step on (4), (5) and (6), to round-off; h > 0 where D counts.

    The work of drivers follows A and λ, that of forces follows A where it is not small. Where momenta and
    energy cannot both be kept, the energy is.
    """
    trial = s.trial[0]
    if trial.keeps == 0:
        return int(_project(f, y, s, c, ts, t1, h))
    n, epsilon = y.v.shape[0], trial.epsilon
    powers = (s.power[0], s.power[1], s.power[2])
    copy(s.a, s.begun[0:n])
    copy(s.w, s.begun[n : 2 * n])
    copy(s.lam, s.begun[2 * n :])
    status = _project(f, y, s, c, ts, t1, h)
    if status != DONE:
        trial.keeps = 0
        s.power[0], s.power[1], s.power[2] = powers
        trial.epsilon = epsilon
        copy(s.begun[0:n], s.a)
        copy(s.begun[n : 2 * n], s.w)
        copy(s.begun[2 * n :], s.lam)
        find_end(f, y, s)
        status = _project(f, y, s, c, ts, t1, h)
    return int(status)
