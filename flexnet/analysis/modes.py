"""Runs in which events lock joints and close attachments: other equations then, the same coordinates.

A locked joint has a motion driver that holds its coordinate; the trees stay as they are, so that q and v keep
their meaning and only multipliers are added. What a lock takes of the speed it takes by a blow
(:mod:`flexnet.integrators.events`).

An attachment is a chord whether it holds or not, so that its rows come and go likewise, and so is a motion
driver that an event lets go.

Friction that sticks is a lock with a limit: a joint that rubs and comes to rest is locked, and let go where
what the lock carries reaches what friction can hold, in the direction in which it is pushed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from flexnet.analysis.attaching import grip_at, joined
from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.engine import make_dae
from flexnet.analysis.happenings import set_state, state_of, with_events
from flexnet.analysis.recording import columns
from flexnet.components import TimeFunction, polynomial
from flexnet.dae import Dae, Reaction
from flexnet.errors import ModelError
from flexnet.formulation import Equations, State, formulate, snapshot
from flexnet.integrators import March, Method, Occurrence, Outcome, Settings, Status, begin
from flexnet.integrators.events import gradient, is_dead, sides
from flexnet.integrators.rows import Output
from flexnet.integrators.start import initial_acceleration
from flexnet.signals import Attach, Detach, Event, Lock, Release, Slip, Stick, lockable, place_of
from flexnet.system import holding
from flexnet.typing import Array

#: rate of a joint over its size below which it stands still at the start
_STILL = 1e-9
#: part of its load by which a joint that sticks may go beyond what friction holds: round-off
_HELD = 1e-9


#: joints that are locked, attachments that hold and how, drivers that do not
Key: TypeAlias = tuple[frozenset[str], frozenset[tuple[str, holding.Grip]], frozenset[str]]


def has_locks(equations: Equations) -> bool:
    """Whether events lock joints, or attach bodies."""
    kinds = Lock | Release | Stick | Attach | Detach
    return any(isinstance(event.action, kinds) for event in equations.system.events)


class LockingMarch:
    """A run that goes from one set of locked joints to another.

    Attributes
    ----------
    equations : those of the joints that are locked at present.
    settings, schedule : of all of it.
    """

    def __init__(self, equations: Equations, engine: str, method: Method, settings: Settings) -> None:
        self.base = self.equations = equations
        self.settings, self._engine, self._method = settings, engine, method
        self._locked: dict[str, tuple[Lock | Stick, TimeFunction]] = {}
        self._grips = self._first_grips = holding.grips_at_start(equations.system)
        self._freed: frozenset[str] = frozenset()
        self._modes: dict[Key, Equations] = {}
        self._daes: dict[Key, Dae] = {}
        start = equations.initial
        v = np.concatenate([start.v, equations.z_of(start)])
        dae = self._stuck(start.t, start.q, v) if self._stick_at_start(start.t, start.q, v) else self._dae()
        self._march: Any = begin(dae, method, settings)
        self.schedule = self._march.schedule

    @property
    def rows(self) -> int:
        """Output rows written so far."""
        return int(self._march.rows)

    @rows.setter
    def rows(self, rows: int) -> None:
        self._march.rows = rows

    @property
    def status(self) -> Status:
        """How the run stands."""
        status: Status = self._march.status
        return status

    @status.setter
    def status(self, status: Status) -> None:
        self._march.status = status

    @property
    def t(self) -> float:
        """Time reached, s."""
        return float(self._march.t)

    @property
    def place(self) -> tuple[Array, Array]:
        """The present q and v themselves."""
        place: tuple[Array, Array] = self._march.place
        return place

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        return self.schedule.total

    @property
    def memory(self) -> dict[str, Array]:
        """What the next step needs beside q and v."""
        memory: dict[str, Array] = self._march.memory
        return memory

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered leads on: not while other equations hold, which the start knows not."""
        return not self.is_other and bool(self._march.is_resumable)

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows, nothing locked."""
        if self.is_other:
            self._locked.clear()
            self._freed = frozenset()
            self._grips, self.equations = self._first_grips, self.base
            self._march = begin(self._dae(), self._method, self.settings)
        self._march.restore(q, v, memory, rows)

    def happened(self) -> tuple[Occurrence, ...]:
        """Events since this was last asked."""
        out: tuple[Occurrence, ...] = self._march.happened()
        return out

    def start(self) -> Output:
        """The start as one output row."""
        out: Output = self._march.start()
        return out

    def blocks(self) -> Iterator[Output]:
        """Advance to the end, from one set of locks to the next."""
        while True:
            yield from self._march.blocks()
            if self.status.outcome is not Outcome.EVENT or not self._march.changes:
                return
            self._change()

    @property
    def is_other(self) -> bool:
        """Whether other equations hold at present than at the start: something is locked, attached, freed."""
        return bool(self._locked or self._freed) or self._grips != self._first_grips

    def columns(self, block: Output) -> dict[str, Array]:
        """Columns of rows with locks and attachments as those of rows without."""
        equations = self.equations
        found = snapshot(equations, block.t, block.q, block.v, block.a, block.lam)
        locks = tuple((joint, holding.lock_name(joint)) for joint in self._locked)
        reader = ChannelReader(equations, held=locks)
        rows = columns(equations, reader, found, block.work, block.solver)
        held = tuple(f"joints/{holding.lock_name(joint)}/" for joint in self._locked)
        held += tuple(
            f"frames/{name}/" for name in equations.packer.node if name not in self.base.packer.node
        )
        out = {key: value for key, value in rows.items() if not key.startswith(held)}
        for joint in self._locked:  # a joint that is locked carries what its lock does
            for load in ("force", "torque"):
                out[f"joints/{joint}/{load}"] = (
                    out[f"joints/{joint}/{load}"] + rows[f"joints/{holding.lock_name(joint)}/{load}"]
                )
        names = [row.name for row in self.equations.rows]
        lam = rows["state/lambda"]
        out["state/lambda"] = np.zeros((len(lam), self.base.m))
        for j, row in enumerate(self.base.rows):
            if row.name in names:
                out["state/lambda"][:, j] = lam[:, names.index(row.name)]
        return out

    def _stick_at_start(self, t: float, q: Array, v: Array) -> bool:
        """Let joints that rub slide the way they go, or stick where they stand; whether there are any."""
        events = self.base.system.events
        found = [(i, event.action) for i, event in enumerate(events) if isinstance(event.action, Stick)]
        if not found:
            return False
        g = self._dae().events
        assert g is not None
        values = g.values(t, q, v)
        for i, action in found:
            if abs(values[i]) > _STILL * g.sizes[i]:
                set_state(self.base, v, action.sense, np.sign(values[i]))
            else:
                self._hold(action, 0.0, t, values)
        return True

    def _hold(self, action: Lock | Stick, rate: float, t: float, values: Array) -> None:
        """Lock a joint where it is."""
        events = self.base.system.events
        at = float(values[len(events) + list(lockable(events)).index(action.joint)])
        self._locked[action.joint] = action, polynomial(at - rate * t, rate)

    def _stuck(self, t: float, q: Array, v: Array, fired: str = "") -> Dae:
        """Equations after an event; joints that cannot stick there are let go, the most strained first."""
        n = self.base.n_v
        while True:
            self.equations = self._mode(State(t, q.copy(), v[:n].copy(), v[n:].copy()))
            dae = self._dae()
            assert dae.events is not None
            g = replace(dae.events, is_start=False)
            dae = replace(dae, events=g)
            strained = self._strained(g.values(t, q, v), self.equations.system.events)
            if not strained:
                return replace(
                    dae, events=replace(g, sides=self._sides(v, g.values(t, q, v), g.sizes, fired))
                )
            _, slip, effort = min(strained, key=lambda one: one[0])
            self._locked.pop(slip.joint)
            set_state(self.base, v, slip.sense, -np.sign(effort))

    def _sides(self, v: Array, values: Array, sizes: Array, fired: str) -> Array:
        """Sides that friction knows: a joint let go moves as it is pushed, one that sticks is held.

        Where its load has just reached what friction holds, nothing accelerates a joint as it is let go: its
        rate grows with the square of time, and what it is after an instant is round-off. Of the one that has
        just come to rest the rate is what velocities were put right by.
        """
        out = np.zeros(len(sizes))
        for i, event in enumerate(self.base.system.events):
            action = event.action
            if isinstance(action, Slip) and action.joint in self._locked:
                out[i] = 1.0
            elif isinstance(action, Stick) and (event.name == fired or abs(values[i]) <= _STILL * sizes[i]):
                out[i] = state_of(self.base, v, action.sense)
        return out

    def _strained(self, values: Array, events: Sequence[Event]) -> list[tuple[float, Slip, float]]:
        """Joints that stick with more than they can: what is left, the action, the load."""
        out = []
        for i, event in enumerate(events):
            action = event.action
            if isinstance(action, Slip) and action.joint in self._locked:
                effort = float(values[place_of(events, action.effort)])
                if values[i] < -_HELD * abs(effort):
                    out.append((float(values[i]), action, effort))
        return out

    def _dae(self) -> Dae:
        """The present equations at their initial state, with events."""
        key, equations = self._key, self.equations
        if key not in self._daes:
            dae = make_dae(equations, self._engine)
            self._daes[key] = with_events(dae, equations, tuple(self._locked), self._join)
        start = equations.initial
        v = np.concatenate([start.v, equations.z_of(start)])
        return replace(self._daes[key], t=start.t, q=start.q, v=v)

    def _change(self) -> None:
        """Lock or release what the last event says, and go on from the same state."""
        before = self._march
        events = self.equations.system.events
        event = next(e for e in events if e.name == before.event)
        q, v = before.place
        q, v, values = q.copy(), v.copy(), before.dae.events.values(before.t, q, v)
        match event.action:
            case Lock(_, rate, _, _):
                self._hold(event.action, rate, before.t, values)
            case Stick():
                set_state(self.base, v, event.action.sense, 0.0)
                here = replace(before.dae, t=before.t, q=q, v=v)
                if side := self._passed(here, events, event.action):
                    set_state(self.base, v, event.action.sense, side)
                else:
                    self._hold(event.action, 0.0, before.t, values)
            case Release(name) if name in holding.freed_drivers(events, self.base.system.components):
                self._freed |= {name}
            case Release(joint):
                self._locked.pop(joint, None)
            case Detach(name):
                self._grips = {other: grip for other, grip in self._grips.items() if other != name}
            case Slip():
                self._locked.pop(event.action.joint, None)
                effort = values[place_of(events, event.action.effort)]
                set_state(self.base, v, event.action.sense, -np.sign(effort))
        after: Any = begin(self._stuck(before.t, q, v, event.name), self._method, self.settings)
        after.take_over(before)
        self._march = after

    def _passed(self, here: Dae, events: Sequence[Event], action: Stick) -> float:
        """Sign of the rate after a dead point, where constraints turn a joint back; 0 where it may stick."""
        g, i = here.events, next(k for k, event in enumerate(events) if event.action is action)
        assert g is not None
        j = len(events) + list(lockable(events)).index(action.joint)
        if not is_dead(here, gradient(here, g, j, here.t, here.q, here.v), here.t, here.q, here.v):
            return 0.0
        vdot, _ = initial_acceleration(here, here.t, here.q, here.v)
        return float(sides(here, g, vdot, np.zeros(len(g.names)), self.settings.step, i)[i])

    def _mode(self, state: State) -> Equations:
        """Equations with the joints that are locked now, in the same trees, at a state."""
        key = self._key
        if not self.is_other:
            out = self.base
        elif key in self._modes:
            out = self._modes[key]
            for joint, (_, held) in self._locked.items():
                out.functions.exchange(out.model, holding.lock_name(joint), held)
        else:
            out = self._modes[key] = self._formulated(state)
        out.initial = state
        return out

    def _formulated(self, state: State) -> Equations:
        system = holding.without_drivers(self.base.system, self._freed)
        system = holding.with_grips(holding.with_locks(system, self._locked), self._grips)
        poses = self.equations.poses(state)
        out = formulate(system, translation=self.base.T.names, rotation=self.base.R.names, poses=poses)
        if out.coordinates.q_names != self.base.coordinates.q_names:
            raise ModelError(
                f"joint {next(iter(self._locked))!r} cannot be locked in these trees; take another rule"
            )
        return out

    @property
    def _key(self) -> Key:
        """By what the present equations are known."""
        return frozenset(self._locked), frozenset(self._grips.items()), self._freed

    def _join(self, name: str, event: str, t: float, q: Array, v: Array) -> Reaction:
        """Let an attachment hold; the next equations are those of :meth:`_change`."""
        n, before = self.base.n_v, self._grips
        state = State(t, q.copy(), v[:n].copy(), v[n:].copy())
        # an earlier grip of the same attachment never comes back
        for key in [key for key in self._modes if _is_stale(key, name, self._first_grips)]:
            self._modes.pop(key), self._daes.pop(key, None)
        self._grips = before | {name: grip_at(self.equations, name, state)}
        return joined(self._mode(state), name, event, state)


def _is_stale(key: Key, name: str, grips: Mapping[str, holding.Grip]) -> bool:
    """Whether equations are of a grip that an attachment no longer has."""
    return any(other == name and grips.get(name) != grip for other, grip in key[1])


def begun(equations: Equations, engine: str, method: Method, settings: Settings, dae: Dae) -> March:
    """A run at its start: one that changes its equations where events lock joints."""
    if has_locks(equations):
        return LockingMarch(equations, engine, method, settings)
    return begin(with_events(dae, equations), method, settings)
