"""Newton's matrix: mass, stiffness and damping of flexible bodies and stiff elements, feedback of signals.

A change δv̇ of the accelerations moves q by c_q δv̇ and v by c_v δv̇. With signals s, of which the forces are
F(…, s), and states E ż = f, all of (q, v, z), their rows times a weight w,

    [ M - F_s (c_q s_q + c_v s_v)     - c_v F_s s_z     ]
    [ - w (c_q f_q + c_v f_v)         w (E - c_v f_z)   ]                                                 (1)

where q and v of a column are what moves the frames as they move for a unit rate of its coordinate. Where any
of it but M can be nonzero is known beforehand (``Model.fed``).

Where events follow accelerations or loads of joints, the answer to a state is met by iterations with (1) for
c_q = c_v = 0, in which the forces hold v̇ and λ and the matrix does not:

    M v̇ + Gᵀ λ = F(q, v, t, v̇, λ),     Φ̈ = 0                                                            (2)
"""

from flexnet.kernels.compile import inner
from flexnet.kernels.constraints import rates_and_accelerations
from flexnet.kernels.dynamics import gather, mass_and_jacobian, residual
from flexnet.kernels.feedback import GAINS, run_signals, slots
from flexnet.kernels.forces import LOAD, add_load, evaluate_law
from flexnet.kernels.linear_algebra import add_correction, lu_factor, lu_solve, saddle, weigh
from flexnet.kernels.model import OF_MOTION, Model
from flexnet.kernels.work import Work
from flexnet.typing import Array

#: iterations of (2), and the change over the size that is none
ITERATIONS, NOTHING = 60, 1e-13


@inner
def newton_matrices(model: Model, work: Work, c_q: float, c_v: float, M: Array, G: Array) -> None:
    """M + c_q K + c_v C and G, with those of flexible bodies (constant) and stiff elements and all of (1)."""
    has_states = M.shape[0] > model.columns.shape[0]
    is_fed = has_states and c_v != 0.0
    if has_states:
        for e in range(model.fed.shape[0]):
            M[model.fed[e, 0], model.fed[e, 1]] = 0.0
    if is_fed:
        _answers(model, work)
    mass_and_jacobian(model, work, c_q, c_v, is_fed, M, G)
    if has_states:
        _state_columns(model, work, c_q, c_v, M)
    if c_q == 0.0 and c_v == 0.0:
        return
    data = model.flex_data
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        if f.ptr >= 0:
            continue
        for i in range(f.m):
            for j in range(f.m):
                place = i * f.m + j
                M[f.v + i, f.v + j] += c_q * data[f.K + place] + c_v * data[f.C + place]


@inner
def _state_columns(model: Model, work: Work, c_q: float, c_v: float, M: Array) -> None:
    """Columns of the states; with neither c_q nor c_v that is E, and a unit where it is zero."""
    n, n_s = model.columns.shape[0], slots(model)
    for i in range(M.shape[0] - n):
        M[n + i, n + i] = model.states[i, 0]
        if c_v == 0.0 and model.states[i, 0] == 0.0:
            M[n + i, n + i] = model.states[i, 1]
    if c_v == 0.0:
        return
    run_signals(model, GAINS, c_q, c_v, work, work.gains)
    for e in range(model.gains.shape[0]):
        j, k, slope = model.gains[e, 0], n + model.gains[e, 1], c_v * work.gains[e]
        if j < n_s:
            for i in range(n):
                M[i, k] -= work.answers[j, i] * slope
        else:
            M[n + j - n_s, k] -= model.states[j - n_s, 1] * slope


@inner
def _unit_of(load: Array, value: float) -> float:
    """A change of a signal that is seen in its load and has the load's size, whatever the units."""
    force, torque = 0.0, 0.0
    for i in range(3):
        force = max(force, abs(load[i]), abs(load[6 + i]))
        torque = max(torque, abs(load[3 + i]), abs(load[9 + i]))
    size = max(abs(value), force if force > 0.0 else torque)
    return size if size > 0.0 else 1.0


@inner
def _answers(model: Model, work: Work) -> None:
    """Generalised forces for a unit of each signal, F_s: laws are linear in what they follow."""
    work.elastic[:] = 0.0
    for j in range(slots(model)):
        at, e = model.feedback[1 + 2 * j], model.feedback[2 + 2 * j]
        load = work.loads[e]
        before = work.f[at, 0]
        change = _unit_of(load, before)
        work.f[at, 0] = before + change
        evaluate_law(model, e, LOAD, work.places, work, work.turned)
        for i in range(12):
            work.turned[i] = (work.turned[i] - load[i]) / change
        work.f[at, 0] = before
        work.force[:] = 0.0
        work.torque[:] = 0.0
        add_load(model, e, work.turned, work)
        gather(model, work, work.answers[j])
    work.force[:] = 0.0
    work.torque[:] = 0.0


@inner
def find_motion(model: Model, t: float, q: Array, v: Array, work: Work) -> None:
    """Solve (2); the workspace then is that of the residual there."""
    n, m = v.shape[0], model.rows.shape[0]
    x, step = work.answer[0], work.answer[1]
    x[:] = 0.0
    for k in range(ITERATIONS):
        residual(model, t, q, v, x[0:n], x[n:], work, step[0:n], work.answer[2, n:])
        rates_and_accelerations(model, v, x[0:n], work, work.answer[2, n:], work.answer[3, n:])
        for i in range(m):
            step[n + i] = work.answer[3, n + i]
        if k == 0:
            newton_matrices(model, work, 0.0, 0.0, work.M, work.G)
            saddle(work.M, work.G, work.units, work.saddle)
            lu_factor(work.saddle, work.pivots)
            # matrices leave the sums of forces behind them, not those of the residual
        for i in range(n + m):
            step[i] *= -work.units[i]
        lu_solve(work.saddle, work.pivots, step)
        weigh(work.units, step)
        moved, size = add_correction(step, work.units, x[0:n], x[n:])
        if moved <= NOTHING * size and k > 0:
            return
        if model.sensed[OF_MOTION] == 0 and k == 1:
            return
