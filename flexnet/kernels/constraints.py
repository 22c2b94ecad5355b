"""Step 2, constraints: circuit equations of chords projected on their reaction spaces.

Every row is a scalar Φᵢ whose variation is the work of a unit wrench,

    δΦᵢ = f·(δp_B - δp_A) + τ_B·δθ_B + τ_A·δθ_A,

so one description serves the Jacobian (columns of δ), the constraint forces (Gᵀλ through the cutsets)
and the joint reactions.
"""

from math import atan2, pi

from flexnet.kernels.compile import inner, shared
from flexnet.kernels.model import ANGLE, COORDINATE, ORIENTATION, PERPENDICULAR, TRANSLATION, Model, Work
from flexnet.kernels.vector import (
    add_cross,
    add_scaled,
    axis_angle_to_matrix,
    dot,
    matrix_to_quaternion,
    multiply,
    rotate,
    rotate_back,
)
from flexnet.typing import Array


@inner
def constraint_rows(model: Model, q: Array, work: Work, phi: Array) -> None:
    """Values Φ (m,) and unit wrenches of all rows; after positions."""
    n, m, a, d = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2], work.tmp[5, 0]
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        known = work.f[row.function, 0] if row.function >= 0 else 0.0
        f, tail, head = work.row_force[i], work.row_tail[i], work.row_head[i]
        for j in range(3):
            f[j] = tail[j] = head[j] = 0.0
        if row.kind == COORDINATE:
            phi[i] = q[row.q] - known
        elif row.kind == TRANSLATION:
            # Φ = n·(p_B - p_A) - f(t), n fixed in A
            rotate(work.R[row.tail_r], row.n, f)
            for j in range(3):
                d[j] = work.p[row.head, j] - work.p[row.tail, j]
            phi[i] = dot(f, d) - known
            add_cross(-1.0, d, f, tail)
        elif row.kind == PERPENDICULAR:
            # Φ = n·a, n fixed in A, a fixed in B
            rotate(work.R[row.tail_r], row.n, n)
            rotate(work.R[row.head_r], row.a, a)
            phi[i] = dot(n, a)
            add_cross(1.0, a, n, head)
            add_cross(-1.0, a, n, tail)
        elif row.kind == ANGLE:
            # Φ = atan2(a·m, a·n) - f(t), wrapped to (-π, π]; n, m fixed in A, a fixed in B
            rotate(work.R[row.tail_r], row.n, n)
            rotate(work.R[row.tail_r], row.m, m)
            rotate(work.R[row.head_r], row.a, a)
            c, s = dot(a, n), dot(a, m)
            value = atan2(s, c) - known
            phi[i] = value - 2 * pi * round(value / (2 * pi))
            rho = 1.0 / (c * c + s * s)
            add_cross(c * rho, a, m, head)
            add_cross(-s * rho, a, n, head)
            add_scaled(-1.0, head, tail)
        else:
            _orientation_row(model, i, work, phi)


@inner
def _frames(model: Model, i: int, work: Work) -> None:
    """World orientation of the frames A, B of a row (tmp 5, 6) and E = rot(axis, f)ᵀ R_Aᵀ R_B (tmp 7)."""
    row = model.rows[i]
    R_A, R_B, E, R_f = work.tmp[5], work.tmp[6], work.tmp[7], work.tmp[0]
    multiply(work.R[row.tail_r], row.C_A, R_A)
    multiply(work.R[row.head_r], row.C_B, R_B)
    known = work.f[row.function, 0] if row.function >= 0 else 0.0
    axis_angle_to_matrix(row.n, known, R_f)
    # R_A becomes the orientation of the driven frame, R_A rot(axis, f)
    multiply(R_A, R_f, E)
    for j in range(3):
        for k in range(3):
            R_A[j, k] = E[j, k]
    for j in range(3):
        for k in range(3):
            E[j, k] = R_A[0, j] * R_B[0, k] + R_A[1, j] * R_B[1, k] + R_A[2, j] * R_B[2, k]


