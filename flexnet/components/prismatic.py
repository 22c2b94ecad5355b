"""Prismatic joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import Rotation, Terminal, Translation, along
from flexnet.graph import Kind
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Prismatic:
    """Slider: one relative translation along ``axis``, no relative rotation.

    Motion space   {axis}                    (translation, 1)
    Reaction space {n1, n2 | x, y, z}
    Terminal       r = s axis,  F·axis = 0,  ω = 0                          GTM (73)-(74), Léger (B.4)

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    """

    symbol: ClassVar[str] = "s"
    kind: ClassVar[Kind] = Kind.JOINT
    branch_coordinates: ClassVar[tuple[int, int]] = (1, 0)

    name: str
    tail: Frame
    head: Frame
    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        free, fixed = along(self.axis)
        return Terminal(Translation(free, fixed), Rotation("fixed"))
