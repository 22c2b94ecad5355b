"""A mechanism whose loads grow, and its rests: points of a curve with the direction in which it goes on.

Equations (1) to (3) are those of :mod:`flexnet.analysis.continuation`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from flexnet.analysis.descent import Modes, Place, place_at, tangent
from flexnet.errors import ModelError
from flexnet.formulation import GRAVITY, Equations, State, magnitudes
from flexnet.graph import Kind
from flexnet.typing import Array

#: stiffness, of the largest, that is round-off
_NOISE = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class Loading:
    """A mechanism whose loads grow.

    Attributes
    ----------
    equations : of the mechanism.
    t : time at which known functions are held, s.
    loads : names of what grows.
    full, none : the equations with and without these loads.
    """

    equations: Equations
    t: float
    loads: tuple[str, ...]
    full: Equations
    none: Equations

    @classmethod
    def of(cls, equations: Equations, t: float, loads: Sequence[str] | None = None) -> "Loading":
        """Let these loads grow; gravity and every force, torque and actuator where none is named."""
        known = (GRAVITY, *(p.name for p in equations.parts if p.kind is Kind.FORCE))
        chosen = known if loads is None else tuple(loads)
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise ModelError(f"no load is called {unknown[0]!r}; there are {', '.join(known)}")
        none = equations.frozen(t, 0.0, chosen)
        return cls(equations, t, chosen, equations.frozen(t), none)

    def at(self, p: float) -> Equations:
        """The equations with the loads times a factor."""
        return self.equations.frozen(self.t, p, self.loads)

    def along(self, q: Array) -> Array:
        """F₁ (n,): the loads for p = 1."""
        rest = State(self.t, q, np.zeros(self.full.n_v))
        return self.full.forces(rest) - self.none.forces(rest)


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A rest on the curve (1) and its direction.

    Attributes
    ----------
    p : factor of the loads.
    place : configuration and balance.
    modes : of K.
    phi : (f,) loads along the modes.
    rate : p' of the direction.
    moves : (n,) q' of the direction.
    moved : J q', what the frames do.
    """

    p: float
    place: Place
    modes: Modes
    phi: Array
    rate: float = 1.0
    moves: Array = field(default_factory=lambda: np.zeros(0))
    moved: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def falling(self) -> int:
        """Number of motions that are pushed on."""
        return int(np.sum(self.modes.stiffnesses < -self.noise))

    @property
    def noise(self) -> float:
        """Stiffness that is round-off."""
        loads = self.place.noise(self.place.B @ self.modes.X).max(initial=0.0)
        return _NOISE * float(max(np.abs(self.modes.stiffnesses).max(initial=0.0), loads))

    def crossing(self, j: int) -> float:
        """The stiffness that is negative where more than j motions fall, and positive where not."""
        kappa, negative = self.modes.stiffnesses, self.falling
        above = kappa[kappa > self.noise]
        if negative > j:
            return float(kappa[j])
        return float(above[j - negative]) if len(above) > j - negative else 0.0

    def direction(self, before: "Point | None", delta: float) -> "Point":
        """The same point with its direction of length 1 in (3), as before, or to greater loads."""
        m = self.modes
        a = m.active(self.phi)
        rows = np.hstack([m.K[np.ix_(a, a)] * delta, -self.phi[a][:, None]])
        size = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
        z = np.linalg.svd(rows / np.where(size > 0.0, size, 1.0))[2][-1] if a.any() else np.ones(1)
        y = np.zeros(len(self.phi))
        y[a] = delta * z[:-1]
        moves = self.place.B @ (m.X @ y)
        out = replace(self, rate=float(z[-1]), moves=moves, moved=self.place.measure.J @ moves)
        back = z[-1] < 0.0 if before is None else cosine(out, before, delta) < 0.0
        return replace(out, rate=-out.rate, moves=-moves, moved=-out.moved) if back else out


def cosine(one: Point, other: Point, delta: float) -> float:
    """Cosine of the angle between two directions of length 1."""
    return float(one.moved @ other.moved) / delta**2 + one.rate * other.rate


def point_at(loading: Loading, q: Array, p: float) -> Point:
    """A rest at a factor of the loads, without direction yet."""
    equations = loading.at(p)
    place = place_at(equations, q, loading.t)
    modes = Modes.of(place, tangent(equations, place, loading.t))
    F1 = loading.along(q)
    # round-off of the whole loads, of which there may be none yet
    rest = State(loading.t, q, np.zeros(equations.n_v))
    whole = replace(place, work=magnitudes(loading.full, rest, rest.v), terms=np.abs(F1))
    motions = place.B @ modes.X
    phi = motions.T @ F1
    return Point(p, place, modes, np.where(np.abs(phi) > whole.noise(motions), phi, 0.0))
