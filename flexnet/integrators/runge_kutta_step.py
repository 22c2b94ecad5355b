"""One step of an explicit Runge-Kutta method: stages, end and error; see `runge_kutta_loop`."""

from math import cos, sin

from flexnet.integrators.algebraic_rows import settle_rows
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import (
    DONE,
    ITERATIONS,
    NO_CONVERGENCE,
    NOT_A_NUMBER,
    RESIDUAL,
    SINGULAR,
    WORKS,
    T,
)
from flexnet.integrators.runge_kutta_factors import factor, finish, solve
from flexnet.integrators.runge_kutta_state import (
    DOUBT_ERROR,
    DOUBT_H,
    DOUBT_T,
    LOADS,
    NOISE,
    POWER,
    SPAN,
    TIME,
    TOLERANCE,
    Coefficients,
    Scratch,
    State,
)
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import (
    add_correction,
    copy,
)
from flexnet.typing import Array, IntArray

#: error whose square is still a number above nothing
SQUARED = 1e-150
#: a step grows at most so much: its error tells little of steps that are very different
LARGEST_GROWTH = 5.0
#: error of one position by round-off in a step, over the larger of its size and itself
ROUND_OFF = 1e-16
#: errors that may be round-off of the rates: over sizes, and over what is allowed; the largest over one seen
FAINT, TIMES, LOUDER = 1e-11, 10.0, 3.0
#: a violated constraint, over its size, that is none
CLOSED = 1e-15
#: iterations of (2) where forces follow loads of joints, and the change over the size that is none
SETTLING, SETTLED = 80, 1e-14
#: a turn within a step beyond which (3) is near its singularity at a whole turn, rad
FAR = 3.0


@shared
def accelerate(f: Functions, y: State, s: Scratch, t: float, q: Array, v: Array, a: Array, lam: Array) -> int:
    """Equation (2): v̇ and λ of a state, algebraic unknowns of which are put right first."""
    n, m = v.shape[0], lam.shape[0]
    if s.unknowns.at.shape[0] > 0 and not settle_rows(f, t, q, v, s.still, s.free, s.unknowns):  # fmt: skip
        return NO_CONVERGENCE
    f.residual(f.model, t, q, v, s.still, s.free, f.work, s.r, s.phi)
    if m > 0:
        f.rates(f.model, v, s.still, f.work, s.rate, s.bias)
    total = 0.0
    for i in range(n):
        total += s.r[i]
        s.rhs[i] = -s.r[i]
    for i in range(m):
        total += s.bias[i]
        s.rhs[n + i] = -s.bias[i]
    if not abs(total) < 1e300:
        return NOT_A_NUMBER
    y.counts[ITERATIONS] += 1
    if not factor(f, y, s):
        return SINGULAR
    finish(s)
    for i in range(n):
        a[i] = s.rhs[i]
    for i in range(m):
        lam[i] = s.rhs[n + i]
    return DONE if s.form[1] == 0 else _settle(f, y, s, t, q, v, a, lam)


@shared
def _settle(f: Functions, y: State, s: Scratch, t: float, q: Array, v: Array, a: Array, lam: Array) -> int:
    """Iterate (2) where forces follow accelerations or loads of joints, with the factors without them."""
    n, m = v.shape[0], lam.shape[0]
    for _ in range(SETTLING):
        f.residual(f.model, t, q, v, a, lam, f.work, s.r, s.phi)
        f.rates(f.model, v, a, f.work, s.rate, s.bias)
        y.counts[ITERATIONS] += 1
        for i in range(n):
            s.rhs[i] = -s.r[i]
        for i in range(m):
            s.rhs[n + i] = -s.bias[i]
        solve(s)
        moved, size = add_correction(s.rhs, s.units, a, lam)
        if moved <= SETTLED * size:
            return DONE
    return NO_CONVERGENCE


