"""Newton's method of a step of Radau IIA: (3) of `radau_loop`."""

from typing import Any

from flexnet.integrators.functions import Functions
from flexnet.integrators.radau_run import (
    IS_FIXED,
    N_Z,
    NEWTON,
    Coefficients,
    Scratch,
    State,
)
from flexnet.integrators.rows import (
    DONE,
    FACTORISATIONS,
    ITERATIONS,
    NO_CONVERGENCE,
    NOT_A_NUMBER,
    SINGULAR,
    T,
)
from flexnet.integrators.runge_kutta_state import SPAN, TIME, TOLERANCE
from flexnet.integrators.runge_kutta_step import add_up, is_far, turn
from flexnet.integrators.state_account import PARTS
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve
from flexnet.typing import Array

#: Newton's corrections in a step, at most
MOST = 30
#: corrections after which slow ones make tangents in the middle of the step worth their price
PATIENCE = 3
#: error that Newton leaves over what a step may have
LEFT = 1e-2
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
    """Estimated error of the step, the largest over coordinates and velocities, over their sizes.

    At fixed steps those of states stay behind in their places of ``s.x``.
    """
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
    worst, moving = 0.0, n - y.account.shape[0] // PARTS
    for j in range(n):
        rate = d[j] * s.x[j]
        error = max(abs(s.dq[j] + f * rate), c[TIME] * abs(rate)) / s.sizes[j]
        if j < moving:
            worst = max(worst, error)
        else:
            s.x[j] = error
    return worst
