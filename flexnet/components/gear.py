"""Gear pair, and rack and pinion: the coordinates of two joints in a fixed ratio."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.algebra import Expr, add, dot, mul
from flexnet.components.component import Component
from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import Mechanism, builder, component
from flexnet.components.row import Relative, Row
from flexnet.components.row_formulas import direction_label
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.errors import ModelError
from flexnet.typing import Array


def meshing(m: Relative) -> Expr:
    """Φ = θ₂ - ρ θ₁ - phase, both counted."""
    return add(m.angle, -mul(m.numbers[0], m.other.angle), -m.numbers[1])


def rolling(m: Relative) -> Expr:
    """Φ = axis·d₂ - ρ θ₁ - phase."""
    return add(dot(m.tail[0], m.d), -mul(m.numbers[0], m.other.angle), -m.numbers[1])


@component
@dataclass(frozen=True, slots=True, eq=False)
class GearPair(Joint):
    """Two wheels that mesh: the angle of joint 2 is ``ratio`` times that of joint 1, plus ``phase``.

    Motion space   any rotation but one
    Reaction space torques ∝ axis₂ on wheel 2 and -ratio axis₁ on wheel 1, the opposite on what carries them
    Terminal       θ₂ = ρ θ₁ + phase,  T₁ + ρ T₂ = 0

    The edge is parallel to that of joint 2; its load is the torque on wheel 2. Teeth press on one another by
    a force; its moments about the two axes are here, what it adds to the loads of the bearings is not.

    Attributes
    ----------
    axis : (3,) of joint 2.
    joint : name of joint 2.
    driving : joint 1.
    ratio : turns of wheel 2 in a turn of wheel 1; negative where they turn against one another.
    phase : rad.
    """

    symbol: ClassVar[str] = "g"

    axis: Array
    joint: str
    driving: tuple[Frame, Frame, Array]
    ratio: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        _check_ratio(f"gear pair {self.name!r}", self.ratio)

    @property
    def terminal(self) -> Terminal:
        """One condition on two rotations; not in the T-graph."""
        numbers, label = (self.ratio, self.phase), f"torque {direction_label(self.axis)}"
        row = Row(label, meshing, "rad", numbers=numbers, counts=self.axis, other=self.driving)
        return Terminal(None, Rotation.ball(), (row,))


@component
@dataclass(frozen=True, slots=True, eq=False)
class RackPair(Joint):
    """Rack and pinion: the displacement of joint 2 is ``radius`` times the angle of joint 1, plus ``phase``.

    Motion space   any translation but one
    Reaction space a force ∝ axis₂ on the rack, a torque -radius axis₁ on the pinion; opposite on bases
    Terminal       s₂ = ρ θ₁ + phase,  T₁ + ρ F₂ = 0

    Attributes
    ----------
    axis : (3,) of joint 2, in its tail frame.
    joint : name of joint 2.
    driving : joint 1.
    radius : way of the rack in a radian of the pinion, m; negative where it goes the other way.
    phase : m.
    """

    symbol: ClassVar[str] = "g"

    axis: Array
    joint: str
    driving: tuple[Frame, Frame, Array]
    radius: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        _check_ratio(f"rack {self.name!r}", self.radius)

    @property
    def terminal(self) -> Terminal:
        """One condition on a translation and a rotation; not in the R-graph."""
        numbers, label = (self.radius, self.phase), f"force {direction_label(self.axis)}"
        row = Row(label, rolling, "m", (self.axis,), numbers=numbers, other=self.driving)
        return Terminal(Translation(free=XYZ), None, (row,))


def _check_ratio(what: str, ratio: float) -> None:
    if not np.isfinite(ratio) or ratio == 0.0:
        raise ModelError(f"{what} has a ratio of {ratio!r}; expected one that is not zero")


def _driving(joint: Component, what: str) -> tuple[Frame, Frame, Array]:
    about = joint.terminal.single_axis
    if about is None:
        raise ModelError(f"{what}: joint {joint.name!r} has no single angle")
    return joint.tail, joint.head, about


@builder
def gear_pair(
    system: Mechanism, name: str, joint_1: str, joint_2: str, ratio: float, phase: float = 0.0
) -> GearPair:
    """Let two wheels mesh: the angle of ``joint_2`` is ``ratio`` times that of ``joint_1``.

    Parameters
    ----------
    joint_1, joint_2 : names of the joints the wheels turn in, each with one angle.
    ratio : turns of the second wheel in a turn of the first: -N₁/N₂ of two spur gears on parallel axes.
    phase : angle of the second where that of the first is zero, rad.
    """
    first, second = (system.joint(j, f"gear pair {name!r}") for j in (joint_1, joint_2))
    tail, head, axis = _driving(second, f"gear pair {name!r}")
    driving = _driving(first, f"gear pair {name!r}")
    return GearPair(name, tail, head, axis, joint_2, driving, float(ratio), float(phase))


@builder
def rack_pair(
    system: Mechanism, name: str, pinion: str, rack: str, radius: float, phase: float = 0.0
) -> RackPair:
    """Let a pinion drive a rack: the displacement of joint ``rack`` is ``radius`` times the pinion's angle.

    Parameters
    ----------
    pinion, rack : names of the joints they move in: one with one angle, one with one displacement.
    radius : of the pinion's pitch circle, m; negative where the rack goes the other way.
    phase : displacement where the angle is zero, m.
    """
    first, second = (system.joint(j, f"rack {name!r}") for j in (pinion, rack))
    free = () if second.terminal.translation is None else second.terminal.translation.free
    if len(free) != 1:
        raise ModelError(f"rack {name!r}: joint {rack!r} has no single displacement")
    driving = _driving(first, f"rack {name!r}")
    ends = second.tail, second.head
    return RackPair(name, *ends, free[0].vector, rack, driving, float(radius), float(phase))
