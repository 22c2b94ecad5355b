"""Applied forces: weights, forces, torques, springs, dampers, actuators and bushings.

Each adds to ``work.force`` (on nodes, ground axes, N) and ``work.torque`` (on bodies, N m): these are
the through variables of the dependent virtual work edges at its two ends.
"""

from math import atan2, sqrt

from flexnet.kernels.callback import call
from flexnet.kernels.compile import kernel
from flexnet.kernels.model import (
    BUSHING,
    FORCE,
    LAW_CALLABLE,
    LAW_EXPRESSION,
    LAW_LINEAR,
    SPRING_AXIS,
    SPRING_LINE,
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


@kernel
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
        elif e.kind == SPRING_LINE:
            _line_spring(model, i, t, work)
        elif e.kind == SPRING_AXIS:
            _axis_spring(model, i, t, work)
        else:
            _torsion_spring(model, i, t, q, v, work)


@kernel
def law_force(model: Model, i: int, x: float, rate: float, t: float, work: Work) -> float:
    """Force or torque of element i at stretch x: ``k (x₀ - x) - c ẋ + f(t)``, or the user's law."""
    e = model.elements[i]
    value = work.f[e.function[0], 0]
    if e.law == LAW_LINEAR:
        value += e.stiffness * (e.rest - x) - e.damping * rate
    elif e.law == LAW_EXPRESSION:
        value += run_program(model.program, e.refs[0], e.refs[1], model.data, x, rate, t)
    elif e.law == LAW_CALLABLE:
        value += call(e.refs[0], x, rate, t)
    work.law[i] = value
    return float(value)


@kernel
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


@kernel
def _line_spring(model: Model, i: int, t: float, work: Work) -> None:
    e = model.elements[i]
    d, dv = work.tmp[4, 0], work.tmp[4, 1]
    for j in range(3):
        d[j] = work.p[e.head, j] - work.p[e.tail, j]
        dv[j] = work.v[e.head, j] - work.v[e.tail, j]
    length = sqrt(dot(d, d))
    if length < 1e-14:
        return  # no direction: the ends coincide
    for j in range(3):
        d[j] /= length
    f = law_force(model, i, length, dot(d, dv), t, work)
    add_scaled(f, d, work.force[e.head])
    add_scaled(-f, d, work.force[e.tail])


@kernel
def _axis_spring(model: Model, i: int, t: float, work: Work) -> None:
    e = model.elements[i]
    d, dv, n = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2]
    for j in range(3):
        d[j] = work.p[e.head, j] - work.p[e.tail, j]
        dv[j] = work.v[e.head, j] - work.v[e.tail, j]
    rotate(work.R[e.tail_r], e.n, n)
    add_cross(-1.0, work.omega[e.tail_r], d, dv)
    f = law_force(model, i, dot(n, d), dot(n, dv), t, work)
    add_scaled(f, n, work.force[e.head])
    add_scaled(-f, n, work.force[e.tail])
    add_cross(-f, d, n, work.torque[e.tail_r])


@kernel
def _torsion_spring(model: Model, i: int, t: float, q: Array, v: Array, work: Work) -> None:
    e = model.elements[i]
    n, m, a, u = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2], work.tmp[5, 0]
    rotate(work.R[e.tail_r], e.n, n)
    rotate(work.R[e.tail_r], e.m, m)
    rotate(work.R[e.head_r], e.a, a)
    c, s = dot(a, n), dot(a, m)
    rho = 1.0 / (c * c + s * s)
    u[0] = u[1] = u[2] = 0.0
    add_cross(c * rho, a, m, u)
    add_cross(-s * rho, a, n, u)
    if e.q >= 0:
        angle, rate = e.sense * q[e.q], e.sense * v[e.v]
    else:
        angle = atan2(s, c)
        rate = dot(u, work.omega[e.head_r]) - dot(u, work.omega[e.tail_r])
    f = law_force(model, i, angle, rate, t, work)
    add_scaled(f, u, work.torque[e.head_r])
    add_scaled(-f, u, work.torque[e.tail_r])


@kernel
def _bushing(model: Model, i: int, work: Work) -> None:
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
    local, force, torque = work.tmp[0].reshape(9), work.tmp[4, 1], work.tmp[4, 2]
    K, C = model.bushings[e.matrix, 0], model.bushings[e.matrix, 1]
    for j in range(6):
        local[j] = 0.0
        for k in range(6):
            local[j] -= K[j, k] * x[k] + C[j, k] * rate[k]
    rotate(R_A, local[0:3], force)
    rotate(R_A, local[3:6], torque)
    add_scaled(1.0, force, work.force[e.head])
    add_scaled(-1.0, force, work.force[e.tail])
    add_scaled(1.0, torque, work.torque[e.head_r])
    add_scaled(-1.0, torque, work.torque[e.tail_r])
    add_cross(-1.0, d, force, work.torque[e.tail_r])
    work.law[i] = local[0] + local[1] + local[2] + local[3] + local[4] + local[5]
