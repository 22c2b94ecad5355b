"""Inverse dynamics of a known motion: the loads that actuated coordinates must carry.

    M v̇ - F = E u - Gᵀ λ                                                                          (1)

with a column of E for every actuated coordinate. As many are needed as there are freedoms; the rest of
the motion follows from the constraints.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.formulation import Equations, Load, State, determined_loads, refuse_states, snapshot
from flexnet.typing import Array, Vector


@dataclass(frozen=True, slots=True, eq=False)
class InverseDynamics:
    """Loads of a motion.

    Attributes
    ----------
    t : (rows,) s.
    q, v, a : (rows, ·) the motion, its velocities and accelerations.
    actuated : names of the coordinates that are actuated.
    force : (rows, actuated) force on each, N, or torque, N m.
    lam : (rows, m) multipliers of the constraints.
    joints : loads of all joints and drivers, force and torque on the head, (rows, 3). An actuator in a
        joint is not part of the load of the joint. NaN in components that redundant constraints leave open.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    actuated: tuple[str, ...]
    force: Array
    lam: Array
    joints: dict[str, Load]


def inverse_dynamics(
    equations: Equations,
    t: Vector,
    q: Array,
    v: Array | None = None,
    a: Array | None = None,
    actuated: Sequence[str] | None = None,
) -> InverseDynamics:
    """Find the loads that make a mechanism follow a motion.

    Parameters
    ----------
    equations : of the mechanism.
    t : (rows,) increasing, s.
    q : (rows, n_q) configurations on the constraints, such as ``run["state/q"]``.
    v, a : (rows, n_v) velocities and accelerations; from a spline of degree five through q if left out.
    actuated : names of the coordinates that are actuated; all of them where there are no constraints.

    Raises
    ------
    ModelError
        If the actuated coordinates do not determine the motion.
    """
    refuse_states(equations, "the inverse dynamics")
    t = np.asarray(t, dtype=float)
    if v is None or a is None:
        v, a = rates(equations, t, q)
    names = equations.coordinates.v_names
    chosen = tuple(names) if actuated is None else tuple(actuated)
    free = equations.n_v - equations.m
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise ModelError(f"no coordinate is called {unknown[0]!r}; there are {', '.join(names)}")
    if len(chosen) != free:
        raise ModelError(
            f"{free} actuated coordinates are needed, as many as freedoms, got {len(chosen)}:"
            f" choose from {', '.join(names)}"
        )
    E = np.zeros((equations.n_v, free))
    E[[names.index(name) for name in chosen], np.arange(free)] = 1.0
    force, lam = np.zeros((len(t), free)), np.zeros((len(t), equations.m))
    for i in range(len(t)):
        force[i], lam[i] = _balance(equations, State(float(t[i]), q[i], v[i]), a[i], E)
    joints = determined_loads(equations, snapshot(equations, t, q, v, a, lam))
    return InverseDynamics(t, np.asarray(q), v, a, chosen, force, lam, joints)


def _balance(equations: Equations, state: State, a: Array, E: Array) -> tuple[Array, Array]:
    """Solve (1) for u and λ."""
    r, _ = equations.residual(state, a, np.zeros(equations.m))
    _, G = equations.mass_and_jacobian(state.q, state.t)
    # loads as works of unit changes
    s, rows = equations.sizes, equations.row_sizes
    A = np.hstack([E, -(G * s / rows[:, None]).T])
    if np.linalg.cond(A) > 1e12:
        raise ModelError(
            f"the actuated coordinates do not determine the motion at t = {state.t:g} s; choose others"
        )
    x = np.asarray(np.linalg.solve(A, s * r), dtype=float)
    free = E.shape[1]
    return x[:free] / (s @ E), x[free:] / rows


def rates(equations: Equations, t: Array, q: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (rows, n_v) of configurations (rows, n_q) by a spline of degree five.

    For a 3-D rotation with unit quaternion p, ω = 2 p* ṗ in the axes it turns.
    """
    if len(t) < 6:
        raise ModelError(f"{len(t)} instants are too few to differentiate a motion; six are needed")
    q = np.array(q, dtype=float)
    for i, _ in equations.coordinates.quaternions:
        # of p and -p, the one nearest the instant before
        flips = np.sum(q[1:, i : i + 4] * q[:-1, i : i + 4], axis=1) < 0
        q[1:, i : i + 4] *= np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)[:, None]
    from scipy.interpolate import make_interp_spline

    spline = make_interp_spline(t, q, k=5)
    qd, qdd = spline.derivative(1)(t), spline.derivative(2)(t)
    v, a = np.zeros((len(t), equations.n_v)), np.zeros((len(t), equations.n_v))
    for i, j in equations.coordinates.scalars:
        v[:, j], a[:, j] = qd[:, i], qdd[:, i]
    for i, j in equations.coordinates.quaternions:
        p, pd, pdd = (x[:, i : i + 4] for x in (q, qd, qdd))
        v[:, j : j + 3] = 2.0 * _conjugate_product(p, pd)
        a[:, j : j + 3] = 2.0 * _conjugate_product(p, pdd)
    return v, a


def _conjugate_product(p: Array, r: Array) -> Array:
    """Vector part of p* r, (rows, 3)."""
    out: Array = p[:, :1] * r[:, 1:] - r[:, :1] * p[:, 1:] - np.cross(p[:, 1:], r[:, 1:])
    return out
