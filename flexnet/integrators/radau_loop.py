"""The time loop of Radau IIA: (1) and (2) of `radau` by Newton's method, step after step.

**Newton.** With A⁻¹ = T Λ T⁻¹ the three stages come apart into one real and one complex system (Hairer and
Wanner 1996, IV.8): with c = h/ζ for each eigenvalue ζ,

    [ M + c D + c² K    Gᵀ ]  [ δv   ]     [ -c r  ]
    [ G + c W           0  ]  [ c δλ ]  =  [ -Φ̇   ]                                             (3)

K = ∂r/∂q, D = ∂r/∂v, W = ∂Φ̇/∂q, by differences at the start of a step, and kept while Newton converges well.

**Error.** γ₀ h ẏ + Σ e_i (y_i - y), filtered by the real system, goes with h⁴, that of the step with h⁶. So
the estimate of a run may be ALLOWED tol^⅔, a step has its share h/span (the exponent is that of RADAU5).
"""

from typing import Any

from flexnet.integrators.event_search import (
    AT,
    BEFORE,
    BEFORE_VALUE,
    SHARP,
    Span,
    Zeros,
    nearer,
    next_event,
    settle,
)
from flexnet.integrators.radau_run import IS_FIXED, N_Z, NEWTON, Coefficients, Scratch, State, restore
from flexnet.integrators.rows import (
    DONE,
    EVENT,
    FACTORISATIONS,
    H_OLD,
    ITERATIONS,
    NO_CONVERGENCE,
    NOT_A_NUMBER,
    REJECTED,
    RESIDUAL,
    SINGULAR,
    STEP_TOO_SMALL,
    STEPS,
    WORK,
    WORKS,
    H,
    Output,
    T,
)
from flexnet.integrators.runge_kutta_state import (
    COUNTS,
    ERROR,
    H_MAX,
    H_MIN,
    HERE,
    ORDER,
    POWER,
    SPAN,
    TIME,
    TOLERANCE,
)
from flexnet.integrators.runge_kutta_step import TRIES, accelerate, account, add_up, close, is_far, turn
from flexnet.integrators.step_control import FALL, GROW, SAFETY, SHRINK, TINY, WORTHWHILE, step_towards
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve
from flexnet.typing import Array, IntArray

#: Newton's corrections in a step, at most
MOST = 30
#: corrections after which slow ones make tangents in the middle of the step worth their price
PATIENCE = 3
#: error that Newton leaves over what a step may have
LEFT = 1e-2
#: estimate of the error of a run over the power ⅔ of its tolerance
ALLOWED = 0.3
#: a correction over the one before it above which tangents are found again for the next step
SLOW = 0.05
#: a change for a difference, over the size of what changes
DIFFERENCE = 1e-7
#: round-off of a velocity, over the larger of itself and its size in the time of the model
ROUND_OFF = 4e-16


@shared
def tangents(
    residual: Any, matrices: Any, compose: Any, rates: Any, model: Any, work: Any, s: Scratch, c: Array,
    t: float, q: Array, v: Array, a: Array, lam: Array,
) -> None:  # fmt: skip
    """M, G, K, D and W at a state."""
    n, m = v.shape[0], lam.shape[0]
    residual(model, t, q, v, a, lam, work, s.r, s.phi)
    matrices(model, work, 0.0, 0.0, s.M, s.G)
    rates(model, v, a, work, s.rate, s.bias)
    for i in range(n):
        s.dq[i] = 0.0
        s.rhs[i] = s.r[i]
        copy(s.M[i], s.mass[i])
    for k in range(s.unknowns.at.shape[0]):
        s.mass[s.unknowns.at[k], s.unknowns.at[k]] = 0.0  # M alone is a metric there
    for i in range(m):
        s.rhs[n + i] = s.rate[i]
        copy(s.G[i], s.holds[i])
    copy(v, s.v1)
    for j in range(n):
        step = DIFFERENCE * s.sizes[j]
        if j < n - int(c[N_Z]):
            s.dq[j] = step
            compose(model, q, s.dq, s.qp)
            s.dq[j] = 0.0
            residual(model, t, s.qp, v, a, lam, work, s.r, s.phi)
            rates(model, v, a, work, s.rate, s.bias)
            for i in range(n):
                s.K[i, j] = (s.r[i] - s.rhs[i]) / step
            for i in range(m):
                s.W[i, j] = (s.rate[i] - s.rhs[n + i]) / step
        s.v1[j] = v[j] + max(step / c[TIME], DIFFERENCE * abs(v[j]))
        residual(model, t, q, s.v1, a, lam, work, s.r, s.phi)
        for i in range(n):
            s.D[i, j] = (s.r[i] - s.rhs[i]) / (s.v1[j] - v[j])
        s.v1[j] = v[j]


