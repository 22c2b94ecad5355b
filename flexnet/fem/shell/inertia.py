"""Inertia of the facet, as exact mass points."""

import numpy as np

from flexnet.fem.mass_points import MassPoints
from flexnet.fem.shell.displacement import basis, coefficients, quadratic
from flexnet.fem.shell.facet import Facets
from flexnet.fem.shell.section import ShellSection
from flexnet.fem.shell.triangle_rule import DEGREE_6
from flexnet.kernels.fem_shell import normal_coefficients
from flexnet.typing import Array

__all__ = ["mass_points"]


def mass_points(X: Array, section: ShellSection) -> MassPoints:
    r"""Return points of mass that reproduce every inertia integral of a batch of facets.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates in body axes [m].
    section : thickness and material.

    Returns
    -------
    MassPoints
        24 points per facet: 12 over the area × 2 through the thickness.

    Notes
    -----
    A point at (ζ, z) has position s = x(ζ) + z n and moves by

        u(ζ, z) = (u, v, w)(ζ) + z (β_x, β_y, 0)(ζ),                                            (1)

    the mid-surface field of ``displacement`` and the normal of ``kinematics`` (2). Products of s and u are at
    most of degree 6 in ζ and 2 in z: the area rule is of degree 6 and the two heights reproduce ∫ρ, ∫ρz and
    ∫ρz² of the section, so rotary inertia is exact. Rigid motion is represented exactly.
    """
    facets = section.facets(X)
    height, mass = section.mass_heights()
    table = _basis_table(height)
    n_e, n_p = len(facets.area), len(table)
    N = np.asarray(table @ _coefficients(facets).reshape(n_e, -1, 54)).reshape(n_e, n_p, 3, 18)
    n = facets.R[:, 2]
    s = (DEGREE_6.zeta @ X)[:, None] + height[:, None, None] * n[:, None, None]
    w = facets.area[:, None, None] * mass[:, None] * DEGREE_6.weight
    return MassPoints(s.reshape(n_e, n_p, 3), N, w.reshape(n_e, n_p))


def _basis_table(height: Array) -> Array:
    """Return the functions of eq. (1) at the points, (24, 16): ten of (u, v, w), six of z β."""
    zeta = DEGREE_6.zeta
    return np.concatenate([np.hstack([basis(zeta), z * quadratic(zeta)]) for z in height])


def _coefficients(facets: Facets) -> Array:
    """Return the field of eq. (1) in those functions, (n_e, 16, 3, 18), in body axes."""
    C = coefficients(facets, 16)
    normal_coefficients(facets.R, facets.x, facets.y, C)
    return C
