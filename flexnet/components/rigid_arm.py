"""Rigid arm: an edge from the body frame to another frame of the same body."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.registry import component
from flexnet.components.terminal import Rotation, Terminal, Translation
from flexnet.graph import Kind


@component
@dataclass(frozen=True, slots=True, eq=False)
class RigidArm:
    """Body-fixed vector and rotation from the body frame to another frame of the body.

    Motion space   {}
    Terminal       r = const in the body,  δr = δθ × r                GTM (70)-(71), DynaFlex (10)-(11)
    """

    symbol: ClassVar[str] = "r"
    kind: ClassVar[Kind] = Kind.ARM
    noun: ClassVar[str] = "arm"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (0, 0)

    name: str
    tail: Frame
    head: Frame

    @property
    def terminal(self) -> Terminal:
        """Constant offset; the constant rotation is contracted in the R-graph."""
        return Terminal(Translation(offset=self.head.position), Rotation("fixed"))
