"""Which momenta a mechanism keeps: rigid motions of all bodies that its equations do not notice.

Sought among the six motions of space, by trial: at random states on the constraints, the rates of P and L
that the equations of motion give. A combination V·P + Ω·L whose rate is zero at all of them is kept. Trials
find only what always acts, as joints and gravity do; a force, a spring to the ground or a driver may wait for
its time, so with one of those no momentum counts as kept.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexnet.components import Weight
from flexnet.dae import Symmetry
from flexnet.formulation.state import State
from flexnet.graph import Kind
from flexnet.kernels import entry
from flexnet.typing import Array, BoolArray

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations

_TRIALS, _WANTED = 40, 10
_SMALL = 1e-6
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
    """Find the rigid motions whose momenta are kept."""
    twists = np.zeros((0, 6)) if _acts_from_outside(equations) else _kept(equations)
    return Symmetry(twists, equations.handle, entry.momenta, entry.rigid_rates)


def name_momenta(found: Symmetry) -> tuple[str, ...]:
    """The momenta in words, such as ``L_z`` or ``L_z - 0.5 P_y``."""
    names = []
    for twist in found.twists:
        terms = [(x, n) for x, n in zip(twist, _NAMES, strict=True) if abs(x) > 1e-9]
        text = " + ".join(n if x == 1.0 else f"{x:.6g} {n}" for x, n in reversed(terms))
        names.append(text.replace("+ -", "- "))
    return tuple(names)


def _acts_from_outside(equations: "Equations") -> bool:
    """Whether anything but ideal joints and gravity acts between a body and the ground."""
    return any(
        part.kind in (Kind.FORCE, Kind.DRIVER)
        and not isinstance(part, Weight)
        and "ground" in (part.tail.body, part.head.body)
        for part in equations.parts
    )


def _kept(equations: "Equations") -> Array:
    """Twists (k, 6) whose momenta are constant at every trial."""
    trials = _trials(equations)
    if len(trials) < _WANTED:
        return np.zeros((0, 6))
    change = np.array([_momentum_rates(equations, state) for state in trials])
    size = np.array([_six(equations, state) for state in trials])
    _, s, Vt = np.linalg.svd(change)
    rank = int(np.sum(s > _SMALL * max(s.max(), np.abs(size).max())))
    twists = _rounded(Vt[rank:])
    return twists[_moves(equations, trials, twists)]


def _trials(equations: "Equations") -> list[State]:
    """Random states that meet the constraints."""
    rng = np.random.default_rng(0)
    t, n = equations.initial.t, equations.n_v
    elastic = equations.packer.elastic_indices()[1]
    found = []
    for _ in range(_TRIALS):
        away, v = rng.uniform(-0.4, 0.4, n), rng.uniform(-1.0, 1.0, n)
        # small: the tables are those of small deflections
        away[elastic], v[elastic] = 1e-3 * away[elastic], 1e-2 * v[elastic]
        q = _onto(equations, equations.compose(equations.initial.q, away), t)
        if q is None:
            continue
        _, G = equations.mass_and_jacobian(q, t)
        v -= np.linalg.lstsq(G, equations.constraint_rates(State(t, q, v)), rcond=1e-10)[0]
        found.append(State(t, q, v))
        if len(found) == _WANTED:
            break
    return found


def _onto(equations: "Equations", q: Array, t: float) -> Array | None:
    """The configuration nearby that meets the constraints, by Gauss-Newton; None if it is not reached."""
    for _ in range(20):
        phi = equations.constraints(q, t)
        if np.abs(phi).max(initial=0.0) < 1e-13:
            return q
        _, G = equations.mass_and_jacobian(q, t)
        q = equations.compose(q, -np.linalg.lstsq(G, phi, rcond=1e-10)[0])
    return q if np.abs(equations.constraints(q, t)).max() < 1e-11 else None


def _momentum_rates(equations: "Equations", state: State) -> Array:
    """Ṗ and L̇ (6,) along the motion through a state, by central differences."""
    a = equations.motion(state).a
    h = 1e-5
    ends = [
        _six(
            equations,
            State(state.t + s, equations.compose(state.q, s * state.v + 0.5 * s * s * a), state.v + s * a),
        )
        for s in (h, -h)
    ]
    out: Array = (ends[0] - ends[1]) / (2 * h)
    return out


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


def _moves(equations: "Equations", trials: list[State], twists: Array) -> BoolArray:
    """Whether the mechanism can follow each twist as one body: its rates then give its momentum."""
    good = np.ones(len(twists), dtype=bool)
    some = np.zeros(len(twists), dtype=bool)
    for state in trials:
        rates, Y, Z = np.zeros((3, len(twists), equations.n_v))
        entry.rigid_rates(equations.handle, float(state.t), state.q, state.v, state.v, twists, rates, Y, Z)
        M, _ = equations.mass_and_jacobian(state.q, state.t)
        wanted = twists @ _six(equations, state)
        size = np.sqrt(np.einsum("ki,ij,kj->k", rates, M, rates) * (state.v @ M @ state.v))
        good &= np.abs(rates @ M @ state.v - wanted) <= _SMALL * size
        some |= size > 0.0
    return good & some
