"""Prismatic joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame, as_axis
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import Rotation, Terminal, Translation, along
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class Prismatic(Joint):
    """Slider: one relative translation along ``axis``, no relative rotation.

    Motion space   {axis}                    (translation, 1)
    Reaction space {n1, n2 | x, y, z}
    Terminal       r = s axis,  F·axis = 0,  ω = 0                          GTM (73)-(74), Léger (B.4)

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    """

    symbol: ClassVar[str] = "s"

    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        free, fixed = along(self.axis)
        return Terminal(Translation(free, fixed), Rotation("fixed"))


@builder
def prismatic(name: str, tail: Frame, head: Frame, axis: str | Vector = "x") -> Prismatic:
    """Add a slider: one translation along ``axis`` of the tail frame."""
    return Prismatic(name, tail, head, as_axis(axis, f"axis of joint {name!r}"))
