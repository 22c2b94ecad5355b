"""A diode, in a parameter that suits Newton: the voltage where it blocks, the current where it conducts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import flexnet.algebra as algebra
from flexnet.graph import BETWEEN
from flexnet.networks.element import Letters, Port, StateName, Tableau, brought, element
from flexnet.networks.form import Form
from flexnet.signals import Signal
from flexnet.signals.signal import Applied, Number


@element
@dataclass(frozen=True, slots=True)
class Diode:
    """i = I_s(exp(v/V_t) - 1) + G v.

    With V_c = V_t log(V_t/(√2 I_s)·1 Ω⁻¹) and a parameter y, v = y and i is as above below V_c; above it
    i + I_s grows straight on with y, and v = V_c + V_t log(1 + (y - V_c)/V_t): the same curve, nearly
    straight in y on both sides, with one tangent where they meet.

    Attributes
    ----------
    saturation, thermal, leakage : I_s, A; V_t, V; G, 1/ohm.
    """

    order: ClassVar[int] = BETWEEN
    role: ClassVar[str] = "losses"
    keeps_place: ClassVar[bool] = True
    place_start: ClassVar[float | None] = None
    states: ClassVar[tuple[StateName, ...]] = ()
    signals: ClassVar[tuple[Signal, ...]] = ()
    noun: ClassVar[str] = "diode"
    parameter: ClassVar[float | None] = None
    name: str
    ports: tuple[Port]
    saturation: float
    thermal: float
    leakage: float = 0.0

    @property
    def _corner(self) -> float:
        return self.thermal * max(log(self.thermal / (2.0**0.5 * self.saturation)), 1.0)

    def linear(self, on: Letters) -> list[Any] | None:
        """It is not."""
        return None

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
        """Voltage and current at the parameter."""
        y = on.parameter(self.name, 0.0)
        numbers = tuple(map(Number, (self._corner, self.thermal, self.saturation, self.leakage)))
        for law, variable in ((voltage_at, on.across), (current_at, on.through)):
            # numbers are arguments of the law: diodes with others share their machine code
            given = on.law(self.name, lambda x, f=law: Applied(f, f, (x, *numbers), None), y)  # type: ignore[misc]
            on.equation(self.name, (1.0, variable[self.name]), (-1.0, given))

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ."""
        return brought(self.ports, across, through)

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """Nothing is stored."""
        return None


def voltage_at(y: Any, corner: Any, thermal: Any, saturation: Any, leakage: Any) -> Any:
    """Voltage at a parameter."""
    over = algebra.maximum(y - corner, 0.0) / thermal
    return algebra.minimum(y, corner) + thermal * algebra.log(1.0 + over)


def current_at(y: Any, corner: Any, thermal: Any, saturation: Any, leakage: Any) -> Any:
    """Current at a parameter."""
    over = algebra.maximum(y - corner, 0.0) / thermal
    grown = algebra.exp(algebra.minimum(y, corner) / thermal) * (1.0 + over)
    return saturation * (grown - 1.0) + leakage * voltage_at(y, corner, thermal, saturation, leakage)
