"""Cycles of a load or a stress, counted as fatigue sees them: rainflow."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from flexnet.errors import ResultError
from flexnet.typing import Array

__all__ = ["Cycles", "rainflow"]


@dataclass(frozen=True, slots=True, eq=False)
class Cycles:
    """Cycles of a history, in the order in which they close; those that never close come last, as halves.

    Attributes
    ----------
    range : (n,) largest less smallest value, in the unit of the history.
    mean : (n,) half their sum.
    count : (n,) 1, or ½ of a cycle that does not close.
    """

    range: Array
    mean: Array
    count: Array

    def equivalent_range(self, slope: float) -> float:
        """Return the range of as many equal cycles that do the same damage, (Σ n Δᵐ / Σ n)^(1/m).

        Parameters
        ----------
        slope : m of the S-N curve N = C Δ⁻ᵐ, for Miner's sum Σ n/N.
        """
        if not slope > 0.0:
            raise ResultError(f"the slope of an S-N curve is positive, not {slope}")
        if not len(self.range):
            return 0.0
        largest = float(self.range.max()) or 1.0
        mean = np.average((self.range / largest) ** slope, weights=self.count)
        return float(largest * mean ** (1.0 / slope))


def rainflow(history: Array) -> Cycles:
    """Count the cycles of a history by the rainflow method.

    Parameters
    ----------
    history : (rows,) values, such as ``run.channel(name)`` or ``run.stress_history(peak)``.

    Notes
    -----
    Of the values only the reversals count. Where a range is no larger than the one after it, it is a whole
    cycle, and its two reversals go; where it holds the first reversal it is half a cycle, and only that goes.
    What is left when the history ends are half cycles, one a range.

    References
    ----------
    ASTM E1049-85, Standard practices for cycle counting in fatigue analysis, section 5.4.4.
    """
    values = np.asarray(history, dtype=float)
    if values.ndim != 1:
        raise ResultError(f"rainflow counts one history, (rows,), not {values.shape}")
    if not np.all(np.isfinite(values)):
        raise ResultError(f"row {int(np.argmin(np.isfinite(values)))} of the history is not finite")
    found: list[tuple[float, float, float]] = []
    open_: list[float] = []
    for value in _reversals(values).tolist():
        open_.append(value)
        while len(open_) >= 3 and abs(open_[-1] - open_[-2]) >= abs(open_[-2] - open_[-3]):
            first, second = open_[-3], open_[-2]
            if len(open_) == 3:
                found.append((first, second, 0.5))
                del open_[0]
            else:
                found.append((first, second, 1.0))
                del open_[-3:-1]
    found += [(a, b, 0.5) for a, b in pairwise(open_)]
    table = np.array(found, dtype=float).reshape(-1, 3)
    return Cycles(np.abs(table[:, 0] - table[:, 1]), table[:, :2].mean(axis=1), table[:, 2])


def _reversals(values: Array) -> Array:
    """First and last value, and those between at which the history turns."""
    values = values[np.concatenate([[True], np.diff(values) != 0.0])] if len(values) else values
    slope = np.sign(np.diff(values))
    return values[np.concatenate([[True], slope[1:] != slope[:-1], [True]])] if len(values) > 1 else values
