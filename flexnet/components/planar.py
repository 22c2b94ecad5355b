"""Planar joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame, as_axis, normals
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import Direction, Rotation, Terminal, Translation
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class Planar(Joint):
    """Relative translation in the plane normal to ``axis`` and rotation about it.

    Motion space   {n1, n2 | axis}           (translation 2, rotation 1)
    Reaction space {axis | n1, n2}
    Terminal       r·axis = 0,  ω = θ̇ axis                                  Léger table C.1

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    """

    symbol: ClassVar[str] = "p"

    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        n1, n2 = normals(self.axis)
        free = (Direction("x", n1), Direction("y", n2))
        fixed = (Direction("axis", self.axis),)
        return Terminal(Translation(free, fixed), Rotation.about(self.axis))


@builder
def planar(name: str, tail: Frame, head: Frame, axis: str | Vector = "z") -> Planar:
    """Add a planar joint: two translations normal to ``axis`` and the rotation about it."""
    return Planar(name, tail, head, as_axis(axis, f"axis of joint {name!r}"))