@shared
def assemble(s: Scratch, c: Any, out: Any) -> None:
    """The matrix of (3) without units."""
    n, m, d = s.r.shape[0], s.phi.shape[0], s.units
    for i in range(n):
        for j in range(n):
            out[i, j] = d[i] * d[j] * (s.mass[i, j] + c * (s.D[i, j] + c * s.K[i, j]))
        for j in range(m):
            out[i, n + j] = d[i] * d[n + j] * s.holds[j, i]
            out[n + j, i] = d[i] * d[n + j] * (s.holds[j, i] + c * s.W[j, i])
    for i in range(m):
        for j in range(m):
            out[n + i, n + j] = 0.0 * c


@shared
def factor(y: State, s: Scratch, k: Coefficients, h: float) -> bool:
    """Factor both systems for a step h."""
    assemble(s, h / k.eigen[0].real, s.one)
    assemble(s, h / k.eigen[1], s.two)
    y.counts[FACTORISATIONS] += 1
    return lu_factor(s.one, s.one_pivots) > 1e-16 and lu_factor(s.two, s.two_pivots) > 1e-16


@shared
def foretell(y: State, s: Scratch, k: Coefficients, h: float) -> None:
    """Stages of a step from those of the last one; the present v̇ and λ where there is none."""
    n, old = y.v.shape[0], y.last[3 * y.v.shape[0]]
    for i in range(3):
        copy(y.lam, s.loads[i])
        x = 1.0 + k.c[i] * h / old if old > 0.0 else 0.0
        for j in range(n):
            s.accelerations[i, j] = y.vdot[j]
            s.ways[i, j] = h * k.c[i] * y.v[j]
        # a polynomial further than a step ahead tells nothing
        if old > 0.0 and x < 2.5:
            for a in range(3):
                f = 1.0
                for b in range(3):
                    if b != a:
                        f *= (x - k.c[b]) / (k.c[a] - k.c[b])
                for j in range(n):
                    s.accelerations[i, j] += f * (y.last[a * n + j] - y.vdot[j])


@shared
def places(y: State, s: Scratch, k: Coefficients, h: float) -> bool:
    """Equation (1); whether no rotation is too far."""
    n = y.v.shape[0]
    for i in range(3):
        copy(y.v, s.velocities[i])
        add_up(k.A[i], s.accelerations, 3, h, s.velocities[i])
        turn(s.rotations, s.ways[i], s.velocities[i], s.turns[i])
    for i in range(3):
        for j in range(n):
            s.ways[i, j] = 0.0
        add_up(k.A[i], s.turns, 3, h, s.ways[i])
        if is_far(s.rotations, s.ways[i]):
            return False
    return True


@shared
def gaps(
    residual: Any, compose: Any, rates: Any, model: Any, work: Any, y: State, s: Scratch, k: Coefficients,
    h: float,
) -> bool:  # fmt: skip
    """What is left of (2) at all stages; whether it is a number."""
    n, m = y.v.shape[0], y.lam.shape[0]
    total = 0.0
    for i in range(3):
        compose(model, y.q, s.ways[i], s.q1)
        t = y.clock[T] + k.c[i] * h
        residual(
            model, t, s.q1, s.velocities[i], s.accelerations[i], s.loads[i], work, s.r, s.phi
        )  # fmt: skip
        rates(model, s.velocities[i], s.accelerations[i], work, s.rate, s.bias)
        for j in range(n):
            s.gaps[i, j] = s.r[j]
            total += s.r[j]
        for j in range(m):
            s.gaps[i, n + j] = s.rate[j]
            total += s.rate[j]
    return abs(total) < 1e300


