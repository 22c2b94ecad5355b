"""How far a mechanism moves: one measure of small motions for every tree and every unit.

A velocity v moves frames by V, turns bodies and ends of flexible arms by Ω and deforms flexible bodies at
the rates η̇. With the length L of the mechanism

    |v|² = Σ |V|²/L² + Σ |Ω|² + Σ η̇ᵀ diag(M_f) η̇ / (m_f L²) = |J v|²                               (1)

has no unit and knows no tree: the last sum is a mean square of the displacement of each flexible body, M_f and
m_f its mass matrix and its mass, which say how far a shape reaches and not how heavy it is.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.formulation.state import State
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
    return Metric(length, J, _sizes(equations, J))


def _length(p: Array) -> float:
    """Largest distance of a frame from the middle of them all, or 1 m where all are in one place."""
    far = float(np.linalg.norm(p - 0.5 * (p.max(axis=0) + p.min(axis=0)), axis=1).max(initial=0.0))
    return far if far > 1e-12 * float(np.abs(p).max(initial=0.0)) else 1.0


def _reach(equations: Equations) -> Array:
    """Root mean square displacement of each elastic shape, m for a coordinate of one."""
    model = equations.model
    out = [np.zeros(0)]
    for f in model.flex:
        M = model.flex_data[f["M"] : f["M"] + f["m"] ** 2].reshape(f["m"], f["m"])
        out.append(np.sqrt(np.maximum(np.diag(M), 0.0) / f["mass"]))
    return np.concatenate(out)


def _sizes(equations: Equations, J: Array) -> Array:
    """1 / largest entry of each column; a shape without mass that moves no frame by its stiffness."""
    largest = np.abs(J).max(axis=0, initial=0.0)
    sizes = 1.0 / np.where(largest > 0.0, largest, np.inf)
    model = equations.model
    for f in model.flex:
        K = np.diag(model.flex_data[f["K"] : f["K"] + f["m"] ** 2].reshape(f["m"], f["m"]))
        mine = sizes[f["v"] : f["v"] + f["m"]]
        typical = float(np.max(K * mine**2, initial=0.0))
        still = (mine == 0.0) & (K > 0.0)
        mine[still] = np.sqrt(typical / K[still]) if typical > 0.0 else 1.0
    return np.where(sizes > 0.0, sizes, 1.0)
