"""Steps of Radau IIA: (1) and (2) of `radau` by Newton's method, step after step.

**Newton.** With A⁻¹ = T Λ T⁻¹ the three stages come apart into one real and one complex system (Hairer and
Wanner 1996, IV.8): with c = h/ζ for each eigenvalue ζ,

    [ M + c D + c² K    Gᵀ ]  [ δv   ]     [ -c r  ]
    [ G + c W           0  ]  [ c δλ ]  =  [ -Φ̇   ]                                             (3)

K = ∂r/∂q, D = ∂r/∂v, W = ∂Φ̇/∂q, by differences at the start of a step, and kept while Newton converges well.

**Error.** γ₀ h ẏ + Σ e_i (y_i - y), filtered by the real system, goes with h⁴, that of the step with h⁶. So
the estimate of a run may be ALLOWED tol^⅔, a step has its share h/span (the exponent is that of RADAU5).
"""

from typing import Any

from flexnet.integrators.event_search import Span, Zeros
from flexnet.integrators.functions import Functions
from flexnet.integrators.loop import Data, Step, advance, nothing_between
from flexnet.integrators.radau_run import (
    IS_FIXED,
    LENGTH,
    N_Z,
    NEWTON,
    SLOWEST,
    Coefficients,
    Scratch,
    State,
    restore,
)
from flexnet.integrators.rows import (
    DONE,
    FACTORISATIONS,
    ITERATIONS,
    NO_CONVERGENCE,
    NOT_A_NUMBER,
    RESIDUAL,
    SINGULAR,
    H,
    Output,
    T,
)
from flexnet.integrators.runge_kutta_loop import shorten, take_over, write
from flexnet.integrators.runge_kutta_state import H_MAX, ORDER, SPAN, TIME, TOLERANCE
from flexnet.integrators.runge_kutta_step import accelerate, account, add_up, close, is_far, turn
from flexnet.integrators.step_control import (
    FAILED,
    GROW,
    SAFETY,
    SHRINK,
    TINY,
    WORTHWHILE,
    step_towards,
)
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
def tangents(f: Functions, s: Scratch, c: Array, t: float, q: Array, v: Array, a: Array, lam: Array) -> None:
    """M, G, K, D and W at a state."""
    n, m = v.shape[0], lam.shape[0]
    f.residual(f.model, t, q, v, a, lam, f.work, s.r, s.phi)
    f.matrices(f.model, f.work, 0.0, 0.0, s.M, s.G)
    f.rates(f.model, v, a, f.work, s.rate, s.bias)
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
            f.compose(f.model, q, s.dq, s.qp)
            s.dq[j] = 0.0
            f.residual(f.model, t, s.qp, v, a, lam, f.work, s.r, s.phi)
            f.rates(f.model, v, a, f.work, s.rate, s.bias)
            for i in range(n):
                s.K[i, j] = (s.r[i] - s.rhs[i]) / step
            for i in range(m):
                s.W[i, j] = (s.rate[i] - s.rhs[n + i]) / step
        s.v1[j] = v[j] + max(step / c[TIME], DIFFERENCE * abs(v[j]))
        f.residual(f.model, t, q, s.v1, a, lam, f.work, s.r, s.phi)
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
def gaps(f: Functions, y: State, s: Scratch, k: Coefficients, h: float) -> bool:
    """What is left of (2) at all stages; whether it is a number."""
    n, m = y.v.shape[0], y.lam.shape[0]
    total = 0.0
    for i in range(3):
        f.compose(f.model, y.q, s.ways[i], s.q1)
        t = y.clock[T] + k.c[i] * h
        f.residual(f.model, t, s.q1, s.velocities[i], s.accelerations[i], s.loads[i], f.work, s.r, s.phi)
        f.rates(f.model, s.velocities[i], s.accelerations[i], f.work, s.rate, s.bias)
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
def newton(f: Functions, y: State, s: Scratch, k: Coefficients, c: Array, h: float) -> tuple[int, float]:
    """Solve (1) and (2); how it ended, and the slowest correction over the one before it."""
    floor, before, slowest = ROUND_OFF, 1e300, 0.0
    for i in range(y.v.shape[0]):
        floor = max(floor, ROUND_OFF * c[TIME] * abs(y.v[i]) / s.sizes[i])
    wanted = c[NEWTON] if c[IS_FIXED] == 1.0 else max(LEFT * c[TOLERANCE] * h / c[SPAN], floor)
    foretell(y, s, k, h)
    for iteration in range(MOST):
        if not places(y, s, k, h) or not gaps(f, y, s, k, h):
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
            f.compose(f.model, y.q, s.ways[1], s.q1)
            tangents(f, s, c, y.clock[T] + k.c[1] * h, s.q1, s.velocities[1], s.accelerations[1], s.loads[1])
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
def finish(f: Functions, y: Any, s: Any, k: Coefficients, c: Array, t1: float, h: float) -> int:
    """The end of the step on its constraints, with its own v̇ and λ; powers at all stages."""
    status = DONE
    for i in range(3):
        f.compose(f.model, y.q, s.ways[i], s.q1)
        copy(s.velocities[i], s.v1)
        t = t1 if i == 2 else y.clock[T] + k.c[i] * h
        if i == 2 and s.phi.shape[0] > 0:
            close(f, y, s, t, s.q1, s.v1)
        status = accelerate(f, y, s, t, s.q1, s.v1, s.vdot1, s.lam1)
        if status != DONE:
            return int(status)
        account(f, s, c, t, s.q1, s.v1, s.vdot1, s.lam1, s.powers[i])
    return int(status)


