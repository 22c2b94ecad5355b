"""Derivatives of the equations of motion at a state, with their errors.

    r(q, v) = M v̇ + Gᵀλ - F   at fixed v̇, λ,      Φ̇(q, v) = G v + Φ_t,      Φ̈(q, v) = G v̇ + γ          (1)

are differentiated along every coordinate and every velocity by extrapolated differences. M and G themselves
are derivatives that the equations give exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexnet.analysis.differences import derivative
from flexnet.errors import ModelError
from flexnet.formulation import Equations, Metric, Motion, State
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Tangents:
    """Derivatives of (1), and estimates of their errors.

    Attributes
    ----------
    M, G : (n, n) mass matrix and (m, n) Jacobian.
    K, D : (n, n) ∂r/∂q and ∂r/∂v.
    rate_q, second_q, second_v : (m, n) ∂Φ̇/∂q, ∂Φ̈/∂q and ∂Φ̈/∂v.
    K_error, D_error : (n, n).
    """

    M: Array
    G: Array
    K: Array
    D: Array
    rate_q: Array
    second_q: Array
    second_v: Array
    K_error: Array
    D_error: Array


def tangents(equations: Equations, state: State, motion: Motion, measure: Metric) -> Tangents:
    """Differentiate the equations of motion at a state.

    Parameters
    ----------
    motion : accelerations and multipliers of the state, held.
    measure : sizes of the coordinates.
    """
    n, m = equations.n_v, equations.m
    M, G = equations.mass_and_jacobian(state.q, state.t)
    terms = np.concatenate(
        [
            np.abs(equations.forces(state)) + np.abs(M) @ np.abs(motion.a) + np.abs(G).T @ np.abs(motion.lam),
            np.abs(G) @ np.abs(state.v),
            np.abs(G) @ np.abs(motion.a),
        ]
    )

    def along_q(e: Array) -> Callable[[float], Array]:
        return lambda h: _values(
            equations, State(state.t, equations.compose(state.q, h * e), state.v), motion
        )

    def along_v(e: Array) -> Callable[[float], Array]:
        return lambda h: _values(equations, State(state.t, state.q, state.v + h * e), motion)

    unit = np.eye(n)
    q = [derivative(along_q(e), h, terms) for e, h in zip(unit, measure.sizes, strict=True)]
    K, K_error = _columns(q, n + 2 * m)
    paces = _paces(M, K[:n], terms[:n], state.v, measure.sizes)
    v = [derivative(along_v(e), h, terms) for e, h in zip(unit, paces, strict=True)]
    D, D_error = _columns(v, n + 2 * m)
    return Tangents(
        M, G, K[:n], D[:n], K[n : n + m], K[n + m :], D[n + m :], K_error[:n], D_error[:n]
    )  # fmt: skip


def stiffness(equations: Equations, state: State, motion: Motion, measure: Metric) -> tuple[Array, Array]:
    """K = ∂r/∂q (n, n) at fixed velocity, acceleration and multipliers, and its error."""
    _, G = equations.mass_and_jacobian(state.q, state.t)
    terms = np.abs(equations.forces(state)) + np.abs(G).T @ np.abs(motion.lam)

    def along(e: Array) -> Callable[[float], Array]:
        return lambda h: _values(
            equations, State(state.t, equations.compose(state.q, h * e), state.v), motion
        )[: equations.n_v]

    found = [
        derivative(along(e), h, terms) for e, h in zip(np.eye(equations.n_v), measure.sizes, strict=True)
    ]
    return _columns(found, equations.n_v)


def _values(equations: Equations, state: State, motion: Motion) -> Array:
    """r, Φ̇ and Φ̈, one after another; not a number where a law gives none, so far away."""
    try:
        r, _ = equations.residual(state, motion.a, motion.lam)
    except ModelError:
        return np.full(equations.n_v + 2 * equations.m, np.nan)
    rate, second = equations.constraint_motion(state, motion.a)
    return np.concatenate([r, rate, second])


def _columns(found: list[tuple[Array, Array]], rows: int) -> tuple[Array, Array]:
    """Derivatives and errors as matrices (rows, n)."""
    both = np.array(found).reshape(len(found), 2, rows)
    return both[:, 0].T.copy(), both[:, 1].T.copy()


def _paces(M: Array, K: Array, forces: Array, v: Array, sizes: Array) -> Array:
    """Sizes of the velocities: what they are, or what the forces and stiffnesses here bring about.

    Forces are quadratic in velocities but for laws of the user's: the step hardly matters, and is taken where
    the forces that it makes are neither lost beside the others nor drown them.
    """
    mass = np.diag(M) * sizes**2
    energy = forces * sizes + np.abs(np.diag(K)) * sizes**2
    known = mass > 0.0
    rates = np.sqrt(energy[known] / mass[known])
    typical = float(np.median(rates[rates > 0.0])) if np.any(rates > 0.0) else 0.0
    rate = np.full(len(v), typical)
    rate[known] = np.where(rates > 0.0, rates, typical)
    own = float(np.max(np.abs(v) / sizes, initial=0.0))
    paces = np.maximum(np.maximum(np.abs(v), sizes * rate), sizes * own)
    out: Array = np.where(paces > 0.0, paces, sizes)
    return out
