"""Inertia of the facet, as exact mass points."""

import numpy as np

from flexnet.fem.mass_points import MassPoints
from flexnet.fem.shell.displacement import midsurface
from flexnet.fem.shell.dkt import rotation_of_normal
from flexnet.fem.shell.facet import to_body_freedoms
from flexnet.fem.shell.kinematics import BENDING
from flexnet.fem.shell.section import ShellSection
from flexnet.fem.shell.triangle_rule import DEGREE_6
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

    the mid-surface field of ``displacement`` and the normal of ``dkt``. Products of s and u are at most
    of degree 6 in ζ and 2 in z: the area rule is of degree 6 and the two heights reproduce ∫ρ, ∫ρz and
    ∫ρz² of the section, so rotary inertia is exact. Rigid motion is represented exactly.
    """
    facets = section.facets(X)
    zeta = DEGREE_6.zeta
    height, mass = section.mass_heights()
    N_mid = midsurface(facets, zeta)
    H = np.zeros_like(N_mid)
    H[:, :, :2, BENDING] = rotation_of_normal(facets, zeta)
    # (element, height, area point, component, freedom), components and freedoms in facet axes
    N = N_mid[:, None] + height[:, None, None, None] * H[:, None]
    n_e, n_p = len(N), 2 * len(zeta)
    N = to_body_freedoms(N, facets.R).reshape(n_e, n_p, 3, 18)
    N = facets.R.transpose(0, 2, 1)[:, None] @ N
    x = np.einsum("pi,eia->epa", zeta, X)
    s = x[:, None] + height[:, None, None] * facets.R[:, None, None, 2]
    w = facets.area[:, None, None] * mass[:, None] * DEGREE_6.weight
    return MassPoints(s.reshape(n_e, n_p, 3), N, w.reshape(n_e, n_p))
