"""Screw joint."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from flexnet.algebra import Expr, add, dot, mul
from flexnet.components.frame import Frame, as_axis
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.row import Relative, Row
from flexnet.components.row_formulas import direction_label
from flexnet.components.terminal import Rotation, Terminal, Translation, along
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector


def advance(m: Relative) -> Expr:
    """Φ = axis·d - (pitch/2π) θ."""
    return add(dot(m.tail[0], m.d), -mul(m.numbers[0], m.angle))


@component
@dataclass(frozen=True, slots=True, eq=False)
class Screw(Joint):
    """Rotation about ``axis`` and translation along it, ``pitch`` to the turn.

    Motion space   {(pitch/2π) axis | axis}  (one motion, in both graphs)
    Reaction space {n1, n2 | n1, n2}, and the screw's own: F·axis (pitch/2π) + T·axis = 0
    Terminal       r = (pitch/2π) θ axis,  ω = θ̇ axis

    The angle counts whole turns: the displacement tells them.

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    pitch : advance in a turn, m; positive of a right-handed screw.
    """

    symbol: ClassVar[str] = "sc"

    axis: Array
    pitch: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.pitch) or self.pitch == 0.0:
            raise ModelError(
                f"screw {self.name!r} has a pitch of {self.pitch!r} m; expected one that is not zero"
            )

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        free, fixed = along(self.axis)
        h = self.pitch / (2 * pi)
        label = f"force {direction_label(self.axis)}"
        row = Row(label, advance, "m", (self.axis,), numbers=(h,), counts=self.axis)
        translation = Translation(free, fixed, pitch=h)
        return Terminal(translation, Rotation.about(self.axis), (row,))


@builder
def screw(name: str, tail: Frame, head: Frame, pitch: float, axis: str | Vector = "z") -> Screw:
    """Add a screw: rotation about ``axis`` and translation along it, ``pitch`` [m] to the turn."""
    return Screw(name, tail, head, as_axis(axis, f"axis of joint {name!r}"), float(pitch))
