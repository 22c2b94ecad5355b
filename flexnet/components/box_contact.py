"""Contact of a ball or a point with a box."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.algebra import Expr, Vec, add
from flexnet.components.contact import Contact, rounded, surface
from flexnet.components.frame import Frame, as_vector
from flexnet.components.registry import builder, component
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class BoxContact(Contact):
    """Ball of the head on a box about the origin of the tail, or inside a hollow one.

    Terminal       δ = r - s(d; b),  n = ∇s;   hollow: δ = s(d; b - r),  n = -∇s;   F of contact (1)

    s(d; b) is the distance of the centre from the box |x| ≤ b₁, |y| ≤ b₂, |z| ≤ b₃: edges and corners are
    rounded by the ball, and in a corner of a hollow box the walls add up.

    Attributes
    ----------
    half : (3,) b, half the edges along the axes of the tail frame, m.
    """

    half: Array

    def check_shape(self, what: str) -> None:
        """Refuse a box of no size, and a ball that does not fit into it."""
        if not (np.all(np.isfinite(self.half)) and np.all(self.half > 0.0)):
            raise ModelError(f"{what} has a box of {(2 * self.half).tolist()} m; its edges are positive")
        if self.hollow and self.radius >= self.half.min():
            raise ModelError(
                f"{what}: a ball of {self.radius:g} m does not fit into a box of {2 * self.half.min():g} m"
            )

    @property
    def touched(self) -> tuple[str, tuple[Array, ...], tuple[float, ...]]:
        """The box, by the ways from its middle to three of its faces."""
        x, y, z = np.diag(self.half)
        return "box", (x, y, z), ()

    def distance(self, d: Vec, p: Any, wider: Expr) -> tuple[Expr, Vec]:
        """S(d; b)."""
        found, (x, y, z) = rounded(d, [add(b, wider) for b in p.half])
        return found, (x, y, z)

    @property
    def lengths(self) -> tuple[float, ...]:
        """The ball's radius and the largest half edge."""
        return self.radius, float(self.half.max())


@builder
def box_contact(
    name: str,
    tail: Frame,
    head: Frame,
    stiffness: float,
    size: Vector,
    hollow: bool = False,
    radius: float = 0.0,
    damping: float = 0.0,
    exponent: float = 1.0,
    friction: float = 0.0,
    slip_speed: float = 0.0,
) -> BoxContact:
    """Let a ball about the origin of ``head`` touch a box about the origin of ``tail``.

    Parameters
    ----------
    size : the three edges of the box along the axes of the tail, m.
    hollow : whether the ball is inside the box.
    stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
    radius : of the ball, m; 0 is a point.
    friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
    """
    given = surface(radius, stiffness, damping, exponent, friction, slip_speed, hollow)
    half = as_vector(size, f"size of contact {name!r}") / 2
    return BoxContact(name, tail, head, *given, half)