@shared
def correct(s: Scratch, k: Coefficients, c: Array, h: float) -> float:
    """Solve (3) and correct v̇ and λ of all stages; the largest change of a velocity, over its size."""
    n, m, d = s.r.shape[0], s.phi.shape[0], s.units
    first, second = h / k.eigen[0].real, h / k.eigen[1]
    for j in range(n + m):
        s.x[j], s.z[j] = 0.0, 0.0j
        for i in range(3):
            s.x[j] -= k.left[0, i].real * s.gaps[i, j]
            s.z[j] -= k.left[1, i] * s.gaps[i, j]
        if j < n:
            s.x[j] *= first
            s.z[j] *= second
        s.x[j] *= d[j]
        s.z[j] *= d[j]
    lu_solve(s.one, s.one_pivots, s.x)
    lu_solve(s.two, s.two_pivots, s.z)
    worst = 0.0
    for j in range(n):
        x, z = d[j] * s.x[j], d[j] * s.z[j]
        for i in range(3):
            change = k.right[0, i].real * x + 2.0 * (k.right[1, i] * z).real
            s.gaps[i, j] = change
            worst = max(worst, c[TIME] * abs(change) / s.sizes[j])
        for i in range(3):
            for l in range(3):
                s.accelerations[i, j] += k.inverse[i, l] * s.gaps[l, j] / h
    for j in range(n, n + m):
        x, z = d[j] * s.x[j] / first, d[j] * s.z[j] / second
        for i in range(3):
            s.loads[i, j - n] += k.right[0, i].real * x + 2.0 * (k.right[1, i] * z).real
    return worst


@shared
def newton(
    residual: Any, matrices: Any, compose: Any, rates: Any, model: Any, work: Any, y: State, s: Scratch,
    k: Coefficients, c: Array, h: float,
) -> tuple[int, float]:  # fmt: skip
    """Solve (1) and (2); how it ended, and the slowest correction over the one before it."""
    floor, before, slowest = ROUND_OFF, 1e300, 0.0
    for i in range(y.v.shape[0]):
        floor = max(floor, ROUND_OFF * c[TIME] * abs(y.v[i]) / s.sizes[i])
    wanted = c[NEWTON] if c[IS_FIXED] == 1.0 else max(LEFT * c[TOLERANCE] * h / c[SPAN], floor)
    foretell(y, s, k, h)
    for iteration in range(MOST):
        if not places(y, s, k, h) or not gaps(residual, compose, rates, model, work, y, s, k, h):
            return NOT_A_NUMBER, 1.0
        size = correct(s, k, c, h)
        y.counts[ITERATIONS] += 1
        ratio = size / before
        if size != size or (iteration > 1 and ratio > 2.0 and size > 1e3 * floor):
            return NO_CONVERGENCE, 1.0
        if iteration > 0 and size > 10.0 * floor:
            slowest = max(slowest, ratio)
        is_small = size * min(1.0, ratio) < wanted or size < floor or (ratio > 0.5 and size < 1e2 * floor)
        if iteration > 0 and is_small:
            places(y, s, k, h)
            return DONE, slowest
        before = size
        if iteration == PATIENCE and ratio > SLOW:
            # the tangents of the start tell too little of so long a step
            compose(model, y.q, s.ways[1], s.q1)
            tangents(
                residual, matrices, compose, rates, model, work, s, c, y.clock[T] + k.c[1] * h,
                s.q1, s.velocities[1], s.accelerations[1], s.loads[1],
            )  # fmt: skip
            if not factor(y, s, k, h):
                return SINGULAR, 1.0
            before = 1e300
    if before < 1e3 * floor:
        return DONE, slowest
    return NO_CONVERGENCE, 1.0


