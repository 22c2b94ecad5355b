"""Storages of either kind: C α̇ = τ and L τ̇ = α.

The energy is ½ C α² and ½ L τ². In mechanics α̇ is an acceleration, so that a mass is a storage of the across
kind, and a spring, whose force follows the place across it, one of the through kind: τ = k(x - l₀).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from flexnet.graph import ACROSS_STORAGE, THROUGH_STORAGE
from flexnet.networks.element import Letters, Port, StateName, Tableau, brought, element
from flexnet.networks.form import ONE, Form, total
from flexnet.signals import Number, Signal
from flexnet.signals.signal import Applied


@element
@dataclass(frozen=True, slots=True)
class AcrossStorage:
    """C α̇ = τ: capacitor, tank, heat capacity; of a place x, m ẍ = τ: mass, inertia.

    Attributes
    ----------
    capacity : C, or m.
    start : α at the start; of a place, x; None where nobody has said.
    start_rate : of a place, ẋ at the start.
    """

    order: ClassVar[int] = ACROSS_STORAGE
    role: ClassVar[str] = "stored"
    keeps_place: ClassVar[bool] = True
    signals: ClassVar[tuple[Signal, ...]] = ()
    name: str
    ports: tuple[Port]
    capacity: float
    start: float | None = None
    start_rate: float | None = None
    noun: str = "capacitor"

    @property
    def place_start(self) -> float | None:
        """Place at the start."""
        return self.start

    @property
    def states(self) -> tuple[StateName, ...]:
        """What is across it."""
        p = self.ports[0]
        return (StateName(p, "across", self.start_rate if p.domain.has_places else self.start),)

    @property
    def parameter(self) -> float | None:
        """C, or m."""
        return self.capacity

    def linear(self, on: Letters) -> list[Any]:
        """C α̇ = τ."""
        return [on.parameter * on.across_rate() - on.through()]

    def place_of(self, on: Tableau) -> Form | None:
        """A state."""
        return None

    def across_of(self, on: Tableau, k: int) -> Form | None:
        """Its state."""
        return on.state(self.name, "across")

    def through_of(self, on: Tableau, k: int) -> Form | None:
        """C α̇."""
        return total([(self.capacity, on.rate(self.name, "across"))])

    def terminal(self, on: Tableau) -> None:
        """C α̇ = τ of a branch; of a chord, its state is what the circuit says."""
        if on.is_branch(self.name):
            known = total([(self.capacity, on.rate(self.name, "across"))])
            on.equation(self.name, (1.0, known), (-1.0, on.through[self.name]))
        else:
            on.identity(self.name, "across", on.across[self.name])

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ."""
        return brought(self.ports, across, through)

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """½ C α²; where the through variable is a power already, C α."""
        if self.ports[0].domain.power == "through":
            return self.capacity * across[0]
        return 0.5 * self.capacity * across[0] * across[0]


