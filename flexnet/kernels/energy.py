"""Energies of the state now in the workspace."""

from flexnet.kernels.callback import at, run
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.constraints import constraint_rates, constraint_rows
from flexnet.kernels.elastic import flexible_kinetic, flexible_potential
from flexnet.kernels.forces import POTENTIAL, evaluate_law
from flexnet.kernels.kinematics import node_velocities, positions
from flexnet.kernels.model import KINETIC, Model
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
