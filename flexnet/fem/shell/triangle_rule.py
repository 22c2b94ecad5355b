"""Symmetric integration rules on a triangle, in area coordinates ζ = (ζ1, ζ2, ζ3) with Σζ = 1.

Weights sum to one: ∫ f dA ≈ A Σ_p weight_p f(ζ_p).
"""

from dataclasses import dataclass

import numpy as np

from flexnet.typing import Array

__all__ = ["TriangleRule", "MIDSIDES", "DEGREE_4", "DEGREE_6"]


@dataclass(frozen=True, slots=True)
class TriangleRule:
    """Points and weights that integrate every polynomial up to ``degree`` exactly.

    Attributes
    ----------
    degree : highest total degree integrated exactly.
    zeta : (n_p, 3) array, area coordinates of the points.
    weight : (n_p,) array, weights of unit sum.
    """

    degree: int
    zeta: Array
    weight: Array

    def __post_init__(self) -> None:
        assert np.allclose(self.zeta.sum(axis=1), 1.0, atol=1e-15)
        assert np.isclose(self.weight.sum(), 1.0, atol=1e-14)


def _orbit_3(a: float) -> list[tuple[float, float, float]]:
    """Return the three points with two coordinates equal to ``a``."""
    b = 1.0 - 2.0 * a
    return [(a, a, b), (b, a, a), (a, b, a)]


def _orbit_6(a: float, b: float) -> list[tuple[float, float, float]]:
    """Return the six permutations of (a, b, 1 - a - b)."""
    c = 1.0 - a - b
    return [(a, b, c), (b, c, a), (c, a, b), (b, a, c), (a, c, b), (c, b, a)]


def _rule(degree: int, orbits: list[tuple[float, list[tuple[float, float, float]]]]) -> TriangleRule:
    """Join orbits of equally weighted points into one rule."""
    zeta = np.array([point for _, orbit in orbits for point in orbit])
    weight = np.array([w for w, orbit in orbits for _ in orbit])
    return TriangleRule(degree, zeta, weight / weight.sum())


def _degree_4() -> TriangleRule:
    """Return the six-point rule in closed form (Cowper 1973; Dunavant 1985, p = 4)."""
    root_10 = np.sqrt(10.0)
    spread = np.sqrt(38.0 - 44.0 * np.sqrt(2.0 / 5.0))
    size = np.sqrt(213125.0 - 53320.0 * root_10)
    a, b = (8.0 - root_10 + spread) / 18.0, (8.0 - root_10 - spread) / 18.0
    weight_a, weight_b = (620.0 + size) / 3720.0, (620.0 - size) / 3720.0
    return _rule(4, [(weight_a, _orbit_3(a)), (weight_b, _orbit_3(b))])


MIDSIDES = _rule(2, [(1.0 / 3.0, _orbit_3(0.5))])
"""Midpoints of sides 12, 23, 31: exact for products of linear strain fields."""

DEGREE_4 = _degree_4()
"""Exact for products of quadratic fields (slopes of a cubic displacement)."""

# Dunavant (1985), table II, p = 6; polished to double precision on the moment equations
DEGREE_6 = _rule(
    6,
    [
        (0.116786275726379366, _orbit_3(0.249286745170910421)),
        (0.050844906370206817, _orbit_3(0.063089014491502228)),
        (0.082851075618373575, _orbit_6(0.053145049844816947, 0.310352451033784405)),
    ],
)
"""Exact for products of cubic displacement fields."""
