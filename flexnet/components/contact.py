"""Contact of a ball or a point with a surface: penalty, damping by Hunt and Crossley, regularised friction.

The centre of the ball (radius r; a point has r = 0) is the origin of the head; a shape fixed in the tail
gives the depth δ by which the ball enters it and the unit normal n from the shape to the ball, ∇δ = -n. With
the velocity u of the ball's surface at the contact seen from the tail, u_t its part along the surface,

    F = N n - μ N u_t / √(u_t² + s²),         N = k δ₊ⁿ (1 + c δ̇)₊,       δ̇ = -n·ḋ                      (1)

acts on the ball at the point d - (r - δ/2) n, the middle of the overlap, its opposite on the tail at the same
point: which of two balls is the head makes no difference. Friction sticks but for a
creep: where it holds a load below μN it slips at a speed below the order of s. Its potential, and with it the
gradient, is that of the depth alone: :mod:`~flexnet.components.one_sided`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

from flexnet.algebra import (
    Expr,
    Vec,
    absolute,
    add,
    cross,
    dot,
    inverse,
    maximum,
    minus,
    mul,
    negative,
    plus,
    sgn,
    sqrt,
    times,
    where,
)  # fmt: skip
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.one_sided import check_push, push
from flexnet.errors import ModelError
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Contact(ForceElement):
    """What contacts with every shape have in common; a shape's page writes :meth:`distance`.

    Attributes
    ----------
    radius : of the ball, m; 0 is a point.
    stiffness : k, N/mⁿ.
    damping : c, s/m.
    exponent : n; 1 is linear, 3/2 that of Hertz.
    friction : μ.
    slip_speed : s of (1), m/s; 0 without friction.
    hollow : whether the ball is inside the shape, and touches it from there.
    """

    symbol: ClassVar[str] = "CT"
    noun: ClassVar[str] = "contact"

    radius: float
    stiffness: float
    damping: float
    exponent: float
    friction: float
    slip_speed: float
    hollow: bool

    def __post_init__(self) -> None:
        what = f"contact {self.name!r}"
        check_push(what, self.stiffness, self.damping, self.exponent)
        for word, value in (("radius", self.radius), ("friction", self.friction)):
            if not (value >= 0.0 and isfinite(value)):
                raise ModelError(f"{what} has the {word} {value:g}; it is not negative")
        if self.friction > 0.0 and not (self.slip_speed > 0.0 and isfinite(self.slip_speed)):
            raise ModelError(
                f"{what} has friction and the slip speed {self.slip_speed:g} m/s; give the slip_speed about"
                " which sticking creeps, well below the speeds of sliding"
            )
        self.check_shape(what)

    def check_shape(self, what: str) -> None:
        """Refuse a shape that the ball cannot touch."""

    def distance(self, d: Vec, p: Any, wider: Expr) -> tuple[Expr, Vec]:
        """Distance of a point at d from the shape, each side ``wider`` by so much, and its gradient."""
        raise ModelError(f"contact {self.name!r} has no shape: write {type(self).__name__}.distance")

    def depth(self, d: Vec, p: Any) -> tuple[Expr, Vec]:
        """Depth δ of a ball whose centre is at d, and the normal n towards it, both in the tail frame.

        Outside δ = r - s, n = ∇s with the distance s of the shape; inside a hollow one its centre leaves a
        shape that is smaller by r: δ = s, n = -∇s of that.
        """
        if self.hollow:
            s, n = self.distance(d, p, -p.radius)
            return s, negative(n)
        s, n = self.distance(d, p, 0)
        return add(p.radius, -s), n

    @property
    def touched(self) -> tuple[str, tuple[Array, ...], tuple[float, ...]]:
        """What is drawn at the tail: the shape's name, its vectors in the tail frame, its other sizes, m."""
        return "", (), ()

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """(1) in ground axes."""
        delta, n_tail = self.depth(motion.d_tail, p)
        n = motion.tail.vector(n_tail)
        u = minus(motion.v, cross(motion.tail.omega, motion.d))  # of the centre, seen from the tail
        away = dot(n, u)
        normal = push(delta, -away, p.stiffness, p.damping, self.exponent)
        force, arm = times(normal.force, n), times(add(mul(0.5, delta), -p.radius), n)
        if self.friction == 0.0:
            return Action(
                force, potential=normal.potential, dissipation=normal.dissipation, power=0
            )  # fmt: skip
        surface = plus(u, cross(motion.omega, arm))
        slip = minus(surface, times(away, n))
        drag = mul(p.friction, normal.force) / sqrt(add(dot(slip, slip), mul(p.slip_speed, p.slip_speed)))
        held = times(drag, slip)
        return Action(
            minus(force, held),
            negative(cross(arm, held)),
            potential=normal.potential,
            dissipation=add(normal.dissipation, mul(drag, dot(slip, slip))),
            power=0,
        )

    @property
    def lengths(self) -> tuple[float, ...]:
        """Its radius."""
        return (self.radius,)


def surface(
    radius: float,
    stiffness: float,
    damping: float,
    exponent: float,
    friction: float,
    slip_speed: float,
    hollow: bool = False,
) -> tuple[float, float, float, float, float, float, bool]:
    """What every contact is given, in the order of its fields."""
    return (
        float(radius), float(stiffness), float(damping), float(exponent), float(friction), float(slip_speed),
        bool(hollow),
    )  # fmt: skip


#: a distance below which no direction is told, m², squared; keeps derivatives finite
_NEAR = 1e-200


def direction(x: Vec) -> tuple[Expr, Vec]:
    """Length and direction of a vector; no direction where it has no length."""
    length = sqrt(maximum(dot(x, x), _NEAR))
    return length, times(inverse(length), x)


def rounded(x: Sequence[Expr], half: Sequence[Expr]) -> tuple[Expr, list[Expr]]:
    """Distance from the set |x_i| ≤ half_i and its gradient; inside, minus that to the next face."""
    over = [add(absolute(a), -b) for a, b in zip(x, half, strict=True)]
    out = [maximum(a, 0) for a in over]
    far = sqrt(maximum(dot(out, out), _NEAR))
    near = over[0]
    for a in over[1:]:
        near = maximum(near, a)
    gradient, taken = list[Expr](), 0  # 1 as soon as a face was taken for the next
    for a, b, c in zip(over, out, x, strict=True):
        is_next = where(a < near, 0, add(1, -taken))
        taken = add(taken, is_next)
        gradient.append(mul(sgn(c), where(near > 0, mul(b, inverse(far)), is_next)))
    return where(near > 0, far, near), gradient
