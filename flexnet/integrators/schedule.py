"""When a run writes its rows: a spacing apart, the last one at the end."""

from dataclasses import dataclass, field
from math import ceil, floor

import numpy as np

from flexnet.typing import Array

#: parts of a spacing, or of a step, that are none
SAME = 1e-9
_ULP = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Output rows of a run, the initial one not counted.

    Whole rows lie at whole spacings, the same whatever the end, so that a run can go on to a later one. An
    end between two of them has a row of its own. The whole row before it is left out where it lies nearer
    than ``near``: a step that short would make noise of round-off.

    Attributes
    ----------
    start, end, spacing : s.
    near : s, less than the spacing.
    whole : rows at whole spacings.
    total : all rows; the end may have one of its own.
    """

    start: float
    end: float
    spacing: float
    near: float
    whole: int = field(init=False)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        share = max(self.end - self.start, 0.0) / self.spacing
        # part of a spacing by which times may differ: they are known to round-off
        same = SAME + 4 * _ULP * max(abs(self.start), abs(self.end)) / self.spacing
        whole = floor(share)
        if abs(share - round(share)) <= same:
            whole = round(share)
        elif whole and (share - whole) * self.spacing < self.near:
            whole -= 1
        object.__setattr__(self, "whole", whole)
        object.__setattr__(self, "total", whole + (share - whole > same))

    def times(self, first: int, rows: int) -> Array:
        """Times of so many rows after the first so many, s."""
        out: Array = np.arange(first + 1, first + 1 + rows, dtype=float)
        out *= self.spacing
        out += self.start
        if rows and first + rows > self.whole:
            out[-1] = self.end
        return out

    def block(self, first: int, period: int) -> int:
        """Rows that are found together after the first so many: the row of the end stands alone."""
        return min(period - first % period, self.whole - first) if first < self.whole else self.total - first

    def rest(self, step: float) -> tuple[float, int]:
        """Length and number of the equal steps from the last whole row to the end, none longer than given."""
        left = self.end - (self.start + self.spacing * self.whole)
        steps = max(ceil(left / step - SAME), 1)
        return left / steps, steps
