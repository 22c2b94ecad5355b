"""Dissipation: the across variable follows from the through variable, or the other way (GTM (17), (18))."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from flexnet.algebra import traced
from flexnet.errors import ModelError
from flexnet.graph import BETWEEN
from flexnet.networks.element import Letters, Port, StateName, Tableau, brought, element
from flexnet.networks.form import Form as LinearForm
from flexnet.signals import Signal
from flexnet.signals.signal import Applied

Form = Literal["resistive", "conductive"]
_SAMPLES = 9


@element
@dataclass(frozen=True, slots=True)
class Dissipation:
    """α = R τ or τ = G α; or α = F(τ, u), τ = G(α, u) with a law of its own.

    Attributes
    ----------
    form : ``resistive`` where the law gives α, ``conductive`` where it gives τ; of a place, its rate.
    factor : R or G of a linear law.
    law : of one number, and of the control signals after it; None for a linear law.
    controls : signals the law takes besides, such as the opening of a valve.
    guess : argument of the law at which a search for it begins.
    """

    order: ClassVar[int] = BETWEEN
    role: ClassVar[str] = "losses"
    keeps_place: ClassVar[bool] = True
    place_start: ClassVar[float | None] = None
    states: ClassVar[tuple[StateName, ...]] = ()
    name: str
    ports: tuple[Port]
    form: Form
    factor: float = 0.0
    law: Callable[..., Any] | None = None
    controls: tuple[Signal, ...] = ()
    noun: str = "resistor"
    guess: float = 0.0

    def __post_init__(self) -> None:
        if self.law is not None:
            n = 1 + len(self.controls)
            samples = np.random.default_rng(0).uniform(0.1, 1.0, (_SAMPLES, n)).tolist()
            made = traced(self.law, [f"x{i}" for i in range(n)], samples)
            if made is None:
                raise ModelError(
                    f"the law of {self.noun} {self.name!r} cannot be traced: write it in arithmetic and"
                    " functions of flexnet.algebra (where, exp, sgn, …)"
                )

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signals it follows."""
        return self.controls

    @property
    def parameter(self) -> float | None:
        """R of a resistor, G of another linear law."""
        if self.law is not None:
            return None
        return 1.0 / self.factor if self.noun == "resistor" else self.factor

    def linear(self, on: Letters) -> list[Any] | None:
        """α = R τ of a resistor, τ = G α of another linear law."""
        if self.law is not None:
            return None
        if self.noun == "resistor":
            return [on.across() - on.parameter * on.through()]
        return [on.through() - on.parameter * on.across()]

    def value(self, x: Signal) -> Signal:
        """What the law gives for a signal."""
        assert self.law is not None
        law = self.law
        return Applied(law, law, (x, *self.controls), None)

    def place_of(self, on: Tableau) -> LinearForm | None:
        """A state."""
        return None

    def across_of(self, on: Tableau, k: int) -> LinearForm | None:
        """Unknown."""
        return None

    def through_of(self, on: Tableau, k: int) -> LinearForm | None:
        """Unknown."""
        return None

    def terminal(self, on: Tableau) -> None:
        """α = F(τ) or τ = G(α)."""
        across, through = on.across[self.name], on.through[self.name]
        given, wanted = (through, across) if self.form == "resistive" else (across, through)
        if self.law is None:
            on.equation(self.name, (1.0, wanted), (-self.factor, given))
        else:
            x = on.parameter(self.name, self.guess)
            on.equation(self.name, (1.0, x), (-1.0, given))
            on.equation(self.name, (1.0, wanted), (-1.0, on.law(self.name, self.value, x)))

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """-Σ ατ."""
        return brought(self.ports, across, through)

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """Nothing is stored."""
        return None
