"""Step 2, constraints: circuit equations of chords projected on their reaction spaces.

Every row is a scalar Φᵢ whose variation is the work of a unit wrench,

    δΦᵢ = f·(δp_B - δp_A) + τ_B·δθ_B + τ_A·δθ_A + Φ_f δf,

so one description serves the Jacobian (columns of δ), the constraint forces (Gᵀλ through the cutsets)
and the joint reactions. Value, wrench and second derivative are functions of its family
(:mod:`flexnet.components.row`), called by their addresses.
"""

from flexnet.kernels.callback import run
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.model import ROW_FORCE, ROW_HEAD, ROW_OTHER, ROW_TAIL, ROW_TIME, ROW_VALUE, Model
from flexnet.kernels.turns import twist
from flexnet.kernels.vector import dot
from flexnet.kernels.work import Work
from flexnet.typing import Array


@inner
def constraint_rows(model: Model, q: Array, work: Work, phi: Array) -> None:
    """Values Φ (m,) and unit wrenches of all rows; after positions."""
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        out = work.row[i]
        known = work.f[row.function, 0] if row.function >= 0 else 0.0
        if row.v >= 0:
            phi[i] = q[row.q] - known
            out[ROW_TIME] = -1.0
            continue
        turn = work.row_turn[i]
        if row.angle >= 0:
            turn[0] = twist(model, row.angle, q, work)
        if row.other_angle >= 0:
            turn[1] = twist(model, row.other_angle, q, work)
        run(
            model.families[row.family],
            (
                model.row_data[row.p :],
                work.p[row.tail], work.R[row.tail_r], work.p[row.head], work.R[row.head_r],
                work.p[row.other_tail], work.R[row.other_tail_r],
                work.p[row.other_head], work.R[row.other_head_r],
                known, turn[0], turn[1], out,
            ),
        )  # fmt: skip
        phi[i] = out[ROW_VALUE]


@inner
def row_power(model: Model, i: int, linear: Array, angular: Array, work: Work) -> float:
    """Work of the unit wrench of row i on velocities, accelerations or columns of all nodes."""
    row = model.rows[i]
    w = work.row[i]
    out = _leg_power(w, 0, linear[row.tail], linear[row.head], angular[row.tail_r], angular[row.head_r])
    if row.has_other == 1:
        out += _leg_power(
            w, ROW_OTHER - ROW_FORCE, linear[row.other_tail], linear[row.other_head],
            angular[row.other_tail_r], angular[row.other_head_r],
        )  # fmt: skip
    return out


@inner
def _leg_power(w: Array, k: int, v_A: Array, v_B: Array, w_A: Array, w_B: Array) -> float:
    f, tail, head = k + ROW_FORCE, k + ROW_TAIL, k + ROW_HEAD
    out: float = w[f] * (v_B[0] - v_A[0]) + w[f + 1] * (v_B[1] - v_A[1]) + w[f + 2] * (v_B[2] - v_A[2])
    return out + dot(w[tail : tail + 3], w_A) + dot(w[head : head + 3], w_B)


@shared
def constraint_rates(model: Model, v: Array, work: Work, out: Array) -> None:
    """Rates Φ̇ = G v + Φ_t (m,); after velocities and constraint_rows."""
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        known = work.f[row.function, 1] if row.function >= 0 else 0.0
        rate = v[row.v] if row.v >= 0 else row_power(model, i, work.v, work.omega, work)
        out[i] = rate + work.row[i, ROW_TIME] * known


@shared
def constraint_accelerations(model: Model, a: Array, work: Work, out: Array) -> None:
    """Second derivatives Φ̈ (m,) for the accelerations now in ``work``; after constraint_rows."""
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        f, f1, f2 = 0.0, 0.0, 0.0
        if row.function >= 0:
            f, f1, f2 = work.f[row.function, 0], work.f[row.function, 1], work.f[row.function, 2]
        if row.v >= 0:
            out[i] = a[row.v] - f2
            continue
        turn = work.row_turn[i]
        run(
            model.families[row.family + 1],
            (
                model.row_data[row.p :],
                work.p[row.tail], work.R[row.tail_r], work.v[row.tail], work.omega[row.tail_r],
                work.p[row.head], work.R[row.head_r], work.v[row.head], work.omega[row.head_r],
                work.p[row.other_tail], work.R[row.other_tail_r],
                work.v[row.other_tail], work.omega[row.other_tail_r],
                work.p[row.other_head], work.R[row.other_head_r],
                work.v[row.other_head], work.omega[row.other_head_r],
                f, f1, turn[0], turn[1], work.bias,
            ),
        )  # fmt: skip
        rest = work.bias[0] + work.row[i, ROW_TIME] * f2
        out[i] = rest + row_power(model, i, work.a, work.omega_dot, work)


@shared
def rates_and_accelerations(
    model: Model, v: Array, a: Array, work: Work, rate: Array, acceleration: Array
) -> None:
    """Φ̇ and Φ̈ (m,) at the state and accelerations now in ``work``."""
    constraint_rates(model, v, work, rate)
    constraint_accelerations(model, a, work, acceleration)
