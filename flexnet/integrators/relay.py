"""One run by several schemes: each takes over where the one before it stopped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.events import Occurrence
from flexnet.integrators.method import Method, Traits, begin
from flexnet.integrators.rows import WORKS, Output
from flexnet.integrators.settings import Settings
from flexnet.integrators.status import Outcome, Status
from flexnet.typing import Array

#: what a run says of its errors: two sums, and largest values
_ERRORS = ("error", "state_error", "roughness", "load_error", "rate_error", "murmur")


@dataclass(frozen=True, slots=True)
class Relay(Method):
    """Schemes in turn.

    Attributes
    ----------
    legs : time each takes over (s) and the scheme, in the order of time.
    """

    legs: tuple[tuple[float, Method], ...]

    @property
    def name(self) -> str:  # type: ignore[override]  # made of the names of its legs
        """Names and times of all schemes."""
        return ", ".join(f"{method.name} from {time:g} s" for time, method in self.legs)

    @property
    def parameters(self) -> dict[str, float]:
        """What the user chose, by number and name."""
        return {f"{k}.{key}": x for k, (_, m) in enumerate(self.legs) for key, x in m.parameters.items()}

    @property
    def traits(self) -> Traits:
        """What all of the schemes declare: the least of each."""
        all_of = [method.traits for _, method in self.legs]
        q, v, lam = (min(t.order[k] for t in all_of) for k in range(3))
        return Traits(
            (q, v, lam),
            max(t.index for t in all_of),
            all(t.is_adaptive for t in all_of),
            all(t.is_fixed for t in all_of),
            all_of[0].energy if len({t.energy for t in all_of}) == 1 else "errs",
            any(t.needs_energy for t in all_of),
            has_events=all(t.has_events for t in all_of),
            no_algebraic=next((t.no_algebraic for t in all_of if t.no_algebraic), ""),
            senses=all(t.senses for t in all_of),
        )

    def begin(self, dae: Dae, settings: Settings) -> "RelayMarch":
        """A run of a DAE at its start."""
        return RelayMarch(dae, self, settings)


def relay(legs: Sequence[tuple[float, Method]]) -> Relay:
    """Schemes in turn: a list of ``(time, scheme)``, each from its time on."""
    try:
        ordered = tuple(sorted(((float(time), method) for time, method in legs), key=lambda leg: leg[0]))
    except (TypeError, ValueError):
        raise FlexnetError("schemes in turn are a list of (time, scheme), such as (0.0, hht())") from None
    if not ordered:
        raise FlexnetError("schemes in turn need at least one (time, scheme)")
    return Relay(ordered)


class RelayMarch:
    """A run by schemes in turn; see :class:`~flexnet.integrators.march.March`.

    A change comes at the first output row at or after its time. What is known of events goes on from scheme
    to scheme.
    """

    _before: Status
    _leg_errors: Array
    _leg_t: float
    _leg_row: int
    _leg_q: Array
    _leg_v: Array

    def __init__(self, dae: Dae, method: Relay, settings: Settings) -> None:
        self.dae, self.method, self.settings = dae, method, settings
        self.schedule = settings.schedule(dae.t)
        if method.legs[0][0] > dae.t:
            first, t = method.legs[0][0], dae.t
            raise FlexnetError(f"no scheme is given for the start at {t:g} s; the first is for {first:g} s")
        self.rows = 0
        self.t = dae.t
        self._march: Any = None
        self._earlier: list[Occurrence] = []
        self._q, self._v = dae.q.copy(), dae.v.copy()
        self._work, self._leg_work = np.zeros(WORKS), np.zeros(WORKS)
        self.status = Status(Outcome.DONE, dae.t, error=0.0, state_error=0.0)
        legs = (begin(dae, leg, settings) for _, leg in method.legs)
        self._width = max(sum(len(x) for x in leg.memory.values()) for leg in legs)
        self._march = self._leg()

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        return self.schedule.total

    def happened(self) -> tuple[Occurrence, ...]:
        """Events since this was last asked."""
        out = (*self._earlier, *self._march.happened())
        self._earlier.clear()
        return out

    @property
    def event(self) -> str:
        """The last event."""
        return str(self._march.event)

    @property
    def changes(self) -> bool:
        """Whether other equations follow it."""
        return bool(self._march.changes)

    @property
    def place(self) -> tuple[Array, Array]:
        """The present q and v themselves."""
        place: tuple[Array, Array] = self._march.place
        return place

    def take_over(self, before: "RelayMarch") -> None:
        """Go on from another run by the same schemes, of other equations: the scheme at work stays."""
        self.schedule, self.rows, self._earlier = before.schedule, before.rows, before._earlier
        self._work, self._leg_work, self._before = before._work, before._leg_work, before._before
        self._leg_t, self._leg_row, self._leg_errors = before._leg_t, before._leg_row, before._leg_errors
        self._leg_q, self._leg_v, self._width = before._leg_q, before._leg_v, before._width
        march: Any = begin(self.dae, before._march.method, before._march.settings)
        march.take_over(before._march)
        self._march, self.status = march, replace(before.status, outcome=Outcome.DONE)

    @property
    def memory(self) -> dict[str, Array]:
        """Where the scheme at work began and the work done until then, all work, and its own memory."""
        march = np.zeros(self._width)
        own = np.concatenate(list(self._march.memory.values()))
        march[: len(own)] = own
        began = np.array([self._leg_t, float(self._leg_row), *self._leg_work, *self._leg_errors])
        return {"leg": began, "leg_q": self._leg_q, "leg_v": self._leg_v, "work": self._work, "march": march}

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered now leads on as if the run had never been stopped."""
        is_change = self._march.rows == self._march.total_rows and self.rows < self.total_rows
        return is_change or self._march.is_resumable

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows: first the scheme, then its state."""
        self.t, self.rows = float(memory["leg"][0]), int(memory["leg"][1])
        work, errors = np.split(memory["leg"][2:], [WORKS])
        self._work[:] = work
        self._q[:], self._v[:] = memory["leg_q"], memory["leg_v"]
        self._march = self._leg()
        if len(errors) == len(_ERRORS):  # a file of an earlier version has others
            self._leg_errors[:] = errors
        own = self._march.memory
        places = np.cumsum([len(x) for x in own.values()])
        parts = np.split(memory["march"][: places[-1]], places[:-1])
        self._march.restore(q, v, dict(zip(own, parts, strict=True)), rows - self.rows)
        self._q[:], self._v[:], self._work[:] = q, v, memory["work"]
        self.t, self.rows, self.status = self._march.t, rows, self._added()

    def start(self) -> Output:
        """The start as one output row."""
        out: Output = self._march.start()
        return out

    def blocks(self) -> Iterator[Output]:
        """Advance to the end; stops early if a step fails."""
        while self.rows < self.total_rows and self.status.outcome is Outcome.DONE and self._march.total_rows:
            for block in self._march.blocks():
                yield self._take(block)
            if self.rows < self.total_rows and self.status.outcome is Outcome.DONE:
                self._march = self._leg()

    def _take(self, block: Output) -> Output:
        """Count the rows of a leg; its work comes on top of that of the legs before."""
        self.status = self._added()
        if len(block.t):
            block.work[:] += self._leg_work
            self.rows += len(block.t)
            self.t = float(block.t[-1])
            self._q[:], self._v[:], self._work[:] = block.q[-1], block.v[-1], block.work[-1]
        return block

    def _added(self) -> Status:
        """How the run stands: counts and errors of this leg and those before."""
        told: Status = self._march.status
        counts = ("steps", "iterations", "factorisations", "rejected")
        added: dict[str, Any] = {k: getattr(told, k) + getattr(self._before, k) for k in counts}
        own = _errors(told)
        sums, largest = own + self._leg_errors, np.fmax(own, self._leg_errors)
        added |= dict(zip(_ERRORS, [*sums[:2].tolist(), *largest[2:].tolist()], strict=True))
        # the balance of a leg is not that of the run
        return replace(told, **added, energy_error=np.nan, energy=np.nan)

    def _leg(self) -> Any:
        """The scheme at work from the present row to the next change."""
        spacing, first = self.schedule.spacing, self.schedule.start
        rows = [max(round(np.ceil((t - first) / spacing - 1e-9)), 0) for t, _ in self.method.legs]
        now = max(k for k, row in enumerate(rows) if row <= self.rows)
        stop = min([row for row in rows if row > self.rows] + [self.total_rows])
        is_last = stop == self.total_rows
        end = self.settings.end if is_last else first + spacing * stop
        settings = replace(self.settings, end=end, interval=spacing)
        self._before, self._leg_work = self.status, self._work.copy()
        self._leg_errors = _errors(self.status)
        self._leg_t, self._leg_row = self.t, self.rows
        self._leg_q, self._leg_v = self._q.copy(), self._v.copy()
        dae, before = replace(self.dae, q=self._q.copy(), v=self._v.copy(), t=self.t), self._march
        if before is None:
            return begin(dae, self.method.legs[now][1], settings)
        events = dae.events and replace(dae.events, is_start=False)
        march: Any = begin(replace(dae, events=events), self.method.legs[now][1], settings)
        if events:
            self._earlier += before.happened()
            for name, array in march.watch.record.items():
                array[:] = before.watch.record[name]
        return march


def _errors(status: Status) -> Array:
    """What a run says of its errors, in their order."""
    return np.array([getattr(status, name) for name in _ERRORS])
