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
from flexnet.formulation import Equations, Metric, Motion, State, magnitudes
from flexnet.typing import Array

_ROUNDING = 4.0 * float(np.finfo(float).eps)
#: least velocity, of the fastest, that is differentiated by
_SLOWEST = 1e-4


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
    measure : of what moves.
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

    def values(q: Array, v: Array) -> Array:
        return _values(equations, State(state.t, q, v, state.z), motion)

    K, K_error = _columns(lambda dq: values(equations.compose(state.q, dq), state.v), equations.sizes, terms)
    paces = _paces(M, K[:n], terms[:n], state.v, equations.sizes)
    D, D_error = _columns(lambda dv: values(state.q, state.v + dv), paces, terms)
    lost = _lost(equations, state, motion.a, measure)
    return Tangents(
        M, G, K[:n], D[:n], K[n : n + m], K[n + m :], D[n + m :],
        K_error[:n] + lost, D_error[:n] + lost * (equations.sizes / paces),
    )  # fmt: skip


def stiffness(equations: Equations, state: State, lam: Array, measure: Metric) -> tuple[Array, Array]:
    """K = ∂r/∂q (n, n) at rest and at fixed multipliers, and its error."""
    _, G = equations.mass_and_jacobian(state.q, state.t)
    motion = Motion(np.zeros(equations.n_v), lam)
    terms = np.abs(equations.forces(state)) + np.abs(G).T @ np.abs(lam)

    def values(dq: Array) -> Array:
        moved = State(state.t, equations.compose(state.q, dq), state.v, state.z)
        return _values(equations, moved, motion)[: equations.n_v]

    K, error = _columns(values, equations.sizes, terms)
    return K, error + _lost(equations, state, motion.a, measure)


def _lost(equations: Equations, state: State, a: Array, measure: Metric) -> Array:
    """Round-off (n, n) in the work of the loads along two coordinates, which may add up to nothing."""
    J = np.abs(measure.J)
    out: Array = _ROUNDING * (J.T * magnitudes(equations, state, a)) @ J
    return out


def _values(equations: Equations, state: State, motion: Motion) -> Array:
    """r, Φ̇ and Φ̈, one after another; not a number where a law gives none, so far away."""
    try:
        r, _ = equations.residual(state, motion.a, motion.lam)
    except ModelError:
        return np.full(equations.n_v + 2 * equations.m, np.nan)
    rate, second = equations.constraint_motion(state, motion.a)
    return np.concatenate([r, rate, second])


def _columns(f: Callable[[Array], Array], sizes: Array, terms: Array) -> tuple[Array, Array]:
    """Derivatives (rows, n) of f along every coordinate, and their errors."""

    def along(e: Array) -> Callable[[float], Array]:
        return lambda h: f(h * e)

    found = [derivative(along(e), h, terms) for e, h in zip(np.eye(len(sizes)), sizes, strict=True)]
    both = np.array(found).reshape(len(sizes), 2, len(terms))
    return both[:, 0].T.copy(), both[:, 1].T.copy()


def _paces(M: Array, K: Array, forces: Array, v: Array, sizes: Array) -> Array:
    """Sizes of the velocities: what they are, or what the forces and stiffnesses here bring about.

    Forces are quadratic in velocities but for laws of the user's: the step hardly matters, and is taken where
    the forces that it makes are neither lost beside the others nor drown them.
    """
    mass = np.diag(M) * sizes**2
    energy = forces * sizes + np.abs(np.diag(K)) * sizes**2
    rates = np.sqrt(np.divide(energy, mass, out=np.zeros(len(v)), where=mass > 0.0))
    own = float(np.max(np.abs(v) / sizes, initial=0.0))
    paces = sizes * np.maximum(np.maximum(rates, _SLOWEST * rates.max(initial=0.0)), own)
    out: Array = np.where(paces > 0.0, paces, sizes)
    return out
