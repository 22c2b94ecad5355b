"""One step of an α-method: prediction, and Newton's method on (1)-(3) of `alpha_loop`."""

from flexnet.integrators.alpha_matrix import couplings, factor, solve, tangents
from flexnet.integrators.alpha_round_off import (
    answer_to_round_off,
    find_norm,
    load_round_off,
    round_off,
    state_round_off,
)
from flexnet.integrators.alpha_state import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    GAMMA,
    H_OLDER,
    HAS_OLD,
    IS_NOISY,
    LEVEL,
    NEWTON,
    POSITION,
    RATE,
    REFRESH,
    REMAINDER,
    TANGENT,
    Scratch,
    State,
)
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import (
    DONE,
    H_OLD,
    ITERATIONS,
    NO_CONVERGENCE,
    NOT_A_NUMBER,
    RESIDUAL,
    SINGULAR,
    WORST,
)
from flexnet.kernels.compile import shared
from flexnet.typing import Array

MAX_ITERATIONS = 12
#: part of the local error the corrector may leave
SHARE = 3e-4
#: noise of v̇ and λ over their size that need not be less, see docs/theory/corrector.md
QUIET = 2e-6
#: stands where nothing is divided by zero
TINY = 1e-300
#: part of what round-off does that may be left, a tenth of what is usual: ROUND_OFF is ten times an ulp
HIDDEN = 0.01
#: corrections by round-off over the one that the matrix was asked for: signs may add up better
CHANCE = 2.0
#: weight of a correction of an algebraic unknown: a matrix that ages may be wrong about its rate so often
STRICT = 100.0
#: convergence that asks for a new matrix, convergence never assumed to be better, its change per step
SLOW, BEST_RATE, AGEING = 0.005, 1e-3, 1.1


@shared
def error_constant(c: Array) -> float:
    """C = β + (αm - αf)/2 - 1/6 of the local error h³ C v̈ of the position."""
    return float(c[BETA] + 0.5 * (c[ALPHA_M] - c[ALPHA_F]) - 1.0 / 6.0)


@shared
def position_error(c: Array, h: float) -> float:
    """Local error of the position over the change of a."""
    return abs(error_constant(c)) * h * h


@shared
def largest_local_error(y: State, s: Scratch, c: Array, h: float, n: int) -> float:
    """|C| h² (a₁ - a), the largest over the first n coordinates, each over its size."""
    change = 0.0
    for i in range(n):
        change = max(change, abs(s.a1[i] - y.a[i]) * s.per_size[i])
    return position_error(c, h) * change


@shared
def trial(f: Functions, y: State, s: Scratch, c: Array, h: float) -> None:
    """Equations (1) and (2) for the present v̇₁."""
    beta, gamma = c[BETA], c[GAMMA]
    for i in range(y.v.shape[0]):
        a1 = ((1.0 - c[ALPHA_F]) * s.vdot1[i] + c[ALPHA_F] * y.vdot[i] - c[ALPHA_M] * y.a[i]) / (
            1.0 - c[ALPHA_M]
        )
        s.a1[i] = a1
        s.dq[i] = h * (y.v[i] + h * (h * y.offset[i] + (0.5 - beta) * y.a[i] + beta * a1))
        s.v1[i] = y.v[i] + h * ((1.0 - gamma) * y.a[i] + gamma * a1)
    f.compose(f.model, y.q, s.dq, s.q1)


@shared
def defect(f: Functions, s: Scratch, c: Array, c_q: float) -> None:
    """Right-hand side of (4) after a residual."""
    n, m = s.r.shape[0], s.phi.shape[0]
    for i in range(n):
        s.rhs[i] = -s.r[i]
    if c[LEVEL] == POSITION:
        for i in range(m):
            s.rhs[n + i] = -s.phi[i] / c_q
    else:
        f.rates(f.model, s.v1, s.vdot1, f.work, s.rate, s.acceleration)
        for i in range(m):
            s.rhs[n + i] = -s.acceleration[i]


@shared
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


@shared
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


@shared
def apply_correction(s: Scratch, c_q: float, c_v: float) -> tuple[float, float, float, float, float]:
    """Add ``s.rhs`` to v̇₁ and λ₁; returns its largest part in positions, in v̇ and in λ, weighted.

    Then that in states over their sizes, and in ż, weighted. An algebraic unknown counts STRICT times:
    nothing but Newton's method makes its row zero.
    """
    n, m = s.vdot1.shape[0], s.lam1.shape[0]
    first = n - s.per_unknown.shape[0]
    moved, motion, load, shifted, drift = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        s.vdot1[i] += s.rhs[i]
        d = abs(s.rhs[i])
        if i < first:
            moved = max(moved, s.per_size[i] * d)
            motion = max(motion, s.norm[i] * d)
        else:
            shifted = max(shifted, s.per_size[i] * d)
            drift = max(drift, s.norm[i] * d)
    for j in range(m):
        s.lam1[j] += s.rhs[n + j]
        load = max(load, s.norm[n + j] * abs(s.rhs[n + j]))
    moved *= c_q
    shifted *= c_q
    for k in range(s.per_unknown.shape[0]):
        z = 1.0 + abs(s.v1[first + k]) * s.per_unknown[k]
        shifted = max(shifted, STRICT * c_v * abs(s.rhs[first + k]) * s.per_unknown[k] / z)
    return moved, motion, load, shifted, drift


