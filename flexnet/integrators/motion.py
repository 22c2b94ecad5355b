"""Accelerations and multipliers at a state, once, in Python: M v̇ + Gᵀλ = F, Φ̈ = 0."""

from functools import partial
from typing import NamedTuple

import numpy as np

from flexnet.coupled import solve_coupled
from flexnet.dae import Dae, Links
from flexnet.errors import FlexnetError
from flexnet.kernels import recursion, sparse_ldl, unreduced
from flexnet.typing import Array


class Room(NamedTuple):
    """Where M and G are written, and how the matrix of both is eliminated: memory once touched serves on."""

    M: Array
    G: Array
    plan: sparse_ldl.Plan


def make_room(dae: Dae) -> Room:
    """Room for a state that is looked at once, treated as dense."""
    scattered = sparse_ldl.scattered
    return Room(scattered(dae.n_v, dae.n_v), scattered(dae.m, dae.n_v), sparse_ldl.no_plan())


def motion(
    dae: Dae,
    t: float,
    q: Array,
    v: Array,
    room: Room | None = None,
    links: Links | None = None,
) -> tuple[Array, Array]:
    """v̇ (n_v,) and λ (m,) at a state, along the plan of a room or a tree of bodies if one is given.

    In a singular position, λ is the smallest that does. Algebraic unknowns stay as they are, met or not.
    """
    n, m = dae.n_v, dae.m
    zero, r, phi = np.zeros(n), np.zeros(n), np.zeros(m)
    rate, bias = np.zeros(m), np.zeros(m)
    dae.residual(dae.model, t, q, v, zero, np.zeros(m), dae.work, r, phi)
    if links is not None:
        table = np.zeros((len(links.parent), recursion.table_width(links.d)))
        found = recursion.make_recursion(links.parent, links.first, links.place, links.d)
        links.articulate(dae.model, dae.work, 0.0, 0.0, table, links.numbers)
        x = -r
        if np.all(np.isfinite(r)) and recursion.factor(found, table, x) > 0.0:
            recursion.outwards(found, table, x)
            return x, np.zeros(0)
    dae.rates(dae.model, v, zero, dae.work, rate, bias)
    b = -np.concatenate([r, bias])
    if not np.all(np.isfinite(b)):
        raise FlexnetError("the forces at the start are not numbers; look at the user's laws")
    if dae.unreduced is not None:
        x = solve_blocks(dae, b)
        return x[:n], x[n:]
    room = room or make_room(dae)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, room.M, room.G)
    x = solve_along(dae, room, b)
    if dae.is_coupled:
        x = solve_coupled(partial(defect, dae, t, q, v), partial(smallest_solution, dae), x, dae.weights)
    return x[:n], x[n:]


def defect(dae: Dae, t: float, q: Array, v: Array, x: Array) -> Array:
    """R and Φ̈ (n_v + m,) of v̇ and λ at a state; rows without a rate ask for none."""
    n, m = dae.n_v, dae.m
    r, phi, rate, second = np.zeros(n), np.zeros(m), np.zeros(m), np.zeros(m)
    a, lam = x[:n].copy(), x[n:].copy()
    dae.residual(dae.model, t, q, v, a, lam, dae.work, r, phi)
    dae.rates(dae.model, v, a, dae.work, rate, second)
    without = np.flatnonzero(dae.is_algebraic) + n - dae.n_z
    r[without] = a[without]
    return np.concatenate([r, second])


def solve_blocks(dae: Dae, b: Array, c_v: float = 0.0) -> Array:
    """Solve [M + c_v D, Gᵀ; G 0] x = b at the state of the last residual, unreduced bodies eliminated first.

    D is the damping that ``matrices`` knows.
    """
    e, x = dae.unreduced, b.copy()
    dae.matrices(dae.model, dae.work, 0.0, c_v, e.M, e.G)
    if not unreduced.factor(e, dae.weights, 0.0, c_v):
        raise FlexnetError(
            "the equations of the unreduced bodies are singular at the start: a dead point, constraints that"
            ' depend on each other, or a freedom without mass; reduce the bodies (modes="auto")'
        )
    unreduced.solve(e, x)
    return x


def solve_along(dae: Dae, room: Room, b: Array) -> Array:
    """Solve [M Gᵀ; G 0] x = b, along a plan where its pivots allow; else the smallest x that does."""
    M, G, plan = room
    m, n = G.shape
    if dae.n_z:  # their block is diagonal
        x, z = b.copy(), slice(n - dae.n_z, n)
        x[z] /= np.diag(M)[z]
        rest = np.r_[0 : n - dae.n_z, n : n + m]
        A = np.zeros((n + m, n + m))
        A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
        x[rest] = smallest_by(dae.weights[rest], A[np.ix_(rest, rest)], b[rest])
        return x
    if len(plan.order):
        values, x = np.zeros(n + m + len(plan.rows)), b.copy()
        sparse_ldl.gather(plan, M, G, values)
        if sparse_ldl.factor(plan, values) > 1e-12:
            sparse_ldl.solve(plan, values, x, np.zeros(n + m))
            return x
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
    return smallest_solution(dae, A, b)


def smallest_solution(dae: Dae, A: Array, b: Array) -> Array:
    """Smallest x with A x = b in the sense of least squares, without units; A is like [M Gᵀ; G 0]."""
    return smallest_by(dae.weights, A, b)


def smallest_by(d: Array, A: Array, b: Array) -> Array:
    """Smallest x with A x = b in the sense of least squares, weighted by d."""
    out: Array = d * np.linalg.lstsq(d[:, None] * A * d, d * b, rcond=1e-13)[0]
    return out
