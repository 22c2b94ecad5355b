"""Spring-damper-actuators and bushings: forces between two frames."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from flexnet.algebra import (
    ZERO3,
    Expr,
    RotationVector,
    Turned,
    add,
    cross,
    dot,
    inverse,
    mul,
    rotation_vector,
    sqrt,
    swing_and_twist,
    times,
)  # fmt: skip
from flexnet.components.component import Component
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.frame import Frame, as_axis
from flexnet.components.registry import Mechanism, builder, component
from flexnet.components.time_function import SympyExpression, TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector

UserLaw: TypeAlias = Callable[[float, float, float], float] | SympyExpression | None


@dataclass(frozen=True, slots=True, eq=False)
class SpringDamper(ForceElement):
    """What springs have in common: what they answer to their stretch.

    The linear law is ``f = k (x₀ - x) - c ẋ + f(t)``; a user's formula ``f(x, ẋ, t)`` takes the place
    of the first two terms (a Python callable, or a sympy expression of the symbols x, v and t).

    Attributes
    ----------
    stiffness : N/m or N m/rad.
    damping : N s/m or N m s/rad.
    rest : free length or angle, m or rad.
    actuator : added force or torque, N or N m.
    formula : user's law instead of stiffness and damping.
    what : what it is where another thing is made of it, such as a hydraulic cylinder; else empty.
    """

    letters: ClassVar[Mapping[str, str]] = {"stiffness": "k", "damping": "c", "actuator": "force"}

    stiffness: float
    damping: float
    rest: float
    actuator: TimeFunction
    formula: UserLaw
    what: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if not np.all(np.isfinite([self.stiffness, self.damping, self.rest])):
            raise ModelError(
                f"spring {self.name!r} has a stiffness, damping or rest value that is not finite"
            )
        if self.formula is not None and (self.stiffness or self.damping):
            raise ModelError(f"spring {self.name!r} has both a law and a stiffness or damping; give one")

    @property
    def called(self) -> str:
        """What it is part of, or a spring, a damper or a load, by what it answers to."""
        if self.what or self.stiffness or self.formula:
            return self.what or self.noun
        load = "torque" if self.acts == "rotation" else "force"
        return self.noun.replace("spring", "damper") if self.damping else load

    def answer(self, x: Expr, rate: Expr, p: Any, t: Expr) -> tuple[Expr, dict[str, Expr]]:
        """Force at a stretch and a rate; potential, dissipation and power."""
        if self.formula is not None:
            force = add(p.formula(x, rate, t), p.actuator)
            return force, {"power": mul(force, rate)}
        short, damper = add(p.rest, -x), mul(p.damping, rate)
        energies = {
            "potential": mul(p.stiffness / 2, mul(short, short)),
            "dissipation": mul(damper, rate),
            "power": mul(p.actuator, rate),
        }
        return add(mul(p.stiffness, short), -damper, p.actuator), energies


@component
@dataclass(frozen=True, slots=True, eq=False)
class TranslationalSpring(SpringDamper):
    """Spring-damper-actuator between the origins of two frames.

    Without ``axis`` it acts along the line between the origins and x is their distance; with ``axis``
    it acts along that direction of the tail frame and x is the signed displacement along it.
    A positive force pushes the head away from the tail.

    Terminal       F = (k (x₀ - x) - c ẋ + F(t)) û                          Léger table 4.1
    """

    noun: ClassVar[str] = "spring"
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "translation"

    axis: Array | None = None

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """Along û; an axis of the tail turns under the force, which has a moment about the tail."""
        d = motion.d
        if self.axis is None:
            x, u = sqrt(dot(d, d)), ZERO3
            n = times(inverse(x), d)
        else:
            n = motion.tail.vector(p.axis)
            x, u = dot(n, d), cross(n, d)
        force, energies = self.answer(x, add(dot(n, motion.v), dot(u, motion.tail.omega)), p, t)
        return Action(force=times(force, n), tail_torque=times(force, u), **energies)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Its free length."""
        return (abs(self.rest),)

    @property
    def stiffnesses(self) -> tuple[float, float]:
        """Against translation."""
        return abs(self.stiffness), 0.0

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its actuator."""
        return ((self.actuator, False),)


@component
@dataclass(frozen=True, slots=True, eq=False)
class TorsionalSpring(SpringDamper):
    """Spring-damper-actuator about an axis shared by two frames.

    x is the twist of the head about ``axis`` as seen from the tail. It counts whole turns, from the start
    value of its joint on, in every tree. Where the axis of the head swings away from that of the tail, the
    torque acts along û = (a + a')/(1 + a·a'); the swing stays below half a turn, and the run warns where it
    comes near. A positive torque turns the head forwards about the axis.

    Terminal       T = (k (θ₀ - θ) - c θ̇ + T(t)) û                          Léger table 4.1

    Attributes
    ----------
    joint : name of the joint it rides on, if any.
    """

    noun: ClassVar[str] = "torsional spring"
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    turns: ClassVar[Literal["", "twist", "rotation"]] = "twist"

    axis: Array
    joint: str | None = None

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """About û."""
        twist = motion.twist
        torque, energies = self.answer(twist.angle, twist.rate, p, t)
        return Action(torque=times(torque, twist.axis), tail_torque=times(-torque, twist.axis), **energies)

    @property
    def stiffnesses(self) -> tuple[float, float]:
        """Against rotation."""
        return 0.0, abs(self.stiffness)

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its actuator."""
        return ((self.actuator, True),)


