"""Distance rod."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.algebra import Expr, add, dot, sqrt
from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.row import Relative, Row
from flexnet.components.terminal import XYZ, Terminal, Translation
from flexnet.components.time_function import TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError


def length(m: Relative) -> Expr:
    """Φ = |d| - L(t)."""
    return add(sqrt(dot(m.d, m.d)), -m.f)


@component
@dataclass(frozen=True, slots=True, eq=False)
class DistanceRod(Joint):
    """Massless rod with a ball at either end: the distance of the two origins is given.

    Motion space   all but one translation
    Reaction space {d/|d|}
    Terminal       |r| = L(t),  T = 0

    It is never a branch of its own: a tree that holds it has three translations and the row besides.

    Attributes
    ----------
    length : distance of the origins, m, a function of time; positive.
    """

    symbol: ClassVar[str] = "dr"

    length: TimeFunction

    def __post_init__(self) -> None:
        if self.length.kind == "constant" and not self.length.parameters[0] > 0.0:
            given = self.length.parameters[0]
            raise ModelError(f"distance rod {self.name!r} has length {given!r} m; expected a positive one")

    @property
    def terminal(self) -> Terminal:
        """One condition on the translation; not in the R-graph."""
        row = Row("force along the rod", length, "m", function=self.length)
        return Terminal(Translation(free=XYZ), None, (row,))


@builder
def distance_rod(name: str, tail: Frame, head: Frame, length: TimeLike) -> DistanceRod:
    """Add a massless rod between two frames: their origins keep the distance ``length`` [m]."""
    return DistanceRod(name, tail, head, as_time_function(length, f"length of {name!r}"))
