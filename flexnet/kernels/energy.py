"""Energies and powers of the state now in the workspace."""

from flexnet.kernels.compile import inlined, kernel
from flexnet.kernels.forces import bushing_stretch, stretch
from flexnet.kernels.model import BUSHING, FORCE, LAW_LINEAR, ORIENTATION, R_DRIVEN, TORQUE, Model, Work
from flexnet.kernels.vector import dot, multiply, rotate, rotate_back
from flexnet.typing import Array


@kernel
def kinetic_energy(model: Model, work: Work) -> float:
    """Kinetic energy ½ Σ (m v·v + ω·J ω) [J]; after velocities."""
    total = 0.0
    x, y = work.tmp[0, 0], work.tmp[0, 1]
    for i in range(model.bodies.shape[0]):
        b = model.bodies[i]
        rotate_back(work.R[b.rotation], work.omega[b.rotation], x)
        rotate(b.inertia, x, y)
        total += 0.5 * (b.mass * dot(work.v[b.node], work.v[b.node]) + dot(x, y))
    return total


@kernel
def potential_energy(model: Model, q: Array, v: Array, work: Work) -> float:
    """Potential of gravity and of linear springs and bushings [J]; after velocities."""
    total = 0.0
    for i in range(model.bodies.shape[0]):
        total -= dot(model.weights[i], work.p[model.bodies[i].node])
    for i in range(model.elements.shape[0]):
        e = model.elements[i]
        if e.kind == BUSHING:
            bushing_stretch(model, i, work)
            x = work.tmp[2].reshape(9)
            K = model.bushings[e.matrix, 0]
            for j in range(6):
                for k in range(6):
                    total += 0.5 * x[j] * K[j, k] * x[k]
        elif e.kind not in (FORCE, TORQUE) and e.law == LAW_LINEAR and e.stiffness != 0.0:
            s, _ = stretch(model, i, q, v, work)
            total += 0.5 * e.stiffness * (s - e.rest) ** 2
    return total


@inlined
def power(model: Model, q: Array, v: Array, lam: Array, work: Work, out: Array) -> None:
    """Power [W] of motion drivers (out[0]) and of forces without a potential (out[1]).

    Uses the cutset sums of the last residual, so it comes after it.
    """
    out[0] = _driver_power(model, lam, work)
    total = 0.0
    local, world = work.tmp[4, 0], work.tmp[4, 1]
    for i in range(model.elements.shape[0]):
        e = model.elements[i]
        if e.kind in (FORCE, TORQUE):
            for k in range(3):
                local[k] = world[k] = work.f[e.function[k], 0]
            if e.follows == 1:
                multiply(work.R[e.head_r], e.C_B, work.tmp[5])
                rotate(work.tmp[5], local, world)
            total += dot(world, work.v[e.head]) if e.kind == FORCE else dot(world, work.omega[e.head_r])
        elif e.kind == BUSHING:
            bushing_stretch(model, i, work)
            rate = work.tmp[3].reshape(9)
            C = model.bushings[e.matrix, 1]
            for j in range(6):
                for k in range(6):
                    total -= rate[j] * C[j, k] * rate[k]
        else:
            x, rate_x = stretch(model, i, q, v, work)
            f = work.law[i]
            if e.law == LAW_LINEAR:
                f -= e.stiffness * (e.rest - x)
            total += f * rate_x
    out[1] = total


@inlined
def _driver_power(model: Model, lam: Array, work: Work) -> float:
    """Power -λ ḟ of drivers in a cotree, load times rate of drivers in a tree."""
    total = 0.0
    axis = work.tmp[4, 0]
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        if row.function >= 0:
            rate = work.f[row.function, 1]
            if row.kind == ORIENTATION:
                rotate(work.R[row.tail_r], row.m, axis)
                rate *= dot(work.row_head[i], axis)
            total -= lam[i] * rate
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        if e.kind == R_DRIVEN:
            total -= e.sign * work.f[e.function, 1] * dot(work.u[i, 0], work.torque[e.child])
    for i in range(model.t_edges.shape[0]):
        edge = model.t_edges[i]
        for k in range(edge.n_driven):
            rate = work.f[edge.function[k], 1]
            total -= edge.sign * rate * dot(work.e[i, k], work.force[edge.child])
    return total