@shared
def change(y: State, s: Scratch) -> tuple[float, float]:
    """Weighted change of v̇ and λ over the step, the largest, and that of ż."""
    n, out, states = y.v.shape[0], 0.0, 0.0
    moving = n - s.per_unknown.shape[0]
    for i in range(n):
        d = s.norm[i] * abs(s.vdot1[i] - y.vdot[i])
        if i < moving:
            out = max(out, d)
        else:
            states = max(states, d)
    for j in range(y.lam.shape[0]):
        out = max(out, s.norm[n + j] * abs(s.lam1[j] - y.lam[j]))
    return out, states


@shared
def bend(y: State, s: Scratch, h: float) -> float:
    """Weighted distance of v̇₁ and λ₁ from a straight line through the last two states, the largest."""
    n, m = y.v.shape[0], y.lam.shape[0]
    slope = h / y.clock[H_OLD] if y.counts[HAS_OLD] > 0 else 0.0
    off = 0.0
    for i in range(n - s.per_unknown.shape[0]):
        line = y.vdot[i] + slope * (y.vdot[i] - y.vdot_old[i])
        off = max(off, s.norm[i] * abs(s.vdot1[i] - line))
    for j in range(m):
        line = y.lam[j] + slope * (y.lam[j] - y.lam_old[j])
        off = max(off, s.norm[n + j] * abs(s.lam1[j] - line))
    return off


@shared
def is_quiet(y: State, s: Scratch, c: Array, h: float, left: float, first: float) -> bool:
    """Whether what is left of a correction makes no noise across constraints that would be seen.

    It is REMAINDER of the first correction or of the bend of the motion, or makes noise of QUIET of what was
    there when the matrix was made.
    """
    k = c[REMAINDER]
    return bool(
        left <= k * first or left <= QUIET * k**0.5 * s.norm[s.rhs.shape[0] + 1] or left <= k * bend(y, s, h)
    )


