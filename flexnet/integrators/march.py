"""A run that is advanced block by block: rows, resume record and status, the same for every method."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import ResultError
from flexnet.integrators.algebraic import consistent
from flexnet.integrators.event_search import VALUE
from flexnet.integrators.events import Occurrence, Watch
from flexnet.integrators.rows import Output, make_output, part
from flexnet.integrators.schedule import Schedule
from flexnet.integrators.settings import Settings
from flexnet.integrators.status import Outcome, Status
from flexnet.typing import Array, IntArray


class March(Protocol):
    """A run, as the rooms above see it.

    Attributes
    ----------
    settings : how to step.
    schedule : when rows are written.
    rows : output rows written so far.
    status : how the run stands.
    """

    settings: Settings
    schedule: Schedule
    rows: int
    status: Status

    @property
    def t(self) -> float:
        """Time reached, s."""
        ...

    @property
    def place(self) -> tuple[Array, Array]:
        """The present q and v themselves."""
        ...

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        ...

    @property
    def memory(self) -> dict[str, Array]:
        """What the next step needs beside q and v."""
        ...

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered now leads on as if the run had never been stopped."""
        ...

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows."""
        ...

    def happened(self) -> tuple[Occurrence, ...]:
        """Events since this was last asked."""
        ...

    def start(self) -> Output:
        """The start as one output row."""
        ...

    def blocks(self) -> Iterator[Output]:
        """Advance to the end; stops early if a step fails."""
        ...


class AbstractMarch(ABC):
    """The bookkeeping of a run; a method says how rows are filled and what the next step needs.

    Attributes
    ----------
    dae, settings, schedule : what is run, how, and when rows are written.
    rows : output rows written so far.
    watch : functions of events along the run.
    event, said, changes : the last event, what there is to say of it, and whether other equations follow.
    """

    event: str = ""
    said: str = ""
    changes: bool = False
    _outcome: Outcome
    _status: Status | None

    def __init__(self, dae: Dae, settings: Settings, spacing: float | None = None) -> None:
        self.dae, self.settings = dae, settings
        self.schedule = settings.schedule(dae.t, spacing)
        self.rows = 0
        self.status = Status(Outcome.DONE, dae.t)
        self.occurred: list[Occurrence] = []
        self.watch = Watch(dae, settings.step, self.occurred)

    @property
    @abstractmethod
    def t(self) -> float:
        """Time reached, s."""

    @property
    @abstractmethod
    def place(self) -> tuple[Array, Array]:
        """The present q and v themselves."""

    @property
    @abstractmethod
    def record(self) -> Mapping[str, Array | IntArray]:
        """The arrays that hold what the next step needs beside q and v, by name: enough to resume."""

    @abstractmethod
    def start(self) -> Output:
        """The start as one output row."""

    @abstractmethod
    def fill(self, out: Output) -> tuple[int, Outcome]:
        """Compute the rows at the times in ``out.t``; returns their number and how it ended."""

    @abstractmethod
    def report(self, outcome: Outcome) -> Status:
        """How the run stands now."""

    @property
    @abstractmethod
    def works(self) -> Array:
        """Work of drivers, forces, damping and constraints so far, (4,) J, itself."""

    @abstractmethod
    def set_out(self, here: Dae) -> Array:
        """Begin anew at the state of a DAE, which an event changed; returns v̇ there."""

    @abstractmethod
    def go_on_from(self, before: Any) -> None:
        """Take over what another run of the same method, of other equations, has added up."""

    @property
    def status(self) -> Status:
        """How the run stands; put into words when it is asked for, which takes as long as some steps."""
        if self._status is None:
            self._status = self.report(self._outcome)
        return self._status

    @status.setter
    def status(self, status: Status) -> None:
        self._outcome, self._status = status.outcome, status

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        return self.schedule.total

    @property
    def memory(self) -> dict[str, Array]:
        """What the next step needs beside q and v; put back by :meth:`restore`."""
        return {name: np.asarray(array, dtype=float) for name, array in self.record.items()}

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows."""
        present = self.place
        present[0][:], present[1][:] = q, v
        for name, array in self.record.items():
            kept = memory[name]
            if len(kept) not in (0, len(array)):
                raise ResultError(
                    f"the run was left by another version of flexnet: its record of {name!r} has {len(kept)}"
                    f" numbers where {len(array)} are kept now; begin it anew"
                )
            if len(kept):  # a file of an earlier version may lack some
                array[:] = kept
        self.rows = rows
        self.status = self.report(Outcome.DONE)

    def happened(self) -> tuple[Occurrence, ...]:
        """Events since this was last asked."""
        out = tuple(self.occurred)
        self.occurred.clear()
        return out

    def take_over(self, before: "AbstractMarch") -> None:
        """Go on from another run of the same method and schedule, of other equations."""
        self.schedule, self.rows = before.schedule, before.rows
        self.occurred += before.occurred
        self.watch.take_over(self.dae, before.watch, before.event)
        self.go_on_from(before)

    def happen(self) -> Outcome:
        """Let the event act that fired, and say whether the run goes on (DONE)."""
        watch, (q, v) = self.watch, self.place
        i, t = watch.take_fired(), self.t
        before = watch.zeros[:, VALUE].copy()
        reaction = watch.events.act(i, t, q, v)
        self.changes, self.event = reaction.changes, watch.events.names[i]
        self.said = watch.log.add(i, t, reaction)
        self.works[2] += reaction.energy  # what a blow takes is damping
        if reaction.v is None:
            watch.pass_zero(i)
        else:
            here = consistent(replace(self.dae, t=t, q=q.copy(), v=reaction.v.copy()))
            watch.find_sides(here, self.set_out(here), i)
        watch.look(t, *self.place)
        watch.leave(before)
        if self.said:
            return Outcome.ACCUMULATION
        return Outcome.EVENT if reaction.ends or reaction.changes else Outcome.DONE

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered now leads on as if the run had never been stopped."""
        return self.rows % self.settings.period == 0 and self.rows <= self.schedule.whole

    def blocks(self) -> Iterator[Output]:
        """Advance to the end; yields blocks of output rows and stops early if a step fails."""
        total = self.total_rows
        while self.rows < total and self._outcome is Outcome.DONE:
            yield self.advance(self.schedule.block(self.rows, self.settings.period))

    def advance(self, rows: int) -> Output:
        """Compute the next so many output rows; fewer come back if a step fails."""
        dae = self.dae
        out = make_output(rows, dae.n_q, dae.n_v, dae.m)
        out.t[:] = self.schedule.times(self.rows, rows)
        self._status = self.status  # that of the rows before stands if these end in an exception
        written, self._outcome = self._fill_landing(out)
        self.rows += written
        self._status = None
        return part(out, 0, written)

    def _fill_landing(self, out: Output) -> tuple[int, Outcome]:
        """Fill rows by pieces that end at landings; where no row lies there, at one that is not kept."""
        written, near = 0, 1e-9 * self.settings.step
        for landing, after in self.settings.landings:
            is_jump = landing < after
            last = out.t[-1] + near if is_jump else out.t[-1] - near
            if not (self.t < after if is_jump else self.t + near < landing) or landing > last:
                continue
            filled, outcome = self._land(
                part(out, written), landing, landing if is_jump else landing + near, near
            )
            written += filled
            if outcome is not Outcome.DONE:
                return written, outcome
            if is_jump:
                q, v = self.place
                self.set_out(replace(self.dae, t=after, q=q.copy(), v=v.copy()))
        filled, outcome = self.fill(part(out, written))
        return written + filled, outcome

    def _land(self, out: Output, landing: float, before: float, near: float) -> tuple[int, Outcome]:
        """Fill the rows not after ``before`` and come to an instant; a row as near as that will do."""
        if landing - self.t <= near:
            return 0, Outcome.DONE
        rows = int(np.searchsorted(out.t, before, side="right"))
        if rows and abs(out.t[rows - 1] - landing) <= near:
            return self.fill(part(out, 0, rows))
        piece = self._piece(out.t[:rows], landing)
        filled, outcome = self.fill(piece)
        filled = min(filled, rows) if outcome is Outcome.DONE else filled
        for kept, array in zip(out, piece, strict=True):
            kept[:filled] = array[:filled]
        return filled, outcome

    def _piece(self, times: Array, landing: float) -> Output:
        """Rows at some times and one at a landing."""
        piece = make_output(len(times) + 1, self.dae.n_q, self.dae.n_v, self.dae.m)
        piece.t[:-1], piece.t[-1] = times, landing
        return piece
