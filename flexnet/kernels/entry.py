"""What Python and the integrators call: kernels with the model and its workspace behind a handle.

The first five and ``state_energy`` are those of :class:`~flexnet.dae.Dae`. Everything else in this room is
compiled into them, so whatever a user's run needs is in a handful of functions.
"""

from flexnet.kernels import (
    constraints,
    dynamics,
    elastic,
    energy,
    feedback,
    forces,
    kinematics,
    newton,
    ports,
    rigid_motion,
    turns,
)
from flexnet.kernels import (
    power as powers,
)
from flexnet.kernels.compile import kernel, typeof
from flexnet.kernels.dynamics import column_outward, column_row, forget_column
from flexnet.kernels.handle import make_restore, make_store
from flexnet.kernels.model import EVENTS_OF_MOTION, Model, empty_model
from flexnet.kernels.work import Work, make_work
from flexnet.typing import Array, IntArray

_NOTHING = empty_model()
_KIND = typeof((_NOTHING, make_work(_NOTHING, 1, 1)))
restore, _store = make_restore(_KIND), make_store(_KIND)


def handle(model: Model, work: Work) -> IntArray:
    """Pack a model and its workspace, both of which must outlive the handle."""
    return _store((model, work))


@kernel
def residual(
    data: IntArray, t: float, q: Array, v: Array, a: Array, lam: Array, work: Array, r: Array, phi: Array
) -> None:
    """``r = M v̇ + Gᵀλ - F`` (n_v,) and ``Φ`` (m,); with r shorter only Φ, all frames and their rates."""
    model, w = restore(data)
    dynamics.residual(model, t, q, v, a, lam, w, r, phi)


@kernel
def matrices(data: IntArray, work: Array, c_q: float, c_v: float, M: Array, G: Array) -> None:
    """M + c_q K + c_v C and the constraint Jacobian at the state of the last residual."""
    model, w = restore(data)
    newton.newton_matrices(model, w, c_q, c_v, M, G)


@kernel
def port_matrices(data: IntArray, work: Array, c_q: float, c_v: float, M: Array, G: Array) -> None:
    """In place of ``matrices``, those of the small mechanism of unreduced bodies; ``work`` receives P."""
    model, w = restore(data)
    small, seen = restore(model.ports)
    ports.find_ports(model, w, small, seen, work)
    newton.newton_matrices(small, seen, c_q, c_v, M, G)
    ports.add_mean_motion(model, w, small, M)


@kernel
def compose(data: IntArray, q: Array, dq: Array, out: Array) -> None:
    """``out = q ⊕ dq``."""
    model, _ = restore(data)
    kinematics.compose(model, q, dq, out)


@kernel
def count(data: IntArray, t: float, q: Array) -> None:
    """Bring the counted angles that q holds to the state they are part of."""
    model, w = restore(data)
    turns.count(model, t, q, w)


@kernel
def rates(data: IntArray, v: Array, a: Array, work: Array, rate: Array, acceleration: Array) -> None:
    """Φ̇ and Φ̈ at the state of the last residual."""
    model, w = restore(data)
    constraints.rates_and_accelerations(model, v, a, w, rate, acceleration)


@kernel
def power(data: IntArray, q: Array, v: Array, lam: Array, work: Array, out: Array) -> None:
    """Power of drivers, of forces without a potential and of damping at the state of the last residual, W."""
    model, w = restore(data)
    powers.power(model, q, v, lam, w, out)


@kernel
def state_energy(
    data: IntArray, t: float, q: Array, v: Array, work: Array, phi: Array, rate: Array, out: Array
) -> None:
    """Φ and Φ̇ (m,), and kinetic, potential and strain energy (out, [J]) of a state."""
    model, w = restore(data)
    energy.state_energy(model, t, q, v, w, phi, rate, out)


@kernel
def known_functions(data: IntArray, t: float) -> None:
    """Evaluate every known function of time."""
    model, w = restore(data)
    kinematics.known_functions(model, t, w)


@kernel
def node_forces(data: IntArray, t: float, q: Array, v: Array, a: Array) -> None:
    """Applied and inertia forces on all nodes, before they are carried through the cutsets."""
    model, w = restore(data)
    kinematics.motion(model, t, q, v, a, w)
    feedback.follow(model, q, v, w)
    forces.apply_loads(model, q, w)
    dynamics.apply_inertia(model, w)
    elastic.apply_flexible_inertia(model, q, v, a, w)


@kernel
def gather(data: IntArray, lam: Array, out: Array) -> None:
    """Carry the forces on all nodes, and -λ times those of the rows, through the cutsets.

    ``out`` (n_v,) receives the generalised forces.
    """
    model, w = restore(data)
    dynamics.apply_constraint_forces(model, lam, w)
    dynamics.gather(model, w, out)


@kernel
def body_kinetic(data: IntArray, k: int, v: Array) -> float:
    """Kinetic energy of flexible body k at the state of the last residual, J."""
    model, w = restore(data)
    return elastic.body_kinetic(model, k, v, w)


@kernel
def momenta(data: IntArray, t: float, q: Array, v: Array, out: Array) -> None:
    """Momentum P and angular momentum L about the datum of a state, (6,)."""
    model, w = restore(data)
    kinematics.positions(model, t, q, w)
    kinematics.node_velocities(model, v, w)
    rigid_motion.momenta(model, v, w, out)


@kernel
def rigid_rates(
    data: IntArray, t: float, q: Array, v: Array, dq: Array, twists: Array, X: Array, Y: Array, Z: Array
) -> None:
    """What k twists (k, 6) of all bodies at once are in coordinates, (k, n_v) each.

    Rates X with which the bodies follow them, rates Y of v turned by them, and changes Z of an increment dq
    that led to q which move its end along X.
    """
    model, w = restore(data)
    kinematics.positions(model, t, q, w)
    kinematics.node_velocities(model, v, w)
    for i in range(twists.shape[0]):
        rigid_motion.rigid_rates(model, twists[i], w, X[i])
        rigid_motion.transport(model, twists[i], w, Y[i])
        rigid_motion.increments(model, dq, X[i], w, Z[i])


@kernel
def zeros(data: IntArray, t: float, q: Array, v: Array, out: Array) -> None:
    """Signals that events watch; where they are of accelerations or loads of joints, v̇ and λ are found."""
    model, w = restore(data)
    if model.sensed[EVENTS_OF_MOTION] == 1:
        newton.find_motion(model, t, q, v, w)
    else:
        kinematics.positions(model, t, q, w)
        kinematics.node_velocities(model, v, w)
        feedback.follow(model, q, v, w)
    feedback.run_signals(model, feedback.ZEROS, 0.0, 0.0, w, out)


@kernel
def jacobian_entries(data: IntArray, out: Array) -> None:
    """Entries of G in the order of ``col_rows``, column by column, at the state of the last residual."""
    model, work = restore(data)
    work.dv[:] = 0.0
    work.dw[:] = 0.0
    for k in range(model.columns.shape[0]):
        column_outward(model, k, work)
        for l in range(model.col_rows_ptr[k, 0], model.col_rows_ptr[k, 1]):
            out[l] = column_row(model, model.col_rows[l], work)
        forget_column(model, k, work)
