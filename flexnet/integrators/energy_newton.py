"""Newton's method for the stages of the energy schemes: its matrix, its directions, Broyden's updates.

Equation numbers are those of :mod:`flexnet.integrators.energy_loop`. The matrix is that of the α-methods,
[M + c D + c² K, Gᵀ; G, 0], and serves (3) with Φ̇ and, once more, w with Φ.
"""

from flexnet.integrators.energy_state import Scratch, State
from flexnet.integrators.functions import Functions
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve, lu_solve_two, saddle, weigh
from flexnet.typing import Array, IntArray

#: smallest part of Newton's matrix along a change that is believed: below, the update would throw it away
LEAST_DIVISOR = 0.2
#: pivots over the largest below which a matrix is singular: dense with pivoting, and along a plan without
SINGULAR_DENSE, SINGULAR_SPARSE = 1e-16, 1e-13
#: difference of a velocity over its size: half the digits of a double
DIFFERENCE = 1e-7


@shared
def find_stage(f: Functions, y: State, s: Scratch) -> None:
    """Equations (1) and (2) for the present A and w."""
    find_end(f, y, s)
    c_before, c = s.tableau[0].c_before, s.tableau[0].c
    for i in range(y.v.shape[0]):
        s.dq[i] = c_before * s.u_before[i] + c * s.u[i]
    f.compose(f.model, y.q, s.dq, s.qs)


@shared
def find_end(f: Functions, y: State, s: Scratch) -> None:
    """Velocity U, and equations (2); ``s.dq`` is the increment of the whole step."""
    k = s.tableau[0]
    b_before, b, c_before, c = k.b_before, k.b, k.c_before, k.c
    for i in range(y.v.shape[0]):
        s.u[i] = y.v[i] + c_before * s.a_before[i] + c * s.a[i] + s.w[i]
        s.v1[i] = y.v[i] + b_before * s.a_before[i] + b * s.a[i]
        s.dq[i] = b_before * s.u_before[i] + b * s.u[i]
    f.compose(f.model, y.q, s.dq, s.q1)


@shared
def find_tangent(f: Functions, y: State, s: Scratch, t: float, per_time: float) -> None:
    """J = ∂r/∂A = M + c D + c² K by differences along A, through velocity and position."""
    n = y.v.shape[0]
    c_before, c_stage = s.tableau[0].c_before, s.tableau[0].c
    f.residual(f.model, t, s.qs, s.u, s.a, s.lam, f.work, s.r, s.rhs[n:])
    for j in range(n):
        change = DIFFERENCE * max(s.sizes[j] * per_time, abs(s.u[j])) / c_stage
        copy(s.a, s.ap)
        copy(s.u, s.up)
        s.ap[j] += change
        s.up[j] += c_stage * change
        for i in range(n):
            s.dq[i] = c_before * s.u_before[i] + c_stage * s.up[i]
        f.compose(f.model, y.q, s.dq, s.qp)
        f.residual(f.model, t, s.qp, s.up, s.ap, s.lam, f.work, s.rp, s.rhs[n:])
        for i in range(n):
            s.J[i, j] = (s.rp[i] - s.r[i]) / change


@shared
def factor(s: Scratch, block: Array, A: Array, pivots: IntArray) -> bool:
    """Factor [block, Gᵀ; G, 0], dense and without units."""
    saddle(block, s.G, s.weights, A)
    return lu_factor(A, pivots) > SINGULAR_DENSE


@shared
def solve_dense(s: Scratch, A: Array, pivots: IntArray) -> None:
    """Solve with the factors of :func:`factor` for the right-hand side in ``s.rhs``, in place."""
    weigh(s.weights, s.rhs)
    lu_solve(A, pivots, s.rhs)
    weigh(s.weights, s.rhs)


@shared
def factor_mass(s: Scratch) -> bool:
    """Factor [M, Gᵀ; G, 0], along its plan where there is one, unless a pivot is too small there."""
    s.is_sparse[0] = 0
    if s.plan.order.shape[0] > 0:
        sparse_ldl.gather(s.plan, s.M, s.G, s.values)
        if sparse_ldl.factor(s.plan, s.values) > SINGULAR_SPARSE:
            s.is_sparse[0] = 1
            return True
    return bool(factor(s, s.M, s.A, s.pivots))


@shared
def solve(s: Scratch) -> None:
    """Solve with Newton's matrix for the right-hand side in ``s.rhs``, in place."""
    if s.is_sparse[0] == 1:
        sparse_ldl.solve(s.plan, s.values, s.rhs, s.A[0])
    else:
        solve_dense(s, s.A, s.pivots)


