"""Where a run begins: accelerations, multipliers and what methods derive from them, once, in Python."""

from collections.abc import Callable
from functools import partial

import numpy as np

from flexnet.dae import Dae, Links
from flexnet.integrators.algebraic import moving, solved
from flexnet.integrators.alpha_projection import NEAR
from flexnet.integrators.alpha_round_off import ROUND_OFF
from flexnet.integrators.motion import Room, motion, solve_along, solve_blocks
from flexnet.integrators.rows import WORKS
from flexnet.kernels import sparse_ldl, unreduced
from flexnet.typing import Array

#: accelerations over what round-off of the positions changes in them, below which they are nothing
NOTHING = 10.0
#: choices of signs for that round-off: one may leave a body where turns and places cancel
LOOKS = 4


def places(dae: Dae) -> Array:
    """Size of every number in q, (n_q,): the largest change by a coordinate that changes by its own."""
    if dae.is_flat:
        return dae.sizes[: dae.n_q]
    # far enough for the number of a quaternion that a small turn leaves alone
    part, out, moved = 2.0, np.zeros(dae.n_q), np.empty(dae.n_q)
    for i, size in enumerate(dae.sizes):
        dq = np.zeros(dae.n_v)
        dq[i] = part * size
        dae.compose(dae.model, dae.q, dq, moved)
        out = np.maximum(out, np.abs(moved - dae.q) / part)
    # a number that no coordinate changes has no round-off to speak of
    return np.where(out > 0.0, out, np.inf)


def fastest_mode(dae: Dae) -> float:
    """Largest frequency at the start of the stiffness that does not depend on the motion, rad/s.

    That of unreduced bodies is higher than any step follows.
    """
    if dae.unreduced is not None:
        return np.inf
    n, m = dae.n_v, dae.m
    M, K, G = np.zeros((n, n)), np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, dae.t, dae.q, dae.v, np.zeros(n), np.zeros(m), dae.work, np.zeros(n), np.zeros(m))
    dae.matrices(dae.model, dae.work, 1.0, 0.0, K, G)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    n -= dae.n_z
    M, K, d = M[:n, :n], K[:n, :n], dae.weights[:n]
    if np.array_equal(M, K):
        return 0.0
    squares = np.linalg.eigvals(np.linalg.lstsq(d[:, None] * M * d, d[:, None] * (K - M) * d, rcond=1e-13)[0])
    return float(np.sqrt(np.abs(squares).max()))


def powers(dae: Dae, t: float, q: Array, v: Array, vdot: Array, lam: Array) -> Array:
    """Powers in the order of works, (WORKS,) W."""
    out, r, phi, rate, acceleration = (np.zeros(k) for k in (WORKS, dae.n_v, dae.m, dae.m, dae.m))
    dae.residual(dae.model, t, q, v, vdot, lam, dae.work, r, phi)
    dae.power(dae.model, q, v, lam, dae.work, out)
    dae.rates(dae.model, v, vdot, dae.work, rate, acceleration)
    out[3] = -lam @ rate
    return out


def initial_acceleration(
    dae: Dae,
    t: float,
    q: Array,
    v: Array,
    room: Room | None = None,
    step: float = 0.0,
    links: Links | None = None,
) -> tuple[Array, Array]:
    """Solve M v̇ + Gᵀλ = F, Φ̈ = 0 for v̇ (n_v,) and λ (m,), by the plan of a room or a tree of bodies if given.

    In a singular position, λ is the smallest that does. Algebraic unknowns of v are made to fit first; their
    rates are found along a part of ``step``, or of the model's time if left out.
    """
    if dae.is_algebraic.any():
        v = solved(dae, t, q, v)
    vdot, lam = motion(dae, t, q, v, room, links)
    if dae.is_algebraic.any():
        vdot = moving(dae, t, q, v, vdot, step or 1e-2 * dae.scale.time)
    return vdot, lam


def is_round_off(dae: Dae, vdot: Array, lam: Array, room: Room) -> bool:
    """Whether v̇ and λ at the start are what round-off of the positions makes of nothing."""
    found = np.concatenate([vdot, lam])
    inertial = np.r_[0 : dae.n_v - dae.n_z, dae.n_v : dae.n_v + dae.m]
    changes, q = [], dae.q.copy()
    for seed in range(LOOKS):
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], dae.n_v)
        dae.compose(dae.model, dae.q, ROUND_OFF * dae.sizes * signs, q)
        changes.append(np.concatenate(initial_acceleration(dae, dae.t, q, dae.v, room)) - found)
    size, *change = (np.max(np.abs(x / dae.weights)[inertial]) for x in (found, *changes))
    return bool(size <= NOTHING * max(change))


