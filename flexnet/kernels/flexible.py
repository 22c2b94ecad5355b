"""Flexible bodies in a floating frame: tensors contracted with the present elastic coordinates.

With c, J and C the first moment, the inertia and the coupling of the deformed body, B = ∂c/∂q, and
V, ω in body axes, the kinetic energy is

    T = ½ m V·V + V·(ω × c + B q̇) + ½ ω·Jω + ω·C q̇ + ½ q̇ᵀM q̇                              (1)

and the inertia forces, no term dropped, are (a₀ the acceleration of the frame less gravity)

    translation  m a₀ + ω̇ × c + ω × (ω × c) + 2 ω × B q̇ + B q̈ + Ḃ q̇                         (2)
    rotation     c × a₀ + J ω̇ + ω × Jω + J̇ω + C q̈ + Ċ q̇ + ω × C q̇                          (3)
    elastic j    Bⱼ·a₀ + Cⱼ·ω̇ + (M q̈)ⱼ + ω·(Ċⱼ - ∂C/∂qⱼ q̇) - ½ ω·∂J/∂qⱼ ω                 (4)

First order: with X = ∫ρ (s+Nq)(s+Nq)ᵀ and Y_ab,j = ∫ρ (s+Nq)_a N_bj, J = tr(X) 1 - X,
C_j = (Y_yz - Y_zy, Y_zx - Y_xz, Y_xy - Y_yx)_j, ∂X_ab/∂q_j = Y_ab,j + Y_ba,j, and W_ab,j = Σᵢ q̇ᵢ NN_ab,ij
gives Ċ - ∂C/∂q q̇ = 2 Ċ.

Second order (stiffening): the displacement that keeps axial and membrane strain at zero adds
c₂ = ½ qᵀKᵃq, B₂ = Kᵃq, C₂ = K^α q, and J₂ with -½ ω·J₂ω = ½ Σ (ωω)_k qᵀK^ω_k q: the geometric
stiffness of the table, from one Lagrangian, so that energy and momentum are kept. About the line of a slender
body C has a part C₃ of third order besides (:mod:`flexnet.kernels.flexible_line`).

In (1) M would then lose its sign: what u₂ moves has mass too, of higher order, which combinations of
coordinates with hardly any mass of their own do not forgive. Split instead T into the energy of the mean
motion, with the momentum (p, h) of both orders, and that of the vibration about it, of first order:

    T = ½ (p, h)·A⁻¹(p, h) + ½ q̇ᵀ(M - E₁ᵀA₁⁻¹E₁) q̇,   (p, h) = A (V, ω) + E q̇,   E = (B, C)             (5)

with A (6, 6) the mass matrix of the deformed body at rest in its frame and index 1 for first order only.
This differs from (1) by Δ = ½ e·A⁻¹e - ½ e₁·A₁⁻¹e₁, e = E q̇, of third order, and is positive wherever A is.
With x = A⁻¹e its force on coordinate j is, each of the two parts,

    E_j·ẋ + 2 Ċ₁ⱼ·x_r + ½ x·∂A/∂qⱼ x,            ẋ = A⁻¹(E q̈ + Ė q̇ - Ȧ x)                             (6)

and x_r·(Ċ₃ⱼ - ∂C₃/∂qⱼ q̇) in the first.
"""

from flexnet.kernels.compile import inner, shared
from flexnet.kernels.flexible_line import add_line_rate, line_forces, line_rates
from flexnet.kernels.flexible_shapes import add_products, mean, multiply_blocks, times
from flexnet.kernels.model import (
    C_ELASTIC,
    W_B,
    W_C,
    W_CROSS,
    W_E1,
    W_END,
    W_FIRST,
    W_G,
    W_G_DOT,
    W_J,
    W_J_DOT,
    W_VECTORS,
    W_W,
    W_X,
    W_X1,
    W_Y,
    Model,
)
from flexnet.kernels.vector import (
    add_cross,
    add_scaled,
    dot,
    rotate,
    rotate_back,
)
from flexnet.kernels.work import Work
from flexnet.typing import Array


