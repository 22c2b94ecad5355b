"""Pin-in-slot joint: DynaFlex's compound revolute-prismatic joint."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.components.frame import Frame, as_axis
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.terminal import Direction, Rotation, Terminal, Translation
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class PinInSlot(Joint):
    """Pin about ``axis`` that slides in a slot along ``slot`` of the tail frame.

    Motion space   {slot | axis}             (translation 1, rotation 1)
    Reaction space {axis, axis × slot | n1, n2}
    Terminal       r = s slot,  ω = θ̇ axis                                  DynaFlex §2, joint J3

    Attributes
    ----------
    axis : (3,) unit vector of the pin, the same components in both frames.
    slot : (3,) unit vector of the slot in the tail frame, normal to axis.
    """

    symbol: ClassVar[str] = "hs"

    axis: Array
    slot: Array

    def __post_init__(self) -> None:
        if abs(float(self.axis @ self.slot)) > 1e-9:
            raise ModelError(f"pin-in-slot joint {self.name!r} needs a slot normal to its pin axis")

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        free = (Direction("displacement", self.slot),)
        fixed = (Direction("normal", np.cross(self.axis, self.slot)), Direction("axis", self.axis))
        return Terminal(Translation(free, fixed), Rotation.about(self.axis))


@builder
def pin_in_slot(
    name: str, tail: Frame, head: Frame, axis: str | Vector = "z", slot: str | Vector = "x"
) -> PinInSlot:
    """Add a pin about ``axis`` that slides along ``slot`` of the tail frame."""
    u_1 = as_axis(axis, f"axis of joint {name!r}")
    u_2 = as_axis(slot, f"slot of joint {name!r}")
    return PinInSlot(name, tail, head, u_1, u_2)