def offset_across(dae: Dae, vdot: Array, lam: Array, jerk: Array, C: float, room: Room) -> Array:
    """Part of [v, v̇]/12 - C v̈ across the constraints at the start, with the mass as metric, (n_v,)."""
    n, m = dae.n_v, dae.m
    bracket = _bracket(dae, vdot, lam)
    if dae.unreduced is not None:
        return _offset_in_blocks(dae, vdot, lam, jerk, C, bracket)
    dae.residual(dae.model, dae.t, dae.q, dae.v, vdot, lam, dae.work, np.zeros(n), np.zeros(m))
    dae.matrices(dae.model, dae.work, 0.0, 0.0, room.M, room.G)
    b = np.concatenate([np.zeros(n), bracket / 12.0 - C * sparse_ldl.across(room.plan, room.G, jerk)])
    return solve_along(dae, room, b)[:n]


def _offset_in_blocks(dae: Dae, vdot: Array, lam: Array, jerk: Array, C: float, bracket: Array) -> Array:
    """The same with unreduced bodies."""
    n, m, felt = dae.n_v, dae.m, np.zeros(dae.m)
    dae.residual(dae.model, dae.t, dae.q, dae.v, vdot, lam, dae.work, np.zeros(n), np.zeros(m))
    solve_blocks(dae, np.zeros(n + m))  # P and G of this state
    unreduced.across(dae.unreduced, jerk, felt)
    return solve_blocks(dae, np.concatenate([np.zeros(n), bracket / 12.0 - C * felt]))[:n]


def _bracket(dae: Dae, vdot: Array, lam: Array) -> Array:
    """G [v, v̇] (m,) at the start, as in the compiled loop."""
    if dae.is_flat:
        return np.zeros(dae.m)
    x, z = (NEAR / max(float(np.abs(u / dae.sizes).max()), 1e-300) for u in (dae.v, vdot))
    ends = []
    for first, second in ((x * dae.v, z * vdot), (z * vdot, x * dae.v)):
        middle, end = np.empty(dae.n_q), np.empty(dae.n_q)
        r, phi = np.zeros(dae.n_v), np.zeros(dae.m)
        dae.compose(dae.model, dae.q, first, middle)
        dae.compose(dae.model, middle, second, end)
        dae.residual(dae.model, dae.t, end, dae.v, vdot, lam, dae.work, r, phi)
        ends.append(phi)
    out: Array = (ends[0] - ends[1]) / (x * z)
    return out


def initial_jerk(dae: Dae, vdot: Array, step: float, room: Room) -> Array:
    """v̈ at the start by central differences along the motion, its part in time by those after the start.

    A driver or a load may begin there with a jump of its third derivative; friction at rest has a slope that
    only both sides tell.
    """

    def at(h: float, q: Array, v: Array) -> Array:
        return initial_acceleration(dae, dae.t + h, q, v, room, 2.0 * step)[0]

    ends = []
    for h in (step, -step):
        q = np.empty(dae.n_q)
        dae.compose(dae.model, dae.q, h * dae.v + 0.5 * h * h * vdot, q)
        ends.append(at(h, q, dae.v + h * vdot))
    out: Array = (ends[0] - ends[1]) / (2 * step)
    later, before = at(step, dae.q, dae.v), at(-step, dae.q, dae.v)
    if not np.array_equal(later, before):
        now, half = at(0.0, dae.q, dae.v), at(0.5 * step, dae.q, dae.v)
        out += (4.0 * half - later - 3.0 * now) / step - (later - before) / (2 * step)
    return out


def size_of_change(dae: Dae, x: Array) -> float:
    """Size of a change x (n_v,) of v̇, alike in all axes: √(xᵀM x) over √m L; a state's, over its own if more.

    xᵀM x = T(x) + T(-x) - 2 T(0), T the kinetic energy by velocity. Without T, or where nothing that moves
    has mass, each coordinate counts by its size.
    """
    n = dae.n_v - dae.n_z
    each = np.abs(x / dae.sizes)
    most, of_states = float(each[:n].max(initial=0.0)), float(each[n:].max(initial=0.0))
    if dae.energy is None or most == 0.0:
        return max(most, of_states)
    total, scale, v = 0.0, dae.scale, dae.v.copy()
    unit = 1.0 / (most * scale.time)
    for part, weight in ((unit, 1.0), (-unit, 1.0), (0.0, -2.0)):
        v[:n] = part * x[:n]
        out, phi = np.zeros(3), np.zeros((2, dae.m))
        dae.energy(dae.model, dae.t, dae.q, v, dae.work, phi[0], phi[1], out)
        total += weight * float(out[0])
    size = np.sqrt(max(total, 0.0) / scale.energy) * most
    return max(float(size) or most, of_states)


def transient_part(dae: Dae, vdot: Array, change: Array) -> float:
    """From 0 to 1 while v̇ would change in a step by once to twice its size: smooth in every parameter."""
    size, least = size_of_change(dae, change), size_of_change(dae, vdot)
    x = min((size - least) / max(least, 1e-300), 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x) if x > 0.0 else 0.0