@element
@dataclass(frozen=True, slots=True)
class ThroughStorage:
    """Σ L_ij τ̇_j = α_i: inductor, inertance, coupled coils.

    Attributes
    ----------
    inertance : L, a row for each edge.
    starts : τ of every edge at the start; None where nobody has said.
    """

    order: ClassVar[int] = THROUGH_STORAGE
    role: ClassVar[str] = "stored"
    keeps_place: ClassVar[bool] = True
    place_start: ClassVar[float | None] = None
    signals: ClassVar[tuple[Signal, ...]] = ()
    name: str
    ports: tuple[Port, ...]
    inertance: tuple[tuple[float, ...], ...]
    starts: tuple[float | None, ...]
    noun: str = "inductor"

    @property
    def states(self) -> tuple[StateName, ...]:
        """What passes through it."""
        return tuple(StateName(p, "through", s) for p, s in zip(self.ports, self.starts, strict=True))

    @property
    def parameter(self) -> float | None:
        """L of a coil alone."""
        return self.inertance[0][0] if len(self.ports) == 1 else None

    def linear(self, on: Letters) -> list[Any]:
        """L τ̇ = α, of several coils with their numbers."""
        if len(self.ports) == 1:
            return [on.parameter * on.through_rate() - on.across()]
        return [
            sum(m * on.through_rate(k) for k, m in enumerate(row)) - on.across(i)
            for i, row in enumerate(self.inertance)
        ]

    def place_of(self, on: Tableau) -> Form | None:
        """A state."""
        return None

    def across_of(self, on: Tableau, k: int) -> Form | None:
        """Σ L τ̇."""
        rows = zip(self.inertance[k], self.ports, strict=True)
        return total((m, on.rate(p.name, "through")) for m, p in rows)

    def through_of(self, on: Tableau, k: int) -> Form | None:
        """Its state."""
        return on.state(self.ports[k].name, "through")

    def terminal(self, on: Tableau) -> None:
        """Σ L τ̇ = α of a chord; of a branch, its state is what the cutset says."""
        for k, p in enumerate(self.ports):
            if on.is_branch(p.name):
                on.identity(p.name, "through", on.through[p.name])
            else:
                rows = zip(self.inertance[k], self.ports, strict=True)
                parts = [(m, on.rate(q.name, "through")) for m, q in rows]
                on.equation(p.name, *parts, (-1.0, on.across[p.name]))

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ."""
        return brought(self.ports, across, through)

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """½ Σ L_ij τ_i τ_j."""
        out: Signal = Number(0.0)
        for i, row in enumerate(self.inertance):
            for j, m in enumerate(row):
                out = out + 0.5 * m * through[i] * through[j]
        return out


@element
@dataclass(frozen=True, slots=True)
class PlaceStorage:
    """τ = k(x - l₀), or τ = F(x): spring, torsional spring; x is the place of the tail minus the head's.

    Attributes
    ----------
    stiffness : k of a linear spring.
    free : l₀, head minus tail.
    force : force on the head for the place of the head minus that of the tail; None for a linear spring.
    """

    order: ClassVar[int] = THROUGH_STORAGE
    keeps_place: ClassVar[bool] = False
    place_start: ClassVar[float | None] = None
    signals: ClassVar[tuple[Signal, ...]] = ()
    states: ClassVar[tuple[StateName, ...]] = ()
    name: str
    ports: tuple[Port]
    stiffness: float = 0.0
    free: float = 0.0
    force: Callable[[Any], Any] | None = None
    noun: str = "spring"

    @property
    def role(self) -> str:
        """Stored; of a law of its own, whose energy nobody has said, lost and given back."""
        return "stored" if self.force is None else "losses"

    def value(self, x: Signal) -> Signal:
        """What the law gives for the place of the tail minus that of the head."""
        assert self.force is not None
        force = self.force
        return Applied(lambda p: force(-p), lambda p: force(-p), (x,), None)

    @property
    def parameter(self) -> float | None:
        """K of a linear spring."""
        return None if self.force is not None else self.stiffness

    def linear(self, on: Letters) -> list[Any] | None:
        """τ̇ = k ẋ: the drop is a rate."""
        return None if self.force is not None else [on.through_rate() - on.parameter * on.across()]

    def place_of(self, on: Tableau) -> Form | None:
        """What holds it in balance."""
        return None

    def across_of(self, on: Tableau, k: int) -> Form | None:
        """Unknown."""
        return None

    def through_of(self, on: Tableau, k: int) -> Form | None:
        """k(x - l₀)."""
        place = on.place[self.name]
        if self.force is not None:
            x = on.parameter(self.name, 0.0)
            on.equation(self.name, (1.0, x), (-1.0, place))
            return on.law(self.name, self.value, x)
        return total([(self.stiffness, place), (self.stiffness * self.free, {ONE: 1.0})])

    def terminal(self, on: Tableau) -> None:
        """τ = k(x - l₀) of a branch."""
        if on.is_branch(self.name):
            known = self.through_of(on, 0)
            assert known is not None
            on.equation(self.name, (1.0, on.through[self.name]), (-1.0, known))

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ."""
        return brought(self.ports, across, through)

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """½ k(x - l₀)² of a linear spring."""
        linear = self.force is None and self.stiffness
        return 0.5 / self.stiffness * through[0] * through[0] if linear else None
