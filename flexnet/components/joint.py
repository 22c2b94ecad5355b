"""What every joint is: an ideal connection of two frames; and the one coordinate that elements ride on."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.component import Component
from flexnet.components.frame import Frame
from flexnet.components.registry import Mechanism
from flexnet.components.terminal import Terminal
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Joint(ABC):
    """Connection of two frames that does no work: what it lets move, it does not load.

    Attributes
    ----------
    name : unique name.
    tail, head : frames it connects.
    """

    symbol: ClassVar[str] = "j"
    kind: ClassVar[Kind] = Kind.JOINT
    noun: ClassVar[str] = "joint"
    acts_from_datum: ClassVar[bool] = False

    name: str
    tail: Frame
    head: Frame

    @property
    @abstractmethod
    def terminal(self) -> Terminal:
        """Motion and reaction spaces."""

    @property
    def branch_coordinates(self) -> tuple[int, int]:
        """Coordinates (translation, rotation) of a branch in space (Léger, table C.1)."""
        t, r = self.terminal.translation, self.terminal.rotation
        return 0 if t is None else len(t.free), 0 if r is None else r.unknowns


@dataclass(frozen=True, slots=True, eq=False)
class AbstractBorrowed(ABC):
    """What stands for a joint: its name, ends and coordinates are those of the joint.

    Attributes
    ----------
    joint : the joint.
    """

    acts_from_datum: ClassVar[bool] = False

    joint: Component

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.joint.name

    @property
    def tail(self) -> Frame:
        """Frame the edge leaves."""
        return self.joint.tail

    @property
    def head(self) -> Frame:
        """Frame the edge enters."""
        return self.joint.head

    @property
    def branch_coordinates(self) -> tuple[int, int]:
        """Those of the joint."""
        return self.joint.branch_coordinates


def one_coordinate(system: Mechanism, joint: str, what: str, verb: str) -> tuple[Component, Array, bool]:
    """A joint, the axis of its one coordinate in the tail frame, and whether it turns about it.

    Raises
    ------
    ModelError
        If it has none, or several: there is nothing for ``what`` to ``verb``.
    """
    carrier = system.joint(joint, what)
    translation, about = carrier.terminal.translation, carrier.terminal.single_axis
    slides = () if translation is None else translation.free
    if about is not None and not slides:
        return carrier, about, True
    if len(slides) == 1 and about is None:
        return carrier, slides[0].vector, False
    raise ModelError(f"{what}: joint {joint!r} has no single coordinate to {verb}")
