"""Methods written as one step in Python: the loop, rows, resume record and statuses come with it.

A step is a function of the equations as arrays, of t, q, v and the length h; it gives q and v at t + h:

    def step(evaluation, t, q, v, h):
        a, _ = evaluation.motion(t, q, v)                     # v̇ and λ
        return evaluation.compose(q, h * v), v + h * a        # q ⊕ h v: q may hold quaternions

Constraints are put right after every step, Φ = 0 and then Φ̇ = 0, unless ``closes`` says that it does so.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.evaluation import Evaluation
from flexnet.integrators.loop import ROW
from flexnet.integrators.method import Conduct, Method, Traits
from flexnet.integrators.plain_events import accept, first_event, wait
from flexnet.integrators.plain_march import AbstractPlainMarch
from flexnet.integrators.rows import Output
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import powers
from flexnet.integrators.status import Outcome
from flexnet.typing import Array

Step: TypeAlias = Callable[[Evaluation, float, Array, Array, float], tuple[Array, Array]]


@dataclass(frozen=True, slots=True)
class OneStep(Method):
    """A method given by its step, with a fixed step size.

    Attributes
    ----------
    name : what the user calls it: that of the function that makes it.
    step : ``(evaluation, t, q, v, h)`` gives q and v at t + h.
    order : of the errors of q, v and λ; one number for all three.
    parameters : what the user chose, by name; written in result files.
    index : level of the constraints in the step, see :class:`~flexnet.integrators.method.Traits`.
    energy : what the method does to the energy of a conservative mechanism.
    closes : whether the step itself ends on Φ = 0 and Φ̇ = 0.
    """

    name: str
    step: Step
    order: int
    parameters: dict[str, float] = field(default_factory=dict)
    index: Literal[0, 1, 2, 3] = 1
    energy: Conduct = "errs"
    closes: bool = False

    def __post_init__(self) -> None:
        if self.order < 1:
            raise FlexnetError(f"{self.name}: the order of a method is at least 1, got {self.order}")

    @property
    def traits(self) -> Traits:
        """The same order throughout; the step is never chosen."""
        order = (self.order, self.order, self.order)
        return Traits(order, self.index, is_adaptive=False, energy=self.energy, has_events=True)

    def begin(self, dae: Dae, settings: Settings) -> "OneStepMarch":
        """A run of a DAE at its start."""
        return OneStepMarch(dae, self, settings)


class OneStepMarch(AbstractPlainMarch):
    """A run by a method given by its step; work is found by the trapezoidal rule."""

    def __init__(self, dae: Dae, method: OneStep, settings: Settings) -> None:
        AbstractPlainMarch.__init__(self, dae, settings)
        self.method = method

    @property
    def told(self) -> str:
        """Nothing to say."""
        return ""

    def fill(self, out: Output) -> tuple[int, Outcome]:
        """Compute the rows at the times in ``out.t``, whole numbers of steps apart."""
        s, is_last = self.settings, self.rows >= self.schedule.whole
        h, every = self.schedule.rest(s.step) if is_last else (s.step, s.every)
        start, number = (self.t, 0) if is_last else (self.schedule.start, self.rows * every)
        for row in range(len(out.t)):
            for k in range(every):
                number += 1
                # not a sum, so that a run can be cut anywhere
                t1 = float(out.t[row]) if k == every - 1 else start + number * h
                outcome = self._cover(t1)
                if outcome is not Outcome.DONE:
                    ended = outcome in (Outcome.EVENT, Outcome.ACCUMULATION)
                    return self.end_row(out, row) if ended else row, outcome
            self.write(out, row, self.t, self.q, self.v, self.work)
            out.solver[row] = h, every
        return len(out.t), Outcome.DONE

    def _cover(self, t1: float) -> Outcome:
        """Advance to t1, by one step or from event to event."""
        while self.t < t1:
            h, t = t1 - self.t, self.t
            at = first_event(self.watch, t, h, lambda x: self._reach(self.t + x * (t1 - self.t)))
            if at > 0.0 and not self._step(t1 if at > 1.0 else t + at * h):
                return Outcome.NOT_A_NUMBER
            accept(self.watch, self.t, self.q, self.v)
            if at <= 1.0:
                if t1 - self.t <= ROW * h and at > 0.0:  # a row here shows what was before the event
                    wait(self.watch)
                    break
                outcome = self.happen()
                if outcome is not Outcome.DONE:
                    return outcome
        return Outcome.DONE

    def _reach(self, t1: float) -> tuple[Array, Array]:
        """The state at t1 by one step, on its constraints."""
        dae, e = self.dae, self.evaluation
        h, step = t1 - self.t, self.settings.step
        h = step if abs(h - step) <= 1e-9 * step else h  # times are not sums
        try:
            q, v = (np.asarray(x, dtype=float) for x in self.method.step(e, self.t, self.q, self.v, h))
        except Exception as error:
            where = f"the step of {self.method.name} at t = {self.t:g} s"
            raise FlexnetError(f"{where} fails: {type(error).__name__}: {error}") from error
        if q.shape != (dae.n_q,) or v.shape != (dae.n_v,):
            raise FlexnetError(
                f"the step of {self.method.name} gives shapes {q.shape} and {v.shape};"
                f" expected {(dae.n_q,)} and {(dae.n_v,)} for q and v"
            )
        if not self.method.closes:
            q = e.close(t1, q, v)
            v = e.project(t1, q, v)
        return q, v

    def _step(self, t1: float) -> bool:
        """Advance by one step; False, and nothing changed, where it does not end in numbers."""
        dae, h, before = self.dae, t1 - self.t, self._powers(self.t, self.q, self.v)
        q, v = self._reach(t1)
        after = self._powers(t1, q, v)
        if not (np.isfinite(q).all() and np.isfinite(v).all() and np.isfinite(after).all()):
            return False
        self.q[:], self.v[:], self.pace[1] = q, v, t1
        self.work += 0.5 * h * (before + after)
        if dae.counting is not None:
            dae.counting.update(dae.counting.model, t1, self.q)
        self.steps += 1
        return True

    def _powers(self, t: float, q: Array, v: Array) -> Array:
        return powers(self.dae, t, q, v, *self.evaluation.motion(t, q, v))
