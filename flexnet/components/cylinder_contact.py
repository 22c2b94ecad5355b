"""Contact of a ball or a point with a cylinder."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from flexnet.algebra import Expr, Vec, add, dot, minus, plus, times
from flexnet.components.contact import Contact, direction, rounded, surface
from flexnet.components.frame import Frame, as_axis
from flexnet.components.registry import builder, component
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class CylinderContact(Contact):
    """Ball of the head on a cylinder about ``axis`` through the origin of the tail, or inside a hollow one.

    Terminal       δ = r + R - ρ,  n = ρ⃗/ρ;   hollow: δ = ρ - (R - r),  n = -ρ⃗/ρ;   F of contact (1)

    ρ⃗ is the part of d across the axis. With a length the cylinder ends at ± half of it: the distance is that
    from the solid, rounded at its edges; a hollow one is a closed can. In a planar system it is a disc or a
    hole.

    Attributes
    ----------
    axis : of the tail frame.
    size : R, m.
    length : m; None if it never ends.
    """

    axis: Array
    size: float
    length: float | None

    def check_shape(self, what: str) -> None:
        """Refuse a cylinder of no size, and a ball that does not fit into it."""
        half = self.size if self.length is None else min(self.size, self.length / 2)
        if not (half > 0.0 and isfinite(half)):
            raise ModelError(f"{what} has a cylinder of half width {half:g} m; it is positive")
        if self.hollow and self.radius >= half:
            raise ModelError(f"{what}: a ball of {self.radius:g} m does not fit into one of {half:g} m")

    def check_plane(self, what: str) -> None:
        """A disc of a planar system is about z."""
        if abs(abs(self.axis[2]) - 1.0) > 1e-9:
            raise ModelError(f"{what} is about {self.axis.tolist()}; in a planar system it is about z")

    @property
    def touched(self) -> tuple[str, tuple[Array, ...], tuple[float, ...]]:
        """The cylinder: axis, radius, length."""
        return "cylinder", (self.axis,), (self.size, self.length or 0.0)

    def distance(self, d: Vec, p: Any, wider: Expr) -> tuple[Expr, Vec]:
        """From the axis, less the radius; from the solid, where it ends."""
        z = dot(p.axis, d)
        rho, n = direction(minus(d, times(z, p.axis)))
        if self.length is None:
            return add(rho, -p.size, -wider), n
        found, (out, up) = rounded((rho, z), (add(p.size, wider), add(p.length / 2, wider)))
        return found, plus(times(out, n), times(up, p.axis))

    @property
    def lengths(self) -> tuple[float, ...]:
        """Both radii."""
        return self.radius, self.size


@builder
def cylinder_contact(
    name: str,
    tail: Frame,
    head: Frame,
    stiffness: float,
    size: float,
    axis: str | Vector = "z",
    length: float | None = None,
    hollow: bool = False,
    radius: float = 0.0,
    damping: float = 0.0,
    exponent: float = 1.0,
    friction: float = 0.0,
    slip_speed: float = 0.0,
) -> CylinderContact:
    """Let a ball about the origin of ``head`` touch a cylinder about an axis of ``tail``.

    Parameters
    ----------
    size : radius of the cylinder, m.
    axis, length : of the cylinder, about the origin of the tail; without a length it never ends.
    hollow : whether the ball is inside.
    stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
    radius : of the ball, m; 0 is a point.
    friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
    """
    given = surface(radius, stiffness, damping, exponent, friction, slip_speed, hollow)
    about = as_axis(axis, f"axis of contact {name!r}")
    long = None if length is None else float(length)
    return CylinderContact(name, tail, head, *given, about, float(size), long)