@component
@dataclass(frozen=True, slots=True, eq=False)
class Bushing(ForceElement):
    """Linear 6×6 elastic and viscous connection of two frames.

    With d the displacement of the head origin and φ the rotation vector of the head, both in the tail
    frame, and their rates, the wrench on the head in the tail frame is

        (F, T) = -(1, J⁻ᵀ) K (d, φ) - C (ḋ, ω_rel)

    with J(φ) the left Jacobian of the rotation, φ̇ = J⁻¹ ω_rel: the elastic part comes from the potential
    ½ (d, φ)ᵀK(d, φ) however far the frames turn, and is -K (d, φ) to first order.

    The rotation vector stays below half a turn. With ``axis`` the head may turn round and round: in the
    place of φ stands σ + θ a, the twist θ about the axis a, counted, and the swing σ ⟂ a of the axis, which
    stays below half a turn. To first order both are the same. A run warns where a rotation comes near its
    limit.

    Attributes
    ----------
    axis : (3,) in the tail frame, about which the head may turn further than half a turn.
    stiffness : (6, 6) N/m, N, N m/rad.
    damping : (6, 6) N s/m, N s, N m s/rad.
    """

    noun: ClassVar[str] = "bushing"
    turns: ClassVar[Literal["", "twist", "rotation"]] = "rotation"

    stiffness: Array
    damping: Array
    axis: Array | None = None

    def __post_init__(self) -> None:
        for what, matrix in (("stiffness", self.stiffness), ("damping", self.damping)):
            if matrix.shape != (6, 6) or not np.all(np.isfinite(matrix)):
                raise ModelError(f"bushing {self.name!r} needs a finite (6, 6) {what} matrix")

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """The wrench above, turned into ground axes; the skew part of K has no potential."""
        if self.axis is None:
            turned: Turned = RotationVector(rotation_vector(motion.R))
        else:
            turned = swing_and_twist(motion.R, p.axis, motion.twist.angle)
        K, C = p.stiffness, p.damping
        x, rate = (*motion.d_tail, *turned.chi), (*motion.v_tail, *motion.omega_tail)
        elastic = [-dot(row, x) for row in K]
        viscous = [-dot(row, rate) for row in C]
        local = (*elastic[:3], *turned.torque((elastic[3], elastic[4], elastic[5])))
        f_x, f_y, f_z, t_x, t_y, t_z = map(add, local, viscous)
        force, torque = motion.tail.vector((f_x, f_y, f_z)), motion.tail.vector((t_x, t_y, t_z))
        x_dot = (*motion.v_tail, *turned.rate(motion.omega_tail))
        skew = [[(K[i][j] - K[j][i]) / 2 for j in range(6)] for i in range(6)]
        return Action(
            force, torque, potential=-dot(elastic, x) / 2, dissipation=-dot(viscous, rate),
            power=-dot(x_dot, [dot(row, x) for row in skew]),
        )  # fmt: skip

    @property
    def stiffnesses(self) -> tuple[float, float]:
        """Largest of the diagonal."""
        K = np.abs(np.diag(self.stiffness))
        return float(K[:3].max()), float(K[3:].max())


