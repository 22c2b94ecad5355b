"""Steps 3 and 4, virtual work: cutsets carry forces back to the datum, projected on every coordinate.

The T-cutset of a branch sums the forces on the nodes beyond it, F = Σ f. Its vector r turns with the
body that carries it, so the work F·(δθ × r + d δx) leaves the torque r × F on that body and the
generalised force d·F. The R-cutset does the same with torques (GTM eq. 76-84).
"""

from flexnet.kernels.callback import at, run
from flexnet.kernels.compile import inner
from flexnet.kernels.constraints import constraint_rows, row_power
from flexnet.kernels.elastic import apply_flexible_inertia, column_forces
from flexnet.kernels.feedback import add_slopes, follow, hand_over, sense, slots, state_rows
from flexnet.kernels.flexible import gather_elastic
from flexnet.kernels.forces import add_stiffness, apply_loads, find_tangents
from flexnet.kernels.kinematics import motion
from flexnet.kernels.linear_algebra import copy
from flexnet.kernels.model import (
    C_ELASTIC,
    C_ROTATION,
    C_TRANSLATION,
    COLUMN_INERTIA,
    EVENTS_OF_MOTION,
    INERTIA,
    INWARD,
    OF_MOTION,
    ROW_FORCE,
    ROW_OTHER,
    Model,
)
from flexnet.kernels.vector import add_cross, add_scaled, dot
from flexnet.kernels.work import Work
from flexnet.typing import Array

#: rounds in which loads of joints and the forces that follow them settle, and the change that is none
ROUNDS, SETTLED = 40, 1e-14


@inner
def apply_inertia(model: Model, work: Work) -> None:
    """Add d'Alembert forces -m a and torques -(J ω̇ + ω × J ω) of all rigid bodies; after motion."""
    for i in range(model.bodies.shape[0]):
        b = model.bodies[i]
        run(
            model.families[b.family + INERTIA],
            (
                at(model.sweep_data, b.p), at(work.R, b.rotation), at(work.omega, b.rotation),
                at(work.omega_dot, b.rotation), at(work.a, b.node),
                at(work.force, b.node), at(work.torque, b.rotation),
            ),
        )  # fmt: skip


@inner
def apply_constraint_forces(model: Model, lam: Array, work: Work) -> None:
    """Add -λ times the unit wrench of every constraint row; after constraint_rows."""
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        if row.v >= 0:
            continue
        _push(work.row[i], ROW_FORCE, -lam[i], row.tail, row.head, row.tail_r, row.head_r, work)
        if row.has_other == 1:
            _push(
                work.row[i], ROW_OTHER, -lam[i], row.other_tail, row.other_head, row.other_tail_r,
                row.other_head_r, work,
            )  # fmt: skip


@inner
def _push(
    w: Array, k: int, factor: float, tail: int, head: int, tail_r: int, head_r: int, work: Work
) -> None:  # fmt: skip
    """Add a factor times the unit wrench at place k of a row to a pair of frames."""
    add_scaled(factor, w[k : k + 3], work.force[head])
    add_scaled(-factor, w[k : k + 3], work.force[tail])
    add_scaled(factor, w[k + 6 : k + 9], work.torque[head_r])
    add_scaled(factor, w[k + 3 : k + 6], work.torque[tail_r])