@shared
def refresh_matrix(f: Functions, y: State, s: Scratch, is_stiff: bool) -> bool:
    """Newton's matrix at the stage of the last residual: J by differences, with constant stiffness, or M."""
    y.counts[0].factorisations += 1
    s.trial[0].travel = 0.0
    f.matrices(f.model, f.work, 0.0, 0.0, s.M, s.G)
    if y.counts[0].tangent == 0:
        if not is_stiff:
            return bool(factor_mass(s))
        c_stage = s.tableau[0].c
        s.J[:] = 0.0
        f.matrices(f.model, f.work, c_stage * c_stage, c_stage, s.J, s.G)
    s.is_sparse[0] = 0
    return bool(factor(s, s.J, s.A, s.pivots))


@shared
def remember_worst(s: Scratch, y: State) -> None:
    """Remember the equation with the largest residual, in sizes over s²."""
    worst, value = 0, -1.0
    n, d, b = s.r.shape[0], s.weights, s.tableau[0].b
    for i in range(n + s.phi.shape[0]):
        if i < n:
            size = abs(s.r[i]) * d[i] * d[i] / s.sizes[i]
        else:
            size = abs(s.phi[i - n]) / (b * b * s.row_sizes[i - n])
        if not size <= value:
            worst, value = i, size
    y.counts[0].worst = worst
    y.clock[0].residual = value


@shared
def times_mass(s: Scratch, x: Array, out: Array) -> float:
    """M x, and x·Mx, of what has inertia; nothing at states z."""
    n = s.inertial[0]
    total = 0.0
    out[n:] = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += s.M[i, j] * x[j]
        out[i] = row
        total += row * x[i]
    return total


@shared
def find_direction(s: Scratch, r: Array) -> None:
    """Newton's change of A, λ and w into ``s.x`` for a residual r of the motion: A with Φ̇, w with Φ."""
    n, m = s.d.shape[0], s.phi.shape[0]
    b, c_stage = s.tableau[0].b, s.tableau[0].c
    for i in range(n):
        s.rhs[i] = -r[i]
        s.second[i] = 0.0
    for i in range(m):
        s.rhs[n + i] = -s.rate[i] / b
        s.second[n + i] = (c_stage * s.rate[i] - s.phi[i]) / b
    if m == 0 or s.is_sparse[0] == 1:
        solve(s)
        copy(s.rhs, s.x)
        if m > 0:
            copy(s.second, s.rhs)
            solve(s)
            copy(s.rhs, s.second)
    else:
        weigh(s.weights, s.rhs)
        weigh(s.weights, s.second)
        lu_solve_two(s.A, s.pivots, s.rhs, s.second)
        weigh(s.weights, s.rhs)
        weigh(s.weights, s.second)
        copy(s.rhs, s.x)
    # states have no place: a change of places moves them by the next residual, not by w
    for i in range(n):
        s.x[n + m + i] = s.second[i] if i < s.inertial[0] else 0.0


@shared
def _product(s: Scratch, x: Array, z: Array, b: float) -> float:
    """Scalar product of two changes, as velocities of A and w in their sizes."""
    n, m = s.d.shape[0], s.phi.shape[0]
    total = 0.0
    for i in range(n):
        total += (b * b * x[i] * z[i] + x[n + m + i] * z[n + m + i]) / (s.sizes[i] * s.sizes[i])
    return total


@shared
def accelerate(s: Scratch, count: int) -> None:
    """Broyden's update of the change in ``s.x`` from the ``count`` changes before it (Kelley 1995, §7.3)."""
    x, b = s.x, s.tableau[0].b
    for j in range(count):
        norm = _product(s, s.S[j], s.S[j], b)
        share = _product(s, s.S[j], x, b) / norm if norm > 0.0 else 0.0
        if j + 1 < count:
            for i in range(x.shape[0]):
                x[i] += share * s.S[j + 1, i]
        # beyond 1 the matrix has the wrong sign along the change, as it may where forces nearly balance
        elif abs(1.0 - share) > LEAST_DIVISOR:
            for i in range(x.shape[0]):
                x[i] /= 1.0 - share
    if count < s.S.shape[0]:
        copy(x, s.S[count])


@shared
def apply_change(s: Scratch) -> float:
    """Add the change; returns its largest velocity over b, of A, in sizes."""
    n, m = s.d.shape[0], s.phi.shape[0]
    size = 0.0
    for i in range(n):
        s.a[i] += s.x[i]
        s.w[i] += s.x[n + m + i]
        # not >: what is not a number comes through
        if not abs(s.x[i]) <= size * s.sizes[i]:
            size = abs(s.x[i]) / s.sizes[i]
    for i in range(m):
        s.lam[i] += s.x[n + i]
    return size


@shared
def driver_change(s: Scratch, change: float) -> float:
    """Change of the drivers' power g·A + λ·Φ_t by -``change`` z in A and by that of λ; Φ_t = -G U."""
    m, n = s.G.shape
    total = -change * s.trial[0].driven
    for i in range(m):
        for j in range(n):
            total -= s.x[n + i] * s.G[i, j] * s.u[j]
    return float(total)