@shared
def account(
    f: Functions, s: Scratch, c: Array, t: float, q: Array, v: Array, a: Array, lam: Array, out: Array
) -> None:
    """Powers of the state last accelerated."""
    if c[LOADS] == 1.0:
        f.residual(f.model, t, q, v, a, lam, f.work, s.r, s.phi)
    f.power(f.model, q, v, lam, f.work, s.power)
    copy(s.power, out)
    out[3] = 0.0
    for i in range(lam.shape[0]):
        out[3] -= lam[i] * s.rate[i]


@shared
def turn(rotations: IntArray, theta: Array, v: Array, out: Array) -> None:
    """Equation (3): θ̇ of a velocity where the step has led by θ."""
    copy(v, out)
    for i in range(rotations.shape[0]):
        k = rotations[i]
        x, y, z = theta[k], theta[k + 1], theta[k + 2]
        a, b, c = v[k], v[k + 1], v[k + 2]
        square = x * x + y * y + z * z
        # θ × ω and θ × (θ × ω)
        p, q, r = y * c - z * b, z * a - x * c, x * b - y * a
        f, g, h = y * r - z * q, z * p - x * r, x * q - y * p
        if square < 0.04:
            # next term θ⁸/47 900 160
            e = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
        else:
            half = 0.5 * square**0.5
            e = (1.0 - half * cos(half) / sin(half)) / square
        out[k] += 0.5 * p + e * f
        out[k + 1] += 0.5 * q + e * g
        out[k + 2] += 0.5 * r + e * h


@shared
def is_far(rotations: IntArray, theta: Array) -> bool:
    """Whether a rotation leaves the range of (3) within the step."""
    for i in range(rotations.shape[0]):
        k = rotations[i]
        if theta[k] ** 2 + theta[k + 1] ** 2 + theta[k + 2] ** 2 > FAR * FAR:
            return True
    return False


@shared
def add_up(k: Array, rates: Array, count: int, h: float, out: Array) -> None:
    """Add h Σ k_j rates_j to a vector."""
    for j in range(count):
        if k[j] != 0.0:
            f = h * k[j]
            for i in range(out.shape[0]):
                out[i] += f * rates[j, i]


@shared
def close(f: Functions, y: State, s: Scratch, t: float, q: Array, v: Array) -> None:
    """Put a state on Φ = 0 and Φ̇ = 0; the factors of a state nearby serve until they are seen not to."""
    n, m = v.shape[0], s.phi.shape[0]
    before = 1e300
    for k in range(6):
        f.residual(f.model, t, q, v, s.still, s.free, f.work, s.r, s.phi)
        worst = 0.0
        for i in range(m):
            worst = max(worst, abs(s.phi[i]) / s.row_sizes[i])
        if worst < CLOSED or (k > 0 and worst > 0.3 * before and worst < 1e3 * CLOSED):
            break
        if worst > 0.1 * before and not factor(f, y, s):
            break
        before = worst
        for i in range(n):
            s.rhs[i] = 0.0
        for i in range(m):
            s.rhs[n + i] = -s.phi[i]
        solve(s)
        for i in range(n):
            s.dq[i] = s.rhs[i]
        f.compose(f.model, q, s.dq, s.qp)
        copy(s.qp, q)
    # the metric of the mass at the place itself: another would move the velocity along the constraints
    factor(f, y, s)
    f.rates(f.model, v, s.still, f.work, s.rate, s.bias)
    for i in range(n):
        s.rhs[i] = 0.0
    for i in range(m):
        s.rhs[n + i] = -s.rate[i]
    solve(s)
    for i in range(n):
        v[i] += s.rhs[i]


@shared
def stage(f: Functions, y: State, s: Scratch, k: Coefficients, c: Array, h: float, i: int) -> int:
    """Stage number i of a step: its place by (1), its rates by (2) and (3)."""
    for j in range(s.theta.shape[0]):
        s.theta[j] = 0.0
    copy(y.v, s.v1)
    add_up(k.A[i], s.turns, i, h, s.theta)
    add_up(k.A[i], s.accelerations, i, h, s.v1)
    if is_far(s.rotations, s.theta):
        return SINGULAR
    f.compose(f.model, y.q, s.theta, s.q1)
    t = y.clock[T] + k.c[i] * h
    status = accelerate(f, y, s, t, s.q1, s.v1, s.accelerations[i], s.lam1)
    if status == DONE:
        account(f, s, c, t, s.q1, s.v1, s.accelerations[i], s.lam1, s.powers[i])
        turn(s.rotations, s.theta, s.v1, s.turns[i])
    return int(status)


