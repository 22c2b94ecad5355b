"""Applied forces and torques: through variables that are known functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from flexnet.algebra import Expr, Vec
from flexnet.components.force_element import ForceElement, Load, Motion
from flexnet.components.frame import Frame
from flexnet.components.terminal import XYZ, Terminal, Translation
from flexnet.components.time_function import TimeFunction
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array


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
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "translation"
    is_applied: ClassVar[bool] = True
    letters: ClassVar[Mapping[str, str]] = {"components": ""}

    components: tuple[TimeFunction, TimeFunction, TimeFunction]
    follows: bool = False

    def law(self, motion: Motion, p: Any, t: Expr) -> Load:
        """F in ground axes."""
        return Load(force=_along(self.follows, motion, p.components))

    def check_plane(self, what: str) -> None:
        """It has no component z."""
        _check_components(self.components, (2,), what, "in-plane components x and y")

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Its components."""
        return tuple((f, False) for f in self.components)


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
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "rotation"
    is_applied: ClassVar[bool] = True
    letters: ClassVar[Mapping[str, str]] = {"components": ""}

    components: tuple[TimeFunction, TimeFunction, TimeFunction]
    follows: bool = False

    def law(self, motion: Motion, p: Any, t: Expr) -> Load:
        """T in ground axes."""
        return Load(torque=_along(self.follows, motion, p.components))

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
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    force: Array

    @property
    def terminal(self) -> Terminal:
        """Any translation; not in the R-graph."""
        return Terminal(Translation(free=XYZ), None)
