"""Constant-velocity joint."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.algebra import Expr, add, atan2, dot
from flexnet.components.frame import Frame, as_axis, normals
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.row import Relative, Row
from flexnet.components.row_formulas import direction_label
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.typing import Array, Vector


def twist(m: Relative) -> Expr:
    """Φ = atan2(m·n' - n·m', n·n' + m·m'), the twist of the head about the shaft of the tail."""
    n, across = m.tail
    n_B, across_B = m.head
    return atan2(add(dot(across, n_B), -dot(n, across_B)), add(dot(n, n_B), dot(across, across_B)))


@component
@dataclass(frozen=True, slots=True, eq=False)
class ConstantVelocity(Joint):
    """Homokinetic joint of two shafts along ``axis``: they may bend in any direction, and turn alike.

    The rotation from one shaft to the other is a swing without twist, R = exp(φ) with φ·axis = 0, as of two
    universal joints back to back that share the bend (Rzeppa, tripod, double Cardan).

    Motion space   {n1, n2}, the bend        (rotation, 2)
    Reaction space {x, y, z | (a + a')/(1 + a·a')}
    Terminal       r = 0,  twist = 0

    Attributes
    ----------
    axis : (3,) unit vector of either shaft, the same components in both frames; the bend stays below half a
        turn.
    """

    symbol: ClassVar[str] = "cv"

    axis: Array

    @property
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""
        n = normals(self.axis)
        row = Row(f"torque {direction_label(self.axis)}", twist, "rad", n, n)
        rotation = Rotation.ball()
        return Terminal(Translation(fixed=XYZ), rotation, (row,), is_spatial=True)


@builder
def constant_velocity(name: str, tail: Frame, head: Frame, axis: str | Vector = "z") -> ConstantVelocity:
    """Add a constant-velocity joint of two shafts along ``axis``, given in both frames."""
    return ConstantVelocity(name, tail, head, as_axis(axis, f"axis of joint {name!r}"))