@inner
def gather(model: Model, work: Work, out: Array) -> None:
    """Carry all forces back through the cutsets; ``out`` (n_v,) receives the generalised forces.

    Afterwards ``work.force[child]`` and ``work.torque[child]`` are the cutset sums of the branch that
    reaches the child.
    """
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        for j in range(f.m):
            out[f.v + j] = work.elastic[f.v + j]
    for i in range(model.t_edges.shape[0] - 1, -1, -1):
        e = model.t_edges[i]
        run(
            model.families[e.family + INWARD],
            (
                at(work.r, i), at(work.d, i), at(work.force, e.child),
                at(work.force, e.parent), at(work.torque, e.carrier), at(out, e.v),
            ),
        )  # fmt: skip
        if e.flex >= 0:
            gather_elastic(model, e.flex, False, e.sign, work.force[e.child], work, out)
    for i in range(model.r_edges.shape[0] - 1, -1, -1):
        e = model.r_edges[i]
        run(
            model.families[e.family + INWARD],
            (at(work.u, i), at(work.torque, e.child), at(work.torque, e.parent), at(out, e.v)),
        )
        if e.flex >= 0:
            gather_elastic(model, e.flex, True, e.sign, work.torque[e.child], work, out)


@inner
def _carry(model: Model, q: Array, v: Array, a: Array, lam: Array, work: Work, out: Array) -> None:
    """All forces on the coordinates, signals being what they are; the workspace then has all cutsets."""
    apply_loads(model, q, work)
    apply_inertia(model, work)
    apply_flexible_inertia(model, q, v, a, work)
    apply_constraint_forces(model, lam, work)
    gather(model, work, out)


@inner
def _keep_cutsets(work: Work) -> None:
    """Keep the cutset sums for signals: the sums themselves are overwritten when matrices are found."""
    for i in range(work.force.shape[0]):
        copy(work.force[i], work.cut_force[i])
    for i in range(work.torque.shape[0]):
        copy(work.torque[i], work.cut_torque[i])


@inner
def _settle(model: Model, q: Array, v: Array, a: Array, lam: Array, work: Work, out: Array) -> None:
    """The same where forces follow accelerations or loads of joints, which such forces may change in turn.

    Loads of chords are λ, those of branches the cutsets, in which no force of the branch itself has a part
    that counts: the second round is right unless such a force lies on a chord of another's circuit.
    """
    sense(model, a, lam, work)
    work.cut_force[:] = 0.0
    work.cut_torque[:] = 0.0
    follow(model, q, v, work)
    for _ in range(ROUNDS):
        for j in range(slots(model)):
            work.before[j] = work.signals[j]
        _carry(model, q, v, a, lam, work, out)
        _keep_cutsets(work)
        hand_over(model, work)
        moved, size = 0.0, 0.0
        for j in range(slots(model)):
            moved = max(moved, abs(work.signals[j] - work.before[j]))
            size = max(size, abs(work.signals[j]))
        if moved <= SETTLED * size:
            return


@inner
def residual(
    model: Model, t: float, q: Array, v: Array, a: Array, lam: Array, work: Work, r: Array, phi: Array
) -> None:
    """Residuals of the equations of motion, ``r = M v̇ + Gᵀλ - F`` (n_v,) and ``Φ`` (m,).

    Where v and r are longer, the rest are first-order states and their rows.

    With r shorter than that, kinematics is all that is wanted: frames, their rates and Φ.
    """
    motion(model, t, q, v, a, work)
    constraint_rows(model, q, work, phi)
    if r.shape[0] < model.columns.shape[0]:
        return
    if model.sensed[OF_MOTION] == 1:
        _settle(model, q, v, a, lam, work, r)
    else:
        follow(model, q, v, work)
        _carry(model, q, v, a, lam, work, r)
        if model.sensed[EVENTS_OF_MOTION] == 1:
            sense(model, a, lam, work)
            _keep_cutsets(work)
    for i in range(model.columns.shape[0]):
        r[i] = -r[i]
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        if row.v >= 0:
            r[row.v] += lam[i]
    state_rows(model, a, work, r)


