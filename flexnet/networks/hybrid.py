"""Hybrid elements: several edges with coupled terminal equations (GTM (19))."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from flexnet.graph import BETWEEN
from flexnet.networks.element import Letters, Port, StateName, Tableau, brought, element
from flexnet.networks.form import Form
from flexnet.signals import Signal


@dataclass(frozen=True, slots=True)
class Relation:
    """One equation Σ a_k α_k + Σ b_k τ_k = value, k an edge of the element; of places α is a rate.

    Attributes
    ----------
    across, through : a and b, by edge.
    value : right-hand side; zero if None.
    """

    across: dict[int, float] = field(default_factory=dict)
    through: dict[int, float] = field(default_factory=dict)
    value: Signal | None = None


@element
@dataclass(frozen=True, slots=True)
class Hybrid:
    """As many linear relations between α and τ of its edges as it has edges.

    An ideal transformer: α₁ = n α₂, τ₂ = -n τ₁; a gyrator: α₁ = r τ₂, α₂ = -r τ₁; an ideal amplifier:
    α₁ = 0, τ₁ = 0, its output whatever it must be. A lossless one has Σ ατ = 0 for all its solutions.
    """

    order: ClassVar[int] = BETWEEN
    role: ClassVar[str] = "sources"
    keeps_place: ClassVar[bool] = True
    place_start: ClassVar[float | None] = None
    states: ClassVar[tuple[StateName, ...]] = ()
    parameter: ClassVar[float | None] = None
    name: str
    ports: tuple[Port, ...]
    relations: tuple[Relation, ...]
    noun: str = "hybrid element"

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signals it follows."""
        return tuple(r.value for r in self.relations if r.value is not None)

    def linear(self, on: Letters) -> list[Any]:
        """Its relations, with their numbers; ``drive`` is the value of a relation that has one."""
        return [
            sum(a * on.across(k) for k, a in r.across.items())
            + sum(b * on.through(k) for k, b in r.through.items())
            - (0 if r.value is None else on.drive)
            for r in self.relations
        ]

    def place_of(self, on: Tableau) -> Form | None:
        """A state."""
        return None

    def across_of(self, on: Tableau, k: int) -> Form | None:
        """Unknown."""
        return None

    def through_of(self, on: Tableau, k: int) -> Form | None:
        """Unknown."""
        return None

    def terminal(self, on: Tableau) -> None:
        """Its relations."""
        for r in self.relations:
            parts = [(a, on.across[self.ports[k].name]) for k, a in r.across.items()]
            parts += [(b, on.through[self.ports[k].name]) for k, b in r.through.items()]
            on.equation(self.name, *parts, (-1.0, on.drive(r.value)))

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ."""
        return brought(self.ports, across, through)

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """Nothing is stored."""
        return None
