"""Step 1, branch kinematics: two sweeps from the datum outwards.

Rotations go along the R-tree, then translations along the T-tree, because every T-branch vector is
fixed in a frame whose rotation is then known.

    R_B = R_A R_e,   ω_B = ω_A + Σ uᵢ vᵢ + u ḟ,   ω̇_B = ω̇_A + Σ uᵢ v̇ᵢ + u f̈ + ω_A × ω_AB (+ u₁v₁ × u₂v₂)
    p_B = p_A + r,   ṗ_B = ṗ_A + ω_A × r + r°,    p̈_B = p̈_A + ω̇_A × r + ω_A × (ω_A × r) + 2 ω_A × r° + r°°

with r° = Σ dᵢ ẋᵢ + Σ eⱼ ḟⱼ the rate of r seen from frame A. Along a flexible arm the coordinates are the
elastic ones of its body (:mod:`flexnet.kernels.flexible`).
"""

from flexnet.kernels.compile import inner, shared
from flexnet.kernels.flexible import (
    arm_axes,
    arm_rotation,
    arm_second,
    arm_translation,
    arm_turn_bias,
    flexible_rates,
    flexible_shapes,
)
from flexnet.kernels.model import R_AXIS, R_DRIVEN, R_FLEX, R_FREE, R_UNIVERSAL, Model, Work
from flexnet.kernels.time_function import SIGNAL, evaluate
from flexnet.kernels.vector import (
    add_cross,
    add_scaled,
    axis_angle_to_matrix,
    compose_quaternion,
    multiply,
    multiply_transposed,
    quaternion_to_matrix,
    rotate,
)
from flexnet.typing import Array


@inner
def known_functions(model: Model, t: float, work: Work) -> None:
    """Evaluate every known function of time."""
    work.clock[0] = t
    for i in range(model.functions.shape[0]):
        f = model.functions[i]
        if f.kind == SIGNAL:  # follows from the motion, see feedback
            continue
        evaluate(f.kind, f.refs, f.start, f.count, model.data, model.program, t, work.stack, work.f[i])


@inner
def positions(model: Model, t: float, q: Array, work: Work) -> None:
    """Orientation of every rotation node, position of every node, axes of every coordinate."""
    known_functions(model, t, work)
    if model.flex.shape[0] > 0:
        flexible_shapes(model, q, work)
    _rotations(model, q, work)
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        R, r = work.R[e.carrier], work.r[i]
        if e.flex >= 0:
            arm_translation(model, e.flex, q, R, work, work.tmp[5, 0])
            rotate(R, work.tmp[5, 0], r)
        else:
            rotate(R, e.offset, r)
        for k in range(e.n):
            d = work.d[i, k]
            rotate(R, e.free[k], d)
            add_scaled(q[e.q + k], d, r)
        for k in range(e.n_driven):
            d = work.e[i, k]
            rotate(R, e.driven[k], d)
            add_scaled(work.f[e.function[k], 0], d, r)
        p, base = work.p[e.child], work.p[e.parent]
        for j in range(3):
            p[j] = base[j] + e.sign * r[j]


@inner
def _rotations(model: Model, q: Array, work: Work) -> None:
    R_e, R_A, R_B = work.tmp[0], work.tmp[1], work.tmp[2]
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        u = work.u[i]
        if e.kind == R_AXIS:
            axis_angle_to_matrix(e.axis_1, q[e.q], R_e)
        elif e.kind == R_DRIVEN:
            axis_angle_to_matrix(e.axis_1, work.f[e.function, 0], R_e)
        elif e.kind == R_UNIVERSAL:
            axis_angle_to_matrix(e.axis_1, q[e.q], R_A)
            axis_angle_to_matrix(e.axis_2, q[e.q + 1], R_B)
            multiply(R_A, R_B, R_e)
        elif e.kind == R_FREE:
            quaternion_to_matrix(q[e.q : e.q + 4], R_e)
        elif e.kind == R_FLEX:
            arm_rotation(model, e.flex, q, work, R_e)
        else:
            for j in range(3):
                for k in range(3):
                    R_e[j, k] = 1.0 if j == k else 0.0
        if e.sign > 0:
            multiply(work.R[e.parent], e.C_A, R_A)
            multiply(R_A, R_e, R_B)
            multiply_transposed(R_B, e.C_B, work.R[e.child])
        else:
            multiply(work.R[e.parent], e.C_B, R_B)
            multiply_transposed(R_B, R_e, R_A)
            multiply_transposed(R_A, e.C_A, work.R[e.child])
        # axes of the coordinates in ground
        if e.kind == R_FREE:
            for j in range(3):
                for k in range(3):
                    u[k, j] = R_B[j, k]
        elif e.kind == R_FLEX:
            arm_axes(model, e.flex, R_A, work)
        else:
            rotate(R_A, e.axis_1, u[0])
            if e.kind == R_UNIVERSAL:
                rotate(R_B, e.axis_2, u[1])


@inner
def velocities(model: Model, v: Array, work: Work) -> None:
    """Velocities of all nodes and the rates of flexible bodies; after :func:`positions`."""
    if model.flex.shape[0] > 0:
        flexible_rates(model, v, work)
    node_velocities(model, v, work)


