"""Runs in which events lock and release joints: other equations from then on, the same coordinates.

A locked joint has a motion driver that holds its coordinate; the trees stay as they are, so that q and v keep
their meaning and only multipliers are added. What a lock takes of the speed it takes by a blow
(:mod:`flexnet.integrators.events`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.engine import make_dae
from flexnet.analysis.happenings import with_events
from flexnet.analysis.recording import columns
from flexnet.components import TimeFunction, polynomial
from flexnet.dae import Dae
from flexnet.errors import ModelError
from flexnet.formulation import Equations, State, formulate, snapshot
from flexnet.integrators import March, Method, Occurrence, Outcome, Settings, Status, begin
from flexnet.integrators import rows as place
from flexnet.integrators.rows import Output
from flexnet.signals import Lock, Release, lockable
from flexnet.system.locks import lock_name, with_locks
from flexnet.typing import Array


def has_locks(equations: Equations) -> bool:
    """Whether events lock joints."""
    return any(isinstance(event.action, Lock | Release) for event in equations.system.events)


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
        self._locked: dict[str, tuple[Lock, TimeFunction]] = {}
        self._march: Any = begin(self._dae(), method, settings)
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
        """Whether what is remembered leads on: not while a joint is locked, the start knows of no lock."""
        return not self._locked and bool(self._march.is_resumable)

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows, nothing locked."""
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
    def is_locked(self) -> bool:
        """Whether a joint is locked at present."""
        return bool(self._locked)

    def columns(self, block: Output) -> dict[str, Array]:
        """Columns of rows with locks as those of rows without."""
        equations = self.equations
        found = snapshot(equations, block.t, block.q, block.v, block.a, block.lam)
        rows = columns(equations, ChannelReader(equations), found, block.work, block.solver)
        held = [f"joints/{lock_name(joint)}/" for joint in self._locked]
        out = {key: value for key, value in rows.items() if not key.startswith(tuple(held))}
        names = [row.name for row in self.equations.rows]
        lam = rows["state/lambda"]
        out["state/lambda"] = np.zeros((len(lam), self.base.m))
        for j, row in enumerate(self.base.rows):
            if row.name in names:
                out["state/lambda"][:, j] = lam[:, names.index(row.name)]
        return out

    def _dae(self) -> Dae:
        return with_events(make_dae(self.equations, self._engine), self.equations, tuple(self._locked))

    def _change(self) -> None:
        """Lock or release what the last event says, and go on from the same state."""
        before, event = self._march, next(e for e in self.base.system.events if e.name == self._march.event)
        q, v = before.place
        match event.action:
            case Lock(joint, rate, _, _):
                joints = list(lockable(self.base.system.events))
                g = before.dae.events
                at = float(g.values(before.t, q, v)[len(g.names) + joints.index(joint)])
                self._locked[joint] = event.action, polynomial(at - rate * before.t, rate)
            case Release(joint):
                self._locked.pop(joint, None)
        n = self.base.n_v
        self.equations = self._mode(State(before.t, q.copy(), v[:n].copy(), v[n:].copy()))
        dae = self._dae()
        assert dae.events is not None
        dae = replace(dae, events=replace(dae.events, is_start=False))
        after: Any = begin(dae, self._method, self.settings)
        after.schedule, after.rows = self.schedule, before.rows
        after.occurred += before.occurred
        after.log.times[:] = before.log.times
        works = slice(place.WORK, place.WORK + 4)
        after.clock[works] = before.clock[works]
        after.counts[: place.WORST] = before.counts[: place.WORST]
        self._march = after

    def _mode(self, state: State) -> Equations:
        """Equations with the joints that are locked now, in the same trees, at a state."""
        if not self._locked:
            out = self.base
        else:
            system = with_locks(self.base.system, self._locked)
            poses = self.equations.poses(state)
            out = formulate(
                system, translation=self.base.T.names, rotation=self.base.R.names, poses=poses
            )  # fmt: skip
            if out.coordinates.q_names != self.base.coordinates.q_names:
                raise ModelError(
                    f"joint {next(iter(self._locked))!r} cannot be locked in these trees; take another rule"
                )
        out.initial = state
        return out


def begun(equations: Equations, engine: str, method: Method, settings: Settings, dae: Dae) -> March:
    """A run at its start: one that changes its equations where events lock joints."""
    if has_locks(equations):
        return LockingMarch(equations, engine, method, settings)
    return begin(with_events(dae, equations), method, settings)