def without_transients(dae: Dae, vdot: Array, lam: Array, h: float, room: Room) -> tuple[Array, Array, Array]:
    """v̇ (n_v,), λ (m,) and v̈ (n_v,) at the start without what dampers end within h, mode by mode.

    The implicit Euler rule has F v̇ for v̇, (M + h D) F v̇ + Gᵀμ = M v̇, G F v̇ = G v̇: of a mode that decays
    at the rate d it leaves 1/(1 + h d). With E = 1 - F, v̇ - E³(1 + 2F) v̇ is v̇ to third order in h d where a
    step follows the decay, and F v̇ where it does not; F⁴(1 + 4E) v̈ is v̈ to second order, and nothing.
    That v̈ is found along the motion that is left: along v̇ over h, where nothing ever moves, geometry bends
    it by what is no damper's and would stay.
    """
    left = _euler(dae, vdot, lam, h)
    x = vdot + 2.0 * left(vdot)[0]
    for _ in range(2):
        x = x - left(x)[0]
    part, load = left(x)
    slow = vdot - x + part
    jerk = initial_jerk(dae, slow, 0.5 * h, room)
    fast = 5.0 * jerk - 4.0 * left(jerk)[0]
    for _ in range(4):
        fast = left(fast)[0]
    return slow, lam + load, fast


def _euler(dae: Dae, vdot: Array, lam: Array, h: float) -> Callable[[Array], tuple[Array, Array]]:
    """Return the map x → (F x, μ)."""
    if dae.unreduced is not None:
        return partial(_euler_in_blocks, dae, vdot, lam, h)
    n, m = dae.n_v, dae.m
    r, bent, phi = np.zeros(n), np.zeros(n), np.zeros(m)
    M, G = sparse_ldl.scattered(n, n), sparse_ldl.scattered(m, n)
    D = np.zeros((n, n))
    dae.residual(dae.model, dae.t, dae.q, dae.v, vdot, lam, dae.work, r, phi)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    for k in range(n):
        v = dae.v.copy()
        v[k] += 1e-7 * max(dae.sizes[k] / dae.scale.time, abs(v[k]))
        dae.residual(dae.model, dae.t, dae.q, v, vdot, lam, dae.work, bent, phi)
        D[:, k] = (bent - r) / (v[k] - dae.v[k])
    A, d = np.zeros((n + m, n + m)), dae.weights
    A[:n, :n], A[:n, n:], A[n:, :n] = M + h * D, G.T, G
    inverse = np.linalg.pinv(d[:, None] * A * d, rcond=1e-13)

    def dense(x: Array) -> tuple[Array, Array]:
        y = d * (inverse @ (d * np.concatenate([M @ x, G @ x])))
        return y[:n], y[n:]

    return dense


def _euler_in_blocks(dae: Dae, vdot: Array, lam: Array, h: float, x: Array) -> tuple[Array, Array]:
    """F x and μ with unreduced bodies: once by the D that ``matrices`` knows, once more by what is left.

    That is what turns and dampers beside the bodies do; a damper so strong that it would not converge is
    left out.
    """
    n, m, blocks = dae.n_v, dae.m, dae.unreduced

    def felt(x: Array, load: Array, c: float) -> Array:
        """Return (M + c D) x + Gᵀμ: R is linear in v̇ and λ, of v it takes a difference."""
        size = max(float(np.abs(x / dae.sizes).max()), 1e-300)
        part = max(float(np.abs(vdot / dae.sizes).max()), dae.scale.time**-2) / size
        eps = 1e-7 * max(float(np.abs(dae.v / dae.sizes).max()), 1.0 / dae.scale.time) / size
        r, pushed, bent, phi = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(m)
        for v, a, l, out in (
            (dae.v + eps * x, vdot, lam, bent),
            (dae.v, vdot + part * x, lam + part * load, pushed),
            (dae.v, vdot, lam, r),
        ):
            dae.residual(dae.model, dae.t, dae.q, v, a, l, dae.work, out, phi)
        return (pushed - r) / part + c * (bent - r) / eps

    wanted, across = felt(x, np.zeros(m), 0.0), np.zeros(m)
    solve_blocks(dae, np.zeros(n + m), h)  # P and G of this state
    unreduced.across(blocks, x, across)
    y = solve_blocks(dae, np.concatenate([wanted, across]), h)
    rest = np.concatenate([wanted - felt(y[:n], y[n:], h), np.zeros(m)])
    more = solve_blocks(dae, rest, h)
    if np.abs(more[:n] / dae.sizes).max() < 0.5 * np.abs(y[:n] / dae.sizes).max():
        y += more
    return y[:n], y[n:]
