"""Revolute joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.graph import Kind
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Revolute:
    """Pin: one relative rotation about ``axis``, no relative translation.

    Motion space   {axis}                    (rotation, 1)
    Reaction space {x, y, z | n1, n2}
    Terminal       r = 0,  ω = θ̇ axis,  T·axis = 0                          GTM table 4, Léger (B.3)

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    """

    symbol: ClassVar[str] = "h"
    kind: ClassVar[Kind] = Kind.JOINT
    branch_coordinates: ClassVar[tuple[int, int]] = (0, 1)

    name: str
    tail: Frame
    head: Frame
    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(Translation(fixed=XYZ), Rotation("axis", (self.axis,), ("angle",)))
