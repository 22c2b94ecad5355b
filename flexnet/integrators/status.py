"""How a run ended, and what to try when it did not reach its end."""

from dataclasses import dataclass
from enum import IntEnum
from math import nan


class Outcome(IntEnum):
    """Why the time loop returned."""

    DONE = 0
    NO_CONVERGENCE = 1
    NOT_A_NUMBER = 2
    SINGULAR = 3
    STEP_TOO_SMALL = 4
    INTERRUPTED = 5
    EVENT = 6
    ACCUMULATION = 7


_ADVICE = {
    Outcome.DONE: "",
    Outcome.NO_CONVERGENCE: "the corrector did not converge; try a smaller step, or an adaptive one",
    Outcome.NOT_A_NUMBER: "a force or a position is not a number; look at the user's laws and the model",
    Outcome.SINGULAR: (
        "the equations are singular: a locking or branching position, or a freedom without mass;"
        " try another step, another tree, or move the start"
    ),
    Outcome.STEP_TOO_SMALL: (
        "the step fell below its smallest value; loosen the tolerance, take dop853, or look for a jump"
    ),
    Outcome.INTERRUPTED: "the run was interrupted; resume it",
    Outcome.EVENT: "",
    Outcome.ACCUMULATION: "end the run there, or let the event lock what comes to rest",
}


@dataclass(frozen=True, slots=True)
class Status:
    """Outcome of a run.

    Attributes
    ----------
    outcome : why it ended.
    t : time reached, s.
    equation : name of the worst equation, or of the event that ended the run; empty if all went well.
    residual : its scaled residual.
    steps, iterations, factorisations, rejected : counts.
    error : sum of the local errors of the positions over their sizes; nan where the method gives none. With
        ``tolerance`` and an explicit method or Radau, of states too.
    state_error : sum of the local errors of first-order states, each over its largest value; the worst.
    rate_error : estimated error of their rates, each over its largest; nan but for energy schemes.
    roughness : largest change of the slope of v̇ and λ from one step to the next, over four times their
        size: 1 where they alternate, (h ω)²/4 of a vibration; nan where the method gives none.
    load_error : estimated error of v̇ and λ over their largest, where constraints, stiff springs or stiff laws
        of states give them (docs/theory/validity.md); nan where the method gives none.
    murmur : the same as roughness of what may be round-off: its part of v̇ and λ, which grows as 1/h².
    energy_error, energy : largest |E - E₀ - W| of a mechanism, and largest kinetic energy, strain energy and
        work, J, at some 64 steps; nan where the method does not look.
    branch : coordinate that comes free there, where a step failed near a branching position.
    pole : that a law grows without bound there, which and when.
    told : what the method has to say about itself.
    """

    outcome: Outcome
    t: float
    equation: str = ""
    residual: float = 0.0
    steps: int = 0
    iterations: int = 0
    factorisations: int = 0
    rejected: int = 0
    error: float = nan
    branch: str = ""
    told: str = ""
    roughness: float = nan
    load_error: float = nan
    murmur: float = nan
    pole: str = ""
    energy_error: float = nan
    energy: float = nan
    state_error: float = nan
    rate_error: float = nan

    @property
    def is_done(self) -> bool:
        """Whether the end was reached, or an event that ends the run."""
        return self.outcome in (Outcome.DONE, Outcome.EVENT)

    def __str__(self) -> str:
        if self.outcome is Outcome.EVENT:
            return f"ended at t = {self.t:.9g} s by event {self.equation!r}"
        if self.outcome is Outcome.ACCUMULATION:
            return f"stopped at t = {self.t:.9g} s: {self.told}; {_ADVICE[self.outcome]}"
        if self.is_done and not self.steps:
            return f"done at t = {self.t:g} s: nothing was left to do"
        if self.is_done:
            per_step = self.iterations / self.steps
            return f"done at t = {self.t:g} s: {self.steps} steps, {per_step:.2f} iterations a step"
        where = f", worst equation {self.equation!r}" if self.equation else ""
        told = f"; {self.branch!r} comes free here: the mechanism branches" if self.branch else ""
        if self.pole:
            told = f"; {self.pole}: bound it, or end the run before"
        return f"stopped at t = {self.t:.9g} s{where}: {_ADVICE[self.outcome]}{told}"