@shared
def local_error(y: State, s: Scratch, k: Coefficients, c: Array, h: float) -> float:
    """Estimated error of the step, the largest over coordinates and velocities, over their sizes."""
    n, m, d = y.v.shape[0], y.lam.shape[0], s.units
    f = h / k.eigen[0].real
    gamma = f / h
    for j in range(n):
        s.rhs[j], s.dq[j] = f * y.vdot[j], f * y.v[j]
        for i in range(3):
            s.rhs[j] += gamma * k.E[i] * (s.velocities[i, j] - y.v[j])
            s.dq[j] += gamma * k.E[i] * s.ways[i, j]
    for i in range(n):
        s.x[i] = 0.0
        for j in range(n):
            s.x[i] += s.mass[i, j] * s.rhs[j] - f * s.K[i, j] * s.dq[j]
        s.x[i] *= d[i]
    for i in range(m):
        s.x[n + i] = 0.0
    lu_solve(s.one, s.one_pivots, s.x)
    worst = 0.0
    for j in range(n):
        rate = d[j] * s.x[j]
        worst = max(worst, max(abs(s.dq[j] + f * rate), c[TIME] * abs(rate)) / s.sizes[j])
    return worst


@shared
def finish(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, model: Any, work: Any,
    y: Any, s: Any, k: Coefficients, c: Array, t1: float, h: float,
) -> int:  # fmt: skip
    """The end of the step on its constraints, with its own v̇ and λ; powers at all stages."""
    status = DONE
    for i in range(3):
        compose(model, y.q, s.ways[i], s.q1)
        copy(s.velocities[i], s.v1)
        t = t1 if i == 2 else y.clock[T] + k.c[i] * h
        if i == 2 and s.phi.shape[0] > 0:
            close(residual, matrices, compose, rates, model, work, y, s, t, s.q1, s.v1)
        status = accelerate(residual, matrices, rates, model, work, y, s, t, s.q1, s.v1, s.vdot1, s.lam1)
        if status != DONE:
            return int(status)
        account(residual, power, model, work, s, c, t, s.q1, s.v1, s.vdot1, s.lam1, s.powers[i])
    return int(status)


@shared
def accept(
    count: Any, twin: Any, y: State, s: Scratch, k: Coefficients, c: Array, t1: float, h: float
) -> None:
    """Make the end of the step the present state."""
    n = y.v.shape[0]
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    copy(s.vdot1, y.vdot)
    copy(s.lam1, y.lam)
    for i in range(3):
        copy(s.accelerations[i], y.last[i * n : (i + 1) * n])
    y.last[3 * n] = h
    add_up(k.A[2], s.powers, 3, h, y.clock[WORK : WORK + WORKS])
    for j in range(WORKS):
        y.clock[POWER + j] = s.powers[2, j]
    y.clock[T], y.clock[H_OLD] = t1, h
    y.clock[ERROR] += y.clock[RESIDUAL]
    y.counts[STEPS] += 1
    if c[COUNTS] == 1.0:
        count(twin, t1, y.q)


@shared
def replan(y: State, c: Array, h: float, error: float, is_done: bool) -> None:
    """Plan the length of the next step: after a failure, or after a success; a fixed one stays."""
    planned = y.clock[H]
    if c[IS_FIXED] == 1.0:
        return
    if not is_done:
        y.clock[H] = FALL * h
    elif not error <= 1.0:
        y.clock[H] = h * max(FALL, SAFETY / error ** (1.0 / c[ORDER]))
    else:
        new = h * min(GROW, max(SHRINK, SAFETY / max(error, TINY) ** (1.0 / c[ORDER])))
        if h < planned:  # cut short for the sake of a row
            new = max(new, planned)
        elif h <= new < WORTHWHILE * h:  # the factors stay good
            new = h
        y.clock[H] = min(new, c[H_MAX])


@shared
def _write(y: State, out: Output, row: int) -> None:
    copy(y.q, out.q[row])
    copy(y.v, out.v[row])
    copy(y.vdot, out.a[row])
    copy(y.lam, out.lam[row])
    for j in range(WORKS):
        out.work[row, j] = y.clock[WORK + j]
    out.solver[row, 0] = y.clock[H_OLD]


@shared
def _attempt(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, model: Any, work: Any,
    y: State, s: Scratch, k: Coefficients, c: Array, t1: float, h: float, is_factored: bool,
) -> tuple[int, float, float]:  # fmt: skip
    """A step with the present tangents: status, slowest correction, error over what is allowed."""
    status, slowest, error = DONE if is_factored or factor(y, s, k, h) else SINGULAR, 0.0, 0.0
    if status == DONE:
        status, slowest = newton(residual, matrices, compose, rates, model, work, y, s, k, c, h)
    if status == DONE and c[IS_FIXED] == 0.0:
        y.clock[RESIDUAL] = local_error(y, s, k, c, h)
        error = y.clock[RESIDUAL] / (ALLOWED * c[TOLERANCE] ** (2.0 / 3.0) * h / c[SPAN])
    if status == DONE and error <= 1.0:
        status = finish(residual, matrices, compose, rates, power, model, work, y, s, k, c, t1, h)
    return int(status), slowest, error


