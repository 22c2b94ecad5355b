"""Inertia of flexible bodies as their shape has it: centre, tensor and rows of second order."""

from flexnet.kernels.compile import shared
from flexnet.kernels.flexible_line import add_line_coupling
from flexnet.kernels.model import (
    W_B,
    W_C,
    W_CROSS,
    W_E1,
    W_END,
    W_FIRST,
    W_G,
    W_INVERSE,
    W_J,
    W_VECTORS,
    W_X,
    W_X1,
    W_Y,
    Model,
)
from flexnet.kernels.vector import (
    add_cross,
    dot,
)
from flexnet.kernels.work import Work
from flexnet.typing import Array


@shared
def multiply_blocks(model: Model, k: int, start: int, blocks: int, x: Array, out: Array) -> None:
    """Compute ``out[b m + j] = Σᵢ A_b[i, j] xᵢ`` for ``blocks`` (m, m) matrices of body k, one after another.

    Those of an unreduced body have the entries of their common pattern only.
    """
    f, data, index = model.flex[k], model.flex_data, model.flex_index
    m = f.m
    for l in range(blocks * m):
        out[l] = 0.0
    if f.ptr >= 0:
        columns = f.ptr + m + 1
        for i in range(m):
            xi = x[i]
            if xi != 0.0:
                for b in range(blocks):
                    base = start + b * f.stride
                    for e in range(index[f.ptr + i], index[f.ptr + i + 1]):
                        out[b * m + index[columns + e]] += xi * data[base + e]
        return
    for b in range(blocks):
        base = start + b * m * m
        for i in range(m):
            xi = x[i]
            if xi != 0.0:
                for j in range(m):
                    out[b * m + j] += xi * data[base + i * m + j]


@shared
def row_product(model: Model, k: int, start: int, i: int, x: Array) -> float:
    """Row i of one (m, m) matrix of body k times x."""
    f, data, index = model.flex[k], model.flex_data, model.flex_index
    m = f.m
    total = 0.0
    if f.ptr >= 0:
        columns = f.ptr + m + 1
        for e in range(index[f.ptr + i], index[f.ptr + i + 1]):
            total += data[start + e] * x[index[columns + e]]
        return total
    for j in range(m):
        total += data[start + i * m + j] * x[j]
    return total


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
        multiply_blocks(model, k, f.NN, 9, x, Y)
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
            _second_order(model, k, x, c, J, vec)
            add_line_coupling(data[f.Q : f.Q + 6 * m + 3], m, x, w)
            _mean_rows(f.mass, w, m, vec[: 6 * m], vec[W_X * m : (W_X + 6) * m])
            _mean_rows(f.mass, w[W_FIRST:], m, vec[W_E1 * m : W_X1 * m], vec[W_X1 * m : W_END * m])


@shared
def _second_order(model: Model, k: int, x: Array, c: Array, J: Array, vec: Array) -> None:
    """Add c₂, B₂, C₂ and J₂; C₃ is another page."""
    m = model.flex[k].m
    G = vec[W_G * m : (W_G + 12) * m]
    multiply_blocks(model, k, model.flex[k].G, 12, x, G)
    for a in range(3):
        for j in range(m):
            c[a] += 0.5 * G[a * m + j] * x[j]
            vec[(W_B + a) * m + j] += G[a * m + j]
            vec[(W_CROSS + a) * m + j] += G[(3 + a) * m + j]
    add_products(G[6 * m : 12 * m], m, x, -1.0, J)


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
def mean(mass: float, w: Array, p: Array, h: Array, t: Array, r: Array) -> None:
    """Translation t and rotation r of the mean motion with momentum p and h, A (t, r) = (p, h)."""
    c, K = w[W_C : W_C + 3], w[W_INVERSE : W_INVERSE + 9]
    for a in range(3):
        t[a] = h[a]
    add_cross(-1.0 / mass, c, p, t)
    times(K, t, r)
    for a in range(3):
        t[a] = p[a] / mass
    add_cross(-1.0 / mass, r, c, t)


@shared
def add_products(G: Array, m: int, x: Array, factor: float, J: Array) -> None:
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
def times(A: Array, x: Array, out: Array) -> None:
    """Product of a (3, 3) matrix stored as nine numbers with a vector."""
    for a in range(3):
        out[a] = A[3 * a] * x[0] + A[3 * a + 1] * x[1] + A[3 * a + 2] * x[2]
