"""What functions of time and laws of forces gave last, and which of them gave no number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.formulation.functions import FunctionTable
from flexnet.kernels.work import Work


@dataclass(frozen=True, slots=True, eq=False)
class LawValues:
    """Values that drivers and forces with a function of time or a law gave in the last residual.

    Attributes
    ----------
    table : functions of time, and what users' ones raised.
    elements : names of the force elements.
    work : where the values are.
    """

    table: FunctionTable
    elements: Sequence[str]
    work: Work

    def largest(self) -> list[tuple[str, float]]:
        """Every driver or force with a function of time or a law, and the largest value that gave."""
        functions = zip(self.table.owners, self.work.f, strict=True)
        laws = zip(self.elements, self.work.loads, strict=True)
        found = [(str(owner), float(np.abs(x[:used]).max())) for (owner, used), x in functions]
        return found + [(name, float(np.abs(x).max())) for name, x in laws]

    @property
    def failed(self) -> str:
        """Name of the driver or force whose function or law gave no number; empty if all did."""
        return next((name for name, value in self.largest() if not np.isfinite(value)), "")

    @property
    def error(self) -> BaseException | None:
        """What a user's law raised last, if one did."""
        return self.table.raised[-1] if self.table.raised else None

    @property
    def why(self) -> str:
        """What the law that gave no number is called, and what it raised; empty if all gave one."""
        name, cause = self.failed, self.error
        told = f" ({type(cause).__name__}: {cause})" if cause is not None else ""
        return f"law of {name}{told}" if name else ""

    def check(self) -> None:
        """Refuse a function or law that gave no number, by name."""
        name, cause = self.failed, self.error
        if name:
            told = f": {cause}" if cause is not None else ""
            self.work.loads[:] = 0.0
            raise ModelError(f"the law of {name!r} gave a value that is not a number{told}") from cause