@shared
def attempt(f: Functions, y: State, s: Scratch, k: Coefficients, c: Array, t1: float, h: float) -> int:
    """All stages of a step, and its end, on its constraints and with its own v̇ and λ."""
    last = k.stages[0]
    copy(y.v, s.turns[0])
    copy(y.vdot, s.accelerations[0])
    for j in range(WORKS):
        s.powers[0, j] = y.clock[POWER + j]
    for i in range(1, last):
        status = stage(f, y, s, k, c, h, i)
        if status != DONE:
            return int(status)
    for j in range(s.theta.shape[0]):
        s.theta[j] = 0.0
    copy(y.v, s.v1)
    add_up(k.b, s.turns, last, h, s.theta)
    add_up(k.b, s.accelerations, last, h, s.v1)
    if is_far(s.rotations, s.theta):
        return SINGULAR
    f.compose(f.model, y.q, s.theta, s.q1)
    if s.phi.shape[0] > 0:
        close(f, y, s, t1, s.q1, s.v1)
    status = accelerate(f, y, s, t1, s.q1, s.v1, s.vdot1, s.lam1)
    if status != DONE:
        return int(status)
    account(f, s, c, t1, s.q1, s.v1, s.vdot1, s.lam1, s.powers[last])
    copy(s.vdot1, s.accelerations[last])
    turn(s.rotations, s.theta, s.v1, s.turns[last])
    return DONE


@shared
def local_error(y: State, s: Scratch, k: Coefficients, c: Array, h: float) -> float:
    """Estimated error of the step, the largest over coordinates and velocities, over what is allowed."""
    n, last = y.v.shape[0], k.stages[0] + 1
    first, second = 0.0, 0.0
    for e in range(k.E.shape[0]):
        for j in range(2 * n):
            s.error[e, j] = 0.0
        add_up(k.E[e], s.turns, last, h, s.error[e, 0:n])
        add_up(k.E[e], s.accelerations, last, h, s.error[e, n : 2 * n])
        worst = 0.0
        for i in range(n):
            worst = max(worst, max(abs(s.error[e, i]), c[TIME] * abs(s.error[e, n + i])) / s.sizes[i])
        if e == 0:
            first = worst
        else:
            second = worst
    if k.E.shape[0] > 1 and first > SQUARED:
        first = first * first / (first * first + 0.01 * second * second) ** 0.5
    y.clock[RESIDUAL] = first
    return first


@shared
def allowed(y: State, s: Scratch, c: Array, h: float) -> float:
    """Error that a step may have: its share of the tolerance, or round-off."""
    largest = 1.0
    for i in range(y.v.shape[0]):
        largest = max(largest, abs(h * y.v[i]) / s.sizes[i], c[TIME] * abs(y.v[i]) / s.sizes[i])
    return float(max(c[TOLERANCE] * h / c[SPAN], ROUND_OFF * largest, y.clock[NOISE] * h))


@shared
def doubt(y: State, c: Array, h: float, error: float) -> None:
    """Look whether an error beyond what is allowed is round-off of the rates: it falls with h, not with h⁸.

    Steps would become ever shorter for it: their share of the tolerance falls with h too.
    """
    clock = y.clock
    if clock[DOUBT_T] != clock[T] or h >= clock[DOUBT_H]:
        clock[DOUBT_T], clock[DOUBT_H], clock[DOUBT_ERROR] = clock[T], h, error
        return
    is_faint = clock[DOUBT_ERROR] <= min(FAINT, TIMES * c[TOLERANCE] * clock[DOUBT_H] / c[SPAN])
    if is_faint and h <= 0.5 * clock[DOUBT_H] and error > 0.1 * clock[DOUBT_ERROR]:
        clock[NOISE] = max(clock[NOISE], LOUDER * error / h)
