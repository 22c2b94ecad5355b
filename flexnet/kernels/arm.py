"""Frames on flexible bodies: where an arm is, how it turns, and how fast, from the elastic coordinates."""

from math import cos, sin, sqrt

from flexnet.kernels.compile import kernel, shared
from flexnet.kernels.flexible_shapes import row_product
from flexnet.kernels.model import Model
from flexnet.kernels.vector import (
    add_cross,
    add_scaled,
    dot,
    multiply,
    multiply_transposed,
    rotate,
)
from flexnet.kernels.work import Work
from flexnet.typing import Array


@shared
def arm_translation(model: Model, i: int, q: Array, R: Array, work: Work, s: Array) -> None:
    """Vector s of a flexible frame in the body, s = s₀ + Ψq - ½ qᵀHq, and its directions in ground."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    m = f.m
    data = model.flex_data
    x = q[f.q : f.q + m]
    d, u = work.tmp[6, 0], work.tmp[6, 1]
    for b in range(3):
        s[b] = frame.position[b]
    for j in range(m):
        for b in range(3):
            d[b] = data[frame.translation + b * m + j]
            s[b] += d[b] * q[f.q + j]
        if frame.H >= 0:
            for b in range(3):
                h = row_product(model, frame.body, frame.H + b * f.size, j, x)
                d[b] -= h
                s[b] -= 0.5 * h * q[f.q + j]
        rotate(R, d, u)
        for b in range(3):
            work.flex[frame.w + 3 * j + b] = u[b]


@shared
def arm_second(model: Model, i: int, v: Array, R: Array, work: Work, out: Array) -> None:
    """Add the part -q̇ᵀHq̇ of the acceleration of a flexible frame, in ground axes."""
    frame = model.flex_frames[i]
    if frame.H < 0:
        return
    f = model.flex[frame.body]
    m = f.m
    x = v[f.v : f.v + m]
    d, u = work.tmp[6, 0], work.tmp[6, 1]
    for b in range(3):
        s = 0.0
        for j in range(m):
            s += x[j] * row_product(model, frame.body, frame.H + b * f.size, j, x)
        d[b] = -s
    rotate(R, d, u)
    for b in range(3):
        out[b] += u[b]


@kernel
def rotation_factors(phi2: float) -> tuple[float, float, float, float]:
    """f₁ = (1-cos φ)/φ², f₂ = (φ-sin φ)/φ³ and f₁'/φ, f₂'/φ, by series for small φ."""
    if phi2 < 1e-4:
        return (
            0.5 - phi2 / 24.0 + phi2 * phi2 / 720.0,
            1.0 / 6.0 - phi2 / 120.0 + phi2 * phi2 / 5040.0,
            -1.0 / 12.0 + phi2 / 180.0,
            -1.0 / 60.0 + phi2 / 1260.0,
        )
    phi = sqrt(phi2)
    s, c = sin(phi), cos(phi)
    return (
        (1.0 - c) / phi2,
        (phi - s) / (phi2 * phi),
        (phi * s - 2.0 * (1.0 - c)) / (phi2 * phi2),
        (3.0 * s - 2.0 * phi - phi * c) / (phi2 * phi2 * phi),
    )


@shared
def arm_rotation(model: Model, i: int, q: Array, work: Work, R_e: Array) -> None:
    """Rotation exp(θ) of a flexible frame, θ = Ψ_r q - ½ qᵀH_r q; θ and ∂θ/∂qⱼ are kept in the workspace."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    m = f.m
    x = q[f.q : f.q + m]
    theta, rows = arm_turn_rows(model, i, work)
    for b in range(3):
        s = 0.0
        for j in range(m):
            row = model.flex_data[frame.rotation + b * m + j]
            s += row * x[j]
            if frame.H >= 0:
                h = row_product(model, frame.body, frame.H + (3 + b) * f.size, j, x)
                row -= h
                s -= 0.5 * h * x[j]
            rows[3 * j + b] = row
        theta[b] = s
    x, y, z = theta[0], theta[1], theta[2]
    phi2 = x * x + y * y + z * z
    f1, f2, _, _ = rotation_factors(phi2)
    s1 = 1.0 - phi2 * f2  # sin φ / φ
    R_e[0, 0], R_e[0, 1], R_e[0, 2] = 1 - f1 * (y * y + z * z), f1 * x * y - s1 * z, f1 * x * z + s1 * y
    R_e[1, 0], R_e[1, 1], R_e[1, 2] = f1 * x * y + s1 * z, 1 - f1 * (x * x + z * z), f1 * y * z - s1 * x
    R_e[2, 0], R_e[2, 1], R_e[2, 2] = f1 * x * z - s1 * y, f1 * y * z + s1 * x, 1 - f1 * (x * x + y * y)


