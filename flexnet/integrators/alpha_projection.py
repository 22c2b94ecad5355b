"""Put a state back on its constraints after a step of an α-method."""

from flexnet.integrators.alpha_corrector import error_constant
from flexnet.integrators.alpha_matrix import across, factor, solve
from flexnet.integrators.alpha_state import (
    ACCELERATION,
    LEVEL,
    POSITION,
    PROJECT,
    RATE,
    REFRESH,
    STATES,
    TANGENT,
    Scratch,
    State,
)
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import H_OLD, T
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array

#: length of a move, in sizes, that tells the bracket of two velocities
NEAR = 1e-3


@shared
def correct(f: Functions, y: State, s: Scratch, c: Array) -> None:
    """Put the accepted state back on its constraints, as far as the method asks for it."""
    if c[LEVEL] == ACCELERATION:
        _project_position(f, y, s)
    if c[PROJECT] == 1.0:
        # the projection leaves its own matrix, whose rate of convergence is not known
        y.clock[RATE] = 1.0
        _project_velocity(f, y, s, c)


@shared
def _project_position(f: Functions, y: State, s: Scratch) -> None:
    """Move q on Φ = 0 by Newton's method, with the mass as metric."""
    n, m = y.v.shape[0], y.lam.shape[0]
    for _ in range(4):
        f.residual(f.model, y.clock[T], y.q, y.v, y.vdot, y.lam, f.work, s.r, s.phi)
        worst = 0.0
        for i in range(m):
            worst = max(worst, abs(s.phi[i]) / s.row_sizes[i])
        if worst < 1e-14 or not factor(f, y, s, 0.0, 0.0):
            return
        s.rhs[0:n] = 0.0
        for i in range(m):
            s.rhs[n + i] = -s.phi[i]
        solve(s)
        for i in range(n):
            s.dq[i] = s.rhs[i]
        f.compose(f.model, y.q, s.dq, s.qp)
        copy(s.qp, y.q)


@shared
def _bracket(f: Functions, y: State, s: Scratch) -> None:
    """G [v, v̇] as Φ tells it: moves along v and v̇ that are taken in the other order end elsewhere."""
    n, m = y.v.shape[0], y.lam.shape[0]
    fast, faster = 1e-300, 1e-300
    for i in range(n):
        fast, faster = max(fast, abs(y.v[i]) / s.sizes[i]), max(faster, abs(y.vdot[i]) / s.sizes[i])
    x, z = NEAR / fast, NEAR / faster
    for k in range(2):
        for i in range(n):
            s.vp[i] = x * y.v[i] if k == 0 else z * y.vdot[i]
            s.dq[i] = z * y.vdot[i] if k == 0 else x * y.v[i]
        f.compose(f.model, y.q, s.vp, s.qp)
        f.compose(f.model, s.qp, s.dq, s.q1)
        f.residual(f.model, y.clock[T], s.q1, y.v, y.vdot, y.lam, f.work, s.r, s.phi)
        for i in range(m):
            s.bracket[i] = s.phi[i] if k == 0 else (s.bracket[i] - s.phi[i]) / (x * z)


@shared
def _project_velocity(f: Functions, y: State, s: Scratch, c: Array) -> None:
    """Remove the velocity that violates G v + Φ_t = 0, with the mass as metric; find the offset.

    M and G must be those of the new state: an old direction would leave a first-order error in the
    motion along the constraints.
    """
    n, m = y.v.shape[0], y.lam.shape[0]
    if c[LEVEL] == POSITION and y.q.shape[0] > n - c[STATES]:
        _bracket(f, y, s)
    f.residual(f.model, y.clock[T], y.q, y.v, y.vdot, y.lam, f.work, s.r, s.phi)
    f.rates(f.model, y.v, y.vdot, f.work, s.rate, s.acceleration)
    if not factor(f, y, s, 0.0, 0.0):
        y.counts[REFRESH] = 1
        return
    s.rhs[0:n] = 0.0
    for i in range(m):
        s.rhs[n + i] = -s.rate[i]
    solve(s)
    for i in range(n):
        y.v[i] += s.rhs[i]
        s.rhs[i] = 0.0
    # the mass alone is no matrix for states: those of a row without a rate are not in it
    y.counts[REFRESH] = 1 if c[STATES] > 0.0 else y.counts[TANGENT]
    if c[LEVEL] == ACCELERATION:
        return
    for k in range(n):
        s.vp[k] = y.vdot[k] - y.vdot_old[k]
    across(s, s.vp, s.rate)
    for i in range(m):
        s.rhs[n + i] = s.bracket[i] / 12.0 - error_constant(c) * s.rate[i] / y.clock[H_OLD]
    solve(s)
    for i in range(n):
        y.offset[i] = s.rhs[i]
