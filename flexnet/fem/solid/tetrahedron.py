r"""The quadratic tetrahedron: ten functions of the volume coordinates ζ = (ζ1, ζ2, ζ3, ζ4), Σζ = 1.

.. math:: N_i = ζ_i (2ζ_i - 1), \qquad N_{ij} = 4 ζ_i ζ_j ,                              \tag{1}

corners, then the edges 12, 23, 31, 14, 24, 34. Position and displacement are interpolated alike, edges may be
curved.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import MeshError
from flexnet.typing import Array

EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
CORNERS = np.eye(4)


@dataclass(frozen=True, slots=True, eq=False)
class VolumeRule:
    """Points ζ (n_p, 4) and weights (n_p,) of unit sum: ∫ f dV ≈ V Σ weight f(ζ)."""

    zeta: Array
    weight: Array


def _orbit_4(a: float) -> list[list[float]]:
    return [[1.0 - 3.0 * a if i == j else a for j in range(4)] for i in range(4)]


def _orbit_6(a: float) -> list[list[float]]:
    return [[a if k in pair else 0.5 - a for k in range(4)] for pair in EDGES]


GAUSS = VolumeRule(np.array(_orbit_4((5.0 - 5.0**0.5) / 20.0)), np.full(4, 0.25))
"""Exact for degree 2: products of linear strains."""

# Walkington, Quadrature on simplices of arbitrary dimension (2000), 14 points, degree 5, all weights positive
DEGREE_5 = VolumeRule(
    np.array(
        [*_orbit_4(0.0927352503108912264), *_orbit_4(0.3108859192633006097), *_orbit_6(0.0455037041256496494)]
    ),
    np.repeat([0.0734930431163619495, 0.1126879257180158508, 0.0425460207770814664], [4, 4, 6]),
)
"""Exact for products of quadratic fields on straight edges."""


def functions(zeta: Array) -> Array:
    """Return N of eq. (1) at points ζ, (n_p, 10)."""
    corners = [zeta[:, i] * (2.0 * zeta[:, i] - 1.0) for i in range(4)]
    return np.stack([*corners, *(4.0 * zeta[:, i] * zeta[:, j] for i, j in EDGES)], axis=1)


def slopes(zeta: Array) -> Array:
    """Return ∂N/∂(ζ2, ζ3, ζ4), ζ1 following, (n_p, 10, 3)."""
    by_zeta = np.zeros((len(zeta), 10, 4))
    for i in range(4):
        by_zeta[:, i, i] = 4.0 * zeta[:, i] - 1.0
    for k, (i, j) in enumerate(EDGES, start=4):
        by_zeta[:, k, i], by_zeta[:, k, j] = 4.0 * zeta[:, j], 4.0 * zeta[:, i]
    return np.asarray(by_zeta[:, :, 1:] - by_zeta[:, :, :1])


def gradients(X: Array, zeta: Array) -> tuple[Array, Array]:
    """Return ∂N/∂x (n_e, n_p, 10, 3) [1/m] and the volume per unit weight (n_e, n_p) [m³].

    Parameters
    ----------
    X : (n_e, 10, 3) node positions [m].
    zeta : (n_p, 4) points.

    Raises
    ------
    MeshError
        If an element folds over itself; names the first.
    """
    S = slopes(zeta)
    J = np.einsum("pnd,enx->epxd", S, X)  # ∂x/∂ζ
    volume = np.linalg.det(J) / 6.0
    if not (volume > 0.0).all():
        element = int(np.argwhere(~(volume > 0.0))[0, 0])
        raise MeshError(
            f"tetrahedron {element} folds over itself: a node in the middle of an edge is displaced"
        )
    return np.einsum("pnd,epdx->epnx", S, np.linalg.inv(J)), volume