@shared
def arm_turn_rows(model: Model, i: int, work: Work) -> tuple[Array, Array]:
    """Places of θ and of the m vectors ∂θ/∂qⱼ of a flexible frame."""
    frame = model.flex_frames[i]
    m = model.flex[frame.body].m
    start = frame.w + 6 * m
    return work.flex[start : start + 3], work.flex[start + 3 : start + 3 + 3 * m]


@shared
def arm_axes(model: Model, i: int, R_A: Array, work: Work) -> None:
    """Axes of the elastic coordinates at a flexible frame in ground: R_A (1 + f₁θ̃ + f₂θ̃θ̃) ∂θ/∂qⱼ."""
    frame = model.flex_frames[i]
    m = model.flex[frame.body].m
    theta, rows = arm_turn_rows(model, i, work)
    f1, f2, _, _ = rotation_factors(dot(theta, theta))
    d, e, u = work.tmp[6, 0], work.tmp[6, 1], work.tmp[6, 2]
    for j in range(m):
        for b in range(3):
            d[b] = rows[3 * j + b]
            e[b] = 0.0
            u[b] = d[b]
        add_cross(1.0, theta, d, e)
        add_cross(f2, theta, e, u)
        for b in range(3):
            u[b] += f1 * e[b]
        rotate(R_A, u, d)
        for b in range(3):
            work.flex[frame.w + 3 * m + 3 * j + b] = d[b]


@shared
def arm_turn_bias(model: Model, i: int, v: Array, R_A: Array, work: Work, out: Array) -> None:
    """Add the part of the angular acceleration of a flexible frame that is quadratic in q̇, in ground."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    m = f.m
    theta, rows = arm_turn_rows(model, i, work)
    rate, e, u, c = work.tmp[6, 0], work.tmp[6, 1], work.tmp[6, 2], work.tmp[7, 0]
    x = v[f.v : f.v + m]
    for b in range(3):
        s, t = 0.0, 0.0
        for j in range(m):
            s += rows[3 * j + b] * x[j]
            if frame.H >= 0:
                t -= row_product(model, frame.body, frame.H + (3 + b) * f.size, j, x) * x[j]
        rate[b] = s
        e[b], u[b], c[b] = 0.0, t, t
    f1, f2, g1, g2 = rotation_factors(dot(theta, theta))
    if frame.H >= 0:  # (1 + f₁θ̃ + f₂θ̃θ̃) of θ̈ = -q̇ᵀH_r q̇
        add_cross(1.0, theta, c, e)
        add_cross(f2, theta, e, u)
        for b in range(3):
            u[b] += f1 * e[b]
            e[b] = 0.0
    product = dot(theta, rate)
    add_cross(1.0, theta, rate, e)
    for b in range(3):
        u[b] += g1 * product * e[b]
    add_cross(g2 * product, theta, e, u)
    add_cross(f2, rate, e, u)
    rotate(R_A, u, e)
    for b in range(3):
        out[b] += e[b]


@shared
def turn_arm(model: Model, i: int, q: Array, work: Work) -> None:
    """Orientation beyond R-branch i, a flexible arm, and the axes of its elastic coordinates."""
    e = model.r_edges[i]
    frame = model.flex_frames[e.flex]
    R_e, R_A, R_B = work.tmp[0], work.tmp[1], work.tmp[2]
    arm_rotation(model, e.flex, q, work, R_e)
    if e.sign > 0:
        multiply(work.R[e.parent], frame.C_A, R_A)
        multiply(R_A, R_e, R_B)
        multiply_transposed(R_B, frame.C_B, work.R[e.child])
    else:
        multiply(work.R[e.parent], frame.C_B, R_B)
        multiply_transposed(R_B, R_e, R_A)
        multiply_transposed(R_A, frame.C_A, work.R[e.child])
    arm_axes(model, e.flex, R_A, work)


@shared
def elastic_rate(model: Model, i: int, v: Array, is_rotation: bool, work: Work, out: Array) -> None:
    """Sum of direction (or axis) times rate over the elastic coordinates of a flexible frame."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    start = frame.w + (3 * f.m if is_rotation else 0)
    out[0] = out[1] = out[2] = 0.0
    for j in range(f.m):
        add_scaled(v[f.v + j], work.flex[start + 3 * j : start + 3 * j + 3], out)


