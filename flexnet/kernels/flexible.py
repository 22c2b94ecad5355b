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
stiffness of the table, from one Lagrangian, so that energy and momentum are kept.

In (1) M would then lose its sign: what u₂ moves has mass too, of higher order, which combinations of
coordinates with hardly any mass of their own do not forgive. Split instead T into the energy of the mean
motion, with the momentum (p, h) of both orders, and that of the vibration about it, of first order:

    T = ½ (p, h)·A⁻¹(p, h) + ½ q̇ᵀ(M - E₁ᵀA₁⁻¹E₁) q̇,   (p, h) = A (V, ω) + E q̇,   E = (B, C)             (5)

with A (6, 6) the mass matrix of the deformed body at rest in its frame and index 1 for first order only.
This differs from (1) by Δ = ½ e·A⁻¹e - ½ e₁·A₁⁻¹e₁, e = E q̇, of third order, and is positive wherever A is.
With x = A⁻¹e its force on coordinate j is, each of the two parts,

    E_j·ẋ + 2 Ċ₁ⱼ·x_r + ½ x·∂A/∂qⱼ x,            ẋ = A⁻¹(E q̈ + Ė q̇ - Ȧ x)                             (6)
"""

from math import cos, sin, sqrt

from flexnet.kernels.compile import kernel, shared
from flexnet.kernels.model import (
    W_B,
    W_C,
    W_CROSS,
    W_E1,
    W_END,
    W_FIRST,
    W_G,
    W_G_DOT,
    W_INVERSE,
    W_J,
    W_J_DOT,
    W_VECTORS,
    W_W,
    W_X,
    W_X1,
    W_Y,
    Model,
    Work,
)
from flexnet.kernels.vector import (
    add_cross,
    add_scaled,
    dot,
    multiply,
    multiply_transposed,
    rotate,
    rotate_back,
)
from flexnet.typing import Array


@shared
def multiply_blocks(data: Array, start: int, blocks: int, m: int, x: Array, out: Array) -> None:
    """Compute ``out[b m + j] = Σᵢ A_b[i, j] xᵢ`` for ``blocks`` (m, m) matrices stored one after another."""
    for k in range(blocks * m):
        out[k] = 0.0
    for b in range(blocks):
        base = start + b * m * m
        for i in range(m):
            xi = x[i]
            if xi != 0.0:
                for j in range(m):
                    out[b * m + j] += xi * data[base + i * m + j]


@shared
def flexible_shapes(model: Model, q: Array, work: Work) -> None:
    """c, B, J, C and Y of all flexible bodies for the elastic coordinates in q."""
    data = model.flex_data
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        m = f.m
        x = q[f.q : f.q + m]
        w = work.flex[f.w : f.w + W_VECTORS + W_END * m]
        c, J = w[W_C : W_C + 3], w[W_J : W_J + 9]
        vec = w[W_VECTORS:]
        Y = vec[W_Y * m : (W_Y + 9) * m]
        multiply_blocks(data, f.NN, 9, m, x, Y)
        for a in range(3):
            for b in range(3):
                first, second = 0.0, 0.0
                for j in range(m):
                    place = (3 * a + b) * m + j
                    Y[place] += data[f.sN + place]
                    first += data[f.sN + (3 * b + a) * m + j] * x[j]
                    second += Y[place] * x[j]
                J[3 * a + b] = f.s2[a, b] + first + second  # X = ∫ρ s sᵀ; J = tr(X) 1 - X below
        trace = J[0] + J[4] + J[8]
        for a in range(9):
            J[a] = -J[a]
        for a in range(3):
            J[4 * a] += trace
            c[a] = f.s1[a]
            for j in range(m):
                n = data[f.N1 + a * m + j]
                vec[(W_B + a) * m + j] = n
                c[a] += n * x[j]
                b, d = (a + 1) % 3, (a + 2) % 3
                vec[(W_CROSS + a) * m + j] = Y[(3 * b + d) * m + j] - Y[(3 * d + b) * m + j]
        if f.G >= 0:
            for j in range(12):
                w[W_FIRST + j] = w[j]
            for j in range(6 * m):
                vec[W_E1 * m + j] = vec[j]
            _second_order(data, f.G, m, x, c, J, vec)
            _mean_rows(f.mass, w, m, vec[: 6 * m], vec[W_X * m : (W_X + 6) * m])
            _mean_rows(f.mass, w[W_FIRST:], m, vec[W_E1 * m : W_X1 * m], vec[W_X1 * m : W_END * m])


@shared
def _second_order(data: Array, start: int, m: int, x: Array, c: Array, J: Array, vec: Array) -> None:
    """Add c₂, B₂, C₂ and J₂."""
    G = vec[W_G * m : (W_G + 12) * m]
    multiply_blocks(data, start, 12, m, x, G)
    for a in range(3):
        for j in range(m):
            c[a] += 0.5 * G[a * m + j] * x[j]
            vec[(W_B + a) * m + j] += G[a * m + j]
            vec[(W_CROSS + a) * m + j] += G[(3 + a) * m + j]
    _add_products(G[6 * m : 12 * m], m, x, -1.0, J)


@shared
def _mean_rows(mass: float, w: Array, m: int, E: Array, X: Array) -> None:
    """X = A⁻¹E (6, m); also the inverse of J about the centre of mass, made regular for a line of masses."""
    c, J, K = w[W_C : W_C + 3], w[W_J : W_J + 9], w[W_INVERSE : W_INVERSE + 9]
    least = 1e-13 * (J[0] + J[4] + J[8])
    square = dot(c, c) / mass - least
    a, b, d = J[0] - square + c[0] * c[0] / mass, J[1] + c[0] * c[1] / mass, J[2] + c[0] * c[2] / mass
    e, f = J[4] - square + c[1] * c[1] / mass, J[5] + c[1] * c[2] / mass
    g = J[8] - square + c[2] * c[2] / mass
    K[0], K[4], K[8] = e * g - f * f, a * g - d * d, a * e - b * b
    K[1], K[2], K[5] = d * f - b * g, b * f - d * e, b * d - a * f
    K[3], K[6], K[7] = K[1], K[2], K[5]
    determinant = a * K[0] + b * K[1] + d * K[2]
    for i in range(9):
        K[i] /= determinant
    for j in range(m):
        for i in range(6):
            X[i * m + j] = E[i * m + j]
        # torque about the centre of mass, its rotation, and the translation of the frame
        p0, p1, p2 = X[j], X[m + j], X[2 * m + j]
        h0 = X[3 * m + j] - (c[1] * p2 - c[2] * p1) / mass
        h1 = X[4 * m + j] - (c[2] * p0 - c[0] * p2) / mass
        h2 = X[5 * m + j] - (c[0] * p1 - c[1] * p0) / mass
        r0 = K[0] * h0 + K[1] * h1 + K[2] * h2
        r1 = K[3] * h0 + K[4] * h1 + K[5] * h2
        r2 = K[6] * h0 + K[7] * h1 + K[8] * h2
        X[3 * m + j], X[4 * m + j], X[5 * m + j] = r0, r1, r2
        X[j] = (p0 - (r1 * c[2] - r2 * c[1])) / mass
        X[m + j] = (p1 - (r2 * c[0] - r0 * c[2])) / mass
        X[2 * m + j] = (p2 - (r0 * c[1] - r1 * c[0])) / mass


@shared
def _mean(mass: float, w: Array, p: Array, h: Array, t: Array, r: Array) -> None:
    """Translation t and rotation r of the mean motion with momentum p and h, A (t, r) = (p, h)."""
    c, K = w[W_C : W_C + 3], w[W_INVERSE : W_INVERSE + 9]
    for a in range(3):
        t[a] = h[a]
    add_cross(-1.0 / mass, c, p, t)
    _times(K, t, r)
    for a in range(3):
        t[a] = p[a] / mass
    add_cross(-1.0 / mass, r, c, t)


@shared
def _add_products(G: Array, m: int, x: Array, factor: float, J: Array) -> None:
    """Add ``factor`` times the matrix of the six products κ_k = G_k·x: xx, yy, zz, xy, yz, zx."""
    for k in range(6):
        kappa = 0.0
        for j in range(m):
            kappa += G[k * m + j] * x[j]
        if k < 3:
            J[4 * k] += factor * kappa
        else:
            a = k - 3
            b = (a + 1) % 3
            J[3 * a + b] += 0.5 * factor * kappa
            J[3 * b + a] += 0.5 * factor * kappa


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
        multiply_blocks(data, f.NN, 9, m, xd, vec[W_W * m : (W_W + 9) * m])
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
            multiply_blocks(data, f.G, 12, m, xd, vec[W_G_DOT * m : (W_G_DOT + 12) * m])
            _add_products(vec[(W_G + 6) * m : (W_G + 12) * m], m, xd, -2.0, J_dot)


@shared
def _times(A: Array, x: Array, out: Array) -> None:
    """Product of a (3, 3) matrix stored as nine numbers with a vector."""
    for a in range(3):
        out[a] = A[3 * a] * x[0] + A[3 * a + 1] * x[1] + A[3 * a + 2] * x[2]


@shared
def _combine(vec: Array, start: int, m: int, x: Array, out: Array) -> None:
    """Three sums ``out_a = Σⱼ vec[(start + a) m + j] xⱼ``."""
    for a in range(3):
        s = 0.0
        for j in range(m):
            s += vec[(start + a) * m + j] * x[j]
        out[a] = s


@shared
def _product(vec: Array, E: int, X: int, m: int, x: Array) -> float:
    """(E x)·(X x) of two sets of six rows."""
    total = 0.0
    for a in range(6):
        e, y = 0.0, 0.0
        for j in range(m):
            e += vec[(E + a) * m + j] * x[j]
            y += vec[(X + a) * m + j] * x[j]
        total += e * y
    return total


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
        _combine(vec, W_B, m, xd, Bv)
        _combine(vec, W_CROSS, m, xd, Cv)
        # the force of equation 2
        _combine(vec, W_B, m, xdd, p)
        for j in range(3):
            p[j] += f.mass * a0[j]
            t[j] = 2.0 * Bv[j]
        add_cross(1.0, wd, c, p)
        add_cross(1.0, w, c, t)
        add_cross(1.0, w, t, p)
        # the torque of equation 3
        _combine(vec, W_CROSS, m, xdd, h)
        add_cross(1.0, c, a0, h)
        _times(J, wd, y)
        _times(J, w, z)
        _times(J_dot, w, t)
        for j in range(3):
            h[j] += y[j] + t[j]
            z[j] += Cv[j]
        add_cross(1.0, w, z, h)
        if f.G >= 0:
            G_dot = vec[W_G_DOT * m : (W_G_DOT + 12) * m]
            for j in range(3):
                for i in range(m):
                    p[j] += G_dot[j * m + i] * xd[i]
                    h[j] += G_dot[(3 + j) * m + i] * xd[i]
        rotate(R, p, t)
        for j in range(3):
            work.force[f.node, j] -= t[j]
        rotate(R, h, t)
        for j in range(3):
            work.torque[f.rotation, j] -= t[j]
        out = work.elastic[f.v : f.v + m]
        _elastic_forces(data, f.M, f.K, f.C, m, x, xd, xdd, a0, w, wd, f.G, vec, out)
        if f.G >= 0:
            _mean_forces(1.0, f.mass, m, state, vec[: 6 * m], xd, xdd, True, vec, work.tmp, out)
            first = state[W_FIRST:W_VECTORS]
            _mean_forces(-1.0, f.mass, m, first, vec[W_E1 * m : W_X1 * m], xd, xdd, False, vec, work.tmp, out)


@shared
def _elastic_forces(
    data: Array, M: int, K: int, C: int, m: int, x: Array, xd: Array, xdd: Array,
    a0: Array, w: Array, wd: Array, G: int, vec: Array, out: Array,
) -> None:  # fmt: skip
    """Minus the left side of (4), less K q + C q̇."""
    w2 = dot(w, w)
    for j in range(m):
        s = 0.0
        for i in range(m):
            s += data[M + j * m + i] * xdd[i] + data[K + j * m + i] * x[i] + data[C + j * m + i] * xd[i]
        for a in range(3):
            b, d = (a + 1) % 3, (a + 2) % 3
            s += vec[(W_B + a) * m + j] * a0[a] + vec[(W_CROSS + a) * m + j] * wd[a]
            s += 2.0 * w[a] * (vec[(W_W + 3 * b + d) * m + j] - vec[(W_W + 3 * d + b) * m + j])
            # -½ ω·∂J ω = -½ (ω² tr ∂X - ω·∂X ω), ∂X_ab = Y_ab + Y_ba
            s -= w2 * vec[(W_Y + 4 * a) * m + j]
            for b2 in range(3):
                s += w[a] * w[b2] * vec[(W_Y + 3 * a + b2) * m + j]
        if G >= 0:
            for k in range(3):
                e = (k + 1) % 3
                s += w[k] * w[k] * vec[(W_G + 6 + k) * m + j]
                s += w[k] * w[e] * vec[(W_G + 9 + k) * m + j]
        out[j] = -s


@shared
def _mean_forces(
    sign: float, mass: float, m: int, w: Array, E: Array, xd: Array, xdd: Array,
    is_second: bool, vec: Array, tmp: Array, out: Array,
) -> None:  # fmt: skip
    """Add minus the force (6) of one part of Δ, with ``sign``."""
    p, h, t, r = tmp[3, 0], tmp[3, 1], tmp[3, 2], tmp[4, 0]
    p_dot, h_dot, t_dot, r_dot, y = tmp[4, 1], tmp[4, 2], tmp[5, 0], tmp[5, 1], tmp[5, 2]
    _combine(E, 0, m, xd, p)
    _combine(E, 3, m, xd, h)
    _mean(mass, w, p, h, t, r)
    _combine(E, 0, m, xdd, p_dot)
    _combine(E, 3, m, xdd, h_dot)
    if is_second:
        _combine(vec, W_G_DOT, m, xd, y)
        for a in range(3):
            p_dot[a] += y[a]
        _combine(vec, W_G_DOT + 3, m, xd, y)
        for a in range(3):
            h_dot[a] += y[a]
    # less Ȧ x, with ċ = p
    add_cross(-1.0, r, p, p_dot)
    add_cross(-1.0, p, t, h_dot)
    _times(w[W_J_DOT : W_J_DOT + 9], r, y)
    for a in range(3):
        h_dot[a] -= y[a]
    _mean(mass, w, p_dot, h_dot, t_dot, r_dot)
    y[0] = y[1] = y[2] = 0.0
    add_cross(1.0, t, r, y)  # t·(r × B) = (t × r)·B
    r2 = dot(r, r)
    for j in range(m):
        s = 0.0
        for a in range(3):
            b, d = (a + 1) % 3, (a + 2) % 3
            s += E[a * m + j] * (t_dot[a] + y[a]) + E[(3 + a) * m + j] * r_dot[a]
            s += 2.0 * r[a] * (vec[(W_W + 3 * b + d) * m + j] - vec[(W_W + 3 * d + b) * m + j])
            s += r2 * vec[(W_Y + 4 * a) * m + j]
            for e in range(3):
                s -= r[a] * r[e] * vec[(W_Y + 3 * a + e) * m + j]
            if is_second:
                s -= r[a] * (r[a] * vec[(W_G + 6 + a) * m + j] + r[b] * vec[(W_G + 9 + a) * m + j])
        out[j] -= sign * s


@shared
def flexible_kinetic(model: Model, v: Array, work: Work) -> float:
    """Kinetic energy of all flexible bodies, J."""
    total = 0.0
    for k in range(model.flex.shape[0]):
        total += body_kinetic(model, k, v, work)
    return total


@shared
def body_kinetic(model: Model, k: int, v: Array, work: Work) -> float:
    """Kinetic energy (1) of one flexible body, J."""
    V, w, t, y = work.tmp[0, 0], work.tmp[0, 1], work.tmp[0, 2], work.tmp[1, 0]
    f = model.flex[k]
    m = f.m
    xd = v[f.v : f.v + m]
    state = work.flex[f.w : f.w + W_VECTORS + W_END * m]
    vec = state[W_VECTORS:]
    R = work.R[f.rotation]
    rotate_back(R, work.v[f.node], V)
    rotate_back(R, work.omega[f.rotation], w)
    _combine(vec, W_B, m, xd, t)
    add_cross(1.0, w, state[W_C : W_C + 3], t)
    total = 0.5 * f.mass * dot(V, V) + dot(V, t)
    _times(state[W_J : W_J + 9], w, y)
    _combine(vec, W_CROSS, m, xd, t)
    total += 0.5 * dot(w, y) + dot(w, t)
    if f.G >= 0:
        total += 0.5 * (_product(vec, W_B, W_X, m, xd) - _product(vec, W_E1, W_X1, m, xd))
    for i in range(m):
        for j in range(m):
            total += 0.5 * xd[i] * model.flex_data[f.M + i * m + j] * xd[j]
    return float(total)


@shared
def body_momenta(model: Model, k: int, v: Array, work: Work, P: Array, L: Array) -> None:
    """Momentum ∂T/∂V and angular momentum ∂T/∂ω about its frame of one flexible body, in body axes."""
    V, w, t = work.tmp[0, 0], work.tmp[0, 1], work.tmp[0, 2]
    f = model.flex[k]
    xd = v[f.v : f.v + f.m]
    state = work.flex[f.w : f.w + W_VECTORS + W_END * f.m]
    vec, c = state[W_VECTORS:], state[W_C : W_C + 3]
    R = work.R[f.rotation]
    rotate_back(R, work.v[f.node], V)
    rotate_back(R, work.omega[f.rotation], w)
    _combine(vec, W_B, f.m, xd, P)
    add_cross(1.0, w, c, P)
    add_scaled(f.mass, V, P)
    _combine(vec, W_CROSS, f.m, xd, L)
    add_cross(1.0, c, V, L)
    _times(state[W_J : W_J + 9], w, t)
    add_scaled(1.0, t, L)


@shared
def flexible_potential(model: Model, q: Array, work: Work, out: Array) -> None:
    """Gravity potential (out[0]) and strain energy (out[1]) of all flexible bodies, J."""
    out[0] = out[1] = 0.0
    t = work.tmp[0, 0]
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        m = f.m
        rotate(work.R[f.rotation], work.flex[f.w + W_C : f.w + W_C + 3], t)
        out[0] -= f.mass * dot(model.gravity, work.p[f.node]) + dot(model.gravity, t)
        for i in range(m):
            for j in range(m):
                out[1] += 0.5 * q[f.q + i] * model.flex_data[f.K + i * m + j] * q[f.q + j]


@shared
def flexible_damping(model: Model, v: Array) -> float:
    """Power -q̇ᵀC q̇ of the damping of all flexible bodies, W."""
    total = 0.0
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        for i in range(f.m):
            for j in range(f.m):
                total -= v[f.v + i] * model.flex_data[f.C + i * f.m + j] * v[f.v + j]
    return total


@shared
def arm_translation(model: Model, i: int, q: Array, R: Array, work: Work, s: Array) -> None:
    """Vector s of a flexible frame in the body, s = s₀ + Ψq - ½ qᵀHq, and its directions in ground."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    m = f.m
    data = model.flex_data
    d, u = work.tmp[6, 0], work.tmp[6, 1]
    for b in range(3):
        s[b] = frame.position[b]
    for j in range(m):
        for b in range(3):
            d[b] = data[frame.translation + b * m + j]
            s[b] += d[b] * q[f.q + j]
        if frame.H >= 0:
            for b in range(3):
                h = 0.0
                for l in range(m):
                    h += data[frame.H + (b * m + j) * m + l] * q[f.q + l]
                d[b] -= h
                s[b] -= 0.5 * h * q[f.q + j]
        rotate(R, d, u)
        for b in range(3):
            work.flex[frame.w + 3 * j + b] = u[b]


