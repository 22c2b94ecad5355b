"""Steps 3 and 4, virtual work: cutsets carry forces back to the datum, projected on every coordinate.

The T-cutset of a branch sums the forces on the nodes beyond it, F = Σ f. Its vector r turns with the
body that carries it, so the work F·(δθ × r + d δx) leaves the torque r × F on that body and the
generalised force d·F. The R-cutset does the same with torques (GTM eq. 76-84).
"""

from flexnet.kernels.compile import inlined
from flexnet.kernels.constraints import constraint_rows
from flexnet.kernels.forces import apply_loads
from flexnet.kernels.kinematics import accelerations, positions, velocities
from flexnet.kernels.model import COORDINATE, R_AXIS, R_FREE, R_UNIVERSAL, Model, Work
from flexnet.kernels.vector import add_cross, add_scaled, dot, rotate, rotate_back
from flexnet.typing import Array


@inlined
def apply_inertia(model: Model, work: Work) -> None:
    """Add d'Alembert forces -m a and torques -(J ω̇ + ω × J ω) of all bodies; after accelerations."""
    x, y = work.tmp[0, 0], work.tmp[0, 1]
    for i in range(model.bodies.shape[0]):
        b = model.bodies[i]
        add_scaled(-b.mass, work.a[b.node], work.force[b.node])
        R, tau = work.R[b.rotation], work.torque[b.rotation]
        rotate_back(R, work.omega_dot[b.rotation], x)
        rotate(b.inertia, x, y)
        rotate(R, y, x)
        add_scaled(-1.0, x, tau)
        rotate_back(R, work.omega[b.rotation], x)
        rotate(b.inertia, x, y)
        rotate(R, y, x)
        add_cross(-1.0, work.omega[b.rotation], x, tau)


@inlined
def apply_constraint_forces(model: Model, lam: Array, work: Work) -> None:
    """Add -λ times the unit wrench of every constraint row; after constraint_rows."""
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        if row.kind != COORDINATE:
            add_scaled(-lam[i], work.row_force[i], work.force[row.head])
            add_scaled(lam[i], work.row_force[i], work.force[row.tail])
            add_scaled(-lam[i], work.row_head[i], work.torque[row.head_r])
            add_scaled(-lam[i], work.row_tail[i], work.torque[row.tail_r])


@inlined
def gather(model: Model, work: Work, out: Array) -> None:
    """Carry all forces back through the cutsets; ``out`` (n_v,) receives the generalised forces.

    Afterwards ``work.force[child]`` and ``work.torque[child]`` are the cutset sums of the branch that
    reaches the child.
    """
    for i in range(model.t_edges.shape[0] - 1, -1, -1):
        e = model.t_edges[i]
        F = work.force[e.child]
        add_scaled(1.0, F, work.force[e.parent])
        add_cross(e.sign, work.r[i], F, work.torque[e.carrier])
        for k in range(e.n):
            out[e.v + k] = e.sign * dot(work.d[i, k], F)
    for i in range(model.r_edges.shape[0] - 1, -1, -1):
        e = model.r_edges[i]
        tau = work.torque[e.child]
        add_scaled(1.0, tau, work.torque[e.parent])
        if e.kind == R_AXIS:
            out[e.v] = e.sign * dot(work.u[i, 0], tau)
        elif e.kind == R_UNIVERSAL:
            out[e.v] = e.sign * dot(work.u[i, 0], tau)
            out[e.v + 1] = e.sign * dot(work.u[i, 1], tau)
        elif e.kind == R_FREE:
            for k in range(3):
                out[e.v + k] = e.sign * dot(work.u[i, k], tau)


@inlined
def residual(
    model: Model, t: float, q: Array, v: Array, a: Array, lam: Array, work: Work, r: Array, phi: Array
) -> None:
    """Residuals of the equations of motion, ``r = M v̇ + Gᵀλ - F`` (n_v,) and ``Φ`` (m,)."""
    positions(model, t, q, work)
    velocities(model, v, work)
    accelerations(model, v, a, work)
    apply_loads(model, t, q, v, work)
    apply_inertia(model, work)
    constraint_rows(model, q, work, phi)
    apply_constraint_forces(model, lam, work)
    gather(model, work, r)
    for i in range(r.shape[0]):
        r[i] = -r[i]
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        if row.kind == COORDINATE:
            r[row.v] += lam[i]


