"""A run that is advanced block by block: rows, resume record and status, the same for every method."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import ResultError
from flexnet.integrators import rows as place
from flexnet.integrators.absent import NO_COUNTING
from flexnet.integrators.algebraic import consistent
from flexnet.integrators.events import Occurrence, Watch
from flexnet.integrators.rows import DONE, EVENT, Output, make_output, part
from flexnet.integrators.schedule import Schedule
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import initial_acceleration
from flexnet.integrators.status import Outcome, Status
from flexnet.kernels.compile import specialise
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
    status : how the run stands.
    watch : functions of events along the run.
    event, said, changes : the last event, what there is to say of it, and whether other equations follow.
    """

    event: str = ""
    said: str = ""
    changes: bool = False

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
        self.watch.take_over(before.watch, before.event)
        self.go_on_from(before)

    def happen(self) -> Outcome:
        """Let the event act that fired, and say whether the run goes on (DONE)."""
        watch, (q, v) = self.watch, self.place
        i, t = watch.take_fired(), self.t
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
        if self.said:
            return Outcome.ACCUMULATION
        return Outcome.EVENT if reaction.ends or reaction.changes else Outcome.DONE

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered now leads on as if the run had never been stopped."""
        return self.rows % self.settings.period == 0 and self.rows <= self.schedule.whole

    def blocks(self) -> Iterator[Output]:
        """Advance to the end; yields blocks of output rows and stops early if a step fails."""
        while self.rows < self.total_rows and self.status.outcome is Outcome.DONE:
            yield self.advance(self.schedule.block(self.rows, self.settings.period))

    def advance(self, rows: int) -> Output:
        """Compute the next so many output rows; fewer come back if a step fails."""
        dae = self.dae
        out = make_output(rows, dae.n_q, dae.n_v, dae.m)
        out.t[:] = self.schedule.times(self.rows, rows)
        written, outcome = self.fill(out)
        self.rows += written
        self.status = self.report(outcome)
        return part(out, 0, written)


class Pace(NamedTuple):
    """Fixed steps: from ``start``, ``every`` of them to a row, the first the one after number ``origin``."""

    start: float
    step: float
    every: int
    origin: int


#: functions a compiled loop receives, each with an example of the arguments it is called with
Functions = Sequence[tuple[Callable[..., None] | None, tuple[Any, ...]]]


def functions_of(dae: Dae, matrices: Callable[..., None] | None = None) -> Functions:
    """What every loop receives of a DAE first; ``matrices`` may stand for its own."""
    t, x, A, counting = 0.0, np.zeros(0), np.zeros((0, 0)), dae.counting or NO_COUNTING
    return (
        (dae.residual, (dae.model, t, x, x, x, x, dae.work, x, x)),
        (matrices or dae.matrices, (dae.model, dae.work, 0.0, 0.0, A, A)),
        (dae.compose, (dae.model, x, x, x)),
        (dae.rates, (dae.model, x, x, dae.work, x, x)),
        (dae.power, (dae.model, x, x, x, dae.work, x)),
        (counting.update, (counting.model, t, x)),
    )


class AbstractCompiledMarch(AbstractMarch):
    """A run by a compiled loop, whose state is a named tuple with ``q``, ``v``, ``clock`` and ``counts``.

    The first places of clock and counts are those of :mod:`~flexnet.integrators.rows`.
    """

    state: Any

    @property
    @abstractmethod
    def loops(self) -> tuple[Callable[..., int], Callable[..., int] | None]:
        """The loop that fills rows, and the one that takes a single step where a fixed one fails, if any."""

    @property
    @abstractmethod
    def functions(self) -> Functions:
        """Functions that the loops receive first, with examples of their arguments."""

    @abstractmethod
    def arguments(self, pace: Pace) -> tuple[Any, ...]:
        """What the loops receive then: models, handle and constants."""

    @abstractmethod
    def step_number(self, pace: Pace) -> int:
        """Fixed steps behind the present state, counted from the start of their pace."""

    @property
    @abstractmethod
    def error(self) -> float:
        """Sum of the local errors of the positions over their sizes; nan where the method gives none."""

    @property
    @abstractmethod
    def roughness(self) -> float:
        """How v̇ and λ change from step to step, see Status; nan where the method gives none."""

    @abstractmethod
    def change_pace(self, step: float) -> None:
        """Make the state ready for fixed steps of another length."""

    @property
    def t(self) -> float:
        """Time reached, s."""
        return float(self.clock[place.T])

    @property
    def place(self) -> tuple[Array, Array]:
        """The present q and v themselves."""
        return self.state.q, self.state.v

    @property
    def record(self) -> dict[str, Array | IntArray]:
        """All of the state but q and v."""
        names = [name for name in self.state._fields if name not in ("q", "v", "clock", "counts")]
        return {name: getattr(self.state, name) for name in names} | {
            "clock": self.clock,
            "counts": self.counts,
            **self.watch.record,
        }

    @property
    def clock(self) -> Array:
        """The clock of the state as numbers in a row, whether it is a record or not."""
        plain: Array = np.asarray(self.state.clock).view(np.float64)
        return plain

    @property
    def counts(self) -> IntArray:
        """The counts of the state likewise."""
        plain: IntArray = np.asarray(self.state.counts).view(np.int64)
        return plain

    def fill(self, out: Output) -> tuple[int, Outcome]:
        """Let the compiled loop fill the rows; where a fixed step fails, another loop takes that one."""
        is_last = self.settings.tolerance is None and self.rows >= self.schedule.whole
        pace = self._last_pace() if is_last else self._usual_pace()
        usual, rescue = self.loops
        loop, written, code = usual, 0, DONE
        while written < len(out.t):
            code = self._run(loop, part(out, written), pace)
            written += code // 16
            if code % 16 == DONE:
                loop = usual
            elif code % 16 == EVENT:
                outcome = self.happen()
                if outcome is not Outcome.DONE:
                    return written if self.changes else self._end_row(out, written), outcome
            elif loop is usual and rescue is not None:
                loop = rescue
            else:
                break
        if is_last and written:
            # a sum of steps has round-off
            self.clock[place.T] = out.t[-1] = self.schedule.end
        return written, Outcome(code % 16)

    @property
    def works(self) -> Array:
        """Works so far."""
        return self.clock[place.WORK : place.WORK + place.WORKS]

    def go_on_from(self, before: "AbstractCompiledMarch") -> None:
        """Take over works and counts."""
        self.works[:] = before.works
        self.counts[: place.WORST] = before.counts[: place.WORST]

    @property
    def seeks(self) -> Functions:
        """The function of events with an example of its arguments."""
        g, (q, v) = self.watch.events, self.place
        return ((g.evaluate, (g.model, 0.0, q, v, self.watch.values[0])),)

    @property
    def sought(self) -> tuple[Any, Array, Array]:
        """What it receives first, what is known of every function, and scratch."""
        return self.watch.events.model, self.watch.zeros, self.watch.values

    def _end_row(self, out: Output, row: int) -> int:
        """Write a row where an event ends the run; returns the rows there are."""
        q, v = self.place
        out.t[row], out.q[row], out.v[row] = self.t, q, v
        out.a[row], out.lam[row] = initial_acceleration(self.dae, self.t, q, v)
        out.work[row] = self.works
        out.solver[row, 0] = self.clock[place.H_OLD]
        return row + 1

    def report(self, outcome: Outcome) -> Status:
        """How the run stands, from clock and counts."""
        clock, counts = self.clock, self.counts
        is_failed, names = outcome not in (Outcome.DONE, Outcome.EVENT), self.dae.equations
        worst = names[int(counts[place.WORST])] if is_failed and names else ""
        return Status(
            outcome,
            self.t,
            self.event if outcome in (Outcome.EVENT, Outcome.ACCUMULATION) else worst,
            float(clock[place.RESIDUAL]) if is_failed else 0.0,
            int(counts[place.STEPS]),
            int(counts[place.ITERATIONS]),
            int(counts[place.FACTORISATIONS]),
            int(counts[place.REJECTED]),
            self.error,
            told=self.said,
            roughness=self.roughness,
        )

    def _usual_pace(self) -> Pace:
        s = self.settings
        return Pace(self.schedule.start, s.step, s.every, 0)

    def _last_pace(self) -> Pace:
        """Equal steps from the last whole row to the end."""
        step, every = self.schedule.rest(self.settings.step)
        self.change_pace(step)
        return Pace(self.t, step, every, int(self.counts[place.STEPS]))

    def _run(self, loop: Callable[..., int], out: Output, pace: Pace) -> int:
        """Let a compiled loop fill rows; returns their number times 16, and how it ended."""
        arguments = (*self.arguments(pace), out, self.step_number(pace), pace.every)
        compiled = specialise(loop, self.functions, arguments)
        return int(compiled(*(function for function, _ in self.functions), *arguments))