@shared
def arm_second(model: Model, i: int, v: Array, R: Array, work: Work, out: Array) -> None:
    """Add the part -q̇ᵀHq̇ of the acceleration of a flexible frame, in ground axes."""
    frame = model.flex_frames[i]
    if frame.H < 0:
        return
    f = model.flex[frame.body]
    m = f.m
    d, u = work.tmp[6, 0], work.tmp[6, 1]
    for b in range(3):
        s = 0.0
        for j in range(m):
            for l in range(m):
                s += v[f.v + j] * model.flex_data[frame.H + (b * m + j) * m + l] * v[f.v + l]
        d[b] = -s
    rotate(R, d, u)
    for b in range(3):
        out[b] += u[b]


@kernel
def rotation_factors(phi2: float) -> tuple[float, float, float, float]:
    """f₁ = (1-cos φ)/φ², f₂ = (φ-sin φ)/φ³ and f₁'/φ, f₂'/φ, by series for small φ."""
    if phi2 < 1e-4:
        return (
            0.5 - phi2 / 24.0 + phi2 * phi2 / 720.0,
            1.0 / 6.0 - phi2 / 120.0 + phi2 * phi2 / 5040.0,
            -1.0 / 12.0 + phi2 / 180.0,
            -1.0 / 60.0 + phi2 / 1260.0,
        )
    phi = sqrt(phi2)
    s, c = sin(phi), cos(phi)
    return (
        (1.0 - c) / phi2,
        (phi - s) / (phi2 * phi),
        (phi * s - 2.0 * (1.0 - c)) / (phi2 * phi2),
        (3.0 * s - 2.0 * phi - phi * c) / (phi2 * phi2 * phi),
    )


