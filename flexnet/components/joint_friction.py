"""Friction in a joint by Coulomb and Stribeck, sticking replaced by creeping.

    T = -(T_c + (T_s - T_c) exp(-(w/w_s)²)) w/√(w² + w_0²) - c w                                         (1)

with w the rate of the joint. Below some w_0 it creeps where it would stick. The level T_c is a function
of time or a signal, such as the force of a brake or μ times the load of the joint itself. Where it truly
sticks, by events, w_0 = 0 and the level has the sign of w, or is zero while a lock holds the joint.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from flexnet.algebra import Expr, add, cross, dot, exp, mul, sqrt, times
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.registry import component
from flexnet.components.time_function import TimeFunction
from flexnet.errors import ModelError
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class JointFriction(ForceElement):
    """What friction of slides and of turns have in common.

    Attributes
    ----------
    level : T_c, N or N m.
    excess : T_s/T_c - 1, of sticking over sliding.
    stribeck : w_s, m/s or rad/s.
    slip : w_0, m/s or rad/s; 0 where the level has the sign of the rate.
    damping : c, N s/m or N m s/rad.
    axis : of the tail frame.
    joint : the joint it rides on.
    """

    noun: ClassVar[str] = "friction"
    symbol: ClassVar[str] = "FR"

    level: TimeFunction
    excess: float
    stribeck: float
    slip: float
    damping: float
    axis: Array
    joint: str

    def __post_init__(self) -> None:
        what = f"friction {self.name!r}"
        if self.excess < 0.0:
            raise ModelError(f"{what} sticks with less than it slides with; expected static ≥ coulomb")
        if not (self.slip >= 0.0 and self.stribeck > 0.0 and self.damping >= 0.0):
            raise ModelError(f"{what} needs positive speeds slip and stribeck, and no negative damping")
        if self.slip > 0.0 and self.level.kind == "constant" and self.level.parameters[0] < 0.0:
            raise ModelError(f"{what} has the level {self.level.parameters[0]:g}; expected none below zero")

    def answer(self, w: Expr, p: Any) -> tuple[Expr, dict[str, Expr]]:
        """Effort (1) along the coordinate, and the power it takes out."""
        ratio = w / p.stribeck
        level = mul(p.level, add(1, mul(p.excess, exp(-ratio * ratio))))
        if self.slip > 0.0:
            level = mul(level, w) / sqrt(add(mul(w, w), mul(p.slip, p.slip)))
        effort = add(level, mul(p.damping, w))
        return -effort, {"dissipation": mul(effort, w), "power": 0}


@component
@dataclass(frozen=True, slots=True, eq=False)
class SlideFriction(JointFriction):
    """Friction along ``axis`` of the tail.

    Terminal       F = T(w) axis,  w the rate of axis·d
    """

    acts: ClassVar[Literal["both", "translation", "rotation"]] = "translation"

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """Along the axis, which turns with the tail under the force."""
        n, d = motion.tail.vector(p.axis), motion.d
        u = cross(n, d)
        force, energies = self.answer(add(dot(n, motion.v), dot(u, motion.tail.omega)), p)
        return Action(force=times(force, n), tail_torque=times(force, u), **energies)

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its level."""
        return ((self.level, False),)


@component
@dataclass(frozen=True, slots=True, eq=False)
class TurnFriction(JointFriction):
    """Friction about ``axis``.

    Terminal       T = T(w) û,  û and w = θ̇ those of a torsional spring
    """

    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    turns: ClassVar[Literal["", "twist", "rotation"]] = "twist"

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """About û."""
        twist = motion.twist
        torque, energies = self.answer(twist.rate, p)
        return Action(torque=times(torque, twist.axis), tail_torque=times(-torque, twist.axis), **energies)

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its level."""
        return ((self.level, True),)
