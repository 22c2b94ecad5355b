"""Applied forces: weights, forces, torques, springs, dampers, actuators and bushings.

Each adds to ``work.force`` (on nodes, ground axes, N) and ``work.torque`` (on bodies, N m): these are
the through variables of the dependent virtual work edges at its two ends.
"""

from math import atan2, cos, sin, sqrt

from flexnet.kernels.callback import call
from flexnet.kernels.compile import inner
from flexnet.kernels.model import (
    BUSHING,
    FORCE,
    LAW_CALLABLE,
    LAW_EXPRESSION,
    LAW_LINEAR,
    R_DRIVEN,
    SPRING_LINE,
    SPRING_TORSION,
    TORQUE,
    Model,
    Work,
)
from flexnet.kernels.time_function import run_program
from flexnet.kernels.vector import (
    add_cross,
    add_scaled,
    dot,
    matrix_to_quaternion,
    multiply,
    quaternion_to_vector,
    rotate,
    rotate_back,
)
from flexnet.typing import Array


@inner
def apply_loads(model: Model, t: float, q: Array, v: Array, work: Work) -> None:
    """Set node forces and body torques to the applied loads; after velocities."""
    work.force[:] = 0.0
    work.torque[:] = 0.0
    for i in range(model.bodies.shape[0]):
        add_scaled(1.0, model.weights[i], work.force[model.bodies[i].node])
    for i in range(model.elements.shape[0]):
        e = model.elements[i]
        if e.kind in (FORCE, TORQUE):
            _given(model, i, work)
        elif e.kind == BUSHING:
            _bushing(model, i, work)
        else:
            _spring(model, i, t, q, v, work)


@inner
def law_force(model: Model, i: int, x: float, rate: float, t: float, work: Work) -> float:
    """Force or torque of element i at stretch x: ``k (x₀ - x) - c ẋ + f(t)``, or the user's law."""
    e = model.elements[i]
    value = work.f[e.function[0], 0]
    if e.law == LAW_LINEAR:
        value += e.stiffness * (e.rest - x) - e.damping * rate
    elif e.law == LAW_EXPRESSION:
        value += run_program(model.program, e.refs[0], e.refs[1], model.data, x, rate, t, work.stack)
    elif e.law == LAW_CALLABLE:
        value += call(e.refs[0], x, rate, t)
    work.law[i] = value
    return float(value)


@inner
def _given(model: Model, i: int, work: Work) -> None:
    e = model.elements[i]
    local, world = work.tmp[4, 0], work.tmp[4, 1]
    for k in range(3):
        local[k] = work.f[e.function[k], 0]
        world[k] = local[k]
    work.law[i] = local[0] + local[1] + local[2]
    if e.follows == 1:
        multiply(work.R[e.head_r], e.C_B, work.tmp[5])
        rotate(work.tmp[5], local, world)
    if e.kind == FORCE:
        add_scaled(1.0, world, work.force[e.head])
    else:
        add_scaled(1.0, world, work.torque[e.head_r])


@inner
def stretch(model: Model, i: int, q: Array, v: Array, work: Work) -> tuple[float, float]:
    """Stretch x and rate ẋ of spring i, and its unit wrench: direction in tmp[4, 2], torque in tmp[5, 1].

    A line or axis spring pushes its head along the direction and turns its tail by the torque; a
    torsional spring turns its head by the torque.
    """
    e = model.elements[i]
    d, dv, n, m, u = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2], work.tmp[5, 0], work.tmp[5, 1]
    u[0] = u[1] = u[2] = 0.0
    if e.kind == SPRING_TORSION:
        a = d
        rotate(work.R[e.tail_r], e.n, n)
        rotate(work.R[e.tail_r], e.m, m)
        rotate(work.R[e.head_r], e.a, a)
        c, s = dot(a, n), dot(a, m)
        rho = 1.0 / (c * c + s * s)
        add_cross(c * rho, a, m, u)
        add_cross(-s * rho, a, n, u)
        if e.turns[0] >= 0:
            angle, rate = e.offset, 0.0
            for k in range(e.turns[0], e.turns[1]):
                turn = model.turns[k]
                branch = model.r_edges[turn.edge]
                is_driven = branch.kind == R_DRIVEN
                angle += turn.sense * (work.f[branch.function, 0] if is_driven else q[branch.q])
                rate += turn.sense * (work.f[branch.function, 1] if is_driven else v[branch.v])
            return angle, rate
        return atan2(s, c), dot(u, work.omega[e.head_r]) - dot(u, work.omega[e.tail_r])
    for j in range(3):
        d[j] = work.p[e.head, j] - work.p[e.tail, j]
        dv[j] = work.v[e.head, j] - work.v[e.tail, j]
    if e.kind == SPRING_LINE:
        length = sqrt(dot(d, d))
        for j in range(3):
            n[j] = d[j] / length if length > 0.0 else 0.0
        return length, dot(n, dv)
    rotate(work.R[e.tail_r], e.n, n)
    add_cross(-1.0, d, n, u)
    return dot(n, d), dot(n, dv) + dot(u, work.omega[e.tail_r])


