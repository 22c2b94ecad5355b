"""Rotation between two frames as a vector χ, and what its rates and torques are.

Without an axis χ is the rotation vector φ; with an axis a it is χ = σ + θ a, a swing σ ⟂ a after a twist θ
that is known otherwise, whole turns included. With b the axis after the rotation, k = a × b,
c = a·b = cos s, κ = s/sin s, u = (a + b)/(1 + c) and ω the relative angular velocity,

    σ = κ k,    χ̇ = κ (c ω - (a·ω) b) + κ₂ (k·ω) k + (u·ω) a,    κ₂ = -dκ/dc = (1 - s cot s)/sin² s    (1)
"""

from dataclasses import dataclass
from typing import TypeAlias

from flexnet.algebra.function import sqrt, turn_c, turn_factor
from flexnet.algebra.scalar import Expr, add, mul
from flexnet.algebra.vector import ZERO3, Mat, Vec, cross, dot, minus, plus, rotate, times, turn_work


@dataclass(slots=True, eq=False)
class RotationVector:
    """χ = φ, with φ̇ = J⁻¹ω and J the left Jacobian of exp φ."""

    chi: Vec

    def rate(self, w: Vec) -> Vec:
        """χ̇ = J⁻¹ω."""
        return turn_work(self.chi, 1, w)

    def torque(self, y: Vec) -> Vec:
        """J⁻ᵀy."""
        return turn_work(self.chi, -1, y)


@dataclass(slots=True, eq=False)
class SwingTwist:
    """χ = σ + θ a: axis a, that of the head b, k = a × b, and κ, κ₂ of the swing."""

    chi: Vec
    a: Vec
    b: Vec
    k: Vec
    kappa: Expr
    second: Expr

    def rate(self, w: Vec) -> Vec:
        """χ̇ = κ (c ω - (a·ω) b) + κ₂ (k·ω) k + (u·ω) a."""
        turn = times(dot(self._gradient, w), self.a)
        return plus(self._swing(w, self.a, self.b), turn)

    def torque(self, y: Vec) -> Vec:
        """The transpose."""
        turn = times(dot(self.a, y), self._gradient)
        return plus(self._swing(y, self.b, self.a), turn)

    @property
    def _gradient(self) -> Vec:
        rho = 1 / add(1, dot(self.a, self.b))
        return times(rho, plus(self.a, self.b))

    def _swing(self, y: Vec, a: Vec, b: Vec) -> Vec:
        along = minus(times(dot(a, b), y), times(dot(a, y), b))
        across = times(mul(self.second, dot(self.k, y)), self.k)
        return plus(times(self.kappa, along), across)


Turned: TypeAlias = RotationVector | SwingTwist


def swing_and_twist(E: Mat, a: Vec, theta: Expr) -> SwingTwist:
    """The rotation E in twist θ about the unit vector a and swing."""
    b = rotate(E, a)
    k = cross(a, b)
    k2 = dot(k, k)
    if k == ZERO3:
        return SwingTwist(times(theta, a), a, b, k, 1, 1)
    cosine = sqrt(add(1, dot(a, b)) / 2)  # of half the swing
    kappa = turn_factor(k2 / (4 * mul(cosine, cosine)), cosine) / (2 * cosine)
    square = mul(kappa, kappa)
    second = mul(4 * square, turn_c(4 * mul(square, k2)))
    chi = plus(times(kappa, k), times(theta, a))
    return SwingTwist(chi, a, b, k, kappa, second)