@shared
def _step_to_event(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, model: Any, work: Any,
    span: Span, e: Zeros, y: State, s: Scratch, k: Coefficients, c: Array, h: float,
) -> tuple[int, int, float]:  # fmt: skip
    """End the trial step where an event comes first; its number or -1, status, length of the step."""
    t0 = y.clock[T]
    i = next_event(compose, model, span, e, t0, h)
    if i < 0:
        return -1, DONE, h
    x, before, f_before = e.zeros[i, AT] * h, e.zeros[i, BEFORE] * h, e.zeros[i, BEFORE_VALUE]
    for _ in range(TRIES):
        if x <= SHARP * h:
            return i, DONE, 0.0
        status, _, _ = _attempt(
            residual, matrices, compose, rates, power, model, work, y, s, k, c, t0 + x, x, False
        )  # fmt: skip
        if status != DONE:
            return i, int(status), x
        new, f = nearer(span, e, i, t0, x, before, f_before, h)
        if new == x:
            break
        before, f_before, x = x, f, new
    return i, DONE, x


def run(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, count: Any, evaluate: Any,
    model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array, g: Array,
    out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event; every row ends a step."""
    y, s, k = restore(data)
    span, e = Span(y.q, y.v, s.ways[2], s.q1, s.v1, s.qp, s.dq, s.r), Zeros(evaluate, eye, zeros, g)
    row, rows, evaluations, taken, fired = 0, len(out.t), y.counts[ITERATIONS], 0, -1
    is_fixed, is_stale, factored = c[IS_FIXED] == 1.0, True, 0.0
    while row < rows:
        left = out.t[row] - y.clock[T]
        if left <= HERE * abs(out.t[row]):  # an event happened at the time of the row
            _write(y, out, row)
            out.solver[row, 1] = y.counts[ITERATIONS] - evaluations
            evaluations, taken = y.counts[ITERATIONS], 0
            row += 1
            continue
        h = left / (every - taken) if is_fixed else step_towards(left, y.clock[H])
        is_fresh = is_stale
        if is_stale:
            tangents(
                residual, matrices, compose, rates, model, work, s, c, y.clock[T], y.q, y.v, y.vdot, y.lam
            )  # fmt: skip
            is_stale, factored = False, 0.0
        t1 = out.t[row] if h == left else y.clock[T] + h
        status, slowest, error = _attempt(
            residual, matrices, compose, rates, power, model, work, y, s, k, c, t1, h,
            abs(h - factored) <= 1e-12 * h,
        )  # fmt: skip
        factored = h
        if status != DONE and not is_fresh:
            is_stale = True
            continue
        replan(y, c, h, error, status == DONE)
        if status != DONE or not error <= 1.0:
            y.counts[REJECTED] += 1
            if is_fixed or y.clock[H] < c[H_MIN]:
                return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
            continue
        if zeros.shape[0] > 0:
            fired, status, h = _step_to_event(
                residual, matrices, compose, rates, power, model, work, span, e, y, s, k, c, h
            )  # fmt: skip
            t1 = t1 if fired < 0 else y.clock[T] + h
        if status == DONE and h > 0.0:
            accept(count, twin, y, s, k, c, t1, h)
        if zeros.shape[0] > 0:
            settle(e, y.clock[T], y.q, y.v, fired)
        if fired >= 0:
            return int((status if status != DONE else EVENT) + 16 * row)
        is_stale = slowest > SLOW
        taken += 1
        is_row = taken == every if is_fixed else abs(out.t[row] - t1) <= 1e-9 * h
        if is_row:
            _write(y, out, row)
            out.solver[row, 1] = y.counts[ITERATIONS] - evaluations
            evaluations, taken = y.counts[ITERATIONS], 0
            row += 1
    return DONE + 16 * rows