@shared
def step(f: Functions, y: State, s: Scratch, c: Array, t1: float, h: float, is_fresh: bool) -> int:
    """Solve (1)-(3) for v̇₁ and λ₁ by Newton's method; ``s`` receives the new state.

    The corrector stops when what it leaves is SHARE of the local error and NEWTON of a position, and where
    noise could grow is quiet (:func:`is_quiet`), or is HIDDEN of what round-off of the positions brings about
    through the whole mechanism. ``is_fresh`` asks for a new matrix at the first iteration.
    """
    ratio = (1.0 - c[ALPHA_F]) / (1.0 - c[ALPHA_M])
    c_q, c_v = h * h * c[BETA] * ratio, h * c[GAMMA] * ratio
    share = SHARE * position_error(c, h) / c_q
    predict(y, s, h)
    refresh = is_fresh
    is_first = True
    before, moved_before, motion_before, drift_before, first = 0.0, 1.0, 1.0, 0.0, 0.0
    earlier, drift_earlier = 0.0, 0.0
    floor = round_off(y, s)
    for k in range(MAX_ITERATIONS):
        trial(f, y, s, c, h)
        if refresh and y.counts[TANGENT] == 1:
            tangents(f, t1, s, c)
        if refresh and s.coupling.shape[0] > 0:
            couplings(f, t1, s, c)
        f.residual(f.model, t1, s.q1, s.v1, s.vdot1, s.lam1, f.work, s.r, s.phi)
        if not is_finite(s):
            worst_equation(s, y, c_q)
            return NOT_A_NUMBER
        if refresh:
            if not factor(f, y, s, c_q, c_v):
                worst_equation(s, y, c_q)
                return SINGULAR
            refresh = False
            if is_first:
                # the norm stays within a step: rates of convergence compare corrections in it
                find_norm(y, s, c_q, c_v)
        defect(f, s, c, c_q)
        solve(s)
        moved, motion, load, shifted, drift = apply_correction(s, c_q, c_v)
        size = max(motion, load)
        y.counts[ITERATIONS] += 1
        # not greater: a mechanism driven in all its freedoms has neither corrections nor a norm
        if not max(size, drift) <= 1e100 * s.norm[s.rhs.shape[0]]:
            worst_equation(s, y, c_q)
            return NOT_A_NUMBER
        move_floor, load_floor = floor, load_round_off(s, floor, c_q)
        drift_floor = state_round_off(s, c_v)
        # near a singular position round-off is amplified: what is seen not to shrink may still be small;
        # loads count as well: where constraints hold a body, an old matrix turns them and moves nothing
        is_small = moved <= 100.0 * floor and load <= 100.0 * load_floor
        is_noise = moved <= floor and load <= load_floor
        if is_first:
            first, rate = size, y.clock[RATE]
        else:
            rate = size / before if before > 0.0 else 0.0
            if not is_noise and (rate > 0.3 or load <= s.lam1.shape[0] * load_floor):
                all_moved, all_loads = answer_to_round_off(s, floor, c_q)
                if load <= CHANCE * all_loads:
                    # in a long chain loads are noise long before motions are: they tell of no rate
                    rate = min(rate, motion / motion_before)
                    if moved <= CHANCE * all_moved:  # so are motions: the rate may be what it was
                        rate = min(rate, y.clock[RATE])
                if size > 0.3 * before and moved <= max(c[NEWTON], 100.0 * floor):
                    move_floor = max(floor, CHANCE * all_moved)
                    load_floor = max(load_floor, CHANCE * all_loads)
                    is_noise = moved <= move_floor and load <= load_floor
            # corrections at the floor are round-off: the rate is no worse than what led to it
            kept = min(rate, move_floor / moved_before) if is_noise else rate
            if drift > drift_floor and drift_before > 0.0:
                slower = drift / drift_before
                kept, rate = max(kept, slower), slower if is_noise else max(rate, slower)
            y.clock[RATE] = max(kept, BEST_RATE)
        # what is left over the correction itself
        left = rate / (1.0 - rate) if rate < 0.9 else 1.0
        # states have units of their own, and may be large: neither of the two hides what the other lacks
        wide, wide_z = change(y, s)
        goal, goal_z = share * wide, max(share * wide_z, drift_floor)
        is_settled = left * drift <= goal_z and left * shifted <= c[NEWTON]
        is_near = left * size <= goal and left * moved <= c[NEWTON]
        if is_near and (c[IS_NOISY] == 1.0 or y.counts[TANGENT] == 1):
            is_near = is_quiet(y, s, c, h, left * size, first)
        is_hidden = False
        if not is_near and s.lam1.shape[0] > 0:
            all_moved, all_loads = answer_to_round_off(s, floor, c_q)
            is_hidden = left * moved <= HIDDEN * all_moved and left * load <= HIDDEN * all_loads
        most = max(moved, shifted)
        is_least = (is_small and is_settled) or (k > 2 and most <= c[NEWTON])
        is_stuck = not is_first and rate > 0.3 and is_least
        if (is_settled and (is_near or is_hidden or is_noise)) or is_stuck:
            trial(f, y, s, c, h)
            # a slow finish asks for a new matrix at the next step; one with tangents costs many residuals
            patience = y.counts[TANGENT]
            is_done = (is_noise or is_hidden) and drift <= drift_floor
            y.counts[REFRESH] = 1 if k > patience and rate > SLOW and not is_done else 0
            # the matrix ages
            y.clock[RATE] = min(AGEING * y.clock[RATE], 1.0)
            return DONE
        # unreduced bodies have too many tangents: a new matrix is all that can be had
        has_tangents = s.blocks.bodies.shape[0] == 0
        if earlier > 0.0 or drift_earlier > 0.0:
            # errors may turn in a circle between stiff and soft: two corrections tell the rate, one does not
            # (Hairer and Wanner, Solving ODEs II, section IV.8 and the code RADAU5)
            rate = (size / earlier) ** 0.5 if earlier > 0.0 and not is_noise else 0.0
            if drift_earlier > 0.0 and drift > drift_floor:
                rate = max(rate, (drift / drift_earlier) ** 0.5)
            left = rate / (1.0 - rate) if rate < 0.9 else 1.0
        is_lost = not is_first and rate > 1.0 and y.counts[TANGENT] == 0 and has_tangents
        # at this rate the iterations left would not do
        left *= rate ** max(MAX_ITERATIONS - 2 - k, 0)
        is_open = left * size > goal and not (is_noise or is_hidden)
        is_slow = rate > 0.5 or left * most > max(c[NEWTON], floor) or is_open or left * drift > goal_z
        if not is_first and is_slow:
            refresh = True
            if (k > 1 or is_lost) and has_tangents:
                y.counts[TANGENT] = 1
        if is_lost:
            # iterations without tangents led away: once more from the prediction, with them
            predict(y, s, h)
            y.clock[RATE] = 1.0
        is_first = is_lost
        earlier = 0.0 if is_first or refresh else before
        drift_earlier = 0.0 if is_first or refresh else drift_before
        before, moved_before, motion_before = size, max(moved, TINY), max(motion, TINY)
        drift_before = drift
    worst_equation(s, y, c_q)
    return NO_CONVERGENCE
