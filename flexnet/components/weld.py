"""Weld joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation


@component
@dataclass(frozen=True, slots=True, eq=False)
class Weld(Joint):
    """No relative motion at all.

    Motion space   {}
    Reaction space {x, y, z | x, y, z}
    Terminal       r = 0,  ω = 0                                            Léger table C.1
    """

    symbol: ClassVar[str] = "w"

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(fixed=XYZ), Rotation("fixed"))


@builder
def weld(name: str, tail: Frame, head: Frame) -> Weld:
    """Fix two frames to one another."""
    return Weld(name, tail, head)