@shared
def _try(
    f: Functions, y: State, s: Scratch, k: Coefficients, c: Array, t1: float, h: float, is_factored: bool
) -> tuple[int, float, float]:
    """A step with the present tangents: status, slowest correction, error over what is allowed."""
    status, slowest, error = DONE if is_factored or factor(y, s, k, h) else SINGULAR, 0.0, 0.0
    if status == DONE:
        status, slowest = newton(f, y, s, k, c, h)
    if status == DONE and c[IS_FIXED] == 0.0:
        y.clock[RESIDUAL] = local_error(y, s, k, c, h)
        error = y.clock[RESIDUAL] / (ALLOWED * c[TOLERANCE] ** (2.0 / 3.0) * h / c[SPAN])
    if status == DONE and error <= 1.0:
        status = finish(f, y, s, k, c, t1, h)
    return int(status), slowest, error


@shared
def _renew(d: Data) -> None:
    """Tangents at the present state; there are no factors of them yet."""
    y, s = d.y, d.s
    tangents(d.f, s, d.c, y.clock[T], y.q, y.v, y.vdot, y.lam)
    s.fit[LENGTH] = 0.0


@shared
def _length(d: Data, t0: float, end: float, cut: float, left: int) -> tuple[float, float]:
    """End and length of the next step; every row ends one."""
    h = (end - t0) / left if d.c[IS_FIXED] == 1.0 else step_towards(end - t0, d.clock[H])
    return (end if h == end - t0 else t0 + h), h


@shared
def _attempt(d: Data, t1: float, h: float) -> tuple[int, float]:
    """A step, and its error over what is allowed; where it fails, again with new tangents."""
    fit = d.s.fit
    is_fresh = fit[SLOWEST] > SLOW
    if is_fresh:
        _renew(d)
    is_factored = abs(h - fit[LENGTH]) <= 1e-12 * h
    status, slowest, error = _try(d.f, d.y, d.s, d.k, d.c, t1, h, is_factored)
    if status != DONE and not is_fresh:
        _renew(d)
        status, slowest, error = _try(d.f, d.y, d.s, d.k, d.c, t1, h, False)
    # of a step that is rejected the tangents are good
    fit[LENGTH], fit[SLOWEST] = h, slowest if status == DONE and error <= 1.0 else 0.0
    return status, (error if status == DONE else FAILED ** d.c[ORDER])


@shared
def _again(d: Data, t1: float, h: float) -> int:
    """A step to an event."""
    status, _, _ = _try(d.f, d.y, d.s, d.k, d.c, t1, h, False)
    return int(status)


@shared
def _shorten(d: Data, h: float, error: float, cut: float) -> bool:
    """A smaller step after a failure; a fixed one stays."""
    return d.c[IS_FIXED] == 0.0 and shorten(d, h, error, cut)


@shared
def _accept(d: Data, out: Output, first: int, row: int, t1: float, h: float) -> None:
    """Take over the step, and its stages, which foretell the next."""
    n = d.y.v.shape[0]
    for i in range(3):
        copy(d.s.accelerations[i], d.y.last[i * n : (i + 1) * n])
    d.y.last[3 * n] = h
    take_over(d, d.k.A[2], 3, 2, t1, h)


@shared
def _plan(d: Data, planned: float, tried: float, h: float, error: float, is_ended: bool) -> None:
    """What follows a step; a fixed one stays."""
    if d.c[IS_FIXED] == 1.0:
        return
    new = tried * min(GROW, max(SHRINK, SAFETY / max(error, TINY) ** (1.0 / d.c[ORDER])))
    if tried < planned:  # cut short for the sake of a row
        new = max(new, planned)
    elif tried <= new < WORTHWHILE * tried:  # the factors stay good
        new = tried
    d.clock[H] = min(new, d.c[H_MAX])


_STEP = Step(_length, _attempt, _again, _shorten, nothing_between, _accept, _plan, write, False, True)


def run(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, count: Any, evaluate: Any,
    model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array, g: Array,
    out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event; every row ends a step."""
    f = Functions(residual, matrices, compose, rates, power, None, count, None, None, model, None, twin, work)
    y, s, k = restore(data)
    s.fit[SLOWEST] = 1.0
    span = Span(y.q, y.v, s.ways[2], s.q1, s.v1, s.qp, s.dq, s.r)
    return advance(
        _STEP, Data(f, y, s, k, c, y.clock, y.counts), span, Zeros(evaluate, eye, zeros, g), out, every
    )
