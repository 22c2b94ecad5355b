"""Applied forces and torques: through variables that are known functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from flexnet.algebra import Expr, Vec, dot
from flexnet.components.component import Component
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.frame import Frame
from flexnet.components.registry import BUILDERS, Mechanism, builder, component
from flexnet.components.terminal import XYZ, Terminal, Translation
from flexnet.components.time_function import TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array


@component
@dataclass(frozen=True, slots=True, eq=False)
class Force(ForceElement):
    """Force at the origin of a frame.

    Terminal       F = F(t)                                                 GTM table 4, DynaFlex (12)

    Attributes
    ----------
    components : three functions of time, N.
    follows : True if the components are along the axes of the frame, False if along ground axes.
    """

    symbol: ClassVar[str] = "fd"
    noun: ClassVar[str] = "force"
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "translation"
    acts_from_datum: ClassVar[bool] = True
    letters: ClassVar[Mapping[str, str]] = {"components": ""}

    components: tuple[TimeFunction, TimeFunction, TimeFunction]
    follows: bool = False

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """F in ground axes."""
        force = _along(self.follows, motion, p.components)
        return Action(force=force, power=dot(force, motion.head.v))

    def check_plane(self, what: str) -> None:
        """It has no component z."""
        _check_components(self.components, (2,), what, "in-plane components x and y")

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its components."""
        return tuple((f, False) for f in self.components)


@component
@dataclass(frozen=True, slots=True, eq=False)
class Torque(ForceElement):
    """Torque on the body of a frame.

    Terminal       T = T(t)                                                 GTM table 4, DynaFlex (12)

    Attributes
    ----------
    components : three functions of time, N m.
    follows : True if the components are along the axes of the frame, False if along ground axes.
    """

    symbol: ClassVar[str] = "td"
    noun: ClassVar[str] = "torque"
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    acts_from_datum: ClassVar[bool] = True
    letters: ClassVar[Mapping[str, str]] = {"components": ""}

    components: tuple[TimeFunction, TimeFunction, TimeFunction]
    follows: bool = False

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """T in ground axes."""
        torque = _along(self.follows, motion, p.components)
        return Action(torque=torque, power=dot(torque, motion.head.omega))

    def check_plane(self, what: str) -> None:
        """It has no component x or y."""
        _check_components(self.components, (0, 1), what, "the component z only")

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its components."""
        return tuple((f, True) for f in self.components)


def _along(follows: bool, motion: Motion, components: Vec) -> Vec:
    return motion.head.vector(components) if follows else components


def _check_components(
    functions: tuple[TimeFunction, ...], out: tuple[int, ...], what: str, expected: str
) -> None:
    for i in out:
        if not functions[i].is_zero:
            raise ModelError(f"{what} has a component {'xyz'[i]}; in a planar system it has {expected}")


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
        return BUILDERS["torsional_spring"](system, name, joint=joint, torque=torque)
    if on is None:
        raise ModelError(f"torque {name!r} needs a body or a joint")
    components = torque if isinstance(torque, Sequence | np.ndarray) else [0.0, 0.0, torque]
    return Torque(name, system.datum, on, _three(components, name), follows)


def _three(values: Sequence[TimeLike], name: str) -> tuple[TimeFunction, TimeFunction, TimeFunction]:
    if not isinstance(values, Sequence | np.ndarray):
        raise ModelError(f"{name!r} needs a list of three components, got {values!r}")
    functions = [as_time_function(v, f"component of {name!r}") for v in values]
    if len(functions) == 2:
        functions.append(as_time_function(0.0, name))
    if len(functions) != 3:
        raise ModelError(f"{name!r} needs three components, got {len(functions)}")
    return functions[0], functions[1], functions[2]
