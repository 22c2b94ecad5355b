"""What every joint is: an ideal connection of two frames."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.terminal import Terminal
from flexnet.graph import Kind


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