@shared
def flexible_rates(model: Model, v: Array, work: Work) -> None:
    """W, J̇ and G q̇ of all flexible bodies; after :func:`flexible_shapes`."""
    data = model.flex_data
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        m = f.m
        xd = v[f.v : f.v + m]
        w = work.flex[f.w : f.w + W_VECTORS + W_END * m]
        J_dot = w[W_J_DOT : W_J_DOT + 9]
        vec = w[W_VECTORS:]
        Y = vec[W_Y * m : (W_Y + 9) * m]
        multiply_blocks(model, k, f.NN, 9, xd, vec[W_W * m : (W_W + 9) * m])
        for a in range(3):
            for b in range(3):
                s = 0.0
                for j in range(m):
                    s += (Y[(3 * a + b) * m + j] + Y[(3 * b + a) * m + j]) * xd[j]
                J_dot[3 * a + b] = s  # Ẋ; J̇ = tr(Ẋ) 1 - Ẋ below
        trace = J_dot[0] + J_dot[4] + J_dot[8]
        for a in range(9):
            J_dot[a] = -J_dot[a]
        for a in range(3):
            J_dot[4 * a] += trace
        if f.G >= 0:
            for a in range(9):
                w[W_FIRST + W_J_DOT + a] = J_dot[a]
            multiply_blocks(model, k, f.G, 12, xd, vec[W_G_DOT * m : (W_G_DOT + 12) * m])
            add_products(vec[(W_G + 6) * m : (W_G + 12) * m], m, xd, -2.0, J_dot)
            line_rates(data[f.Q : f.Q + 6 * m + 3], m, xd, w)


@shared
def combine(vec: Array, start: int, m: int, x: Array, out: Array) -> None:
    """Three sums ``out_a = Σⱼ vec[(start + a) m + j] xⱼ``."""
    for a in range(3):
        s = 0.0
        for j in range(m):
            s += vec[(start + a) * m + j] * x[j]
        out[a] = s


@shared
def apply_flexible_inertia(model: Model, q: Array, v: Array, a: Array, work: Work) -> None:
    """Add inertia, elastic and damping forces of all flexible bodies; after accelerations.

    Forces go to ``work.force`` and ``work.torque`` at the body frame, those on the elastic coordinates to
    ``work.elastic``.
    """
    data = model.flex_data
    a0, w, wd, t = work.tmp[0, 0], work.tmp[0, 1], work.tmp[0, 2], work.tmp[1, 0]
    p, h, y, z = work.tmp[1, 1], work.tmp[1, 2], work.tmp[2, 0], work.tmp[2, 1]
    Bv, Cv = work.tmp[2, 2], work.tmp[3, 0]
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        m = f.m
        x, xd, xdd = q[f.q : f.q + m], v[f.v : f.v + m], a[f.v : f.v + m]
        state = work.flex[f.w : f.w + W_VECTORS + W_END * m]
        c, J, J_dot = state[W_C : W_C + 3], state[W_J : W_J + 9], state[W_J_DOT : W_J_DOT + 9]
        vec = state[W_VECTORS:]
        R = work.R[f.rotation]
        for j in range(3):
            t[j] = work.a[f.node, j] - model.gravity[j]
        rotate_back(R, t, a0)
        rotate_back(R, work.omega[f.rotation], w)
        rotate_back(R, work.omega_dot[f.rotation], wd)
        combine(vec, W_B, m, xd, Bv)
        combine(vec, W_CROSS, m, xd, Cv)
        # the force of equation 2
        combine(vec, W_B, m, xdd, p)
        for j in range(3):
            p[j] += f.mass * a0[j]
            t[j] = 2.0 * Bv[j]
        add_cross(1.0, wd, c, p)
        add_cross(1.0, w, c, t)
        add_cross(1.0, w, t, p)
        # the torque of equation 3
        combine(vec, W_CROSS, m, xdd, h)
        add_cross(1.0, c, a0, h)
        times(J, wd, y)
        times(J, w, z)
        times(J_dot, w, t)
        for j in range(3):
            h[j] += y[j] + t[j]
            z[j] += Cv[j]
        add_cross(1.0, w, z, h)
        if f.G >= 0:
            combine(vec, W_G_DOT, m, xd, y)
            combine(vec, W_G_DOT + 3, m, xd, z)
            for j in range(3):
                p[j] += y[j]
                h[j] += z[j]
            add_line_rate(data[f.Q : f.Q + 6 * m + 3], m, y, z, state, h)
        rotate(R, p, t)
        for j in range(3):
            work.force[f.node, j] -= t[j]
        rotate(R, h, t)
        for j in range(3):
            work.torque[f.rotation, j] -= t[j]
        out = work.elastic[f.v : f.v + m]
        _elastic_forces(model, k, x, xd, xdd, a0, w, wd, vec, out)
        if f.G >= 0:
            Q, E_1, first = data[f.Q : f.Q + 6 * m + 3], vec[W_E1 * m : W_X1 * m], state[W_FIRST:W_VECTORS]
            _mean_forces(1.0, f.mass, m, state, vec[: 6 * m], xd, xdd, True, vec, Q, work.tmp, out)
            add_scaled(1.0, work.tmp[4, 0], w)  # the rotation of the mean motion of q̇, as it was left there
            line_forces(Q, m, w, state, out)
            _mean_forces(-1.0, f.mass, m, first, E_1, xd, xdd, False, vec, Q, work.tmp, out)


