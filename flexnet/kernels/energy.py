"""Energies and powers of the state now in the workspace."""

from flexnet.kernels.callback import at, run
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.constraints import constraint_rates, constraint_rows
from flexnet.kernels.elastic import flexible_damping, flexible_kinetic, flexible_potential
from flexnet.kernels.feedback import POWERS, run_signals
from flexnet.kernels.forces import POTENTIAL, POWER, evaluate_law
from flexnet.kernels.kinematics import node_velocities, positions
from flexnet.kernels.model import KINETIC, ROW_TIME, Model
from flexnet.kernels.vector import dot
from flexnet.kernels.work import Work
from flexnet.typing import Array


@shared
def kinetic_energy(model: Model, v: Array, work: Work) -> float:
    """Kinetic energy ½ Σ (m v·v + ω·J ω), and that of flexible bodies [J]; after velocities."""
    total = flexible_kinetic(model, v, work)
    sums = work.tmp[0, 0]
    sums[0] = total
    for i in range(model.bodies.shape[0]):
        b = model.bodies[i]
        run(
            model.families[b.family + KINETIC],
            (
                at(model.sweep_data, b.p), at(work.R, b.rotation), at(work.omega, b.rotation),
                at(work.v, b.node), sums,
            ),
        )  # fmt: skip
    return float(sums[0])


@shared
def potential_energy(model: Model, q: Array, work: Work, out: Array) -> None:
    """Potential of gravity, springs and bushings (out[0]), strain energy (out[1]) [J]; after velocities."""
    flexible_potential(model, q, work, out)
    total = out[0]
    for i in range(model.bodies.shape[0]):
        total -= dot(model.weights[i], work.p[model.bodies[i].node])
    some = work.tmp[6, 0]
    for i in range(model.elements.shape[0]):
        evaluate_law(model, i, POTENTIAL, q, work, some)
        total += some[0]
    out[0] = total


@inner
def power(model: Model, q: Array, v: Array, lam: Array, work: Work, out: Array) -> None:
    """Power [W] of motion drivers (out[0]), of forces without a potential (out[1]), of damping (out[2]).

    Of networks: of sources (out[5]), ports to the mechanism (out[6]) and dissipation (out[7]).

    Elements say what of their power is damping; a spring whose law is a user's formula says none. Uses the
    cutset sums of the last residual, so it comes after it.
    """
    out[0] = _driver_power(model, lam, work)
    total = 0.0
    damping = flexible_damping(model, v, work)
    some = work.tmp[6, 0]
    for i in range(model.elements.shape[0]):
        evaluate_law(model, i, POWER, q, work, some)
        total += some[0]
        damping += some[1]
    out[1] = total
    out[2] = damping
    if model.sensed[2] == 1:
        run_signals(model, POWERS, 0.0, 0.0, work, out[5:8])


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
        if e.function >= 0:
            total -= e.sign * work.f[e.function, 1] * dot(work.u[i, 0], work.torque[e.child])
    for i in range(model.t_edges.shape[0]):
        edge = model.t_edges[i]
        for k in range(edge.n_driven):
            rate = work.f[edge.function + k, 1]
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