@inlined
def mass_and_jacobian(model: Model, work: Work, M: Array, G: Array) -> None:
    """Mass matrix M (n_v, n_v) and constraint Jacobian G (m, n_v); after constraint_rows.

    Entries that are zero at every configuration are not written.

    Column k is the answer of the mechanism to v̇ = e_k: velocities outwards, inertia forces back
    inwards, along the branches that coordinate k moves and no others.
    """
    F, tau, dv = work.force, work.torque, work.dv
    w, x, y = work.tmp[0, 0], work.tmp[0, 1], work.tmp[0, 2]
    F[:] = 0.0
    tau[:] = 0.0
    dv[:] = 0.0
    for k in range(model.columns.shape[0]):
        column = model.columns[k]
        w[0] = w[1] = w[2] = 0.0
        if column.is_rotation == 1:
            add_scaled(model.r_edges[column.edge].sign, work.u[column.edge, column.axis], w)
        # outwards: dv of the nodes that move
        for l in range(model.col_out_ptr[k], model.col_out_ptr[k + 1]):
            i = model.col_out[l]
            e = model.t_edges[i]
            out = dv[e.child]
            for j in range(3):
                out[j] = dv[e.parent, j]
            if model.col_turns[l] == 1:
                add_cross(e.sign, w, work.r[i], out)
            if column.is_rotation == 0 and column.edge == i:
                add_scaled(e.sign, work.d[i, column.axis], out)
        # inertia forces and torques
        for l in range(model.col_bodies_ptr[k], model.col_bodies_ptr[k + 1]):
            b = model.bodies[model.col_bodies[l]]
            add_scaled(b.mass, dv[b.node], F[b.node])
            if model.col_bodies_turn[l] == 1:
                R = work.R[b.rotation]
                rotate_back(R, w, x)
                rotate(b.inertia, x, y)
                rotate(R, y, x)
                add_scaled(1.0, x, tau[b.rotation])
        # inwards: cutset sums, projected
        for l in range(model.col_in_t_ptr[k], model.col_in_t_ptr[k + 1]):
            i = model.col_in_t[l]
            e = model.t_edges[i]
            f = F[e.child]
            add_scaled(1.0, f, F[e.parent])
            add_cross(e.sign, work.r[i], f, tau[e.carrier])
            for j in range(e.n):
                M[e.v + j, k] = e.sign * dot(work.d[i, j], f)
            f[0] = f[1] = f[2] = 0.0
        for l in range(model.col_in_r_ptr[k], model.col_in_r_ptr[k + 1]):
            i = model.col_in_r[l]
            edge = model.r_edges[i]
            s = tau[edge.child]
            add_scaled(1.0, s, tau[edge.parent])
            n = (
                1
                if edge.kind == R_AXIS
                else (2 if edge.kind == R_UNIVERSAL else (3 if edge.kind == R_FREE else 0))
            )
            for j in range(n):
                M[edge.v + j, k] = edge.sign * dot(work.u[i, j], s)
            s[0] = s[1] = s[2] = 0.0
        F[0] = 0.0
        tau[0] = 0.0
        # constraint rows
        for l in range(model.col_rows_ptr[k], model.col_rows_ptr[k + 1]):
            i = model.col_rows[l]
            row = model.rows[i]
            if row.kind == COORDINATE:
                G[i, k] = 1.0
                continue
            for j in range(3):
                x[j] = dv[row.head, j] - dv[row.tail, j]
            g = dot(work.row_force[i], x)
            if model.col_rows_turn[l] & 1:
                g += dot(work.row_head[i], w)
            if model.col_rows_turn[l] & 2:
                g += dot(work.row_tail[i], w)
            G[i, k] = g
        for l in range(model.col_out_ptr[k], model.col_out_ptr[k + 1]):
            dv[model.t_edges[model.col_out[l]].child] = 0.0
