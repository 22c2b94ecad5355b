"""Helical joint."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

from flexnet.algebra import Expr, dot
from flexnet.components.frame import Frame, as_axis
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.row import Relative, Row
from flexnet.components.terminal import Rotation, Terminal, Translation, along
from flexnet.typing import Array, Vector


def advance(m: Relative) -> Expr:
    """Φ = axis·d - (pitch/2π) θ."""
    return dot(m.tail[0], m.d) - m.numbers[0] * m.angle


@component
@dataclass(frozen=True, slots=True, eq=False)
class Helical(Joint):
    """Rotation about ``axis`` and translation along it, ``pitch`` to the turn."""

    symbol: ClassVar[str] = "he"

    axis: Array
    pitch: float

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        free, fixed = along(self.axis)
        h = self.pitch / (2 * pi)
        row = Row("force", advance, "m", (self.axis,), numbers=(h,), counts=self.axis)
        return Terminal(Translation(free, fixed, pitch=h), Rotation.about(self.axis), (row,))


@builder
def helical(name: str, tail: Frame, head: Frame, pitch: float, axis: str | Vector = "z") -> Helical:
    """Add a helical joint: rotation about ``axis`` and translation along it, ``pitch`` [m] to the turn."""
    return Helical(name, tail, head, as_axis(axis, f"axis of joint {name!r}"), float(pitch))