@inner
def _orientation_row(model: Model, i: int, work: Work, phi: Array) -> None:
    """Φ = component of 2 vec(E); with ν the rate in the driven frame, d(2x)/dt = w ν + ν × x."""
    row = model.rows[i]
    _frames(model, i, work)
    quat = work.tmp[0].reshape(9)[0:4]
    matrix_to_quaternion(work.tmp[7], quat)
    j = row.component
    phi[i] = 2.0 * quat[1 + j]
    # gradient in the driven frame: w e_j + x × e_j
    g = work.tmp[1, 0]
    e = work.tmp[1, 1]
    for k in range(3):
        e[k] = 1.0 if k == j else 0.0
        g[k] = quat[0] * e[k]
    add_cross(1.0, quat[1:4], e, g)
    rotate(work.tmp[5], g, work.row_head[i])
    add_scaled(-1.0, work.row_head[i], work.row_tail[i])


@shared
def constraint_rates(model: Model, v: Array, work: Work, out: Array) -> None:
    """Rates Φ̇ = G v + Φ_t (m,); after velocities and constraint_rows."""
    d = work.tmp[4, 0]
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        known = work.f[row.function, 1] if row.function >= 0 else 0.0
        if row.kind == COORDINATE:
            out[i] = v[row.v] - known
            continue
        for j in range(3):
            d[j] = work.v[row.head, j] - work.v[row.tail, j]
        rate = dot(work.row_force[i], d)
        rate += dot(work.row_head[i], work.omega[row.head_r]) + dot(work.row_tail[i], work.omega[row.tail_r])
        if row.kind in (TRANSLATION, ANGLE):
            rate -= known
        elif row.kind == ORIENTATION and row.function >= 0:
            rotate(work.R[row.tail_r], row.m, d)  # the driven axis in ground
            rate -= known * dot(work.row_head[i], d)
        out[i] = rate


@shared
def constraint_accelerations(model: Model, a: Array, work: Work, out: Array) -> None:
    """Second derivatives Φ̈ (m,) for the accelerations now in ``work``; after constraint_rows."""
    n, m, b = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2]
    d, dv, da = work.tmp[5, 0], work.tmp[5, 1], work.tmp[5, 2]
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        known = work.f[row.function, 2] if row.function >= 0 else 0.0
        w_A, w_B = work.omega[row.tail_r], work.omega[row.head_r]
        dw_A, dw_B = work.omega_dot[row.tail_r], work.omega_dot[row.head_r]
        if row.kind == COORDINATE:
            out[i] = a[row.v] - known
        elif row.kind == TRANSLATION:
            for j in range(3):
                d[j] = work.p[row.head, j] - work.p[row.tail, j]
                dv[j] = work.v[row.head, j] - work.v[row.tail, j]
                da[j] = work.a[row.head, j] - work.a[row.tail, j]
            _turn_rates(work.row_force[i], w_A, dw_A, n, m)
            out[i] = dot(m, d) + 2.0 * dot(n, dv) + dot(work.row_force[i], da) - known
        elif row.kind == PERPENDICULAR:
            rotate(work.R[row.tail_r], row.n, n)
            rotate(work.R[row.head_r], row.a, b)
            out[i] = _product_second(n, w_A, dw_A, b, w_B, dw_B, d, dv, da, m)
        elif row.kind == ANGLE:
            rotate(work.R[row.tail_r], row.n, n)
            rotate(work.R[row.head_r], row.a, b)
            c = dot(b, n)
            c1 = _product_first(n, w_A, b, w_B, d)
            c2 = _product_second(n, w_A, dw_A, b, w_B, dw_B, d, dv, da, m)
            rotate(work.R[row.tail_r], row.m, n)
            s = dot(b, n)
            s1 = _product_first(n, w_A, b, w_B, d)
            s2 = _product_second(n, w_A, dw_A, b, w_B, dw_B, d, dv, da, m)
            rho = c * c + s * s
            rate = (c * s1 - s * c1) / rho
            out[i] = (c * s2 - s * c2) / rho - 2.0 * (c * c1 + s * s1) * rate / rho - known
        else:
            out[i] = _orientation_acceleration(model, i, work)


