"""Which momenta a mechanism keeps: rigid motions of all bodies that nothing in it resists.

The kinetic energy does not notice a rigid motion of all bodies. Its momentum is kept if joints let all bodies
follow it, at any configuration, and gravity does no work on it. A spring, a force or a driver may act from
the ground through bodies that the ground holds, and may wait for its time; so with one of those momenta count
as kept only where nothing but free joints leads to the ground.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexnet.components import Free, Weight
from flexnet.dae import Symmetry
from flexnet.formulation.scale import largest, least_change
from flexnet.formulation.state import State
from flexnet.graph import Kind
from flexnet.kernels import entry
from flexnet.typing import Array, BoolArray

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations

_TRIALS, _WANTED = 20, 5
#: defect of a rigid motion that is one, scaled by the size of the mechanism
_SMALL = 1e-9
#: constraint that counts as closed, over the size of its row
_CLOSED, _CLOSE = 1e-13, 1e-12
#: condition of the inertia of all bodies as one above which the motion is not determined by its momentum
_SINGULAR = 1e10
_NAMES = ("P_x", "P_y", "P_z", "L_x", "L_y", "L_z")


@dataclass(frozen=True, slots=True, eq=False)
class Momenta:
    """Momenta along a motion.

    Attributes
    ----------
    P : momentum, (rows, 3) kg m/s.
    L : angular momentum about the datum, (rows, 3) kg m²/s.
    """

    P: Array
    L: Array


def momenta(equations: "Equations", t: Array, q: Array, v: Array) -> Momenta:
    """Momentum and angular momentum of all bodies along a motion.

    Parameters
    ----------
    t, q, v : (rows,) s, (rows, n_q), (rows, n_v) states.
    """
    out = np.array([_six(equations, State(*row)) for row in zip(t, q, v, strict=True)]).reshape(-1, 6)
    return Momenta(out[:, :3], out[:, 3:])


def symmetry(equations: "Equations") -> Symmetry:
    """Find the rigid motions whose momenta are kept; all are velocities, rotations too, over the length."""
    twists = _twists(equations)
    twists[_turning(twists)] /= equations.scale.length
    return Symmetry(twists, equations.handle, entry.momenta, entry.rigid_rates)


def kept_momenta(equations: "Equations") -> tuple[str, ...]:
    """The momenta that symmetries keep, in words such as ``L_z`` or ``L_z - 0.5 P_y``."""
    names = []
    for twist in _twists(equations):
        terms = [(x, n) for x, n in zip(twist, _NAMES, strict=True) if x != 0.0]
        text = " + ".join(n if abs(x - 1.0) < 1e-9 else f"{x:.6g} {n}" for x, n in reversed(terms))
        names.append(text.replace("+ -", "- "))
    return tuple(names)


def _turning(twists: Array) -> BoolArray:
    """Which twists turn, (k,)."""
    return np.asarray(np.any(twists[:, 3:] != 0.0, axis=1))


def _twists(equations: "Equations") -> Array:
    """Twists (k, 6) whose momenta are kept: combinations of few P and L with simple factors."""
    has_none = equations.n_v == 0 or _may_act_from_outside(equations)
    return np.zeros((0, 6)) if has_none else _kept(equations)


def _may_act_from_outside(equations: "Equations") -> bool:
    """Whether there is a force or a driver, and more than free joints at the ground."""
    loads = [p for p in equations.parts if p.kind in (Kind.FORCE, Kind.DRIVER) and not isinstance(p, Weight)]
    held = [
        p
        for p in equations.parts
        if p.kind not in (Kind.ARM, Kind.BODY)
        and not isinstance(p, Free | Weight)
        and "ground" in (p.tail.body, p.head.body)
    ]
    return bool(loads and held)


def _kept(equations: "Equations") -> Array:
    """Twists (k, 6) that all bodies can follow at every trial and on which gravity does no work."""
    trials = _trials(equations)
    if len(trials) < _WANTED:
        return np.zeros((0, 6))
    centre, size = _extent(equations, trials[0])
    # translations, and rotations about the middle of the mechanism that move its bodies as fast
    basis = np.eye(6)
    basis[3:, :3] = -np.cross(np.eye(3), centre)
    basis[3:] /= size
    defects = [_work_of_gravity(equations, basis), *(_defects(equations, q, basis, size) for q in trials)]
    _, s, Vt = np.linalg.svd(np.hstack(defects).T)
    kept = Vt[int(np.sum(s > _SMALL)) :]
    if any(_is_singular(equations, q, kept @ basis) for q in trials):
        return np.zeros((0, 6))
    # turning in lengths: what is simple is so in any unit
    length = equations.scale.length
    twists = _rounded(kept @ basis * [1.0, 1.0, 1.0, length, length, length])
    twists[_turning(twists), :3] *= length
    return twists


def _trials(equations: "Equations") -> list[Array]:
    """Random configurations that meet the constraints."""
    rng = np.random.default_rng(0)
    elastic = equations.packer.elastic_indices()[1]
    found = []
    for _ in range(_TRIALS):
        away = equations.sizes * rng.uniform(-0.4, 0.4, equations.n_v)
        # small: the tables are those of small deflections
        away[elastic] *= 1e-3
        q = _onto(equations, equations.compose(equations.initial.q, away))
        if q is not None:
            found.append(q)
        if len(found) == _WANTED:
            break
    return found


def _onto(equations: "Equations", q: Array) -> Array | None:
    """The configuration nearby that meets the constraints, by Gauss-Newton; None if it is not reached."""
    t, sizes, rows = equations.initial.t, equations.sizes, equations.row_sizes
    for _ in range(20):
        phi = equations.constraints(q, t)
        if largest(phi, rows) < _CLOSED:
            return q
        _, G = equations.mass_and_jacobian(q, t)
        q = equations.compose(q, least_change(G, phi, sizes, rows))
    return q if largest(equations.constraints(q, t), rows) < _CLOSE else None


def _extent(equations: "Equations", q: Array) -> tuple[Array, float]:
    """Middle of the frames on bodies, and their largest distance from it, m."""
    equations.constraints(q, equations.initial.t)
    ends = [i for name, i in equations.packer.node.items() if name.split(".")[0] != "ground"]
    p = equations.work.p[ends]
    centre: Array = p.mean(axis=0)
    return centre, float(np.linalg.norm(p - centre, axis=1).max()) or equations.scale.length


def _work_of_gravity(equations: "Equations", basis: Array) -> Array:
    """What gravity does on each twist at any configuration, (6, 4): g·V, g × Ω, over g and lengths."""
    g = equations.system.g
    size = np.linalg.norm(g)
    if size == 0.0:
        return np.zeros((6, 4))
    turns = np.cross(g / size, basis[:, 3:])
    along = basis[:, :3] @ (g / size)
    return np.column_stack([along, turns / max(np.abs(basis[:, 3:]).max(), 1e-300)])


def _defects(equations: "Equations", q: Array, basis: Array, size: float) -> Array:
    """How far bodies and constraints are from following each twist, (6, ·) m/s."""
    packer, t = equations.packer, float(equations.initial.t)
    _, G = equations.mass_and_jacobian(q, t)
    G = G * equations.sizes
    G = G / np.maximum(np.abs(G).max(axis=1, initial=0.0), 1e-300)[:, None]
    nodes = [packer.node[name] for name in packer.bodies[1:]]
    turning = list(range(1, len(packer.bodies)))
    v, out = np.zeros(equations.n_v), []
    for twist in basis:
        X, Y, Z = np.zeros((3, 1, equations.n_v))
        entry.rigid_rates(equations.handle, t, q, v, v, twist[None], X, Y, Z)
        w = equations.work
        moved = w.dv[nodes] - twist[:3] - np.cross(twist[3:], w.p[nodes])
        turned = size * (w.dw[turning] - twist[3:])
        out.append(np.hstack([moved.ravel(), turned.ravel(), size * G @ (X[0] / equations.sizes)]))
    return np.array(out)


def _is_singular(equations: "Equations", q: Array, twists: Array) -> bool:
    """Whether the inertia of all bodies as one leaves a combination of the twists undetermined."""
    X, Y, Z = np.zeros((3, len(twists), equations.n_v))
    v = np.zeros(equations.n_v)
    entry.rigid_rates(equations.handle, float(equations.initial.t), q, v, v, twists, X, Y, Z)
    M, _ = equations.mass_and_jacobian(q, equations.initial.t)
    values = np.linalg.eigvalsh(X @ M @ X.T) if len(twists) else np.ones(1)
    return bool(values[0] * _SINGULAR < values[-1])


def _six(equations: "Equations", state: State) -> Array:
    out = np.zeros(6)
    entry.momenta(equations.handle, float(state.t), state.q, state.v, out)
    return out


def _rounded(basis: Array) -> Array:
    """Rows that span the same space, reduced from the last column: simple combinations of P and L."""
    rows = basis.copy()
    r = 0
    for column in range(5, -1, -1):
        if r == len(rows):
            break
        k = r + int(np.argmax(np.abs(rows[r:, column])))
        if abs(rows[k, column]) < 1e-6:
            continue
        rows[[r, k]] = rows[[k, r]]
        rows[r] /= rows[r, column]
        for i in range(len(rows)):
            if i != r:
                rows[i] -= rows[i, column] * rows[r]
        r += 1
    rows[np.abs(rows) < 1e-9] = 0.0
    return rows
