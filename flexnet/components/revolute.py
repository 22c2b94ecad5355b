"""Revolute joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame, as_axis
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class Revolute(Joint):
    """Pin: one relative rotation about ``axis``, no relative translation.

    Motion space   {axis}                    (rotation, 1)
    Reaction space {x, y, z | n1, n2}
    Terminal       r = 0,  ω = θ̇ axis,  T·axis = 0                          GTM table 4, Léger (B.3)

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    """

    symbol: ClassVar[str] = "h"

    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(fixed=XYZ), Rotation.about(self.axis))


@builder
def revolute(name: str, tail: Frame, head: Frame, axis: str | Vector = "z") -> Revolute:
    """Add a pin: one rotation about ``axis``, given in both frames."""
    return Revolute(name, tail, head, as_axis(axis, f"axis of joint {name!r}"))
