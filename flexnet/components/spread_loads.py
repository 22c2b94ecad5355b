"""Loads that are spread over a flexible body: pressure on its shells, free strain of its elements."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from flexnet.algebra import Expr, add, dot, minus, mul, times
from flexnet.components.flexible_body import FlexibleBody
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.frame import Frame
from flexnet.components.registry import Mechanism, builder, component
from flexnet.components.time_function import TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError
from flexnet.typing import Array
from flexnet.units import parse_unit, unit_name


@component
@dataclass(frozen=True, slots=True, eq=False)
class PressureLoad(ForceElement):
    """Pressure on a group of facets; it turns with their mean rotation.

    Terminal       F = p R,  T = p M₀                                       docs/theory/flextable.md

    Attributes
    ----------
    pressure : p, Pa.
    wrench : (6,) R and M₀ of one pascal, in the axes of the frame, N and N m.
    """

    symbol: ClassVar[str] = "p"
    noun: ClassVar[str] = "pressure"
    acts_from_datum: ClassVar[bool] = True
    letters: ClassVar[Mapping[str, str]] = {"pressure": "p", "wrench": "R"}

    pressure: TimeFunction
    wrench: Array

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """Force and torque in ground axes."""
        R, M = p.wrench[:3], p.wrench[3:]
        force = motion.head.vector(times(p.pressure, (R[0], R[1], R[2])))
        torque = motion.head.vector(times(p.pressure, (M[0], M[1], M[2])))
        power = add(dot(force, motion.head.v), dot(torque, motion.head.omega))
        return Action(force=force, torque=torque, power=power)

    def check_plane(self, what: str) -> None:
        """Its force lies in the plane, its torque across."""
        if np.abs(self.wrench[[2, 3, 4]]).max() > 1e-9 * np.abs(self.wrench).max():
            raise ModelError(f"{what} pushes out of the plane of a planar system")


@builder
def pressure(system: Mechanism, name: str, at: Frame, pressure: TimeLike) -> PressureLoad:
    """Apply a pressure [Pa] to the shells of a flexible body, along their normals.

    Parameters
    ----------
    at : a frame of the body that was given as ``Pressure(group)``.
    pressure : number, function of time or signal, Pa.
    """
    part, value = _loaded(system, f"pressure {name!r}", at, pressure, "Pa")
    return PressureLoad(name, system.datum, at, value, part.wrench(at.name, "Pressure", f"pressure {name!r}"))


@component
@dataclass(frozen=True, slots=True, eq=False)
class FreeStrain(ForceElement):
    """Strain that heat or a voltage would give a group of elements of a flexible body, were they free.

    Terminal       T = c u, between the frame of the body and that of the load    docs/theory/flextable.md

    Attributes
    ----------
    load : u: change of temperature over the field of its frame, K; voltage, V.
    torque : c, the torque of a unit load, N m.
    """

    symbol: ClassVar[str] = "st"
    noun: ClassVar[str] = "free strain"
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    is_inside: ClassVar[bool] = True
    letters: ClassVar[Mapping[str, str]] = {"load": "u", "torque": "c"}

    load: TimeFunction
    torque: float

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """Torque about z of the body."""
        torque = motion.tail.vector((0, 0, mul(p.torque, p.load)))
        power = dot(torque, minus(motion.head.omega, motion.tail.omega))
        return Action(torque=torque, power=power)


@builder
def heat(system: Mechanism, name: str, at: Frame, temperature: TimeLike) -> FreeStrain:
    """Change the temperature of elements of a flexible body: they expand, and bend or are strained by it.

    Parameters
    ----------
    at : a frame of the body that was given as ``Temperature(group, expansion, field)``.
    temperature : number, function of time or signal, K, that scales its field.
    """
    return free_strain(system, name, at, temperature, "K", "Temperature")


def free_strain(
    system: Mechanism, name: str, at: Frame, load: TimeLike, unit: str, kind: str
) -> FreeStrain:  # fmt: skip
    """A free strain at a frame that was given as a port of some kind; its load has a unit."""
    what = f"{kind.lower()} {name!r}"
    part, value = _loaded(system, what, at, load, unit)
    return FreeStrain(name, part.head, at, value, float(part.wrench(at.name, kind, what)[5]))


def _loaded(
    system: Mechanism, what: str, at: Frame, given: TimeLike, unit: str
) -> tuple[FlexibleBody, TimeFunction]:  # fmt: skip
    """The flexible body a load acts on, and the function it follows."""
    part = system.components.get(at.body)
    if not isinstance(part, FlexibleBody) or part.body is None:
        raise ModelError(f"{what} acts on {at.body!r}, which is no flexible body whose mesh is known")
    value = as_time_function(given, what)
    if value.kind == "signal":
        measured, wanted = value.expression.dimension, parse_unit(unit).dimension
        if measured not in (None, wanted):
            raise ModelError(f"{what} is given a signal in {unit_name(measured)}; expected {unit}")
    return part, value
