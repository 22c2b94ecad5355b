"""End stops of a joint's travel, and backlash: a force that sets in at the end of a play."""

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Literal

from flexnet.algebra import Expr, add, cross, dot, mul, times
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.joint import one_coordinate
from flexnet.components.one_sided import check_push, push
from flexnet.components.registry import Mechanism, builder, component
from flexnet.errors import ModelError
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class EndStop(ForceElement):
    """What stops of slides and of turns have in common.

    Between ``lower`` and ``upper`` nothing acts; beyond, one-sided forces push back
    (:mod:`~flexnet.components.one_sided`).

    Attributes
    ----------
    lower, upper : ends of the free travel, m or rad; either may be infinite.
    stiffness : N/mⁿ or N m/radⁿ.
    damping : s/m or s/rad.
    exponent : n.
    axis : of the tail frame.
    joint : the joint it rides on.
    """

    noun: ClassVar[str] = "end stop"
    symbol: ClassVar[str] = "ES"

    lower: float
    upper: float
    stiffness: float
    damping: float
    exponent: float
    axis: Array
    joint: str

    def __post_init__(self) -> None:
        what = f"end stop {self.name!r}"
        check_push(what, self.stiffness, self.damping, self.exponent)
        if not self.lower <= self.upper:
            raise ModelError(f"{what} stops at {self.lower:g} below and {self.upper:g} above: no travel left")

    def answer(self, x: Expr, rate: Expr, p: Any) -> tuple[Expr, dict[str, Expr]]:
        """Force along x, potential and dissipation."""
        force, potential, dissipation = list[Expr](), list[Expr](), list[Expr]()
        for end, limit, side in ((self.lower, p.lower, 1), (self.upper, p.upper, -1)):
            if isfinite(end):
                depth, faster = mul(side, add(limit, -x)), mul(-side, rate)
                pushed = push(depth, faster, p.stiffness, p.damping, self.exponent)
                force.append(mul(side, pushed.force))
                potential.append(pushed.potential)
                dissipation.append(pushed.dissipation)
        return add(*force), {"potential": add(*potential), "dissipation": add(*dissipation), "power": 0}


@component
@dataclass(frozen=True, slots=True, eq=False)
class SlideStop(EndStop):
    """End stops of the displacement along ``axis`` of the tail.

    Terminal       F = (N(lower - x) - N(x - upper)) axis,  x = axis·d
    """

    acts: ClassVar[Literal["both", "translation", "rotation"]] = "translation"

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """Along the axis, which turns with the tail under the force."""
        n, d = motion.tail.vector(p.axis), motion.d
        u = cross(n, d)
        force, energies = self.answer(dot(n, d), add(dot(n, motion.v), dot(u, motion.tail.omega)), p)
        return Action(force=times(force, n), tail_torque=times(force, u), **energies)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Ends of its travel."""
        return tuple(abs(x) for x in (self.lower, self.upper) if isfinite(x))


@component
@dataclass(frozen=True, slots=True, eq=False)
class TurnStop(EndStop):
    """End stops of the counted angle about ``axis``.

    Terminal       T = (N(lower - θ) - N(θ - upper)) û, û and θ those of a torsional spring
    """

    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    turns: ClassVar[Literal["", "twist", "rotation"]] = "twist"

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """About û."""
        twist = motion.twist
        torque, energies = self.answer(twist.angle, twist.rate, p)
        return Action(torque=times(torque, twist.axis), tail_torque=times(-torque, twist.axis), **energies)


@builder
def end_stop(
    system: Mechanism,
    name: str,
    joint: str,
    lower: float = float("-inf"),
    upper: float = float("inf"),
    stiffness: float = 0.0,
    damping: float = 0.0,
    exponent: float = 1.0,
) -> SlideStop | TurnStop:
    """Stop the one coordinate of a joint at ``lower`` and at ``upper``, either of which may be left out.

    Parameters
    ----------
    lower, upper : ends of its travel, m or rad.
    stiffness, damping, exponent : N/mⁿ or N m/radⁿ, s/m or s/rad, n of N = k δⁿ (1 + c δ̇).
    """
    what = f"end stop {name!r}"
    carrier, axis, turns = one_coordinate(system, joint, what, "stop")
    given = float(lower), float(upper), float(stiffness), float(damping), float(exponent)
    return (TurnStop if turns else SlideStop)(name, carrier.tail, carrier.head, *given, axis, joint)


@builder
def backlash(
    system: Mechanism,
    name: str,
    joint: str,
    play: float,
    stiffness: float,
    damping: float = 0.0,
    centre: float = 0.0,
) -> SlideStop | TurnStop:
    """Couple the two sides of a joint after a free play: teeth, splines, a fork.

    Parameters
    ----------
    play : the whole of it, m or rad.
    stiffness, damping : N/m or N m/rad, s/m or s/rad.
    centre : coordinate in the middle of the play, m or rad.
    """
    if not play >= 0.0:
        raise ModelError(f"backlash {name!r} has the play {play:g}; it is not negative")
    return end_stop(system, name, joint, centre - play / 2, centre + play / 2, stiffness, damping)
