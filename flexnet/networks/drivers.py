"""Drivers: what is across an edge, or passes through it, is prescribed (GTM (15), (16))."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.graph import ACROSS_DRIVER, THROUGH_DRIVER
from flexnet.networks.element import Port, StateName, Tableau, element
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
    """

    order: ClassVar[int] = ACROSS_DRIVER
    keeps_place: ClassVar[bool] = False
    place_start: ClassVar[float | None] = None
    states: ClassVar[tuple[StateName, ...]] = ()
    name: str
    ports: tuple[Port]
    value: Signal
    noun: str = "across driver"
    factor: float = 1.0

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signals it follows."""
        return (self.value,)

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

    def energy(self, across: Signal, through: Signal, place: Signal | None) -> Signal | None:
        """Nothing is stored."""
        return None


@element
@dataclass(frozen=True, slots=True)
class ThroughDriver:
    """The through variable is prescribed: τ = τ(t), or follows a signal.

    Attributes
    ----------
    value : τ from tail to head.
    """

    order: ClassVar[int] = THROUGH_DRIVER
    keeps_place: ClassVar[bool] = True
    place_start: ClassVar[float | None] = None
    states: ClassVar[tuple[StateName, ...]] = ()
    name: str
    ports: tuple[Port]
    value: Signal
    noun: str = "through driver"

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signals it follows."""
        return (self.value,)

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

    def energy(self, across: Signal, through: Signal, place: Signal | None) -> Signal | None:
        """Nothing is stored."""
        return None
