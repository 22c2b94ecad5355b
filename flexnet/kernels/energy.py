"""Energies and powers of the state now in the workspace."""

from flexnet.kernels.bushing import bushing_stretch, turn_work
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.constraints import constraint_rates, constraint_rows
from flexnet.kernels.flexible import flexible_damping, flexible_kinetic, flexible_potential
from flexnet.kernels.forces import stretch
from flexnet.kernels.kinematics import node_velocities, positions
from flexnet.kernels.model import BUSHING, FORCE, LAW_LINEAR, R_DRIVEN, ROW_TIME, TORQUE, Model, Work
from flexnet.kernels.vector import dot, multiply, rotate, rotate_back
from flexnet.typing import Array


@shared
def kinetic_energy(model: Model, v: Array, work: Work) -> float:
    """Kinetic energy ½ Σ (m v·v + ω·J ω), and that of flexible bodies [J]; after velocities."""
    total = flexible_kinetic(model, v, work)
    x, y = work.tmp[0, 0], work.tmp[0, 1]
    for i in range(model.bodies.shape[0]):
        b = model.bodies[i]
        rotate_back(work.R[b.rotation], work.omega[b.rotation], x)
        rotate(b.inertia, x, y)
        total += 0.5 * (b.mass * dot(work.v[b.node], work.v[b.node]) + dot(x, y))
    return total


@shared
def potential_energy(model: Model, q: Array, work: Work, out: Array) -> None:
    """Potential of gravity, springs and bushings (out[0]), strain energy (out[1]) [J]; after velocities."""
    flexible_potential(model, q, work, out)
    total = out[0]
    for i in range(model.bodies.shape[0]):
        total -= dot(model.weights[i], work.p[model.bodies[i].node])
    for i in range(model.elements.shape[0]):
        e = model.elements[i]
        if e.kind == BUSHING:
            bushing_stretch(model, i, q, work)
            x = work.tmp[2].reshape(9)
            K = model.bushings[e.matrix, 0]
            for j in range(6):
                for k in range(6):
                    total += 0.5 * x[j] * K[j, k] * x[k]
        elif e.kind not in (FORCE, TORQUE) and e.law == LAW_LINEAR and e.stiffness != 0.0:
            s, _ = stretch(model, i, q, work)
            total += 0.5 * e.stiffness * (s - e.rest) ** 2
    out[0] = total


@inner
def power(model: Model, q: Array, v: Array, lam: Array, work: Work, out: Array) -> None:
    """Power [W] of motion drivers (out[0]), of forces without a potential (out[1]), of damping (out[2]).

    Linear dampers, bushings and material damping are damping; a user's law is a force, whatever it
    depends on. Uses the cutset sums of the last residual, so it comes after it.
    """
    out[0] = _driver_power(model, lam, work)
    total = 0.0
    damping = flexible_damping(model, v) if model.flex.shape[0] > 0 else 0.0
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
            bushing_stretch(model, i, q, work)
            x, rate = work.tmp[2].reshape(9), work.tmp[3].reshape(9)
            K, C = model.bushings[e.matrix, 0], model.bushings[e.matrix, 1]
            for j in range(6):
                for k in range(6):
                    damping -= rate[j] * C[j, k] * rate[k]
            # the skew part of K has no potential
            turn_work(model, i, 1.0, rate[3:6], rate[3:6], work)
            for j in range(6):
                for k in range(6):
                    total -= 0.5 * rate[j] * (K[j, k] - K[k, j]) * x[k]
        else:
            length, rate_x = stretch(model, i, q, work)
            f = work.law[i]
            if e.law == LAW_LINEAR:
                f -= e.stiffness * (e.rest - length) - e.damping * rate_x
                damping -= e.damping * rate_x * rate_x
            total += f * rate_x
    out[1] = total
    out[2] = damping


@inner
def _driver_power(model: Model, lam: Array, work: Work) -> float:
    """Power λ Φ_f ḟ of drivers in a cotree, load times rate of drivers in a tree."""
    total = 0.0
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        if row.function >= 0:
            total += lam[i] * work.row[i, ROW_TIME] * work.f[row.function, 1]
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


@inner
def state_energy(
    model: Model, t: float, q: Array, v: Array, work: Work, phi: Array, rate: Array, out: Array
) -> None:
    """Φ and Φ̇ (m,), and kinetic, potential and strain energy (out, [J]) of a state."""
    positions(model, t, q, work)
    node_velocities(model, v, work)
    constraint_rows(model, q, work, phi)
    constraint_rates(model, v, work, rate)
    out[0] = kinetic_energy(model, v, work)
    potential_energy(model, q, work, out[1:3])