@shared
def _elastic_forces(
    model: Model, k: int, x: Array, xd: Array, xdd: Array,
    a0: Array, w: Array, wd: Array, vec: Array, out: Array,
) -> None:  # fmt: skip
    """Minus the left side of (4), less K q + C q̇."""
    f, data, index = model.flex[k], model.flex_data, model.flex_index
    m, M, K, C = f.m, f.M, f.K, f.C
    for j in range(m):
        s = 0.0
        if f.ptr >= 0:
            columns = f.ptr + m + 1
            for e in range(index[f.ptr + j], index[f.ptr + j + 1]):
                i = index[columns + e]
                s += data[M + e] * xdd[i] + data[K + e] * x[i] + data[C + e] * xd[i]
        else:
            for i in range(m):
                s += data[M + j * m + i] * xdd[i] + data[K + j * m + i] * x[i] + data[C + j * m + i] * xd[i]
        for a in range(3):
            s += vec[(W_B + a) * m + j] * a0[a] + vec[(W_CROSS + a) * m + j] * wd[a]
        out[j] = -s - _gyration(vec, m, j, w) + _by_inertia(vec, m, j, w, f.G >= 0)


@inner
def _gyration(vec: Array, m: int, j: int, w: Array) -> float:
    """2 ω·Ċ₁ⱼ."""
    s = 0.0
    for a in range(3):
        b, d = (a + 1) % 3, (a + 2) % 3
        s += 2.0 * w[a] * (vec[(W_W + 3 * b + d) * m + j] - vec[(W_W + 3 * d + b) * m + j])
    return s


@inner
def _by_inertia(vec: Array, m: int, j: int, w: Array, is_second: bool) -> float:
    """½ ω·∂J/∂qⱼ ω = ½ (ω² tr ∂X - ω·∂X ω), ∂X_ab = Y_ab + Y_ba, of first order or of both."""
    s, w2 = 0.0, dot(w, w)
    for a in range(3):
        b = (a + 1) % 3
        s += w2 * vec[(W_Y + 4 * a) * m + j]
        for d in range(3):
            s -= w[a] * w[d] * vec[(W_Y + 3 * a + d) * m + j]
        if is_second:
            s -= w[a] * (w[a] * vec[(W_G + 6 + a) * m + j] + w[b] * vec[(W_G + 9 + a) * m + j])
    return s