@inner
def _turn_rates(n: Array, w: Array, dw: Array, n1: Array, n2: Array) -> None:
    """First and second derivative of a vector n that turns with (ω, ω̇)."""
    for j in range(3):
        n1[j] = n2[j] = 0.0
    add_cross(1.0, w, n, n1)
    add_cross(1.0, dw, n, n2)
    add_cross(1.0, w, n1, n2)


@inner
def _product_first(n: Array, w_A: Array, b: Array, w_B: Array, d: Array) -> float:
    """d/dt (n·b), n turning with A and b with B: (ω_B - ω_A)·(b × n)."""
    d[0] = d[1] = d[2] = 0.0
    add_cross(1.0, b, n, d)
    return dot(w_B, d) - dot(w_A, d)


@inner
def _product_second(
    n: Array, w_A: Array, dw_A: Array, b: Array, w_B: Array, dw_B: Array,
    n1: Array, n2: Array, b1: Array, b2: Array,
) -> float:  # fmt: skip
    """d²/dt² (n·b), n turning with A and b with B."""
    _turn_rates(n, w_A, dw_A, n1, n2)
    _turn_rates(b, w_B, dw_B, b1, b2)
    return dot(n2, b) + 2.0 * dot(n1, b1) + dot(n, b2)


@inner
def _orientation_acceleration(model: Model, i: int, work: Work) -> float:
    """Second derivative of 2 vec(E): with ẋ = (w ν + ν × x)/2, ẇ = -ν·x/2 and ν in the driven frame D."""
    row = model.rows[i]
    nu, dnu, w_D = work.tmp[2, 0], work.tmp[2, 1], work.tmp[2, 2]
    world, axis = work.tmp[1, 0], work.tmp[1, 1]
    x1, g = work.tmp[1, 2], work.tmp[3, 0]
    _frames(model, i, work)
    quat = work.tmp[0].reshape(9)[0:4]
    matrix_to_quaternion(work.tmp[7], quat)
    x = quat[1:4]
    R_D = work.tmp[5]
    rotate(work.R[row.tail_r], row.m, axis)
    f1 = work.f[row.function, 1] if row.function >= 0 else 0.0
    f2 = work.f[row.function, 2] if row.function >= 0 else 0.0
    # rate of B relative to D = A turned by rot(axis, f), and its derivative seen from D
    for j in range(3):
        w_D[j] = work.omega[row.tail_r, j] + f1 * axis[j]
        world[j] = work.omega[row.head_r, j] - w_D[j]
    rotate_back(R_D, world, nu)
    for j in range(3):
        g[j] = work.omega_dot[row.head_r, j] - work.omega_dot[row.tail_r, j] - f2 * axis[j]
    add_cross(-f1, work.omega[row.tail_r], axis, g)
    add_cross(-1.0, w_D, world, g)
    rotate_back(R_D, g, dnu)
    w = quat[0]
    w1 = -0.5 * dot(nu, x)
    for j in range(3):
        x1[j] = 0.5 * w * nu[j]
    add_cross(0.5, nu, x, x1)
    for j in range(3):
        g[j] = w1 * nu[j] + w * dnu[j]
    add_cross(1.0, dnu, x, g)
    add_cross(1.0, nu, x1, g)
    return float(g[row.component])


@shared
def rates_and_accelerations(
    model: Model, v: Array, a: Array, work: Work, rate: Array, acceleration: Array
) -> None:
    """Φ̇ and Φ̈ (m,) at the state and accelerations now in ``work``."""
    constraint_rates(model, v, work, rate)
    constraint_accelerations(model, a, work, acceleration)