@shared
def arm_turns(model: Model, i: int, v: Array, work: Work) -> None:
    """Angular velocity beyond R-branch i, a flexible arm."""
    e = model.r_edges[i]
    w_rel = work.tmp[3, 0]
    elastic_rate(model, e.flex, v, True, work, w_rel)
    for j in range(3):
        work.omega[e.child, j] = work.omega[e.parent, j] + e.sign * w_rel[j]


@shared
def arm_turns_on(model: Model, i: int, v: Array, a: Array, work: Work) -> None:
    """Angular acceleration beyond R-branch i, a flexible arm."""
    e = model.r_edges[i]
    w_rel, a_rel = work.tmp[3, 0], work.tmp[3, 1]
    tail = e.parent if e.sign > 0 else e.child
    elastic_rate(model, e.flex, v, True, work, w_rel)
    elastic_rate(model, e.flex, a, True, work, a_rel)
    arm_turn_bias(model, e.flex, v, work.R[tail], work, a_rel)
    add_cross(1.0, work.omega[tail], w_rel, a_rel)
    for j in range(3):
        work.omega_dot[e.child, j] = work.omega_dot[e.parent, j] + e.sign * a_rel[j]


@shared
def move_arm(model: Model, i: int, q: Array, work: Work) -> None:
    """Position beyond T-branch i, a flexible arm, and the directions of its elastic coordinates."""
    e = model.t_edges[i]
    R, s, r = work.R[e.carrier], work.tmp[5, 0], work.r[i]
    arm_translation(model, e.flex, q, R, work, s)
    rotate(R, s, r)
    for j in range(3):
        work.p[e.child, j] = work.p[e.parent, j] + e.sign * r[j]


@shared
def arm_moves(model: Model, i: int, v: Array, work: Work) -> None:
    """Velocity beyond T-branch i, a flexible arm."""
    e = model.t_edges[i]
    rate = work.tmp[3, 0]
    elastic_rate(model, e.flex, v, False, work, rate)
    add_cross(1.0, work.omega[e.carrier], work.r[i], rate)
    for j in range(3):
        work.v[e.child, j] = work.v[e.parent, j] + e.sign * rate[j]


@shared
def arm_moves_on(model: Model, i: int, v: Array, a: Array, work: Work) -> None:
    """Acceleration beyond T-branch i, a flexible arm."""
    e = model.t_edges[i]
    omega, r = work.omega[e.carrier], work.r[i]
    rate, second = work.tmp[3, 0], work.tmp[3, 1]
    elastic_rate(model, e.flex, v, False, work, rate)
    elastic_rate(model, e.flex, a, False, work, second)
    arm_second(model, e.flex, v, work.R[e.carrier], work, second)
    for j in range(3):
        rate[j] = 2.0 * rate[j]
    add_cross(1.0, omega, r, rate)
    add_cross(1.0, omega, rate, second)
    add_cross(1.0, work.omega_dot[e.carrier], r, second)
    for j in range(3):
        work.a[e.child, j] = work.a[e.parent, j] + e.sign * second[j]
