"""Events of a mechanism as the integrators see them: zeros in compiled code, what happens there in Python."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from flexnet.analysis.run import Run
from flexnet.components.attachment import Attachment
from flexnet.dae import Dae, Events, Reaction
from flexnet.errors import FlexnetError, ModelError
from flexnet.formulation import Equations
from flexnet.graph import Kind
from flexnet.integrators import Occurrence
from flexnet.integrators.events import gradient, is_dead, rate_of, strike
from flexnet.results.layout import EVENT_UNITS, LISTED, happened
from flexnet.signals import (
    DIRECTIONS,
    Attach,
    Detach,
    Event,
    Impact,
    Lock,
    Release,
    Reset,
    Sample,
    Slip,
    StateOf,
    Stick,
    Stop,
    listed_events,
    lockable,
    place_of,
    watched,
)
from flexnet.typing import Array
from flexnet.units import NUMBER

KEYS = tuple(EVENT_UNITS)
#: speed over that of the model below which a joint stands still, or goes at the rate it is locked at
_STILL = 1e-6


#: what closing an attachment does to a motion: of its name and the event's, t, q and v
Join: TypeAlias = Callable[[str, str, float, Array, Array], Reaction]


def with_events(dae: Dae, equations: Equations, locked: Sequence[str] = (), join: Join | None = None) -> Dae:
    """A DAE with the events of its System, some joints locked; as it is where there are none.

    Parameters
    ----------
    join : asked where an event closes an attachment.
    """
    events = equations.system.events
    if not events:
        return dae
    model, evaluate = equations.event_values
    made = Events(
        tuple(event.name for event in events),
        np.array(
            [
                np.nan if _is_idle(event, equations, locked) else DIRECTIONS[event.direction]
                for event in events
            ]
        ),
        np.array([_size(dae, event) for event in events]),
        model,
        evaluate,
        _acts(dae, equations, join),
        len(watched(events)),
    )
    # the workspace lives as long as the DAE
    return replace(dae, events=made, owner=(dae.owner, model))


def _is_idle(event: Event, equations: Equations, locked: Sequence[str]) -> bool:
    """Whether there is nothing left to lock or attach, or nothing to release or detach."""
    match event.action:
        case Attach(name):
            return not _is_open(equations, name)
        case Detach(name):
            return _is_open(equations, name)
        case Lock():
            return event.action.joint in locked
        case Stick():
            return event.action.joint in locked
        case Release(joint):
            part = equations.system.components[joint]
            return isinstance(part, Attachment) or (part.kind is not Kind.DRIVER and joint not in locked)
        case Slip():
            return event.action.joint not in locked
    return False


def _is_open(equations: Equations, name: str) -> bool:
    part = equations.system.components[name]
    assert isinstance(part, Attachment)
    return part.is_open


def _size(dae: Dae, event: Event) -> float:
    """Size of a signal, in units of the model; a clock has its period."""
    signal = event.signal
    if isinstance(event.action, Sample):
        return event.action.period
    units = np.array([dae.scale.length, dae.scale.mass, dae.scale.time])
    return float(np.prod(units ** np.array(signal.dimension or NUMBER)))


def _acts(
    dae: Dae, equations: Equations, join: Join | None
) -> Callable[[int, float, Array, Array], Reaction]:
    """What happens at event i."""

    def act(i: int, t: float, q: Array, v: Array) -> Reaction:
        event = equations.system.events[i]
        events = equations.system.events
        model, evaluate = equations.event_values
        g = Events((), np.zeros(0), np.zeros(0), model, evaluate, act, len(watched(events)))
        match event.action:
            case Stop():
                return Reaction(ends=True)
            case Impact(restitution):
                return _strike(dae, g, i, event.name, restitution, 0.0, t, q, v)
            case Lock(joint, rate, may_strike, _):
                j = len(events) + list(lockable(events)).index(joint)
                return _latch(dae, g, j, event.name, joint, rate, may_strike, t, q, v)
            case Attach(name):
                assert join is not None
                return join(name, event.name, t, q, v)
            case Release() | Detach() | Stick() | Slip():
                return Reaction(changes=True)
            case Reset(state, value):
                after = v.copy()
                set_state(equations, after, state, g.values(t, q, v)[place_of(events, value)])
                return Reaction(after)
            case Sample():
                return Reaction(_samples(equations, g, i, t, q, v))
        return Reaction()

    return act


def _samples(equations: Equations, g: Events, fired: int, t: float, q: Array, v: Array) -> Array:
    """Velocities and states after the samples of all clocks that beat now, as they were described."""
    events, after = equations.system.events, v.copy()
    for i, event in enumerate(events):
        if isinstance(event.action, Sample):
            number = state_of(equations, after, event.action.states[0])
            if i == fired or event.action.is_due(t, number):
                found = g.values(t, q, after)
                for one, value in zip(event.action.states, event.action.values, strict=True):
                    set_state(equations, after, one, found[place_of(events, value)])
    return after


def with_samples_due(equations: Equations) -> Equations:
    """The equations with the samples taken that are due where they begin, as where a run before ended."""
    events, at = equations.system.events, equations.initial
    before = np.concatenate([at.v, equations.z_of(at)])
    samples = [event.action for event in events if isinstance(event.action, Sample)]
    if not any(s.is_due(at.t, state_of(equations, before, s.states[0])) for s in samples):
        return equations
    model, evaluate = equations.event_values
    g = Events((), np.zeros(0), np.zeros(0), model, evaluate, _never, len(watched(events)))
    out = copy(equations)
    out.initial = replace(at, z=_samples(equations, g, -1, at.t, at.q, before)[equations.n_v :])
    return out


def _never(i: int, t: float, q: Array, v: Array) -> Reaction:
    """What happens where nothing does."""
    return Reaction()


def set_state(equations: Equations, v: Array, state: StateOf, value: float) -> None:
    """Set a state of a block, which stands behind the velocities."""
    v[equations.n_v + equations.states.places[state.block, state.index]] = value


def state_of(equations: Equations, v: Array, state: StateOf) -> float:
    """Value of a state of a block, which stands behind the velocities."""
    return float(v[equations.n_v + equations.states.places[state.block, state.index]])


def _strike(
    dae: Dae, g: Events, i: int, name: str, restitution: float, rate: float, t: float, q: Array, v: Array
) -> Reaction:
    """A blow along function i that leaves it a rate, and throws the rest back."""
    w = gradient(dae, g, i, t, q, v)
    if not np.any(w):
        raise ModelError(
            f"event {name!r} strikes along a signal that no coordinate moves; expected one of positions"
        )
    before = _rate(dae, g, i, t, q, v) - rate
    try:
        return Reaction(*strike(dae, w, before, restitution, t, q, v))
    except FlexnetError as error:
        raise ModelError(f"event {name!r}: {error}") from error


def _rate(dae: Dae, g: Events, i: int, t: float, q: Array, v: Array) -> float:
    return rate_of(dae, g, i, t, q, v, 1e-4 * dae.scale.time)


def _latch(
    dae: Dae, g: Events, j: int, name: str, joint: str, rate: float, may_strike: bool, t: float, q: Array,
    v: Array,
) -> Reaction:  # fmt: skip
    """Bring the coordinate of a joint to a rate, by a blow where it has another one."""
    if is_dead(dae, gradient(dae, g, j, t, q, v), t, q, v):
        raise ModelError(
            f"event {name!r} locks joint {joint!r} at a dead point: the mechanism moves on whatever holds it"
            " there; lock another joint, or beside that point"
        )
    over = _rate(dae, g, j, t, q, v) - rate
    size = max(float(np.abs(v[: dae.n_v] / dae.sizes).max(initial=0.0)) * dae.scale.length, 1e-300)
    if abs(over) > _STILL * size and not may_strike:
        raise ModelError(
            f"event {name!r} locks joint {joint!r}, which moves at {over + rate:.3g} and is to move at"
            f" {rate:g}; let it strike: lock({joint!r}, impact=True)"
        )
    return replace(_strike(dae, g, j, name, 0.0, rate, t, q, v), changes=True)


class Listing:
    """Events as columns of rows: of each event those since the row before, as many as a row lists.

    Attributes
    ----------
    lost : events that no row had a place for.
    """

    def __init__(self, equations: Equations) -> None:
        self._names = listed_events(equations.system.events)
        self._waiting: list[Occurrence] = []
        self.lost = 0

    def list(self, rows: dict[str, Array], happened: Iterable[Occurrence]) -> dict[str, Array]:
        """The rows with what happened before each; what happened after the last waits."""
        if not self._names:
            return rows
        self._waiting += [one for one in happened if one.name in self._names]
        made = {
            (name, key): np.full((len(rows["time"]), LISTED), np.nan) for name in self._names for key in KEYS
        }
        filled = np.zeros((len(rows["time"]), len(self._names)), dtype=int)
        later = []
        for one in self._waiting:
            row, i = int(np.searchsorted(rows["time"], one.t)), self._names.index(one.name)
            if row == len(filled):
                later.append(one)
            elif filled[row, i] == LISTED:
                self.lost += 1
            else:
                for key in KEYS:
                    made[one.name, key][row, filled[row, i]] = getattr(one, "t" if key == "time" else key)
                filled[row, i] += 1
        self._waiting = later
        return rows | {f"events/{name}/{key}": values for (name, key), values in made.items()}


def listed(run: Run) -> tuple[Occurrence, ...]:
    """Events of the rows of a run, in the order of their times."""
    names = listed_events(run.equations.system.events)
    return tuple(Occurrence(*one) for one in happened(names, run.__getitem__))
