"""Applied forces and torques: through variables that are known functions."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.components.time_function import TimeFunction
from flexnet.graph import Kind
from flexnet.typing import Array


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