@shared
def arm_rotation(model: Model, i: int, q: Array, work: Work, R_e: Array) -> None:
    """Rotation exp(θ) of a flexible frame, θ = Ψ_r q; θ is kept in the workspace."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    m = f.m
    theta = work.flex[frame.w + 6 * m : frame.w + 6 * m + 3]
    for b in range(3):
        s = 0.0
        for j in range(m):
            s += model.flex_data[frame.rotation + b * m + j] * q[f.q + j]
        theta[b] = s
    x, y, z = theta[0], theta[1], theta[2]
    phi2 = x * x + y * y + z * z
    f1, f2, _, _ = rotation_factors(phi2)
    s1 = 1.0 - phi2 * f2  # sin φ / φ
    R_e[0, 0], R_e[0, 1], R_e[0, 2] = 1 - f1 * (y * y + z * z), f1 * x * y - s1 * z, f1 * x * z + s1 * y
    R_e[1, 0], R_e[1, 1], R_e[1, 2] = f1 * x * y + s1 * z, 1 - f1 * (x * x + z * z), f1 * y * z - s1 * x
    R_e[2, 0], R_e[2, 1], R_e[2, 2] = f1 * x * z - s1 * y, f1 * y * z + s1 * x, 1 - f1 * (x * x + y * y)


@shared
def arm_axes(model: Model, i: int, R_A: Array, work: Work) -> None:
    """Axes of the elastic coordinates at a flexible frame in ground: R_A (1 + f₁θ̃ + f₂θ̃θ̃) Ψ_r,j."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    m = f.m
    theta = work.flex[frame.w + 6 * m : frame.w + 6 * m + 3]
    f1, f2, _, _ = rotation_factors(dot(theta, theta))
    d, e, u = work.tmp[6, 0], work.tmp[6, 1], work.tmp[6, 2]
    for j in range(m):
        for b in range(3):
            d[b] = model.flex_data[frame.rotation + b * m + j]
            e[b] = 0.0
            u[b] = d[b]
        add_cross(1.0, theta, d, e)
        add_cross(f2, theta, e, u)
        for b in range(3):
            u[b] += f1 * e[b]
        rotate(R_A, u, d)
        for b in range(3):
            work.flex[frame.w + 3 * m + 3 * j + b] = d[b]


