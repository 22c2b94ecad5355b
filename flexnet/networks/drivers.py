"""Drivers: what is across an edge, or passes through it, is prescribed (GTM (15), (16))."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from flexnet.graph import ACROSS_DRIVER, THROUGH_DRIVER
from flexnet.networks.element import Letters, Port, StateName, Tableau, brought, element
from flexnet.networks.form import Form, total
from flexnet.signals import Signal


@element
@dataclass(frozen=True, slots=True)
class AcrossDriver:
    """The across variable is prescribed: α = α(t), or follows a signal.

    Where it is a place (a displacement, an angle), its rate is that of the function of time.

    Attributes
    ----------
    value : signal it follows.
    factor : what the value is times to be the drop from tail to head.
    role : ``ports`` where it is the network's side of a coupling to a mechanism.
    held, given : energy, J, of a coupling that stores some, and what the mechanism gives it, W.
    """

    order: ClassVar[int] = ACROSS_DRIVER
    keeps_place: ClassVar[bool] = False
    place_start: ClassVar[float | None] = None
    states: ClassVar[tuple[StateName, ...]] = ()
    parameter: ClassVar[float | None] = None
    name: str
    ports: tuple[Port]
    value: Signal
    noun: str = "across driver"
    factor: float = 1.0
    role: str = "sources"
    held: Signal | None = None
    given: Signal | None = None

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signals it follows."""
        return (self.value,)

    def linear(self, on: Letters) -> list[Any]:
        """α = α(t)."""
        return [on.across() - on.drive]

    def place_of(self, on: Tableau) -> Form | None:
        """Place it prescribes."""
        return total([(self.factor, on.drive(self.value))])

    def across_of(self, on: Tableau, k: int) -> Form | None:
        """What it prescribes: of a place, its rate."""
        if self.ports[0].domain.has_places:
            return total([(self.factor, on.drive_rate(self.value, self.name))])
        return total([(self.factor, on.drive(self.value))])

    def through_of(self, on: Tableau, k: int) -> Form | None:
        """Unknown: what it takes to drive."""
        return None

    def terminal(self, on: Tableau) -> None:
        """α = α(t), where the circuits say another."""
        if not on.is_branch(self.name):
            known = self.across_of(on, 0)
            assert known is not None
            on.equation(self.name, (1.0, on.across[self.name]), (-1.0, known))

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ, or what a mechanism gives."""
        return brought(self.ports, across, through) if self.given is None else self.given

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """What a coupling holds; nothing else is stored."""
        return self.held


@element
@dataclass(frozen=True, slots=True)
class ThroughDriver:
    """The through variable is prescribed: τ = τ(t), or follows a signal.

    Attributes
    ----------
    value : τ from tail to head.
    role : ``ports`` where it is the network's side of a coupling to a mechanism.
    """

    order: ClassVar[int] = THROUGH_DRIVER
    keeps_place: ClassVar[bool] = True
    place_start: ClassVar[float | None] = None
    states: ClassVar[tuple[StateName, ...]] = ()
    parameter: ClassVar[float | None] = None
    name: str
    ports: tuple[Port]
    value: Signal
    noun: str = "through driver"
    role: str = "sources"

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signals it follows."""
        return (self.value,)

    def linear(self, on: Letters) -> list[Any]:
        """τ = τ(t)."""
        return [on.through() - on.drive]

    def place_of(self, on: Tableau) -> Form | None:
        """A state."""
        return None

    def across_of(self, on: Tableau, k: int) -> Form | None:
        """Unknown."""
        return None

    def through_of(self, on: Tableau, k: int) -> Form | None:
        """What it prescribes."""
        return on.drive(self.value)

    def terminal(self, on: Tableau) -> None:
        """τ = τ(t), where the cutsets say another."""
        if on.is_branch(self.name):
            on.equation(self.name, (1.0, on.through[self.name]), (-1.0, on.drive(self.value)))

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ."""
        return brought(self.ports, across, through)

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """Nothing is stored."""
        return None
