"""Weld joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.graph import Kind


@dataclass(frozen=True, slots=True, eq=False)
class Weld:
    """No relative motion at all.

    Motion space   {}
    Reaction space {x, y, z | x, y, z}
    Terminal       r = 0,  ω = 0                                            Léger table C.1
    """

    symbol: ClassVar[str] = "w"
    kind: ClassVar[Kind] = Kind.JOINT
    branch_coordinates: ClassVar[tuple[int, int]] = (0, 0)

    name: str
    tail: Frame
    head: Frame

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(fixed=XYZ), Rotation("fixed"))
