"""When a run writes its rows: a spacing apart, the last one at the end."""

from dataclasses import dataclass
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
    """

    start: float
    end: float
    spacing: float
    near: float

    @property
    def whole(self) -> int:
        """Whole rows."""
        share, same = self._share, self._same
        if abs(share - round(share)) <= same:
            return round(share)
        rows = floor(share)
        return rows - 1 if rows and (share - rows) * self.spacing < self.near else rows

    @property
    def has_rest(self) -> bool:
        """Whether the end has a row of its own."""
        return self._share - self.whole > self._same

    @property
    def total(self) -> int:
        """All rows."""
        return self.whole + self.has_rest

    def times(self, first: int, rows: int) -> Array:
        """Times of so many rows after the first so many, s."""
        out: Array = self.start + self.spacing * np.arange(first + 1, first + 1 + rows, dtype=float)
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

    @property
    def _share(self) -> float:
        return max(self.end - self.start, 0.0) / self.spacing

    @property
    def _same(self) -> float:
        """Part of a spacing by which times may differ: they are known to round-off."""
        return SAME + 4 * _ULP * max(abs(self.start), abs(self.end)) / self.spacing
