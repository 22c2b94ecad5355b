"""A run by a method in Python: its state in plain arrays, v̇ and λ of a row from M v̇ + Gᵀλ = F, Φ̈ = 0."""

from abc import abstractmethod

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators.evaluation import Evaluation
from flexnet.integrators.march import AbstractMarch
from flexnet.integrators.rows import WORKS, Output, make_output
from flexnet.integrators.settings import Settings
from flexnet.integrators.status import Outcome, Status
from flexnet.typing import Array


class AbstractPlainMarch(AbstractMarch):
    """A run whose state is q, v, the work done, and the size of the next step.

    Attributes
    ----------
    q, v : the present state.
    work : (WORKS,) works so far, J.
    pace : (2,) size of the next step and time reached, s.
    steps : steps taken since the run began, or went on.
    extra : what the method needs besides to go on, by name.
    """

    def __init__(self, dae: Dae, settings: Settings, spacing: float | None = None) -> None:
        AbstractMarch.__init__(self, dae, settings, spacing)
        self.evaluation = Evaluation(dae)
        self.q, self.v, self.work = dae.q.copy(), dae.v.copy(), np.zeros(WORKS)
        self.pace = np.array([settings.step, dae.t])
        self.steps = 0
        self.extra: dict[str, Array] = {}

    @property
    def t(self) -> float:
        """Time reached, s."""
        return float(self.pace[1])

    @property
    def place(self) -> tuple[Array, Array]:
        """The present q and v themselves."""
        return self.q, self.v

    @property
    def record(self) -> dict[str, Array]:
        """Work done so far, the size of the next step and the time, and what the method needs besides."""
        return {"work": self.work, "h": self.pace, **self.extra, **self.watch.record}

    @property
    @abstractmethod
    def told(self) -> str:
        """What the method has to say about itself."""

    @property
    def works(self) -> Array:
        """Works so far."""
        return self.work

    def set_out(self, here: Dae) -> Array:
        """Begin anew at another velocity."""
        self.v[:] = here.v
        return self.evaluation.motion(here.t, here.q, here.v)[0]

    def go_on_from(self, before: "AbstractPlainMarch") -> None:
        """Take over works, counts and the size of the next step."""
        self.work[:], self.steps, self.pace[:] = before.work, before.steps, before.pace

    def end_row(self, out: Output, row: int) -> int:
        """Write a row where an event ends the run; returns the rows there are."""
        if self.changes:
            return row
        self.write(out, row, self.t, self.q, self.v, self.work)
        return row + 1

    def start(self) -> Output:
        """The start as one output row."""
        out = make_output(1, self.dae.n_q, self.dae.n_v, self.dae.m)
        self.write(out, 0, self.dae.t, self.dae.q, self.dae.v, np.zeros(WORKS))
        return out

    def write(self, out: Output, row: int, t: float, q: Array, v: Array, work: Array) -> None:
        """Write a state as a row."""
        a, lam = self.evaluation.motion(t, q, v)
        out.t[row], out.q[row], out.v[row], out.a[row], out.lam[row] = t, q, v, a, lam
        out.work[row] = work

    def report(self, outcome: Outcome) -> Status:
        """How the run stands; where it failed, the equation of motion that is least in balance."""
        if outcome in (Outcome.DONE, Outcome.EVENT, Outcome.ACCUMULATION):
            event = "" if outcome is Outcome.DONE else self.event
            return Status(outcome, self.t, event, steps=self.steps, told=self.said or self.told)
        r, _, _, _ = self.evaluation.at(self.t, self.q, self.v)
        worst = int(np.argmax(np.where(np.isfinite(r), np.abs(r * self.dae.sizes), np.inf))) if len(r) else 0
        name = self.dae.equations[worst] if self.dae.equations else ""
        return Status(outcome, self.t, name, float(np.abs(r[worst])) if len(r) else 0.0, self.steps)
