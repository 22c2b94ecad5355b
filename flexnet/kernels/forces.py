"""Applied forces: weights, forces, torques, springs, dampers, actuators and bushings.

Each adds to ``work.force`` (on nodes, ground axes, N) and ``work.torque`` (on bodies, N m): these are
the through variables of the dependent virtual work edges at its two ends.
"""

from math import sqrt

from flexnet.kernels.bushing import apply_bushing
from flexnet.kernels.callback import call
from flexnet.kernels.compile import inner
from flexnet.kernels.model import (
    BUSHING,
    FORCE,
    LAW_CALLABLE,
    LAW_EXPRESSION,
    LAW_LINEAR,
    SPRING_LINE,
    SPRING_TORSION,
    TORQUE,
    Model,
    Work,
)
from flexnet.kernels.time_function import run_program
from flexnet.kernels.turns import twist
from flexnet.kernels.vector import add_cross, add_scaled, dot, multiply, rotate
from flexnet.typing import Array


@inner
def apply_loads(model: Model, t: float, q: Array, work: Work) -> None:
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
            apply_bushing(model, i, q, work)
        else:
            _spring(model, i, t, q, work)


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
def stretch(model: Model, i: int, q: Array, work: Work) -> tuple[float, float]:
    """Stretch x and rate ẋ of spring i, and its unit wrench: direction in tmp[4, 2], torque in tmp[5, 1].

    A line or axis spring pushes its head along the direction and turns its tail by the torque; a
    torsional spring turns its head by the torque.
    """
    e = model.elements[i]
    d, dv, n, u = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2], work.tmp[5, 1]
    if e.kind == SPRING_TORSION:
        angle = twist(model, e.angle, q, work)
        return angle, dot(u, work.omega[e.head_r]) - dot(u, work.omega[e.tail_r])
    u[0] = u[1] = u[2] = 0.0
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
def _spring(model: Model, i: int, t: float, q: Array, work: Work) -> None:
    e = model.elements[i]
    x, rate = stretch(model, i, q, work)
    f = law_force(model, i, x, rate, t, work)
    if e.kind == SPRING_TORSION:
        add_scaled(f, work.tmp[5, 1], work.torque[e.head_r])
        add_scaled(-f, work.tmp[5, 1], work.torque[e.tail_r])
    else:
        add_scaled(f, work.tmp[4, 2], work.force[e.head])
        add_scaled(-f, work.tmp[4, 2], work.force[e.tail])
        add_scaled(f, work.tmp[5, 1], work.torque[e.tail_r])
