"""Cylindrical joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame, as_axis
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import Rotation, Terminal, Translation, along
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class Cylindrical(Joint):
    """Relative translation along ``axis`` and rotation about it.

    Motion space   {axis | axis}             (translation 1, rotation 1)
    Reaction space {n1, n2 | n1, n2}
    Terminal       r = s axis,  ω = θ̇ axis,  F·axis = 0,  T·axis = 0          FlexNet (24)

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    """

    symbol: ClassVar[str] = "c"

    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        free, fixed = along(self.axis)
        return Terminal(Translation(free, fixed), Rotation.about(self.axis))


@builder
def cylindrical(name: str, tail: Frame, head: Frame, axis: str | Vector = "z") -> Cylindrical:
    """Add a cylindrical joint: translation along and rotation about ``axis``."""
    return Cylindrical(name, tail, head, as_axis(axis, f"axis of joint {name!r}"))
