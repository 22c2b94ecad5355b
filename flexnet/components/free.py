"""Free joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation


@component
@dataclass(frozen=True, slots=True, eq=False)
class Free(Joint):
    """Six free relative motions: a joint that only names coordinates.

    Motion space   {x, y, z | any rotation}  (translation 3, rotation 3)
    Reaction space {}
    Terminal       F = 0,  T = 0                                            Léger table C.1
    """

    symbol: ClassVar[str] = "fr"

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(free=XYZ), Rotation.ball())


@builder
def free(name: str, tail: Frame, head: Frame) -> Free:
    """Add a free joint: six coordinates, no constraint."""
    return Free(name, tail, head)
