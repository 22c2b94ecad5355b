"""Explicit Runge-Kutta methods, for smooth motion: few large steps, each very accurate.

A method is its tableau, a file of numbers beside this page. From (q, v) at t, stage k is

    θ_k = h Σ_j a_kj θ̇_j,   q_k = q ⊕ θ_k,   v_k = v + h Σ_j a_kj v̇_j                        (1)
    M v̇_k + Gᵀλ_k = F,   Φ̈ = 0   at (q_k, v_k, t + c_k h)                                     (2)
    θ̇_k = v_k,   of a rotation  θ̇ = ω + ½ θ×ω + (1 - ½θ cot ½θ)/θ² θ×(θ×ω)                    (3)

(Munthe-Kaas 1999: the coordinates of a step are those of the rotation from its start, so that a quaternion
is never off its sphere and no orientation is singular). The end, with weights b in place of a_k, is put
on Φ = 0 and Φ̇ = 0 with the mass as metric, which keeps the order (Hairer, Lubich and Wanner 2006, IV.4).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.method import Method, Traits, integrator
from flexnet.integrators.settings import Settings
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.integrators.march import March


@dataclass(frozen=True, slots=True, eq=False)
class Tableau:
    """Coefficients of a method whose stage after the last lies at the end of the step.

    Attributes
    ----------
    A : (all, all) coefficients of the stages: those of the step, its end, and more for the dense output.
    b : (all,) weights of the step; they stand in A as well, in the row of the end.
    c : (all,) times of the stages.
    E : (1 or 2, all) differences to methods of lower order: their estimates of the error.
    D : (any, all) terms of the dense output beyond those of Hermite, of which order 4 needs none.
    stages : of the step itself, s; the end is stage s + 1.
    """

    A: Array
    b: Array
    c: Array
    E: Array
    D: Array
    stages: int

    def __post_init__(self) -> None:
        s = self.stages
        assert np.allclose(self.A[s], self.b, atol=1e-15), "the end is the stage after the last"
        assert abs(self.b.sum() - 1) < 1e-14, "weights that add up to one"
        assert np.abs(self.E.sum(axis=1)).max() < 1e-13, "the error of a constant is zero"


@cache
def tableau(name: str) -> Tableau:
    """Read the coefficients of a method."""
    text = (files("flexnet.integrators") / "tableaus" / f"{name}.txt").read_text(encoding="ascii")
    words = [line.split() for line in text.splitlines() if not line.startswith("#")]
    found: dict[str, list[list[float]]] = {"A": [[]], "D": []}
    for key, *numbers in words:
        found.setdefault(key, []).append([float(Fraction(x)) for x in numbers])
    count = len(found["A"])

    def table(key: str) -> Array:
        return np.array([row + [0.0] * (count - len(row)) for row in found[key]]).reshape(-1, count)

    A = table("A")
    return Tableau(A, table("B")[0], A.sum(axis=1), table("E"), table("D"), len(found["B"][0]))


@dataclass(frozen=True, slots=True)
class RungeKutta(Method):
    """An explicit method with an adaptive step.

    Attributes
    ----------
    name : what the user calls it, and its tableau.
    order : of the errors of q, v and λ.
    tolerance : error at the end, over sizes, where the settings ask for none.
    """

    name: str
    order: int
    tolerance: float

    def __post_init__(self) -> None:
        if not 1e-13 <= self.tolerance <= 1e-1:
            raise FlexnetError(f"{self.name} needs a tolerance between 1e-13 and 0.1, got {self.tolerance}")

    @property
    def parameters(self) -> dict[str, float]:
        """What the user chose, by name."""
        return {"local_tolerance": self.tolerance}

    @property
    def traits(self) -> Traits:
        """The same order throughout; the step is always chosen."""
        return Traits(
            (self.order, self.order, self.order), 1, is_fixed=False, has_events=True, no_algebraic=""
        )

    @property
    def stability(self) -> tuple[float, float]:
        """Bound of |hλ| above which stability limits a step, and its estimate over amplitude and |hλ|⁵.

        The regions of stability of order 4, 5 and 8 end at 2.8, 3.3 and 6.4 for damped motions, at 2.8, 1.0
        and 6.0 for undamped ones. A motion of the amplitude a has the estimate E a there, E ≥ 5e-3 |hλ|⁵,
        8e-4 |hλ|⁵ or 2e-5 |hλ|⁵, of which h/span of the tolerance is allowed: with h/span < E its amplitude
        is below the tolerance, so that it is not accuracy that asks for the step.
        """
        return {4: (2.0, 5e-3), 5: (1.2, 8e-4), 8: (4.5, 2e-5)}[self.order]

    def begin(self, dae: Dae, settings: Settings) -> "March":
        """A run of a DAE at its start."""
        from flexnet.integrators.runge_kutta_run import RungeKuttaMarch  # here: it rests on this page

        return RungeKuttaMarch(dae, self, settings)


@integrator
def rk4(tolerance: float = 1e-3) -> RungeKutta:
    """Kutta's method of order 4, explicit, with an adaptive step: for smooth motion and low accuracy.

    Kutta's 3/8 rule. Four evaluations a step, and of all methods here the longest steps an evaluation before
    undamped vibrations grow.

    Parameters
    ----------
    tolerance : wanted error of the positions at the end, over the sizes of the coordinates.
    """
    return RungeKutta("rk4", 4, tolerance)


@integrator
def dopri5(tolerance: float = 1e-6) -> RungeKutta:
    """Dormand-Prince of order 5, explicit, with an adaptive step: for smooth motion and moderate accuracy.

    Parameters
    ----------
    tolerance : wanted error of the positions at the end, over the sizes of the coordinates.
    """
    return RungeKutta("dopri5", 5, tolerance)


@integrator
def dop853(tolerance: float = 1e-9) -> RungeKutta:
    """Dormand-Prince of order 8, explicit, with an adaptive step: for smooth motion and high accuracy.

    Parameters
    ----------
    tolerance : wanted error of the positions at the end, over the sizes of the coordinates.
    """
    return RungeKutta("dop853", 8, tolerance)
