"""Signals that forces follow, and rates of first-order states: one program, between motion and loads.

The states z are the last of v. Their rows are w (E ż - f), w a weight that makes them comparable with the
others; they have no place in q (docs/theory/signals.md).
"""

from flexnet.kernels.callback import run
from flexnet.kernels.compile import inner
from flexnet.kernels.energy import kinetic_energy, potential_energy
from flexnet.kernels.linear_algebra import copy
from flexnet.kernels.model import OF_ENERGY, Model
from flexnet.kernels.turns import twist
from flexnet.kernels.work import Work
from flexnet.typing import Array

#: programs, in their order
SIGNALS, GAINS, SLOPES, ZEROS, POWERS = range(5)


@inner
def follow(model: Model, q: Array, v: Array, work: Work) -> None:
    """Evaluate all signals and hand them to the slots of the forces that follow them; after velocities.

    Where v is that of the mechanism alone, the states stay as they are.
    """
    if model.feedback.shape[0] == 0:
        return
    n = model.columns.shape[0]
    if v.shape[0] > n:
        for k in range(work.z.shape[0]):
            work.z[k] = v[n + k]
    for i in range(n):
        work.rates[i] = v[i]
    copy(q, work.places)
    for k in range(model.angles.shape[0]):
        if model.angles[k].has_axis == 1:
            work.theta[k] = twist(model, k, q, work)
    if model.sensed[OF_ENERGY] == 1:
        work.energies[0] = kinetic_energy(model, v, work)
        potential_energy(model, q, work, work.energies[1:3])
    hand_over(model, work)


@inner
def sense(model: Model, a: Array, lam: Array, work: Work) -> None:
    """Keep v̇ and λ for signals that follow them."""
    copy(lam, work.lam)
    for i in range(model.columns.shape[0]):
        work.accelerations[i] = a[i]


@inner
def hand_over(model: Model, work: Work) -> None:
    """Evaluate the signals of what is in the workspace, and hand them to the slots that follow them."""
    run_signals(model, SIGNALS, 0.0, 0.0, work, work.signals)
    for j in range(slots(model)):
        work.f[model.feedback[1 + 2 * j], 0] = work.signals[j]


@inner
def slots(model: Model) -> int:
    """Number of signals that forces follow; the rates of the states come after them."""
    return int(model.feedback.shape[0] // 2)


@inner
def state_rows(model: Model, a: Array, work: Work, r: Array) -> None:
    """Residuals of the states; after :func:`follow`."""
    n = model.columns.shape[0]
    first = slots(model)
    for k in range(r.shape[0] - n):
        r[n + k] = model.states[k, 0] * a[n + k] - model.states[k, 1] * work.signals[first + k]


@inner
def add_slopes(model: Model, k: int, c_q: float, c_v: float, work: Work, M: Array) -> None:
    """Take from column k of M what forces and states answer to its coordinate, which moves the frames now."""
    n, n_s = model.columns.shape[0], slots(model)
    work.unit[k] = 1.0
    run_signals(model, SLOPES, c_q, c_v, work, work.slopes)
    work.unit[k] = 0.0
    for l in range(model.col_signals_ptr[k, 0], model.col_signals_ptr[k, 1]):
        j = model.col_signals[l]
        slope = work.slopes[j]
        if j < n_s:
            for i in range(n):
                M[i, k] -= work.answers[j, i] * slope
        else:
            M[n + j - n_s, k] -= model.states[j - n_s, 1] * slope


@inner
def run_signals(model: Model, k: int, c_q: float, c_v: float, work: Work, out: Array) -> None:
    """Call program k of the signals; the last asks how they change when one coordinate moves on."""
    run(
        model.families[model.feedback[0] + k],
        (
            work.p, work.v, work.R, work.omega, work.theta, work.places, work.rates, work.z, work.f,
            work.clock[0], work.dv, work.dw, work.unit, c_q, c_v,
            work.a, work.omega_dot, work.cut_force, work.cut_torque, work.row, work.lam, work.u, work.e,
            work.accelerations, work.energies, model.numbers, model.laws, out,
        ),
    )  # fmt: skip
