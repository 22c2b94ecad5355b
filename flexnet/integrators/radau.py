"""Radau IIA of three stages and order 5, for stiff motion: any damper or stiff spring, few large steps.

With the ways θ since the start of the step, q_i = q ⊕ θ_i, the stages at t + c_i h satisfy

    v_i = v + h Σ_j a_ij v̇_j,    θ_i = h Σ_j a_ij θ̇_j                                          (1)
    M v̇_i + Gᵀλ_i = F,    Φ̇ = 0    at (q_i, v_i)                                               (2)

the equations of index 2; the last stage is the end of the step (c_3 = 1), where what Φ has drifted by is
taken away with the mass as metric, which holds it at round-off and changes nothing in the order. Positions
and velocities are then of order 5; λ of (2) would be of order 3 (Hairer, Lubich and Roche 1989), so that of a
row is solved again with v̇ from M v̇ + Gᵀλ = F, Φ̈ = 0, and has the order of the state.
"""

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.method import Method, Traits, integrator
from flexnet.integrators.settings import Settings

if TYPE_CHECKING:
    from flexnet.integrators.march import March

_R = sqrt(6.0)
#: coefficients of the stages (Hairer and Wanner 1996, table IV.5.6)
STAGES = (
    ((88 - 7 * _R) / 360, (296 - 169 * _R) / 1800, (-2 + 3 * _R) / 225),
    ((296 + 169 * _R) / 1800, (88 + 7 * _R) / 360, (-2 - 3 * _R) / 225),
    ((16 - _R) / 36, (16 + _R) / 36, 1 / 9),
)
#: times of the stages
TIMES = ((4 - _R) / 10, (4 + _R) / 10, 1.0)
#: what is left of the stages in the estimate of the error, over γ₀ (Hairer and Wanner 1996, eq. IV.8.19)
ESTIMATE = ((-13 - 7 * _R) / 3, (-13 + 7 * _R) / 3, -1 / 3)


@dataclass(frozen=True, slots=True)
class Radau(Method):
    """Radau IIA with a fixed or an adaptive step.

    Attributes
    ----------
    tolerance : error at the end, over sizes, of an adaptive run whose settings ask for none.
    """

    tolerance: float
    name: str = "radau"

    def __post_init__(self) -> None:
        if not 1e-13 <= self.tolerance <= 1e-1:
            raise FlexnetError(f"radau needs a tolerance between 1e-13 and 0.1, got {self.tolerance}")

    @property
    def parameters(self) -> dict[str, float]:
        """What the user chose, by name."""
        return {"local_tolerance": self.tolerance}

    @property
    def traits(self) -> Traits:
        """Order 5 throughout, constraints at velocity level."""
        return Traits((5, 5, 5), 2, has_events=True, no_algebraic="")

    def begin(self, dae: Dae, settings: Settings) -> "March":
        """A run of a DAE at its start."""
        from flexnet.integrators.radau_run import RadauMarch  # here: it rests on this page

        return RadauMarch(dae, self, settings)


@integrator
def radau(tolerance: float = 1e-6) -> Radau:
    """Radau IIA of order 5, implicit: for stiff springs, dampers, controllers and flexible bodies.

    Parameters
    ----------
    tolerance : wanted error of the positions at the end, over the sizes of the coordinates, where a run is
        adaptive and names none.
    """
    return Radau(tolerance)
