"""Spring-damper-actuators and bushings: forces between two frames."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from flexnet.components.frame import Frame, as_axis
from flexnet.components.registry import Mechanism, builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.components.time_function import TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array, Vector

UserLaw: TypeAlias = Callable[[float, float, float], float] | Any | None


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """What a spring-damper-actuator answers to its stretch.

    The linear law is ``f = k (x₀ - x) - c ẋ + f(t)``; a user's law ``law(x, ẋ, t)`` takes the place
    of the first two terms (a Python callable, or a sympy expression of the symbols x, v and t).

    Attributes
    ----------
    stiffness : N/m or N m/rad.
    damping : N s/m or N m s/rad.
    rest : free length or angle, m or rad.
    actuator : added force or torque, N or N m.
    law : user's law instead of stiffness and damping.
    """

    stiffness: float
    damping: float
    rest: float
    actuator: TimeFunction
    law: Callable[[float, float, float], float] | Any | None = None

    def check(self, name: str) -> None:
        """Refuse numbers that are not finite and a law given twice."""
        if not np.all(np.isfinite([self.stiffness, self.damping, self.rest])):
            raise ModelError(f"spring {name!r} has a stiffness, damping or rest value that is not finite")
        if self.law is not None and (self.stiffness or self.damping):
            raise ModelError(f"spring {name!r} has both a law and a stiffness or damping; give one")


@component
@dataclass(frozen=True, slots=True, eq=False)
class TranslationalSpring:
    """Spring-damper-actuator between the origins of two frames.

    Without ``axis`` it acts along the line between the origins and x is their distance; with ``axis``
    it acts along that direction of the tail frame and x is the signed displacement along it.
    A positive force pushes the head away from the tail.

    Terminal       F = (k (x₀ - x) - c ẋ + F(t)) û                          Léger table 4.1
    """

    symbol: ClassVar[str] = "SDA"
    kind: ClassVar[Kind] = Kind.FORCE
    noun: ClassVar[str] = "spring"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    law: Law
    axis: Array | None = None

    @property
    def terminal(self) -> Terminal:
        """Any translation; not in the R-graph."""
        return Terminal(Translation(free=XYZ), None)


@component
@dataclass(frozen=True, slots=True, eq=False)
class TorsionalSpring:
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

    symbol: ClassVar[str] = "SDA"
    kind: ClassVar[Kind] = Kind.FORCE
    noun: ClassVar[str] = "torsional spring"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    law: Law
    axis: Array
    joint: str | None = None

    @property
    def terminal(self) -> Terminal:
        """Any rotation; not in the T-graph."""
        names = ("rotation_x", "rotation_y", "rotation_z")
        return Terminal(None, Rotation("free", names=names))


@component
@dataclass(frozen=True, slots=True, eq=False)
class Bushing:
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

    symbol: ClassVar[str] = "SDA"
    kind: ClassVar[Kind] = Kind.FORCE
    noun: ClassVar[str] = "bushing"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    stiffness: Array
    damping: Array
    axis: Array | None = None

    def __post_init__(self) -> None:
        for what, matrix in (("stiffness", self.stiffness), ("damping", self.damping)):
            if matrix.shape != (6, 6) or not np.all(np.isfinite(matrix)):
                raise ModelError(f"bushing {self.name!r} needs a finite (6, 6) {what} matrix")

    @property
    def terminal(self) -> Terminal:
        """Any motion."""
        names = ("rotation_x", "rotation_y", "rotation_z")
        return Terminal(Translation(free=XYZ), Rotation("free", names=names))


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
    given = _law(name, stiffness, damping, free_length, force, law)
    direction = None if axis is None else as_axis(axis, f"axis of spring {name!r}")
    return TranslationalSpring(name, tail, head, given, direction)


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
    given = _law(name, stiffness, damping, free_angle, torque, law)
    if joint is not None:
        carrier = system.joint(joint, f"torsional spring {name!r}")
        about = carrier.terminal.single_axis
        if about is None:
            raise ModelError(f"torsional spring {name!r}: joint {joint!r} has no single angle")
        return TorsionalSpring(name, carrier.tail, carrier.head, given, about, joint)
    if head is None:
        raise ModelError(f"torsional spring {name!r} needs a joint or a head frame")
    u = as_axis(axis, f"axis of {name!r}")
    return TorsionalSpring(name, system.datum if tail is None else tail, head, given, u)


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
    K = np.asarray(stiffness, dtype=float)
    C = np.zeros((6, 6)) if damping is None else np.asarray(damping, dtype=float)
    return Bushing(name, tail, head, K, C, direction)


def _law(name: str, k: float, c: float, rest: float, actuator: TimeLike, law: UserLaw) -> Law:
    made = Law(float(k), float(c), float(rest), as_time_function(actuator, f"actuator of {name!r}"), law)
    made.check(name)
    return made