@shared
def arm_turn_bias(model: Model, i: int, v: Array, R_A: Array, work: Work, out: Array) -> None:
    """Add the part of the angular acceleration of a flexible frame that is quadratic in q̇, in ground."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    m = f.m
    theta = work.flex[frame.w + 6 * m : frame.w + 6 * m + 3]
    rate, e, u = work.tmp[6, 0], work.tmp[6, 1], work.tmp[6, 2]
    for b in range(3):
        s = 0.0
        for j in range(m):
            s += model.flex_data[frame.rotation + b * m + j] * v[f.v + j]
        rate[b] = s
        e[b] = u[b] = 0.0
    _, f2, g1, g2 = rotation_factors(dot(theta, theta))
    product = dot(theta, rate)
    add_cross(1.0, theta, rate, e)
    for b in range(3):
        u[b] += g1 * product * e[b]
    add_cross(g2 * product, theta, e, u)
    add_cross(f2, rate, e, u)
    rotate(R_A, u, e)
    for b in range(3):
        out[b] += e[b]


# -- flexible arms as branches -----------------------------------------------------------------


@shared
def turn_arm(model: Model, i: int, q: Array, work: Work) -> None:
    """Orientation beyond R-branch i, a flexible arm, and the axes of its elastic coordinates."""
    e = model.r_edges[i]
    frame = model.flex_frames[e.flex]
    R_e, R_A, R_B = work.tmp[0], work.tmp[1], work.tmp[2]
    arm_rotation(model, e.flex, q, work, R_e)
    if e.sign > 0:
        multiply(work.R[e.parent], frame.C_A, R_A)
        multiply(R_A, R_e, R_B)
        multiply_transposed(R_B, frame.C_B, work.R[e.child])
    else:
        multiply(work.R[e.parent], frame.C_B, R_B)
        multiply_transposed(R_B, R_e, R_A)
        multiply_transposed(R_A, frame.C_A, work.R[e.child])
    arm_axes(model, e.flex, R_A, work)


@shared
def elastic_rate(model: Model, i: int, v: Array, is_rotation: bool, work: Work, out: Array) -> None:
    """Sum of direction (or axis) times rate over the elastic coordinates of a flexible frame."""
    frame = model.flex_frames[i]
    f = model.flex[frame.body]
    start = frame.w + (3 * f.m if is_rotation else 0)
    out[0] = out[1] = out[2] = 0.0
    for j in range(f.m):
        add_scaled(v[f.v + j], work.flex[start + 3 * j : start + 3 * j + 3], out)


@shared
def arm_turns(model: Model, i: int, v: Array, work: Work) -> None:
    """Angular velocity beyond R-branch i, a flexible arm."""
    e = model.r_edges[i]
    w_rel = work.tmp[3, 0]
    elastic_rate(model, e.flex, v, True, work, w_rel)
    for j in range(3):
        work.omega[e.child, j] = work.omega[e.parent, j] + e.sign * w_rel[j]


@shared
def arm_turns_on(model: Model, i: int, v: Array, a: Array, work: Work) -> None:
    """Angular acceleration beyond R-branch i, a flexible arm."""
    e = model.r_edges[i]
    w_rel, a_rel = work.tmp[3, 0], work.tmp[3, 1]
    tail = e.parent if e.sign > 0 else e.child
    elastic_rate(model, e.flex, v, True, work, w_rel)
    elastic_rate(model, e.flex, a, True, work, a_rel)
    arm_turn_bias(model, e.flex, v, work.R[tail], work, a_rel)
    add_cross(1.0, work.omega[tail], w_rel, a_rel)
    for j in range(3):
        work.omega_dot[e.child, j] = work.omega_dot[e.parent, j] + e.sign * a_rel[j]


@shared
def move_arm(model: Model, i: int, q: Array, work: Work) -> None:
    """Position beyond T-branch i, a flexible arm, and the directions of its elastic coordinates."""
    e = model.t_edges[i]
    R, s, r = work.R[e.carrier], work.tmp[5, 0], work.r[i]
    arm_translation(model, e.flex, q, R, work, s)
    rotate(R, s, r)
    for j in range(3):
        work.p[e.child, j] = work.p[e.parent, j] + e.sign * r[j]


@shared
def arm_moves(model: Model, i: int, v: Array, work: Work) -> None:
    """Velocity beyond T-branch i, a flexible arm."""
    e = model.t_edges[i]
    rate = work.tmp[3, 0]
    elastic_rate(model, e.flex, v, False, work, rate)
    add_cross(1.0, work.omega[e.carrier], work.r[i], rate)
    for j in range(3):
        work.v[e.child, j] = work.v[e.parent, j] + e.sign * rate[j]


@shared
def arm_moves_on(model: Model, i: int, v: Array, a: Array, work: Work) -> None:
    """Acceleration beyond T-branch i, a flexible arm."""
    e = model.t_edges[i]
    omega, r = work.omega[e.carrier], work.r[i]
    rate, second = work.tmp[3, 0], work.tmp[3, 1]
    elastic_rate(model, e.flex, v, False, work, rate)
    elastic_rate(model, e.flex, a, False, work, second)
    arm_second(model, e.flex, v, work.R[e.carrier], work, second)
    for j in range(3):
        rate[j] = 2.0 * rate[j]
    add_cross(1.0, omega, r, rate)
    add_cross(1.0, omega, rate, second)
    add_cross(1.0, work.omega_dot[e.carrier], r, second)
    for j in range(3):
        work.a[e.child, j] = work.a[e.parent, j] + e.sign * second[j]


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
