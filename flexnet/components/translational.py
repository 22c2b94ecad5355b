"""Translational joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation


@component
@dataclass(frozen=True, slots=True, eq=False)
class Translational(Joint):
    """Three relative translations, no relative rotation.

    Motion space   {x, y, z}                 (translation, 3)
    Reaction space {| x, y, z}
    Terminal       F = 0,  ω = 0                                            Léger table C.1
    """

    symbol: ClassVar[str] = "tr"

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(free=XYZ), Rotation("fixed"))


@builder
def translational(name: str, tail: Frame, head: Frame) -> Translational:
    """Add a joint with three translations and no rotation."""
    return Translational(name, tail, head)