@inner
def mass_and_jacobian(
    model: Model, work: Work, c_q: float, c_v: float, is_fed: bool, M: Array, G: Array
) -> None:
    """Mass matrix M (n_v, n_v) and constraint Jacobian G (m, n_v); after constraint_rows.

    To M it adds c_q K + c_v D of stiff elements; what turns their loads with the coordinates is left out: in
    balance it cancels where bodies have coordinates of their own. With both c_q and c_v it adds what the
    loads of the last residual do as branches turn (:func:`_turn_arms`); the loads are gone afterwards.
    With ``is_fed`` it takes from it what signals answer to the coordinates.

    Column k is the answer of the mechanism to v̇ = e_k: velocities outwards, inertia forces back
    inwards, along the branches that coordinate k moves and no others. Only what can be nonzero is written:
    the rest of M and G must be zero beforehand.
    """
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        M[f.v : f.v + f.m] = 0.0
    is_loaded = c_q != 0.0 and c_v != 0.0
    if is_loaded:
        for i in range(work.force.shape[0]):
            copy(work.force[i], work.carried[i])
    work.force[:] = 0.0
    work.torque[:] = 0.0
    work.dv[:] = 0.0
    work.dw[:] = 0.0
    is_stiff = work.tangents.shape[0] > 0 and not (c_q == 0.0 and c_v == 0.0)
    if is_stiff:
        find_tangents(model, work)
    for k in range(model.columns.shape[0]):
        column_outward(model, k, work)
        _column_inertia(model, k, work, M)
        if is_stiff:
            add_stiffness(model, k, c_q, c_v, work)
        if is_loaded:
            _turn_arms(model, k, c_q, work)
        _column_inward(model, k, work, M)
        if is_loaded:  # what turns without inertia was not carried inwards
            for l in range(model.col_turn_ptr[k, 0], model.col_turn_ptr[k, 1]):
                work.torque[model.r_edges[model.col_turn[l]].child] = 0.0
        if is_fed and model.col_signals_ptr[k, 1] > model.col_signals_ptr[k, 0]:
            add_slopes(model, k, c_q, c_v, work, M)
        _column_rows(model, k, work, G)
        forget_column(model, k, work)


@inner
def forget_column(model: Model, k: int, work: Work) -> None:
    """Put what coordinate k moves to rest again."""
    for l in range(model.col_out_ptr[k, 0], model.col_out_ptr[k, 1]):
        work.dv[model.t_edges[model.col_out[l]].child] = 0.0
    for l in range(model.col_turn_ptr[k, 0], model.col_turn_ptr[k, 1]):
        work.dw[model.r_edges[model.col_turn[l]].child] = 0.0


@inner
def column_row(model: Model, i: int, work: Work) -> float:
    """Rate of row i for the column that is in the workspace."""
    return 1.0 if model.rows[i].v >= 0 else row_power(model, i, work.dv, work.dw, work)


@inner
def _turn_arms(model: Model, k: int, c_q: float, work: Work) -> None:
    """Take the torques by which what branches carry answers to coordinate k, which turns their vectors.

    A cutset sum F at the vector r of a branch is the torque r × F on the body that carries it, and δθ turns
    that by (δθ × r) × F = r (δθ·F) - δθ (r·F). Its part without symmetry, half the turn of r × F itself, is
    left out: sums of r × F over a body in balance are its inertia's. Of a chain whose links pull each other
    with T it is the stiffness T l of every link, which grows with what hangs on it: with 400 links c_q T l is
    a hundredth of their inertia at h = 1 ms, with 4000 a tenth.
    """
    for l in range(model.col_out_ptr[k, 0], model.col_out_ptr[k, 1]):
        i = model.col_out[l]
        e = model.t_edges[i]
        turn, arm, F, tau = work.dw[e.carrier], work.r[i], work.carried[e.child], work.torque[e.carrier]
        s = c_q * e.sign
        add_scaled(s * dot(arm, F), turn, tau)
        add_scaled(-0.5 * s * dot(turn, F), arm, tau)
        add_scaled(-0.5 * s * dot(turn, arm), F, tau)


