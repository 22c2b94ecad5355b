"""The energy schemes: one that keeps the balance of energy exactly, one that only ever removes energy."""

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Literal

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.method import Method, Traits, integrator
from flexnet.integrators.settings import Settings

if TYPE_CHECKING:
    from flexnet.integrators.march import March

#: what an adaptive step is chosen by
Control = Literal["error", "energy"]


@dataclass(frozen=True, slots=True)
class Energy(Method):
    """An energy scheme; its derivation is in docs/theory/energy.md.

    Attributes
    ----------
    name : what the user calls it.
    rho : spectral radius at infinite frequency; 1 keeps all energy.
    stages : solves of a step, one (preserving) or two (decaying).
    control : an adaptive step is chosen by the ``error`` of the positions, or by the ``energy`` the step
        would have gained or lost without its correction, over the largest kinetic energy so far.
    momenta : keep the momenta that symmetries give, too.
    order : of the errors: 2, or 4 by composition (`energy_composition`).
    """

    name: str
    rho: float
    stages: int
    control: Control = "error"
    momenta: bool = True
    order: int = 2

    @property
    def parameters(self) -> dict[str, float]:
        """What the user chose, by name."""
        return {"rho": self.rho} if self.stages == 2 else {"order": float(self.order)}

    @property
    def traits(self) -> Traits:
        """The same order throughout; constraints at position and velocity level."""
        keeps, is_single = self.stages == 1, self.order == 2
        return Traits(
            (self.order, self.order, self.order),
            2,
            is_adaptive=is_single,
            energy="keeps" if keeps else "removes",
            needs_energy=True,
            has_events=is_single,
            no_algebraic="" if is_single else "runs a part of every step backwards",
        )

    def begin(self, dae: Dae, settings: Settings) -> "March":
        """A run of a DAE at its start."""
        from flexnet.integrators.energy_run import EnergyMarch  # here: it rests on this page

        return EnergyMarch(dae, self, settings)

    def __post_init__(self) -> None:
        if not 0 <= self.rho <= 1:
            raise FlexnetError(f"{self.name} needs a spectral radius between 0 and 1, got {self.rho}")
        if self.control not in ("error", "energy"):
            raise FlexnetError(f"{self.name}: the step follows 'error' or 'energy', not {self.control!r}")
        if self.order not in (2, 4):
            raise FlexnetError(f"{self.name} is of order 2 or, composed, 4, not {self.order}")

    @property
    def gamma(self) -> float:
        """Place γ of the first stage: γ² (1 - ρ) - 2γ + ½ = 0, between ¼ (ρ = 1) and 1 - 1/√2 (ρ = 0)."""
        # (1 - √((1 + ρ)/2))/(1 - ρ) without its cancellation at ρ = 1
        return 0.5 / (1.0 + sqrt(0.5 * (1.0 + self.rho)))

    @property
    def error_constant(self) -> float:
        """Local error of the positions over h³ times the third derivative."""
        return 1.0 / 12.0 if self.stages == 1 else self.gamma - self.gamma**2 - 1.0 / 6.0


@integrator
def energy_preserving(control: Control = "error", momenta: bool = True, order: int = 2) -> Energy:
    """Midpoint scheme whose energy changes by the work of forces and drivers and by nothing else.

    Constraints hold at position and velocity level at the end of every step, and their forces do no work.

    Parameters
    ----------
    control : what an adaptive step follows, see :class:`Energy`.
    momenta : keep momentum and angular momentum where symmetry gives them, too. Without, the energy is kept
        by a smaller change of the motion: a free flexible body that spins fast has a tenth of the error.
    order : 2, or 4 by five steps in place of one, the third of them backwards: for smooth motion of
        conservative mechanisms, with a fixed step; momenta are then kept to that order and not exactly.
    """
    return Energy("energy_preserving", 1.0, 1, control, momenta and order == 2, order)


@integrator
def energy_decaying(rho: float = 0.0, control: Control = "error", momenta: bool = True) -> Energy:
    """Two-stage scheme that removes the energy of motions the step does not resolve, and never adds any.

    Parameters
    ----------
    rho : spectral radius ρ∞ ∈ [0, 1] at infinite frequency: 0 removes such motions in one step, 1 keeps
        them (two preserving steps of half the size).
    control : what an adaptive step follows, see :class:`Energy`.
    momenta : keep momenta where symmetry gives them, see :func:`energy_preserving`.
    """
    return Energy("energy_decaying", rho, 2, control, momenta)
