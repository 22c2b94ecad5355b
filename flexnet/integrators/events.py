"""What happens at an event, in Python: impulses, sides of functions, and events that never end.

At a blow along the function g with the coefficient of restitution e, impulses act along w = ∂ġ/∂v and along
the constraints,

    M (v⁺ - v⁻) + Gᵀ Λ = w P,      G (v⁺ - v⁻) = 0,      ġ⁺ = -e ġ⁻                                       (1)

so that with M u + Gᵀ Λ₁ = w, G u = 0 the impulse is P = -(1 + e) ġ⁻/(w·u) and the kinetic energy changes by
v⁻ᵀM Δv + ½ ΔvᵀM Δv.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexnet.dae import Dae, Events, Reaction
from flexnet.errors import FlexnetError
from flexnet.integrators import event_search as search
from flexnet.integrators.functions import NO_EVENTS
from flexnet.integrators.motion import smallest_solution
from flexnet.integrators.start import initial_acceleration
from flexnet.typing import Array

#: part of the size of a coordinate by which it is moved to differentiate a function
_MOVE = 1e-3
#: part of a step by which the motion is followed to see where a function goes; of one that is left at rest
_AHEAD, _FAR_AHEAD = 1e-6, 1e-3
#: value over its size below which a function is at its zero, and where a projection may leave it
_ZERO, _NEAR = 1e-11, 1e-6
#: change of a function over its size that is none
_STAYED = 1e-9
#: part of a step below which the last times of one event are an accumulation
_CROWDED = 1e-4
#: answer along a function to an impulse along it, over that without constraints, that is none
_DEAD = 1e-12
#: times of an event that are remembered
_KEPT = 5


class Occurrence(NamedTuple):
    """One event that happened: time (s), name, impulse (N s, N m s), change of the energy (J)."""

    t: float
    name: str
    impulse: float
    energy: float


def gradient(dae: Dae, g: Events, i: int, t: float, q: Array, v: Array) -> Array:
    """Derivative w (n_v,) of function i along every coordinate."""
    out = np.zeros(dae.n_v)
    moved = np.empty(dae.n_q)
    for k, size in enumerate(dae.sizes):
        for factor, weight in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12)):
            dq = np.zeros(dae.n_v)
            dq[k] = factor * _MOVE * size
            dae.compose(dae.model, q, dq, moved)
            out[k] += weight * g.values(t, moved, v)[i] / (_MOVE * size)
    return out


def strike(
    dae: Dae, w: Array, rate: float, e: float, t: float, q: Array, v: Array
) -> tuple[Array, float, float]:
    """Velocity after a blow along w at the rate ġ⁻, its impulse, the change of the kinetic energy: (1)."""
    M, u = _answer(dae, w, t, q, v)
    if not w @ u > 0.0:
        raise FlexnetError("nothing can move along the event's signal; an impact needs one of positions")
    P = -(1.0 + e) * rate / float(w @ u)
    change = P * u
    return v + change, P, float(v @ M @ change + 0.5 * change @ M @ change)


def _answer(dae: Dae, w: Array, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """M, and the change u of the velocity by a unit impulse along w."""
    n, m = dae.n_v, dae.m
    M, G = np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, t, q, v, np.zeros(n), np.zeros(m), dae.work, np.zeros(n), np.zeros(m))
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
    return M, smallest_solution(dae, A, np.concatenate([w, np.zeros(m)]))[:n]


def is_dead(dae: Dae, w: Array, t: float, q: Array, v: Array) -> bool:
    """Whether constraints let nothing move along w, as at the dead point of a follower."""
    M, u = _answer(dae, w, t, q, v)
    # what the largest coordinate would answer, with the largest inertia, without constraints
    free = np.abs(w * dae.sizes).max(initial=0.0) ** 2 / np.abs(np.diag(M) * dae.sizes**2).max(initial=1e-300)
    return bool(w @ u <= _DEAD * free)


def rate_of(dae: Dae, g: Events, i: int, t: float, q: Array, v: Array, step: float) -> float:
    """Rate of function i along the motion, its velocity held."""
    ends = []
    for h in (step, -step, 2 * step, -2 * step):
        moved = np.empty(dae.n_q)
        dae.compose(dae.model, q, h * v, moved)
        ends.append(g.values(t + h, moved, v)[i])
    return float((8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12 * step))


def sides(dae: Dae, g: Events, vdot: Array, before: Array, step: float, fired: int = -1) -> Array:
    """Sign (n,) of every function at the start of a DAE; of one at its zero, where it goes from there.

    Where it goes nowhere, its side is as ``before``. The one that ``fired`` is at its zero, but for what a
    projection changed; another at its zero is as before: it has its own event to come.
    """
    h, later = _AHEAD * step, np.empty(dae.n_q)
    dae.compose(dae.model, dae.q, h * dae.v + 0.5 * h * h * vdot, later)
    n = len(g.names)
    now, then = g.values(dae.t, dae.q, dae.v)[:n], g.values(dae.t + h, later, dae.v + h * vdot)[:n]
    is_zero = np.abs(now) <= _ZERO * g.sizes
    if fired >= 0:
        others = np.arange(n) != fired
        now, then = np.where(is_zero & others, before, now), np.where(is_zero & others, before, then)
        # an action may have moved it elsewhere, such as a clock to its next beat
        is_zero = ~others & (np.abs(now) <= _NEAR * g.sizes)
    out = np.where(is_zero, np.sign(then - now), np.sign(now))
    return np.where(out == 0.0, before, out)


@dataclass(slots=True, eq=False)
class Log:
    """Events that happened, and whether they crowd.

    Attributes
    ----------
    events : of the DAE.
    step : of the run, s.
    happened : receives them.
    times : (n, 5) last times of every event, nan where there are fewer; the latest last.
    """

    events: Events
    step: float
    happened: list[Occurrence]
    times: Array = field(init=False)

    def __post_init__(self) -> None:
        self.times = np.full((len(self.events.names), _KEPT), np.nan)

    def add(self, i: int, t: float, reaction: Reaction) -> str:
        """Remember an event; what there is to say where its times accumulate."""
        self.happened.append(Occurrence(t, self.events.names[i], reaction.impulse, reaction.energy))
        self.times[i, :-1] = self.times[i, 1:]
        self.times[i, -1] = t
        gaps = np.diff(self.times[i])
        if not np.all(gaps < _CROWDED * self.step):
            return ""
        name = self.events.names[i]
        if np.all(gaps > 0.0) and np.all(gaps[1:] < gaps[:-1]):
            share = float(gaps[-1] / gaps[-2])
            rest = t + gaps[-1] * share / (1 - share)
            return f"the times of event {name!r} accumulate at t = {rest:.12g} s"
        return f"event {name!r} happens again and again at t = {t:.12g} s"


class Watch:
    """Functions of events along a run: what is known of each, and what happened.

    Attributes
    ----------
    events : of the DAE.
    zeros : (n, 8) a row for every function, see :mod:`~flexnet.integrators.event_search`.
    values : (3, width) scratch.
    log : what happened.
    spent : (n,) functions that rest at a zero at which they fired: it is not passed again as they leave it.
    """

    def __init__(self, dae: Dae, step: float, happened: list[Occurrence]) -> None:
        self.events = g = dae.events or NO_EVENTS
        n = len(g.names)
        self.zeros, self.values = np.zeros((n, 8)), np.zeros((3, g.width))
        self.log, self.step = Log(g, step, happened), step
        self.spent = np.zeros(n, dtype=bool)
        if n:
            self.zeros[:, search.SIDE] = first_sides(dae, g, step)
            self.zeros[:, search.DIRECTION], self.zeros[:, search.SIZE] = g.directions, g.sizes
            self.look(dae.t, dae.q, dae.v)

    @property
    def record(self) -> dict[str, Array]:
        """What a run needs to go on, where there are events."""
        if not self.events.names:
            return {}
        return {"zeros": self.zeros.reshape(-1), "event_times": self.log.times.reshape(-1)}

    def look(self, t: float, q: Array, v: Array) -> None:
        """Values at a state."""
        self.zeros[:, search.VALUE] = self.events.values(t, q, v)[: len(self.events.names)]

    def leave(self, before: Array) -> None:
        """Let nothing wait that an action moved from the value it had before, as a clock to its next beat."""
        zeros = self.zeros
        is_gone = np.abs(zeros[:, search.VALUE] - before) > _STAYED * self.events.sizes
        zeros[is_gone & (zeros[:, search.FIRED] == search.WAITS), search.FIRED] = 0.0

    def take_fired(self) -> int:
        """The event that fired, which then has not."""
        i = int(np.argmax(self.zeros[:, search.FIRED]))
        self.zeros[i, search.FIRED] = 0.0
        return i

    def pass_zero(self, i: int) -> None:
        """Function i is on its other side."""
        self.zeros[i, search.SIDE] *= -1.0

    def take_over(self, here: Dae, before: "Watch", fired: str) -> None:
        """Go on from another run, of other equations; who was at zero, but did not fire there, has yet to."""
        self.log.times[:] = before.log.times
        is_zero = np.abs(before.zeros[:, search.VALUE]) <= _ZERO * before.events.sizes
        is_now = before.spent | (before.log.times[:, -1] == np.nanmax(before.log.times))
        self.spent = is_zero & is_now & (before.zeros[:, search.FIRED] != search.WAITS)
        is_zero |= before.zeros[:, search.FIRED] == search.WAITS
        waits = is_zero & ~np.isnan(before.events.directions) & (np.array(self.events.names) != fired)
        waits &= ~self.spent
        self.zeros[waits, search.SIDE] = before.zeros[waits, search.SIDE]
        self.zeros[waits, search.FIRED] = before.zeros[waits, search.FIRED]
        self._leave_zero(here)
        self.leave(before.zeros[:, search.VALUE])

    def _leave_zero(self, here: Dae) -> None:
        """Put functions that fired where they rest on the side where that does not count any more."""
        own = self.spent if self.events.sides is None else self.spent & (self.events.sides == 0.0)
        if own.any():
            side, directions = self.zeros[:, search.SIDE], self.events.directions
            vdot, _ = initial_acceleration(here, here.t, here.q, here.v)
            goes = sides(here, self.events, vdot, side, self.step * _FAR_AHEAD / _AHEAD)
            side[own] = np.where(np.nan_to_num(directions) != 0.0, directions, goes)[own]

    def find_sides(self, here: Dae, vdot: Array, fired: int) -> None:
        """Sides at a state that an event changed."""
        before, waits = self.zeros[:, search.SIDE].copy(), self.zeros[:, search.FIRED] == search.WAITS
        found = sides(here, self.events, vdot, before, self.step, fired)
        self.zeros[:, search.SIDE] = np.where(waits, before, found)


def first_sides(dae: Dae, g: Events, step: float) -> Array:
    """Sides at the start; refuses an event that is about to happen there.

    One that rests at its zero is on the side from which it counts, whichever that is: so it counts if it
    leaves in its direction, and waits for its first zero if it leaves in the other.
    """
    vdot, _ = initial_acceleration(dae, dae.t, dae.q, dae.v)
    out = sides(dae, g, vdot, np.where(g.directions == 1.0, -1.0, 1.0), step)
    if g.sides is not None:
        out = np.where(g.sides == 0.0, out, g.sides)
    now = g.values(dae.t, dae.q, dae.v)
    for i, name in enumerate(g.names):
        is_zero = abs(now[i]) <= _ZERO * g.sizes[i]
        if g.is_start and is_zero and g.directions[i] in (0.0, out[i]):
            other = (
                "give the direction in which it counts" if g.directions[i] == 0.0 else "count the other way"
            )
            raise FlexnetError(
                f"event {name!r} happens at the start: its signal is {now[i]:g} there; start beside"
                f" its zero, or {other}"
            )
    return out
