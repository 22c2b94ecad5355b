"""How far a mechanism moves: one measure of small motions for every tree and every unit.

A velocity v moves frames by V, turns bodies and ends of flexible arms by Ω and deforms flexible bodies at
the rates η̇. With the length L of the mechanism and the sizes ŝ of the elastic coordinates

    |v|² = Σ |V|²/L² + Σ |Ω|² + Σ η̇²/ŝ² = |J v|²                                                    (1)

has no unit, knows no tree and no mass.
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
    J : (moved, n) what a velocity moves: frames over L, rotations, deformations over their sizes.
    """

    J: Array

    def extent(self, dq: Array) -> float:
        """Largest of the displacements over L and rotations (rad) that a departure makes."""
        return float(np.abs(self.J @ dq).max(initial=0.0))


def metric(equations: Equations, q: Array, t: float = 0.0) -> Metric:
    """Measure small motions at a configuration."""
    n, w, L = equations.n_v, equations.work, equations.scale.length
    equations.poses(State(t, q, np.zeros(n)))
    V, W = w.v.copy(), w.omega.copy()
    columns = []
    for e in np.eye(n):
        equations.poses(State(t, q, e))
        columns.append(np.concatenate([(w.v - V).ravel() / L, (w.omega - W).ravel()]))
    _, v = equations.packer.elastic_indices()
    shapes = np.zeros((len(v), n))
    shapes[np.arange(len(v)), v] = 1.0 / equations.sizes[v]
    return Metric(np.vstack([np.array(columns).reshape(n, V.size + W.size).T, shapes]))


def magnitudes(equations: Equations, state: State, a: Array) -> Array:
    """Sizes of the loads that work on what moves, (moved,) J: what a sum of their work is good to.

    Forces on frames times L, torques on bodies, terms of elastic forces times their sizes, those of inertia
    apart. The work of a motion v that adds up to nothing is round-off below ε |J v| · magnitudes.
    """
    zero = np.zeros(equations.n_v)
    still = _loads(equations, State(state.t, state.q, zero), zero)
    moving = _loads(equations, state, a)
    vectors = np.linalg.norm(still[0], axis=1) + np.linalg.norm(moving[0] - still[0], axis=1)
    # places are known to round-off: a force on what turns has an arm of ε L at least
    frames = len(equations.work.force)
    vectors[frames:] += vectors[:frames].max(initial=0.0)
    elastic = np.abs(still[1]) + np.abs(moving[1] - still[1]) + _elastic_terms(equations, state.q)
    _, v = equations.packer.elastic_indices()
    return np.concatenate([np.repeat(vectors, 3), elastic * equations.sizes[v]])


def _loads(equations: Equations, state: State, a: Array) -> tuple[Array, Array]:
    """Forces on frames times L and torques on bodies, (vectors, 3) J, and loads on elastic coordinates."""
    w = equations.work
    entry.node_forces(equations.handle, float(state.t), state.q, state.v, a)
    _, v = equations.packer.elastic_indices()
    return np.concatenate([w.force * equations.scale.length, w.torque]), w.elastic[v].copy()


def _elastic_terms(equations: Equations, q: Array) -> Array:
    """Sizes of the terms of all elastic forces, |K| |η|."""
    model = equations.model
    terms = [np.zeros(0)]
    for f in model.flex:
        K = model.flex_data[f["K"] : f["K"] + f["m"] ** 2].reshape(f["m"], f["m"])
        terms.append(np.abs(K) @ np.abs(q[f["q"] : f["q"] + f["m"]]))
    return np.concatenate(terms)
