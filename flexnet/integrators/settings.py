"""How a run steps: what is asked of every method."""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import FlexnetError
from flexnet.integrators.schedule import Schedule
from flexnet.validation import number, whole

#: part of a step by which a row comes before the end, at least
NEAR_END = 0.1


@dataclass(frozen=True, slots=True)
class Settings:
    """How to step.

    Attributes
    ----------
    step : fixed step, or first step of an adaptive run, s.
    end : time to reach, s; where it is no whole number of steps, the last ones are shorter.
    interval : time between output rows, s; every step if None.
    tolerance : sum of the local errors of the positions, over the sizes of the coordinates (rad, and the
        length of the model; states by what they become, :mod:`~flexnet.integrators.magnitudes`); None for a
        fixed step. What becomes of them is said in :mod:`~flexnet.integrators.promise`.
    newton : largest error of a position that the corrector leaves, over the size of its coordinate.
    project : project velocities on G v + Φ_t = 0 after every step.
    smallest, largest : bounds of an adaptive step, s.
    block : output rows between two writes to disk, at least; chosen if None.
    landings : instants at which a step ends, though no row lies there, and the next one begins, s: the first
        after a jump of a known function, else the same; of adaptive runs, found by them.
    """

    step: float
    end: float
    interval: float | None = None
    tolerance: float | None = None
    newton: float = 1e-10
    project: bool = False
    smallest: float = 0.0
    largest: float = np.inf
    block: int | None = None
    landings: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        for name in ("step", "end", "interval", "tolerance", "newton"):
            value = getattr(self, name)
            if value is not None or name in ("step", "end", "newton"):
                number(value, f"the {name} of a run")
        if self.block is not None:
            whole(self.block, "the block of a run", 1)
        if not self.step > 0:
            raise FlexnetError(f"the step must be positive, got {self.step} s")
        if not self.newton > 0:
            raise FlexnetError(f"the error left by the corrector must be positive, got newton={self.newton}")
        if self.tolerance is not None and not self.tolerance > 0:
            raise FlexnetError(f"the tolerance must be positive, got {self.tolerance}")
        if self.interval is not None and not self.interval > 0:
            raise FlexnetError(f"the output interval must be positive, got {self.interval} s")
        if not self.end >= 0:
            raise FlexnetError(f"the end of a run must not be negative, got {self.end} s")
        spacing = self.interval or (self.step if self.tolerance is None else 0.0)
        if 0 < self.end < (1 - 1e-6) * spacing:
            what = "a step of" if spacing == self.step else "output rows every"
            raise FlexnetError(f"{what} {spacing:g} s: longer than the run, which ends at {self.end:g} s")

    @property
    def every(self) -> int:
        """Fixed steps between output rows."""
        if self.interval is None or self.tolerance is not None:
            return 1
        every = round(self.interval / self.step)
        if every < 1 or abs(every * self.step - self.interval) > 1e-6 * self.interval:
            raise FlexnetError(
                f"the output interval {self.interval} s is not a multiple of the step {self.step} s"
            )
        return every

    def spacing(self, start: float) -> float:
        """Time between the output rows of a run from ``start``, s."""
        if self.tolerance is None:
            return self.every * self.step
        return self.interval or (self.end - start) / 500

    def schedule(self, start: float, spacing: float | None = None) -> Schedule:
        """Output rows of a run from ``start``; the spacing need not be given where rows end steps."""
        spacing = spacing or self.spacing(start)
        return Schedule(start, self.end, spacing, NEAR_END * min(self.step, spacing))

    @property
    def period(self) -> int:
        """Output rows the compiled loop fills before it returns: at most some seconds of work.

        The loop begins each period with a new matrix, an adaptive one ends it with a step. So the motion
        depends on it, and on no setting of how rows are written; and a run that goes on from the end of
        a period finds the same numbers as one that was never stopped.
        """
        return max(1, min(256, 4096 // self.every)) if self.tolerance is None else 32
