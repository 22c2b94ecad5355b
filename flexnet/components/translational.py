"""Translational joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.graph import Kind


@dataclass(frozen=True, slots=True, eq=False)
class Translational:
    """Three relative translations, no relative rotation.

    Motion space   {x, y, z}                 (translation, 3)
    Reaction space {| x, y, z}
    Terminal       F = 0,  ω = 0                                            Léger table C.1
    """

    symbol: ClassVar[str] = "tr"
    kind: ClassVar[Kind] = Kind.JOINT
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 0)

    name: str
    tail: Frame
    head: Frame

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(free=XYZ), Rotation("fixed"))
