"""Spherical joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.graph import Kind


@dataclass(frozen=True, slots=True, eq=False)
class Spherical:
    """Ball: any relative rotation, no relative translation.

    Motion space   {any rotation}            (rotation, 3)
    Reaction space {x, y, z}
    Terminal       r = 0,  T = 0                                            FlexNet (22)
    """

    symbol: ClassVar[str] = "b"
    kind: ClassVar[Kind] = Kind.JOINT
    branch_coordinates: ClassVar[tuple[int, int]] = (0, 3)

    name: str
    tail: Frame
    head: Frame

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        return Terminal(
            Translation(fixed=XYZ), Rotation("free", names=("rotation_x", "rotation_y", "rotation_z"))
        )
