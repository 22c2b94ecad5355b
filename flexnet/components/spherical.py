"""Spherical joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation


@component
@dataclass(frozen=True, slots=True, eq=False)
class Spherical(Joint):
    """Ball: any relative rotation, no relative translation.

    Motion space   {any rotation}            (rotation, 3)
    Reaction space {x, y, z}
    Terminal       r = 0,  T = 0                                            FlexNet (22)
    """

    symbol: ClassVar[str] = "b"

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(fixed=XYZ), Rotation.ball())


@builder
def spherical(name: str, tail: Frame, head: Frame) -> Spherical:
    """Add a ball joint."""
    return Spherical(name, tail, head)
