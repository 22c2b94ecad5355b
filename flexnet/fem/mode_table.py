"""The mode table: what the coordinates of a reduced body are, and what was left out."""

from dataclasses import dataclass

import numpy as np

from flexnet.typing import Array

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
KINDS = {
    "normal": "eigenmodes",
    "free": "modes of the unsupported body",
    "attachment": "shapes of loads on frames",
    "inertia": "shapes of gravity, acceleration and rotation",
    "ritz": "Ritz vectors",
    "derivative": "modal derivatives",
}


@dataclass(frozen=True, slots=True)
class ModeTable:
    """One row per elastic coordinate.

    Attributes
    ----------
    kind : (m,) what each is: a word of :data:`KINDS`, ``nodal`` (a freedom of the mesh, in an unreduced
        table) or ``shape`` (a polynomial).
    frequency : (m,) [Hz], of the coordinate alone; nan for nodal ones.
    effective_mass : (m, 6) mass [kg] and inertia about the frame [kg·m²] that the coordinate takes part with.
    total_mass : (6,) mass and inertia of the rigid body in the same directions.
    next_frequency : [Hz] of the first eigenmode left out, nan if none was or it is not known.
    is_free : whether the frame has mean axes; then no coordinate has momentum, and effective masses are zero.
    """

    kind: tuple[str, ...]
    frequency: Array
    effective_mass: Array
    total_mass: Array
    next_frequency: float
    is_free: bool

    @property
    def left_out(self) -> Array:
        """Fraction (6,) of mass and inertia that no coordinate takes part with."""
        total = np.where(self.total_mass > 0.0, self.total_mass, np.inf)
        return np.asarray(1.0 - self.effective_mass.sum(axis=0) / total)

    def summary(self) -> str:
        """Return in one line what the coordinates are, and the first eigenmode left out."""
        parts = []
        for kind, words in KINDS.items():
            own = self.frequency[[i for i, k in enumerate(self.kind) if k == kind]]
            if len(own):
                parts.append(f"{len(own)} {words}, {own.min():.4g} to {own.max():.4g} Hz")
        if np.isfinite(self.next_frequency):
            parts.append(f"next eigenmode {self.next_frequency:.4g} Hz")
        return "; ".join(parts) or f"{len(self.kind)} coordinates"

    def text(self, damping: Array | None = None) -> str:
        """Return the table as aligned text: index, kind, frequency, share of mass in each direction.

        Parameters
        ----------
        damping : (m,) ratio of every coordinate, told in a column of its own.
        """
        total = np.where(self.total_mass > 0.0, self.total_mass, np.inf)
        head = "" if damping is None else f"{'damping [%]':>12}"
        shares = "".join(f"{d + ' [%]':>9}" for d in DIRECTIONS)
        lines = [f"    # kind        frequency [Hz]  {shares}{head}"]
        for i, kind in enumerate(self.kind):
            share = "".join(f"{100.0 * x:9.3f}" for x in self.effective_mass[i] / total)
            ratio = "" if damping is None else f"{100.0 * damping[i]:12.4g}"
            lines.append(f"{i + 1:5d} {kind:<11} {self.frequency[i]:14.6g}  {share}{ratio}")
        rest = "".join(f"{100.0 * x:9.3f}" for x in self.left_out)
        lines.append("      mean axes" if self.is_free else f"      {'left out':<11} {'':14}  {rest}")
        if np.isfinite(self.next_frequency):
            lines.append(f"      next eigenmode: {self.next_frequency:.6g} Hz")
        return "\n".join(lines)
