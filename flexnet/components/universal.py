"""Universal joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame, as_axis
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class Universal(Joint):
    """Cardan joint: rotation about ``axis_1`` of the tail, then about ``axis_2`` of the head frame.

    Motion space   {axis_1, axis_2}          (rotation, 2)
    Reaction space {x, y, z | axis_1 × axis_2}
    Terminal       r = 0,  ω = α̇ axis_1 + β̇ axis_2                          Léger table C.1

    Attributes
    ----------
    axis_1 : (3,) unit vector in the tail frame.
    axis_2 : (3,) unit vector in the head frame, not parallel to axis_1.
    """

    symbol: ClassVar[str] = "u"

    axis_1: Array
    axis_2: Array

    def __post_init__(self) -> None:
        if abs(float(self.axis_1 @ self.axis_2)) > 1e-9:
            raise ModelError(f"universal joint {self.name!r} needs perpendicular axes")

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        rotation = Rotation("universal", (self.axis_1, self.axis_2), ("alpha", "beta"))
        return Terminal(Translation(fixed=XYZ), rotation)


@builder
def universal(
    name: str, tail: Frame, head: Frame, axis_1: str | Vector = "x", axis_2: str | Vector = "y"
) -> Universal:
    """Add a universal joint: rotation about ``axis_1`` of the tail, then ``axis_2`` of the head."""
    u_1 = as_axis(axis_1, f"axis_1 of joint {name!r}")
    u_2 = as_axis(axis_2, f"axis_2 of joint {name!r}")
    return Universal(name, tail, head, u_1, u_2)
