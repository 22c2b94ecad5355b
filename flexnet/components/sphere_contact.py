"""Contact of a ball or a point with a sphere."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from flexnet.algebra import Expr, Vec, add
from flexnet.components.contact import Contact, direction, surface
from flexnet.components.frame import Frame
from flexnet.components.registry import builder, component
from flexnet.errors import ModelError
from flexnet.typing import Array


@component
@dataclass(frozen=True, slots=True, eq=False)
class SphereContact(Contact):
    """Ball of the head on a sphere about the origin of the tail, or inside a hollow one.

    Terminal       δ = r + R - |d|,  n = d/|d|;   hollow: δ = |d| - (R - r),  n = -d/|d|;   F of contact (1)

    Attributes
    ----------
    size : R, m.
    """

    size: float

    def check_shape(self, what: str) -> None:
        """Refuse a sphere of no size, and a ball that does not fit into it."""
        if not (self.size > 0.0 and isfinite(self.size)):
            raise ModelError(f"{what} has a sphere of radius {self.size:g} m; it is positive")
        if self.hollow and self.radius >= self.size:
            raise ModelError(f"{what}: a ball of {self.radius:g} m does not fit into one of {self.size:g} m")

    @property
    def touched(self) -> tuple[str, tuple[Array, ...], tuple[float, ...]]:
        """The sphere."""
        return "sphere", (), (self.size,)

    def distance(self, d: Vec, p: Any, wider: Expr) -> tuple[Expr, Vec]:
        """From the centre, less the radius."""
        length, n = direction(d)
        return add(length, -p.size, -wider), n

    @property
    def lengths(self) -> tuple[float, ...]:
        """Both radii."""
        return self.radius, self.size


@builder
def sphere_contact(
    name: str,
    tail: Frame,
    head: Frame,
    stiffness: float,
    size: float,
    hollow: bool = False,
    radius: float = 0.0,
    damping: float = 0.0,
    exponent: float = 1.0,
    friction: float = 0.0,
    slip_speed: float = 0.0,
) -> SphereContact:
    """Let a ball about the origin of ``head`` touch a sphere about the origin of ``tail``.

    Parameters
    ----------
    size : radius of the sphere, m.
    hollow : whether the ball is inside the sphere.
    stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
    radius : of the ball, m; 0 is a point.
    friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
    """
    given = surface(radius, stiffness, damping, exponent, friction, slip_speed, hollow)
    return SphereContact(name, tail, head, *given, float(size))
