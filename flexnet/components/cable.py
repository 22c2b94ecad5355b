"""Cable that goes slack."""

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Literal

from flexnet.algebra import ZERO3, Expr, add, dot, times
from flexnet.components.contact import direction
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.frame import Frame
from flexnet.components.one_sided import check_push, push
from flexnet.components.registry import builder, component
from flexnet.errors import ModelError


@component
@dataclass(frozen=True, slots=True, eq=False)
class Cable(ForceElement):
    """Pulls the origins of two frames together where their distance exceeds its length; never pushes.

    Terminal       F = -k (|d| - L)₊ (1 + c ẋ)₊ d/|d|

    Attributes
    ----------
    length : L, m.
    stiffness : N/m.
    damping : s/m.
    """

    symbol: ClassVar[str] = "CB"
    noun: ClassVar[str] = "cable"
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "translation"

    length: float
    stiffness: float
    damping: float

    def __post_init__(self) -> None:
        check_push(f"cable {self.name!r}", self.stiffness, self.damping, 1.0)
        if not (self.length >= 0.0 and isfinite(self.length)):
            raise ModelError(f"cable {self.name!r} has the length {self.length:g} m; it is not negative")

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """Along the line of the origins."""
        x, n = direction(motion.d)
        tension = push(add(x, -p.length), dot(n, motion.v), p.stiffness, p.damping, 1.0)
        return Action(
            force=times(-tension.force, n), tail_torque=ZERO3, potential=tension.potential,
            dissipation=tension.dissipation, power=0,
        )  # fmt: skip

    @property
    def lengths(self) -> tuple[float, ...]:
        """Its length."""
        return (self.length,)


@builder
def cable(
    name: str, tail: Frame, head: Frame, length: float, stiffness: float, damping: float = 0.0
) -> Cable:  # fmt: skip
    """Tie two frames together by a cable, which pulls where it is taut and is slack otherwise.

    Parameters
    ----------
    length, stiffness, damping : m, N/m, s/m of N = k δ (1 + c δ̇), δ the stretch.
    """
    return Cable(name, tail, head, float(length), float(stiffness), float(damping))