@inner
def node_velocities(model: Model, v: Array, work: Work) -> None:
    """Angular velocity of every rotation node, velocity of every node; after :func:`positions`."""
    w_rel = work.tmp[3, 0]
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        _relative_rate(e.kind, e.function, work.u[i], v[e.v : e.v + 3], work.f, 1, w_rel)
        if e.flex >= 0:
            _elastic_rate(model, e.flex, v, True, work, w_rel)
        out, base = work.omega[e.child], work.omega[e.parent]
        for j in range(3):
            out[j] = base[j] + e.sign * w_rel[j]
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        out, base = work.v[e.child], work.v[e.parent]
        for j in range(3):
            out[j] = base[j]
        add_cross(e.sign, work.omega[e.carrier], work.r[i], out)
        for k in range(e.n):
            add_scaled(e.sign * v[e.v + k], work.d[i, k], out)
        for k in range(e.n_driven):
            add_scaled(e.sign * work.f[e.function[k], 1], work.e[i, k], out)
        if e.flex >= 0:
            w_rel[0] = w_rel[1] = w_rel[2] = 0.0
            _elastic_rate(model, e.flex, v, False, work, w_rel)
            add_scaled(e.sign, w_rel, out)


@shared
def _elastic_rate(model: Model, i: int, v: Array, is_rotation: bool, work: Work, out: Array) -> None:
    """Add the sum of direction (or axis) times rate over the elastic coordinates of a flexible frame."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    start = frame.w + (3 * f.m if is_rotation else 0)
    for j in range(f.m):
        add_scaled(v[f.v + j], work.flex[start + 3 * j : start + 3 * j + 3], out)


@inner
def _relative_rate(kind: int, function: int, u: Array, v: Array, f: Array, order: int, out: Array) -> None:
    """Sum of axis times rate over the coordinates of a rotational branch."""
    out[0], out[1], out[2] = 0.0, 0.0, 0.0
    if kind == R_AXIS:
        add_scaled(v[0], u[0], out)
    elif kind == R_DRIVEN:
        add_scaled(f[function, order], u[0], out)
    elif kind == R_UNIVERSAL:
        add_scaled(v[0], u[0], out)
        add_scaled(v[1], u[1], out)
    elif kind == R_FREE:
        for k in range(3):
            add_scaled(v[k], u[k], out)


@inner
def accelerations(model: Model, v: Array, a: Array, work: Work) -> None:
    """Angular and linear accelerations for given v̇ = a; after :func:`velocities`.

    With a = 0 these are the bias terms, everything but J v̇.
    """
    w_rel, a_rel = work.tmp[3, 0], work.tmp[3, 1]
    inner = work.tmp[3, 2]
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        u = work.u[i]
        _relative_rate(e.kind, e.function, u, v[e.v : e.v + 3], work.f, 1, w_rel)
        _relative_rate(e.kind, e.function, u, a[e.v : e.v + 3], work.f, 2, a_rel)
        tail = e.parent if e.sign > 0 else e.child
        if e.flex >= 0:
            _elastic_rate(model, e.flex, v, True, work, w_rel)
            _elastic_rate(model, e.flex, a, True, work, a_rel)
            arm_turn_bias(model, e.flex, v, work.R[tail], work, a_rel)
        add_cross(1.0, work.omega[tail], w_rel, a_rel)
        if e.kind == R_UNIVERSAL:
            add_cross(v[e.v] * v[e.v + 1], u[0], u[1], a_rel)
        out, base = work.omega_dot[e.child], work.omega_dot[e.parent]
        for j in range(3):
            out[j] = base[j] + e.sign * a_rel[j]
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        omega, r = work.omega[e.carrier], work.r[i]
        out, base = work.a[e.child], work.a[e.parent]
        for j in range(3):
            out[j] = base[j]
            inner[j] = 0.0
        add_cross(e.sign, work.omega_dot[e.carrier], r, out)
        add_cross(1.0, omega, r, inner)
        for k in range(e.n):
            add_scaled(2.0 * v[e.v + k], work.d[i, k], inner)
            add_scaled(e.sign * a[e.v + k], work.d[i, k], out)
        for k in range(e.n_driven):
            add_scaled(2.0 * work.f[e.function[k], 1], work.e[i, k], inner)
            add_scaled(e.sign * work.f[e.function[k], 2], work.e[i, k], out)
        if e.flex >= 0:
            w_rel[0] = w_rel[1] = w_rel[2] = 0.0
            a_rel[0] = a_rel[1] = a_rel[2] = 0.0
            _elastic_rate(model, e.flex, v, False, work, w_rel)
            _elastic_rate(model, e.flex, a, False, work, a_rel)
            arm_second(model, e.flex, v, work.R[e.carrier], work, a_rel)
            add_scaled(2.0, w_rel, inner)
            add_scaled(e.sign, a_rel, out)
        add_cross(e.sign, omega, inner, out)


@shared
def compose(model: Model, q: Array, dq: Array, out: Array) -> None:
    """Move a configuration along a velocity: ``out = q ⊕ dq``, exact on the rotation group.

    Counted angles stay those of the last step.
    """
    for k in range(model.scalars.shape[0]):
        out[model.scalars[k, 0]] = q[model.scalars[k, 0]] + dq[model.scalars[k, 1]]
    for i in model.counted:
        out[i] = q[i]
    for k in range(model.quaternions.shape[0]):
        i, j = model.quaternions[k, 0], model.quaternions[k, 1]
        compose_quaternion(q[i : i + 4], dq[j : j + 3], out[i : i + 4])