@shared
def _mean_forces(
    sign: float, mass: float, m: int, w: Array, E: Array, xd: Array, xdd: Array,
    is_second: bool, vec: Array, Q: Array, tmp: Array, out: Array,
) -> None:  # fmt: skip
    """Add minus the force (6) of one part of Δ, with ``sign``."""
    p, h, t, r = tmp[3, 0], tmp[3, 1], tmp[3, 2], tmp[4, 0]
    p_dot, h_dot, t_dot, r_dot, y = tmp[4, 1], tmp[4, 2], tmp[5, 0], tmp[5, 1], tmp[5, 2]
    z = tmp[6, 0]
    combine(E, 0, m, xd, p)
    combine(E, 3, m, xd, h)
    mean(mass, w, p, h, t, r)
    combine(E, 0, m, xdd, p_dot)
    combine(E, 3, m, xdd, h_dot)
    if is_second:
        combine(vec, W_G_DOT, m, xd, y)
        combine(vec, W_G_DOT + 3, m, xd, z)
        for a in range(3):
            p_dot[a] += y[a]
            h_dot[a] += z[a]
        add_line_rate(Q, m, y, z, w, h_dot)
    # less Ȧ x, with ċ = p
    add_cross(-1.0, r, p, p_dot)
    add_cross(-1.0, p, t, h_dot)
    times(w[W_J_DOT : W_J_DOT + 9], r, y)
    for a in range(3):
        h_dot[a] -= y[a]
    mean(mass, w, p_dot, h_dot, t_dot, r_dot)
    y[0] = y[1] = y[2] = 0.0
    add_cross(1.0, t, r, y)  # t·(r × B) = (t × r)·B
    for j in range(m):
        s = _gyration(vec, m, j, r) + _by_inertia(vec, m, j, r, is_second)
        for a in range(3):
            s += E[a * m + j] * (t_dot[a] + y[a]) + E[(3 + a) * m + j] * r_dot[a]
        out[j] -= sign * s


# -- flexible arms as branches -----------------------------------------------------------------


@shared
def gather_elastic(
    model: Model, i: int, is_rotation: bool, sign: float, F: Array, work: Work, out: Array
) -> None:
    """Add the work of a force (or torque) beyond a flexible arm on the elastic coordinates."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    start = frame.w + (3 * f.m if is_rotation else 0)
    for j in range(f.m):
        out[f.v + j] += sign * dot(work.flex[start + 3 * j : start + 3 * j + 3], F)


@shared
def column_forces(model: Model, k: int, work: Work, M: Array) -> None:
    """Inertia forces and torques of the flexible bodies coordinate k moves, and their part of column k."""
    column = model.columns[k]
    a0, w, p, h = work.tmp[0, 0], work.tmp[0, 1], work.tmp[0, 2], work.tmp[1, 0]
    for l in range(model.col_flex_ptr[k, 0], model.col_flex_ptr[k, 1]):
        i = model.col_flex[l]
        f = model.flex[i]
        m = f.m
        state = work.flex[f.w : f.w + W_VECTORS + W_END * m]
        vec = state[W_VECTORS:]
        c, J = state[W_C : W_C + 3], state[W_J : W_J + 9]
        R = work.R[f.rotation]
        rotate_back(R, work.dv[f.node], a0)
        rotate_back(R, work.dw[f.rotation], w)
        own = column.axis if column.kind == C_ELASTIC and column.edge == i else -1
        for a in range(3):
            p[a] = f.mass * a0[a]
            h[a] = J[3 * a] * w[0] + J[3 * a + 1] * w[1] + J[3 * a + 2] * w[2]
            if own >= 0:
                p[a] += vec[(W_B + a) * m + own]
                h[a] += vec[(W_CROSS + a) * m + own]
        add_cross(1.0, w, c, p)
        add_cross(1.0, c, a0, h)
        for j in range(m):
            # what of an unreduced body is in its pattern counts where that is eliminated
            s = model.flex_data[f.M + j * m + own] if own >= 0 and f.ptr < 0 else 0.0
            for a in range(3):
                s += vec[(W_B + a) * m + j] * a0[a] + vec[(W_CROSS + a) * m + j] * w[a]
            if own >= 0 and f.G >= 0:
                for a in range(6):
                    s += vec[(W_B + a) * m + j] * vec[(W_X + a) * m + own]
                    s -= vec[(W_E1 + a) * m + j] * vec[(W_X1 + a) * m + own]
            M[f.v + j, k] += s
        rotate(R, p, a0)
        add_scaled(1.0, a0, work.force[f.node])
        rotate(R, h, a0)
        add_scaled(1.0, a0, work.torque[f.rotation])
