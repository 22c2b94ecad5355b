"""Spring whose stiffness depends on how the head is turned."""

from dataclasses import dataclass
from typing import Any, ClassVar

from flexnet.algebra import cross, dot, times
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.frame import Frame, as_axis
from flexnet.components.registry import builder, component
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class SailSpring(ForceElement):
    """V = k/4 (d·n)⁴, n a direction of the head: a force along n, and a torque force × d that turns it."""

    symbol: ClassVar[str] = "ss"

    axis: Array
    stiffness: float

    def law(self, motion: Motion, p: Any, t: Any) -> Action:
        """Force -k (d·n)³ n and torque on the head."""
        n = motion.head.vector(p.axis)
        x = dot(motion.d, n)
        force = times(-p.stiffness * x**3, n)
        return Action(force, cross(force, motion.d), potential=p.stiffness * x**4 / 4)


@builder
def sail_spring(
    name: str, tail: Frame, head: Frame, stiffness: float, axis: str | Vector = "z"
) -> SailSpring:
    """Add a cubic spring along a direction of the head, ``stiffness`` [N/m³]."""
    return SailSpring(name, tail, head, as_axis(axis, f"axis of {name!r}"), float(stiffness))
