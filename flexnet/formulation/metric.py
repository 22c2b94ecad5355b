"""How far a mechanism moves: one measure of small motions for every tree and every unit.

A velocity v moves frames by V, turns bodies and ends of flexible arms by Ω and deforms flexible bodies at
the rates η̇. With the length L of the mechanism

    |v|² = Σ |V|²/L² + Σ |Ω|² + Σ η̇ᵀ diag(M_f) η̇ / (m_f L²) = |J v|²                               (1)

has no unit and knows no tree: the last sum is a mean square of the displacement of each flexible body, M_f
and m_f its mass matrix and its mass, which say how far a shape reaches and not how heavy it is.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.formulation.state import State
from flexnet.kernels import entry
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """The measure (1) at one configuration.

    Attributes
    ----------
    length : L, m.
    J : (moved, n) what a velocity moves: frames over L, rotations, deformations over L.
    sizes : (n,) departure of each coordinate alone that moves something by L or turns it by 1 rad.
    """

    length: float
    J: Array
    sizes: Array

    def extent(self, dq: Array) -> float:
        """Largest of the displacements over L and rotations (rad) that a departure makes."""
        return float(np.abs(self.J @ dq).max(initial=0.0))


def metric(equations: Equations, q: Array, t: float = 0.0) -> Metric:
    """Measure small motions at a configuration."""
    n, w = equations.n_v, equations.work
    own = equations.poses(State(t, q, np.zeros(n)))
    length = _length(w.p)
    V0, W0 = w.v.copy(), w.omega.copy()
    columns = []
    for e in np.eye(n):
        equations.poses(State(t, q, e))
        columns.append(np.concatenate([(w.v - V0).ravel() / length, (w.omega - W0).ravel()]))
    moved = np.array(columns).reshape(n, -1).T
    _, v = equations.packer.elastic_indices()
    shapes = np.zeros((len(own.elastic), n))
    shapes[np.arange(len(v)), v] = _reach(equations) / length
    J = np.vstack([moved, shapes])
    largest = np.abs(J).max(axis=0, initial=0.0)
    return Metric(length, J, 1.0 / np.where(largest > 0.0, largest, 1.0))


def magnitudes(equations: Equations, state: State, a: Array, measure: Metric) -> Array:
    """Sizes of the loads that work on what moves, (moved,) J: what a sum of their work is good to.

    Forces on frames times L, torques on bodies, terms of elastic forces over what their shapes reach, those
    of inertia apart. The work of a motion v that adds up to nothing is round-off below ε |J v| · magnitudes.
    """
    zero = np.zeros(equations.n_v)
    still = _loads(equations, State(state.t, state.q, zero), zero, measure)
    moving = _loads(equations, state, a, measure)
    vectors = np.linalg.norm(still[0], axis=1) + np.linalg.norm(moving[0] - still[0], axis=1)
    # places are known to round-off: a force on what turns has an arm of ε L at least
    frames = len(equations.work.force)
    vectors[frames:] += vectors[:frames].max(initial=0.0)
    elastic = np.abs(still[1]) + np.abs(moving[1] - still[1]) + _elastic_terms(equations, state.q)
    return np.concatenate([np.repeat(vectors, 3), elastic * measure.length / _reach(equations)])


def _loads(equations: Equations, state: State, a: Array, measure: Metric) -> tuple[Array, Array]:
    """Forces on frames times L and torques on bodies, (vectors, 3) J, and loads on elastic coordinates."""
    w = equations.work
    entry.node_forces(equations.handle, float(state.t), state.q, state.v, a)
    _, v = equations.packer.elastic_indices()
    return np.concatenate([w.force * measure.length, w.torque]), w.elastic[v].copy()


def _elastic_terms(equations: Equations, q: Array) -> Array:
    """Sizes of the terms of all elastic forces, |K| |η|."""
    model = equations.model
    terms = [np.zeros(0)]
    for f in model.flex:
        K = model.flex_data[f["K"] : f["K"] + f["m"] ** 2].reshape(f["m"], f["m"])
        terms.append(np.abs(K) @ np.abs(q[f["q"] : f["q"] + f["m"]]))
    return np.concatenate(terms)


def _length(p: Array) -> float:
    """Largest distance of a frame from the middle of them all, or 1 m where all are in one place."""
    far = float(np.linalg.norm(p - 0.5 * (p.max(axis=0) + p.min(axis=0)), axis=1).max(initial=0.0))
    return far if far > 1e-12 * float(np.abs(p).max(initial=0.0)) else 1.0


def _reach(equations: Equations) -> Array:
    """Root mean square displacement of each elastic shape, m for a coordinate of one.

    A shape without mass reaches as far as the stiffest of the others would with the same energy.
    """
    model = equations.model
    out = [np.zeros(0)]
    for f in model.flex:
        M, K = (
            np.diag(model.flex_data[f[x] : f[x] + f["m"] ** 2].reshape(f["m"], f["m"])) for x in ("M", "K")
        )
        reach = np.sqrt(np.maximum(M, 0.0) / f["mass"])
        heavy = reach > 0.0
        softness = float(np.min(reach[heavy] ** 2 / K[heavy])) if heavy.any() else 1.0
        out.append(np.where(heavy, reach, np.sqrt(softness * np.maximum(K, 0.0))))
    return np.concatenate(out)
