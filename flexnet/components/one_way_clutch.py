"""One-way clutch: free in one sense of turning, held in the other."""

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Literal

from flexnet.algebra import Expr, add, maximum, mul, sqrt, times
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.registry import Mechanism, builder, component
from flexnet.errors import ModelError
from flexnet.typing import Array


@component
@dataclass(frozen=True, slots=True, eq=False)
class OneWayClutch(ForceElement):
    """Lets the head turn forwards about ``axis`` and holds it from turning backwards, as seen from the tail.

    Terminal       T = capacity w/√(w² + s²) û,  w = (-θ̇)₊

    Below its capacity it holds but for a creep: under a torque of 0.7 of it the head turns backwards at s.

    Attributes
    ----------
    capacity : largest torque, N m.
    slip_speed : s, rad/s.
    axis : of the tail frame.
    joint : the joint it rides on.
    """

    symbol: ClassVar[str] = "OC"
    noun: ClassVar[str] = "one-way clutch"
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    turns: ClassVar[Literal["", "twist", "rotation"]] = "twist"

    capacity: float
    slip_speed: float
    axis: Array
    joint: str

    def __post_init__(self) -> None:
        for word, value in (("capacity", self.capacity), ("slip speed", self.slip_speed)):
            if not (value > 0.0 and isfinite(value)):
                raise ModelError(f"one-way clutch {self.name!r} has the {word} {value:g}; it is positive")

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """About û."""
        twist = motion.twist
        back = maximum(-twist.rate, 0)
        size = sqrt(add(mul(back, back), mul(p.slip_speed, p.slip_speed)))
        torque = mul(p.capacity, back) / size
        u = twist.axis
        return Action(
            torque=times(torque, u), tail_torque=times(-torque, u), dissipation=mul(torque, back), power=0
        )


@builder
def one_way_clutch(
    system: Mechanism, name: str, joint: str, capacity: float, slip_speed: float
) -> OneWayClutch:
    """Let the one angle of a joint grow and hold it from falling.

    Parameters
    ----------
    capacity : largest torque it holds, N m.
    slip_speed : speed [rad/s] about which it creeps while it holds.
    """
    carrier = system.joint(joint, f"one-way clutch {name!r}")
    about = carrier.terminal.single_axis
    if about is None:
        raise ModelError(f"one-way clutch {name!r}: joint {joint!r} has no single angle")
    return OneWayClutch(name, carrier.tail, carrier.head, float(capacity), float(slip_speed), about, joint)