@inner
def _spring(model: Model, i: int, t: float, q: Array, v: Array, work: Work) -> None:
    e = model.elements[i]
    x, rate = stretch(model, i, q, v, work)
    f = law_force(model, i, x, rate, t, work)
    if e.kind == SPRING_TORSION:
        add_scaled(f, work.tmp[5, 1], work.torque[e.head_r])
        add_scaled(-f, work.tmp[5, 1], work.torque[e.tail_r])
    else:
        add_scaled(f, work.tmp[4, 2], work.force[e.head])
        add_scaled(-f, work.tmp[4, 2], work.force[e.tail])
        add_scaled(f, work.tmp[5, 1], work.torque[e.tail_r])


@inner
def bushing_stretch(model: Model, i: int, work: Work) -> None:
    """(d, φ) and rate (ḋ, ω) of a bushing in its tail frame, in tmp[2] and tmp[3]; R_A in tmp[5]."""
    e = model.elements[i]
    R_A, R_B, E = work.tmp[5], work.tmp[6], work.tmp[7]
    d, dv, w = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2]
    multiply(work.R[e.tail_r], e.C_A, R_A)
    multiply(work.R[e.head_r], e.C_B, R_B)
    for j in range(3):
        for k in range(3):
            E[j, k] = R_A[0, j] * R_B[0, k] + R_A[1, j] * R_B[1, k] + R_A[2, j] * R_B[2, k]
        d[j] = work.p[e.head, j] - work.p[e.tail, j]
        dv[j] = work.v[e.head, j] - work.v[e.tail, j]
        w[j] = work.omega[e.head_r, j] - work.omega[e.tail_r, j]
    add_cross(-1.0, work.omega[e.tail_r], d, dv)
    x, rate = work.tmp[2].reshape(9), work.tmp[3].reshape(9)
    quat = work.tmp[1].reshape(9)[0:4]
    matrix_to_quaternion(E, quat)
    rotate_back(R_A, d, x[0:3])
    quaternion_to_vector(quat, x[3:6])
    rotate_back(R_A, dv, rate[0:3])
    rotate_back(R_A, w, rate[3:6])


@inner
def turn_work(phi: Array, s: float, y: Array, out: Array) -> None:
    """Compute ``out = y - s φ × y/2 + c φ × (φ × y)``: J⁻¹y for s = 1, J⁻ᵀy for s = -1.

    φ̇ = J⁻¹ ω with J the left Jacobian of exp φ, so V(φ) has the torque -J⁻ᵀ ∂V/∂φ;
    c = (1 - φ/2 cot φ/2)/φ².
    """
    phi2 = dot(phi, phi)
    if phi2 < 1e-3:
        c = 1.0 / 12.0 + phi2 / 720.0 + phi2 * phi2 / 30240.0
    else:
        half = 0.5 * sqrt(phi2)
        c = (1.0 - half * cos(half) / sin(half)) / phi2
    a, b, d = y[0], y[1], y[2]
    x = phi[1] * d - phi[2] * b
    z = phi[0] * b - phi[1] * a
    w = phi[2] * a - phi[0] * d
    # φ × y is (x, w, z)
    out[0] = a - 0.5 * s * x + c * (phi[1] * z - phi[2] * w)
    out[1] = b - 0.5 * s * w + c * (phi[2] * x - phi[0] * z)
    out[2] = d - 0.5 * s * z + c * (phi[0] * w - phi[1] * x)


@inner
def _bushing(model: Model, i: int, work: Work) -> None:
    e = model.elements[i]
    bushing_stretch(model, i, work)
    R_A, d = work.tmp[5], work.tmp[4, 0]
    x, rate = work.tmp[2].reshape(9), work.tmp[3].reshape(9)
    local, force, torque = work.tmp[0].reshape(9), work.tmp[4, 1], work.tmp[4, 2]
    K, C = model.bushings[e.matrix, 0], model.bushings[e.matrix, 1]
    for j in range(6):
        local[j] = 0.0
        for k in range(6):
            local[j] -= K[j, k] * x[k]
    turn_work(x[3:6], -1.0, local[3:6], local[3:6])
    for j in range(6):
        for k in range(6):
            local[j] -= C[j, k] * rate[k]
    rotate(R_A, local[0:3], force)
    rotate(R_A, local[3:6], torque)
    add_scaled(1.0, force, work.force[e.head])
    add_scaled(-1.0, force, work.force[e.tail])
    add_scaled(1.0, torque, work.torque[e.head_r])
    add_scaled(-1.0, torque, work.torque[e.tail_r])
    add_cross(-1.0, d, force, work.torque[e.tail_r])
    work.law[i] = local[0] + local[1] + local[2] + local[3] + local[4] + local[5]
