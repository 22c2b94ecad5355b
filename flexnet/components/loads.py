"""Applied forces and torques: through variables that are known functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.components.component import Component
from flexnet.components.frame import Frame
from flexnet.components.registry import BUILDERS, Mechanism, builder, component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.components.time_function import TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array


@component
@dataclass(frozen=True, slots=True, eq=False)
class Force:
    """Force at the origin of a frame.

    Terminal       F = F(t)                                                 GTM table 4, DynaFlex (12)

    Attributes
    ----------
    components : three functions of time, N.
    follows : True if the components are along the axes of the frame, False if along ground axes.
    """

    symbol: ClassVar[str] = "fd"
    kind: ClassVar[Kind] = Kind.FORCE
    noun: ClassVar[str] = "force"
    acts_from_datum: ClassVar[bool] = True
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    components: tuple[TimeFunction, TimeFunction, TimeFunction]
    follows: bool = False

    @property
    def terminal(self) -> Terminal:
        """Any translation; not in the R-graph."""
        return Terminal(Translation(free=XYZ), None)


@component
@dataclass(frozen=True, slots=True, eq=False)
class Torque:
    """Torque on the body of a frame.

    Terminal       T = T(t)                                                 GTM table 4, DynaFlex (12)

    Attributes
    ----------
    components : three functions of time, N m.
    follows : True if the components are along the axes of the frame, False if along ground axes.
    """

    symbol: ClassVar[str] = "td"
    kind: ClassVar[Kind] = Kind.FORCE
    noun: ClassVar[str] = "torque"
    acts_from_datum: ClassVar[bool] = True
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    components: tuple[TimeFunction, TimeFunction, TimeFunction]
    follows: bool = False

    @property
    def terminal(self) -> Terminal:
        """Any rotation; not in the T-graph."""
        names = ("rotation_x", "rotation_y", "rotation_z")
        return Terminal(None, Rotation("free", names=names))


@component
@dataclass(frozen=True, slots=True, eq=False)
class Weight:
    """Gravity on one body.

    Terminal       F = m g                                                  GTM §4.6.1

    Attributes
    ----------
    force : (3,) weight in ground axes, N.
    """

    symbol: ClassVar[str] = "W"
    kind: ClassVar[Kind] = Kind.FORCE
    noun: ClassVar[str] = "weight"
    acts_from_datum: ClassVar[bool] = True
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    force: Array

    @property
    def terminal(self) -> Terminal:
        """Any translation; not in the R-graph."""
        return Terminal(Translation(free=XYZ), None)


@builder
def force(system: Mechanism, name: str, at: Frame, force: Sequence[TimeLike], follows: bool = False) -> Force:
    """Apply a force [N] at a frame; components in ground axes, or in the frame's if it ``follows``."""
    return Force(name, system.datum, at, _three(force, name), follows)


@builder
def torque(
    system: Mechanism,
    name: str,
    on: Frame | None = None,
    torque: Sequence[TimeLike] | TimeLike = 0.0,
    follows: bool = False,
    joint: str | None = None,
) -> Component:
    """Apply a torque [N m] to a body, or between the two bodies of a joint about its axis.

    Parameters
    ----------
    on : body or frame; components in ground axes, or in the frame's if it ``follows``.
    joint : name of a joint with one angle; ``torque`` is then one function, acting on its head
        (and the opposite on its tail).
    """
    if joint is not None:
        system.joint(joint, f"torque {name!r}")
        return BUILDERS["torsional_spring"](system, name, joint=joint, torque=torque)
    if on is None:
        raise ModelError(f"torque {name!r} needs a body or a joint")
    several = isinstance(torque, list | tuple | np.ndarray)
    components = list(torque) if several else [0.0, 0.0, torque]
    return Torque(name, system.datum, on, _three(components, name), follows)


def _three(values: Sequence[TimeLike], name: str) -> tuple[TimeFunction, TimeFunction, TimeFunction]:
    if not isinstance(values, list | tuple | np.ndarray):
        raise ModelError(f"{name!r} needs a list of three components, got {values!r}")
    functions = [as_time_function(v, f"component of {name!r}") for v in values]
    if len(functions) == 2:
        functions.append(as_time_function(0.0, name))
    if len(functions) != 3:
        raise ModelError(f"{name!r} needs three components, got {len(functions)}")
    return functions[0], functions[1], functions[2]
