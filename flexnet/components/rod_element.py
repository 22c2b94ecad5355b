r"""Geometrically exact beam element: a force between two frames that are sections of a beam.

Two sections A and B at distance h are joined by a line of constant strain, a helix. With y the way from A to
B in the axes of A, ψ the rotation vector of B seen from A and J the left Jacobian of the rotation group, the
strains times h are

    u = J⁻¹(ψ) y,    ψ,                                                                                   (1)

the logarithm of the relative motion of the two sections: it does not see motions of the whole, and rests on
the two places alone. The energy is that of the strains beyond those of the rest,

    V = ½ εᵀ K ε,    ε = (u - u₀, ψ - ψ₀),    (n, m) = K ε + η K ε̇.                                       (2)

Its variation gives force and torque on B in the axes of A,

    F = -J⁻ᵀ n,    T = -J⁻ᵀ (m + (∂u/∂ψ)ᵀ n),                                                             (3)

and A is in balance with it. See docs/theory/exact_beam.md; Sonneville, Cardona & Brüls (2014).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from flexnet.algebra import (
    Expr,
    Vec,
    add,
    cross,
    dot,
    function_partials,
    mul,
    negative,
    plus,
    rotation_vector,
    times,
    turn_c,
    turn_work,
)  # fmt: skip
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.registry import component
from flexnet.errors import ModelError
from flexnet.typing import Array


@component
@dataclass(frozen=True, slots=True, eq=False)
class RodElement(ForceElement):
    """Piece of a geometrically exact beam between two of its sections.

    The relative rotation of the sections stays below half a turn; a run warns where it comes near.

    Terminal       F = -J⁻ᵀ n,   T = -J⁻ᵀ (m + (∂u/∂ψ)ᵀ n)                          theory/exact_beam.md (3)

    Attributes
    ----------
    length : h, m.
    stiffness : (6, 6) K, N/m, N, N m/rad.
    rest : (6,) u₀, ψ₀, m, rad.
    damping : η, s.
    """

    symbol: ClassVar[str] = "rod"
    noun: ClassVar[str] = "beam element"
    turns: ClassVar[Literal["", "twist", "rotation"]] = "rotation"
    is_stiff: ClassVar[bool] = True

    length: float
    stiffness: Array
    rest: Array
    damping: float = 0.0

    def __post_init__(self) -> None:
        if self.stiffness.shape != (6, 6) or not np.all(np.isfinite(self.stiffness)):
            raise ModelError(f"beam element {self.name!r} needs a finite (6, 6) stiffness matrix")
        if self.rest.shape != (6,) or not np.all(np.isfinite(self.rest)):
            raise ModelError(f"beam element {self.name!r} needs six finite strains at rest")

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """Equations (1)-(3), turned into ground axes."""
        psi, y = rotation_vector(motion.R), motion.d_tail
        line = Line(psi, y)
        strain = [add(x, -x0) for x, x0 in zip((*line.u, *psi), p.rest, strict=True)]
        elastic = [dot(row, strain) for row in p.stiffness]
        total, dissipation = elastic, 0
        if p.damping != 0:
            rate = line.rate(motion.v_tail, turn_work(psi, 1, motion.omega_tail))
            viscous = [mul(p.damping, dot(row, rate)) for row in p.stiffness]
            total, dissipation = list(map(add, elastic, viscous)), dot(viscous, rate)
        force, torque = line.wrench(total)
        return Action(
            motion.tail.vector(force), motion.tail.vector(torque),
            potential=dot(elastic, strain) / 2, dissipation=dissipation, power=0,
        )  # fmt: skip

    @property
    def lengths(self) -> tuple[float, ...]:
        """Its length."""
        return (self.length,)

    @property
    def stiffnesses(self) -> tuple[float, float]:
        """Largest of the diagonal."""
        K = np.diag(self.stiffness)
        return float(K[:3].max()), float(K[3:].max())


class Line:
    """The helix between two sections, and the work of what acts along it.

    Parameters
    ----------
    psi, y : rotation vector and way of the second section as seen from the first.
    """

    def __init__(self, psi: Vec, y: Vec) -> None:
        self.psi, self.y = psi, y
        self.u = turn_work(psi, 1, y)
        x = dot(psi, psi)
        self._c, self._c_x = turn_c(x), function_partials(turn_c, (x,))[0]

    def rate(self, y_dot: Vec, psi_dot: Vec) -> tuple[Expr, ...]:
        """Rates of u and ψ."""
        psi, y = self.psi, self.y
        across = cross(psi, y)
        twice = plus(cross(psi_dot, across), cross(psi, cross(psi_dot, y)))
        grows = mul(2 * self._c_x, dot(psi, psi_dot))
        turned = (
            times(-0.5, cross(psi_dot, y)), times(self._c, twice), times(grows, cross(psi, across))
        )  # fmt: skip
        return (*plus(turn_work(psi, 1, y_dot), *turned), *psi_dot)

    def wrench(self, stress: list[Expr]) -> tuple[Vec, Vec]:
        """Force and torque (3) on the second section for (n, m), in the axes of the first."""
        psi, y = self.psi, self.y
        n, m = (stress[0], stress[1], stress[2]), (stress[3], stress[4], stress[5])
        # (∂u/∂ψ)ᵀ n, the gradient of n·u = n·y - ½ ψ·(y × n) + c ((n·ψ)(y·ψ) - ψ² n·y)
        n_psi, y_psi, n_y = dot(n, psi), dot(y, psi), dot(n, y)
        bracket = add(mul(n_psi, y_psi), -mul(dot(psi, psi), n_y))
        along = add(mul(2 * self._c_x, bracket), mul(-2 * self._c, n_y))
        work = plus(
            times(-0.5, cross(y, n)), times(mul(self._c, y_psi), n), times(mul(self._c, n_psi), y),
            times(along, psi),
        )  # fmt: skip
        back = negative(turn_work(psi, -1, n)), negative(turn_work(psi, -1, plus(m, work)))
        return back