@inner
def column_outward(model: Model, k: int, work: Work) -> None:
    """Angular velocities and velocities of what coordinate k moves, for a unit rate."""
    column = model.columns[k]
    dv, dw = work.dv, work.dw
    for l in range(model.col_turn_ptr[k, 0], model.col_turn_ptr[k, 1]):
        i = model.col_turn[l]
        r = model.r_edges[i]
        out = dw[r.child]
        for j in range(3):
            out[j] = dw[r.parent, j]
        if column.kind == C_ROTATION and column.edge == i:
            add_scaled(r.sign, work.u[i, column.axis], out)
        elif column.kind == C_ELASTIC and r.flex >= 0 and model.flex_frames[r.flex].body == column.edge:
            frame = model.flex_frames[r.flex]
            start = frame.w + 3 * model.flex[column.edge].m + 3 * column.axis
            add_scaled(r.sign, work.flex[start : start + 3], out)
    for l in range(model.col_out_ptr[k, 0], model.col_out_ptr[k, 1]):
        i = model.col_out[l]
        e = model.t_edges[i]
        out = dv[e.child]
        for j in range(3):
            out[j] = dv[e.parent, j]
        add_cross(e.sign, dw[e.carrier], work.r[i], out)
        if column.kind == C_TRANSLATION and column.edge == i:
            add_scaled(e.sign, work.d[i, column.axis], out)
        elif column.kind == C_ELASTIC and e.flex >= 0 and model.flex_frames[e.flex].body == column.edge:
            start = model.flex_frames[e.flex].w + 3 * column.axis
            add_scaled(e.sign, work.flex[start : start + 3], out)


@inner
def _column_inertia(model: Model, k: int, work: Work, M: Array) -> None:
    """Inertia forces and torques of the bodies coordinate k moves."""
    for l in range(model.col_bodies_ptr[k, 0], model.col_bodies_ptr[k, 1]):
        b = model.bodies[model.col_bodies[l]]
        run(
            model.families[b.family + COLUMN_INERTIA],
            (
                at(model.sweep_data, b.p), at(work.R, b.rotation), at(work.dw, b.rotation),
                at(work.dv, b.node), at(work.force, b.node), at(work.torque, b.rotation),
            ),
        )  # fmt: skip
    column_forces(model, k, work, M)


@inner
def _column_inward(model: Model, k: int, work: Work, M: Array) -> None:
    """Carry the inertia forces of column k back through the cutsets, projected on every coordinate."""
    F, tau = work.force, work.torque
    for l in range(model.col_in_t_ptr[k, 0], model.col_in_t_ptr[k, 1]):
        i = model.col_in_t[l]
        e = model.t_edges[i]
        f = F[e.child]
        add_scaled(1.0, f, F[e.parent])
        add_cross(e.sign, work.r[i], f, tau[e.carrier])
        for j in range(e.n):
            M[e.v + j, k] = e.sign * dot(work.d[i, j], f)
        if e.flex >= 0:
            gather_elastic(model, e.flex, False, e.sign, f, work, M[:, k])
        f[0] = f[1] = f[2] = 0.0
    for l in range(model.col_in_r_ptr[k, 0], model.col_in_r_ptr[k, 1]):
        i = model.col_in_r[l]
        r = model.r_edges[i]
        s = tau[r.child]
        add_scaled(1.0, s, tau[r.parent])
        for j in range(r.n):
            M[r.v + j, k] = r.sign * dot(work.u[i, j], s)
        if r.flex >= 0:
            gather_elastic(model, r.flex, True, r.sign, s, work, M[:, k])
        s[0] = s[1] = s[2] = 0.0
    F[0] = 0.0
    tau[0] = 0.0


@inner
def _column_rows(model: Model, k: int, work: Work, G: Array) -> None:
    """Rates of the constraint rows coordinate k enters."""
    for l in range(model.col_rows_ptr[k, 0], model.col_rows_ptr[k, 1]):
        G[model.col_rows[l], k] = column_row(model, model.col_rows[l], work)