@builder
def spring(
    name: str,
    tail: Frame,
    head: Frame,
    stiffness: float = 0.0,
    damping: float = 0.0,
    free_length: float = 0.0,
    force: TimeLike = 0.0,
    law: UserLaw = None,
    axis: str | Vector | None = None,
) -> TranslationalSpring:
    """Add a translational spring-damper-actuator between two frames.

    Parameters
    ----------
    stiffness, damping, free_length : N/m, N s/m, m.
    force : added actuator force, N; positive pushes the ends apart.
    law : ``law(x, xdot, t)`` [N] instead of stiffness and damping.
    axis : act along this direction of the tail frame instead of along the line of the origins.
    """
    given = _answer(name, stiffness, damping, free_length, force, law)
    direction = None if axis is None else as_axis(axis, f"axis of spring {name!r}")
    return TranslationalSpring(name, tail, head, *given, direction)


@builder
def torsional_spring(
    system: Mechanism,
    name: str,
    joint: str | None = None,
    tail: Frame | None = None,
    head: Frame | None = None,
    axis: str | Vector = "z",
    stiffness: float = 0.0,
    damping: float = 0.0,
    free_angle: float = 0.0,
    torque: TimeLike = 0.0,
    law: UserLaw = None,
) -> TorsionalSpring:
    """Add a torsional spring-damper-actuator on a joint, or between two frames about ``axis``.

    Parameters
    ----------
    stiffness, damping, free_angle : N m/rad, N m s/rad, rad.
    torque : added actuator torque on the head, N m.
    law : ``law(theta, omega, t)`` [N m] instead of stiffness and damping.
    """
    given = _answer(name, stiffness, damping, free_angle, torque, law)
    if joint is not None:
        noun = "torsional spring" if stiffness or damping or law else "torque"
        carrier = system.joint(joint, f"{noun} {name!r}")
        about = carrier.terminal.single_axis
        if about is None:
            raise ModelError(f"{noun} {name!r}: joint {joint!r} has no single angle")
        return TorsionalSpring(name, carrier.tail, carrier.head, *given, about, joint)
    if head is None:
        raise ModelError(f"torsional spring {name!r} needs a joint or a head frame")
    u = as_axis(axis, f"axis of {name!r}")
    return TorsionalSpring(name, system.datum if tail is None else tail, head, *given, u)


@builder
def bushing(
    system: Mechanism,
    name: str,
    tail: Frame,
    head: Frame,
    stiffness: Array,
    damping: Array | None = None,
    axis: str | Vector | None = None,
) -> Bushing:
    """Add a 6×6 bushing; stiffness and damping (6, 6) in the tail frame, SI units.

    Parameters
    ----------
    axis : of the tail frame, about which the head may turn further than half a turn: whole turns are
        counted. In a planar system it is z.
    """
    about = "z" if axis is None and system.is_planar else axis
    direction = None if about is None else as_axis(about, f"axis of bushing {name!r}")
    K = np.array(stiffness, dtype=float)
    C = np.zeros((6, 6)) if damping is None else np.array(damping, dtype=float)
    return Bushing(name, tail, head, K, C, direction)


def known_as(what: str, made: Component) -> Component:
    """A spring-damper-actuator that a builder of something else made, under the name of that."""
    assert isinstance(made, SpringDamper), f"{made.name!r} is no spring-damper-actuator"
    return replace(made, what=what)


def _answer(
    name: str, stiffness: float, damping: float, rest: float, actuator: TimeLike, law: UserLaw
) -> tuple[float, float, float, TimeFunction, UserLaw]:
    """What a spring answers to its stretch."""
    added = as_time_function(actuator, f"actuator of {name!r}")
    return float(stiffness), float(damping), float(rest), added, law
