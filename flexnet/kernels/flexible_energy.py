"""Energies and momenta of flexible bodies."""

from flexnet.kernels.compile import shared
from flexnet.kernels.flexible import combine
from flexnet.kernels.flexible_shapes import mean, row_product, times
from flexnet.kernels.model import W_B, W_C, W_CROSS, W_E1, W_END, W_FIRST, W_J, W_VECTORS, W_X1, Model
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
    combine(vec, W_B, m, xd, t)
    add_cross(1.0, w, state[W_C : W_C + 3], t)
    total = 0.5 * f.mass * dot(V, V) + dot(V, t)
    times(state[W_J : W_J + 9], w, y)
    combine(vec, W_CROSS, m, xd, t)
    total += 0.5 * dot(w, y) + dot(w, t)
    if f.G >= 0:
        first = state[W_FIRST:W_VECTORS]
        total += _mean_kinetic(f.mass, state, m, vec[: 6 * m], xd, work.tmp)
        total -= _mean_kinetic(f.mass, first, m, vec[W_E1 * m : W_X1 * m], xd, work.tmp)
    for i in range(m):
        total += 0.5 * xd[i] * row_product(model, k, f.M, i, xd)
    return float(total)


@shared
def _mean_kinetic(mass: float, w: Array, m: int, E: Array, xd: Array, tmp: Array) -> float:
    """½ e·A⁻¹e, e = E q̇: energy of the mean motion that deformation has, of one order."""
    p, h, t, r = tmp[1, 1], tmp[1, 2], tmp[2, 0], tmp[2, 1]
    combine(E, 0, m, xd, p)
    combine(E, 3, m, xd, h)
    mean(mass, w, p, h, t, r)
    return 0.5 * (dot(p, t) + dot(h, r))


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
    combine(vec, W_B, f.m, xd, P)
    add_cross(1.0, w, c, P)
    add_scaled(f.mass, V, P)
    combine(vec, W_CROSS, f.m, xd, L)
    add_cross(1.0, c, V, L)
    times(state[W_J : W_J + 9], w, t)
    add_scaled(1.0, t, L)


@shared
def flexible_potential(model: Model, q: Array, work: Work, out: Array) -> None:
    """Gravity potential (out[0]) and strain energy (out[1]) of all flexible bodies, J."""
    out[0] = out[1] = 0.0
    t = work.tmp[0, 0]
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        rotate(work.R[f.rotation], work.flex[f.w + W_C : f.w + W_C + 3], t)
        out[0] -= f.mass * dot(model.gravity, work.p[f.node]) + dot(model.gravity, t)
        x = q[f.q : f.q + f.m]
        for i in range(f.m):
            out[1] += 0.5 * x[i] * row_product(model, k, f.K, i, x)


@shared
def flexible_damping(model: Model, v: Array) -> float:
    """Power -q̇ᵀC q̇ of the damping of all flexible bodies, W."""
    total = 0.0
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        x = v[f.v : f.v + f.m]
        for i in range(f.m):
            total -= x[i] * row_product(model, k, f.C, i, x)
    return total
