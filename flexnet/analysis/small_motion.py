"""One small motion about a state."""

from dataclasses import dataclass

import numpy as np

from flexnet.analysis.stability import Verdict
from flexnet.typing import AnyArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mode:
    """One small motion, Re(shape · exp(eigenvalue · t)).

    Attributes
    ----------
    eigenvalue : 1/s.
    shape : (n_v,) complex departures of all coordinates.
    error : estimate of the error of the eigenvalue, 1/s.
    verdict : whether it grows, as far as its error tells.
    moving : names of the coordinates that move most, the largest first.
    """

    eigenvalue: complex
    shape: AnyArray
    error: float = 0.0
    verdict: Verdict = Verdict.STAYS
    moving: tuple[str, ...] = ()

    def __repr__(self) -> str:
        s = self.eigenvalue
        how = f"{self.frequency:.8g} Hz, damping {self.damping_ratio:.4f}" if s.imag else f"{s.real:.8g} 1/s"
        what = f"; {', '.join(self.moving)} move{'s' * (len(self.moving) == 1)} most" if self.moving else ""
        return f"<{how}{what}; {self.verdict.value}>"

    @property
    def frequency(self) -> float:
        """Frequency of the oscillation |Im s| / 2π, Hz; zero if it does not oscillate."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re s / |s|: one or more than one is not an oscillation; negative grows."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size > 0 else 0.0
