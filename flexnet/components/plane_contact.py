"""Contact of a ball or a point with a plane."""

from dataclasses import dataclass
from typing import Any

from flexnet.algebra import Expr, Vec, add, dot
from flexnet.components.contact import Contact, surface
from flexnet.components.frame import Frame, as_axis
from flexnet.components.registry import builder, component
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class PlaneContact(Contact):
    """Ball of the head on the plane through the origin of the tail with the outward normal ``axis``.

    Terminal       δ = r - axis·d,  n = axis;  F of contact (1)
    """

    axis: Array

    @property
    def touched(self) -> tuple[str, tuple[Array, ...], tuple[float, ...]]:
        """The plane, by its normal."""
        return "plane", (self.axis,), ()

    def distance(self, d: Vec, p: Any, wider: Expr) -> tuple[Expr, Vec]:
        """Along the normal."""
        return add(dot(p.axis, d), -wider), p.axis


@builder
def plane_contact(
    name: str,
    tail: Frame,
    head: Frame,
    stiffness: float,
    axis: str | Vector = "z",
    radius: float = 0.0,
    damping: float = 0.0,
    exponent: float = 1.0,
    friction: float = 0.0,
    slip_speed: float = 0.0,
) -> PlaneContact:
    """Let a ball about the origin of ``head`` touch a plane of the tail frame.

    Parameters
    ----------
    axis : outward normal of the plane, which goes through the origin of the tail.
    stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
    radius : of the ball, m; 0 is a point.
    friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
    """
    given = surface(radius, stiffness, damping, exponent, friction, slip_speed)
    return PlaneContact(name, tail, head, *given, as_axis(axis, f"normal of contact {name!r}"))
