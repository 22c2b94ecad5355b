"""HHT-α and generalised-α: one family, one page, different constants."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.method import Method, Traits, integrator
from flexnet.integrators.settings import Settings

if TYPE_CHECKING:
    from flexnet.integrators.march import March


@dataclass(frozen=True, slots=True)
class Alpha(Method):
    """Constants of a generalised-α method in the form of Arnold and Brüls.

    Attributes
    ----------
    alpha_m, alpha_f : weights of the algorithmic acceleration and of v̇.
    beta, gamma : Newmark's constants.
    name : what the user calls it.
    chosen : what the user chose, by name.
    index : 3 with constraints at position level; 1 at acceleration level, with corrections.
    """

    name: str
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    chosen: dict[str, float] = field(default_factory=dict)
    index: int = 3

    def __post_init__(self) -> None:
        second_order = self.gamma - (0.5 - self.alpha_m + self.alpha_f)
        if abs(second_order) > 1e-12:
            raise FlexnetError(f"{self.name}: γ must be ½ - αm + αf for second order")

    @property
    def parameters(self) -> dict[str, float]:
        """What the user chose, by name."""
        return self.chosen

    @property
    def traits(self) -> Traits:
        """Second order throughout; of a nonlinear motion the energy errs either way."""
        ring = (
            "" if self.largest_root < 1.0 else "lets what has no rate ring (ρ∞ = 1: a root at infinity is -1)"
        )
        return Traits((2, 2, 2), self.index, has_events=True, no_algebraic=ring, senses=True, eliminates=True)

    def begin(self, dae: Dae, settings: Settings) -> "March":
        """A run of a DAE at its start."""
        from flexnet.integrators.alpha_run import AlphaMarch  # here: it rests on this page

        return AlphaMarch(dae, self, settings)

    @property
    def largest_root(self) -> float:
        """Size of the larger root of a row without a rate, ((1 - αf) ζ + αf)(γ ζ + 1 - γ) = 0."""
        return max(abs(self.alpha_f / (1 - self.alpha_f)), abs((1 - self.gamma) / self.gamma))

    @property
    def error_constant(self) -> float:
        """C of the local error h³ C v̈ of the position."""
        return self.beta + 0.5 * (self.alpha_m - self.alpha_f) - 1.0 / 6.0

    @property
    def load_constants(self) -> tuple[float, float]:
        """Error of v̇ over h² times its second derivative, where v, or q, is held and v̇ follows from it.

        With z = exp(h d/dt), (1) and (2) of `alpha_loop` give v̇ of a known v or q as a rational function of
        z; its series is (1 + C₂ (h d/dt)² + …) of the true one (docs/theory/validity.md).
        """
        lag = self.alpha_f - self.alpha_m
        return lag * (0.5 - self.alpha_f) + 1.0 / 12.0, 1.0 / 12.0 - self.beta + lag * self.alpha_f

    @property
    def remainder(self) -> float:
        """Part of its first correction that the corrector may leave, a seventh of what makes noise grow.

        A motion across constraints that alternates from step to step dies out like ρ∞ᵏ, slowly. The
        prediction is wrong about it by eight times its size; a corrector that leaves the part η of that
        keeps it alive at η = |x|/(8 - |x|), x the violation it means over c_q (docs/theory/corrector.md).
        Where ρ∞ = 1 nothing dies out and nothing may be left.
        """
        if self.gamma == 2 * self.beta:
            return 0.0
        c = self.beta * (1 - self.alpha_f) / (1 - self.alpha_m)
        x = abs((1 - 2 * self.alpha_f) / (1 - 2 * self.alpha_m) * (self.gamma - 2 * self.beta) / (2 * c))
        return x / (8 - x) / 7


@integrator
def hht(alpha: float = -0.1) -> Alpha:
    """Hilber-Hughes-Taylor, α ∈ [-1/3, 0]: αm = 0, αf = -α, γ = ½ - α, β = (1 - α)²/4.

    α = 0 is the trapezoidal rule, without dissipation (and without damping of the multipliers);
    the nearer α to -1/3, the more high frequencies are damped.
    """
    if not -1 / 3 <= alpha <= 0:
        raise FlexnetError(f"HHT needs α between -1/3 and 0, got {alpha}")
    return Alpha("hht", 0.0, -alpha, (1 - alpha) ** 2 / 4, 0.5 - alpha, {"alpha": alpha})


@integrator
def acceleration_level(alpha: float = -0.1) -> Alpha:
    """HHT on accelerations that satisfy Φ̈ = 0, positions and velocities corrected after every step.

    The scheme of DynaFlex §5.3. The corrections are the shortest in the metric of the mass.
    """
    return replace(hht(alpha), name="acceleration_level", index=1)


@integrator
def generalised_alpha(rho: float = 0.8) -> Alpha:
    """Chung-Hulbert with spectral radius ρ∞ ∈ [0, 1) at infinite frequency.

    αm = (2ρ - 1)/(ρ + 1), αf = ρ/(ρ + 1), γ = ½ - αm + αf, β = (γ + ½)²/4.
    """
    if not 0 <= rho <= 1:
        raise FlexnetError(f"generalised-α needs a spectral radius between 0 and 1, got {rho}")
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - alpha_m + alpha_f
    return Alpha("generalised_alpha", alpha_m, alpha_f, (gamma + 0.5) ** 2 / 4, gamma, {"rho": rho})
