"""Spring-damper-actuators and bushings: forces between two frames."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

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
from flexnet.components.force_element import ForceElement, Load, Motion
from flexnet.components.time_function import TimeFunction
from flexnet.errors import ModelError
from flexnet.typing import Array


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
    """

    letters: ClassVar[Mapping[str, str]] = {"stiffness": "k", "damping": "c", "actuator": "force"}

    stiffness: float
    damping: float
    rest: float
    actuator: TimeFunction
    formula: Callable[[float, float, float], float] | Any | None

    def __post_init__(self) -> None:
        if not np.all(np.isfinite([self.stiffness, self.damping, self.rest])):
            raise ModelError(
                f"spring {self.name!r} has a stiffness, damping or rest value that is not finite"
            )
        if self.formula is not None and (self.stiffness or self.damping):
            raise ModelError(f"spring {self.name!r} has both a law and a stiffness or damping; give one")

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


@dataclass(frozen=True, slots=True, eq=False)
class TranslationalSpring(SpringDamper):
    """Spring-damper-actuator between the origins of two frames.

    Without ``axis`` it acts along the line between the origins and x is their distance; with ``axis``
    it acts along that direction of the tail frame and x is the signed displacement along it.
    A positive force pushes the head away from the tail.

    Terminal       F = (k (x₀ - x) - c ẋ + F(t)) û                          Léger table 4.1
    """

    acts: ClassVar[Literal["both", "translation", "rotation"]] = "translation"

    axis: Array | None = None

    def law(self, motion: Motion, p: Any, t: Expr) -> Load:
        """Along û; an axis of the tail turns under the force, which has a moment about the tail."""
        d = motion.d
        if self.axis is None:
            x, u = sqrt(dot(d, d)), ZERO3
            n = times(inverse(x), d)
        else:
            n = motion.tail.vector(p.axis)
            x, u = dot(n, d), cross(n, d)
        force, energies = self.answer(x, add(dot(n, motion.v), dot(u, motion.tail.omega)), p, t)
        return Load(force=times(force, n), tail_torque=times(force, u), **energies)

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

    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    turns: ClassVar[Literal["", "twist", "rotation"]] = "twist"

    axis: Array
    joint: str | None = None

    def law(self, motion: Motion, p: Any, t: Expr) -> Load:
        """About û."""
        twist = motion.twist
        torque, energies = self.answer(twist.angle, twist.rate, p, t)
        return Load(torque=times(torque, twist.axis), tail_torque=times(-torque, twist.axis), **energies)

    @property
    def stiffnesses(self) -> tuple[float, float]:
        """Against rotation."""
        return 0.0, abs(self.stiffness)

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its actuator."""
        return ((self.actuator, True),)


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

    turns: ClassVar[Literal["", "twist", "rotation"]] = "rotation"

    stiffness: Array
    damping: Array
    axis: Array | None = None

    def __post_init__(self) -> None:
        for what, matrix in (("stiffness", self.stiffness), ("damping", self.damping)):
            if matrix.shape != (6, 6) or not np.all(np.isfinite(matrix)):
                raise ModelError(f"bushing {self.name!r} needs a finite (6, 6) {what} matrix")

    def law(self, motion: Motion, p: Any, t: Expr) -> Load:
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
        return Load(
            force, torque, potential=-dot(elastic, x) / 2, dissipation=-dot(viscous, rate),
            power=-dot(x_dot, [dot(row, x) for row in skew]),
        )  # fmt: skip

    @property
    def stiffnesses(self) -> tuple[float, float]:
        """Largest of the diagonal."""
        K = np.abs(np.diag(self.stiffness))
        return float(K[:3].max()), float(K[3:].max())
