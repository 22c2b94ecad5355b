"""Cylindrical joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import Rotation, Terminal, Translation, along
from flexnet.graph import Kind
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Cylindrical:
    """Relative translation along ``axis`` and rotation about it.

    Motion space   {axis | axis}             (translation 1, rotation 1)
    Reaction space {n1, n2 | n1, n2}
    Terminal       r = s axis,  ω = θ̇ axis,  F·axis = 0,  T·axis = 0          FlexNet (24)

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    """

    symbol: ClassVar[str] = "c"
    kind: ClassVar[Kind] = Kind.JOINT
    branch_coordinates: ClassVar[tuple[int, int]] = (1, 1)

    name: str
    tail: Frame
    head: Frame
    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        free, fixed = along(self.axis)
        return Terminal(Translation(free, fixed), Rotation("axis", (self.axis,), ("angle",)))
