"""A run by a compiled loop: what the loop receives, where a fixed step fails, and how the run stands."""

import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators import rows as place
from flexnet.integrators.functions import NO_COUNTING, no_energy
from flexnet.integrators.march import AbstractMarch
from flexnet.integrators.rows import DONE, EVENT, PAUSE, Output, make_output, part
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import initial_acceleration
from flexnet.integrators.state_account import errors_of
from flexnet.integrators.status import Outcome, Status
from flexnet.kernels.compile import specialise
from flexnet.typing import Array, IntArray

log = logging.getLogger("flexnet")

#: steps that are left of a run of which it is said that it crawls
LONG_RUN = 1e7


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
        (dae.energy or no_energy, (dae.model, t, x, x, dae.work, x, x, x)),
        (counting.update, (counting.model, t, x)),
    )


class AbstractCompiledMarch(AbstractMarch):
    """A run by a compiled loop, whose state is a named tuple with ``q``, ``v``, ``clock`` and ``counts``.

    The first places of clock and counts are those of :mod:`~flexnet.integrators.rows`.

    Attributes
    ----------
    state : what one step hands to the next.
    load_constant : estimated error of v̇ and λ over the change of their slope; nan where none is known.
    account_power : power of the errors of states in their account, see state_account.
    """

    state: Any
    load_constant: float = nan
    account_power: float = 0.0

    def __init__(self, dae: Dae, settings: Settings, spacing: float | None = None) -> None:
        AbstractMarch.__init__(self, dae, settings, spacing)
        self._found: dict[Callable[..., int], Callable[..., int]] = {}
        self._seen, self._has_told = (self.schedule.start, 0), False

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

    def open_balance(self) -> None:
        """Energies at the start."""
        dae, clock = self.dae, self.clock
        clock[place.LOOK] = inf
        if dae.energy is not None:
            clock[place.LOOK], energy = dae.t, np.zeros(3)
            dae.energy(dae.model, dae.t, dae.q, dae.v, dae.work, np.zeros(dae.m), np.zeros(dae.m), energy)
            clock[place.CLOSED], clock[place.PEAK] = energy.sum(), max(energy[0], energy[2])

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

    @cached_property
    def clock(self) -> Array:
        """The clock of the state as numbers in a row, whether it is a record or not: the same memory."""
        plain: Array = np.asarray(self.state.clock).view(np.float64)
        return plain

    @cached_property
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
            elif code % 16 == PAUSE:
                self._look_up()
            elif loop is usual and rescue is not None:
                loop = rescue
            else:
                break
        if is_last and written:
            # a sum of steps has round-off
            self.clock[place.T] = out.t[-1] = self.schedule.end
        return written, Outcome(code % 16)

    def _look_up(self) -> None:
        """Say once that a run crawls: more than LONG_RUN steps are left at the pace of its last ones."""
        (t, steps), now = self._seen, int(self.counts[place.STEPS])
        h = max((self.t - t) / max(now - steps, 1), 1e-300)
        left, self._seen = (self.schedule.end - self.t) / h, (self.t, now)
        if left > LONG_RUN and not self._has_told:
            self._has_told = True
            log.warning(
                f"{now} steps have led to t = {self.t:.3g} s, {left:.1e} more of {h:.1e} s, as the last ones,"
                " to the end; a looser tolerance, or a method for what is stiff (radau), takes fewer"
            )

    @property
    def works(self) -> Array:
        """Works so far."""
        return self.clock[place.WORK : place.WORK + place.WORKS]

    def go_on_from(self, before: "AbstractCompiledMarch") -> None:
        """Take over works, sums of errors, the balance of the energies and counts."""
        kept = slice(place.WORK, place.PEAK + 1)
        self.clock[kept] = before.clock[kept]
        self.counts[: place.WORST] = before.counts[: place.WORST]
        if len(self.state.account) == len(before.state.account):
            self.state.account[:] = before.state.account

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

    @property
    def murmur(self) -> float:
        """Part of v̇ and λ that may be round-off, where it is looked at."""
        return nan

    @property
    def told(self) -> str:
        """What the method has to say about itself."""
        return ""

    def report(self, outcome: Outcome) -> Status:
        """How the run stands, from clock and counts."""
        clock, counts = self.clock.tolist(), self.counts.tolist()
        steps, iterations, factorisations, rejected, worst = counts[: place.WORST + 1]
        is_failed, names = outcome not in (Outcome.DONE, Outcome.EVENT), self.dae.equations
        equation = names[worst] if is_failed and names else ""
        knows_energies = clock[place.LOOK] < inf
        # of v̇ and λ, and of ż, where they are looked at
        pairs = (clock[place.BENT : place.BENT_Z], clock[place.BENT_Z : place.MURMUR])
        roughness = max((0.25 * bent / reached for bent, reached in pairs if reached > 0.0), default=nan)
        state_error, rate_error = errors_of(self.state.account, self.dae, self.account_power)
        is_moving = self.dae.n_v > self.dae.n_z or not len(self.state.account)
        return Status(
            outcome,
            clock[place.T],
            self.event if outcome in (Outcome.EVENT, Outcome.ACCUMULATION) else equation,
            clock[place.RESIDUAL] if is_failed else 0.0,
            steps,
            iterations,
            factorisations,
            rejected,
            clock[place.ERROR] if is_moving else nan,
            state_error=state_error,
            rate_error=rate_error,
            told=self.said or self.told,
            roughness=roughness,
            load_error=4.0 * self.load_constant * roughness,
            murmur=self.murmur,
            energy_error=clock[place.LEFT] if knows_energies else nan,
            energy=clock[place.PEAK] if knows_energies else nan,
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
        return int(self._code(loop, arguments)(*arguments))

    def prepare(self) -> None:
        """Find the machine code of the usual loop, before there are rows to fill."""
        dae, pace = self.dae, self._usual_pace()
        nothing = make_output(0, dae.n_q, dae.n_v, dae.m)
        self._code(self.loops[0], (*self.arguments(pace), nothing, 0, pace.every))

    def _code(self, loop: Callable[..., int], arguments: tuple[Any, ...]) -> Callable[..., int]:
        """A loop compiled with the functions it receives first: kinds of arguments do not change in a run."""
        if loop not in self._found:
            functions = self.functions
            compiled = specialise(loop, functions, arguments)
            self._found[loop] = partial(compiled, *(function for function, _ in functions))
        return self._found[loop]
