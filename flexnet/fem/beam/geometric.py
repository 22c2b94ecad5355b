r"""Geometric stiffness of the beam from its section forces.

Second-order strain energy of the initial stresses σ_xx, τ_xy, τ_xz on the linear displacement field of a
section, integrated over a doubly symmetric section (docs/theory/beam.md):

.. math::
    U_G = \int_0^L \Big[ &\tfrac12 N (v'^2 + w'^2 + \rho^2 \theta_x'^2)
          - \theta_x' (M_y v' + M_z w')
          + V_y (\theta_x w' - \theta_z u') \\ &+ V_z (\theta_y u' - \theta_x v')
          + \tfrac12 T (\theta_z \theta_y' - \theta_y \theta_z') \Big] dx                  \tag{1}

with ρ² = (Iy + Iz)/A. The term ½N u'² is left out: it is smaller than EA u'²/2 by the strain. The forces vary
linearly along the element between those at its ends.
"""

import numpy as np

from flexnet.fem.beam.element import (
    GAUSS_W,
    GAUSS_XI,
    PLANES,
    BeamConstants,
    bending_slope,
    line_interpolation,
    shear_ratio,
)
from flexnet.typing import Array


def local_geometric_stiffness(L: Array, c: BeamConstants, end_forces: Array) -> Array:
    """Return the (n_e, 12, 12) geometric stiffness in local axes.

    Parameters
    ----------
    L : (n_e,) lengths [m].
    c : beam constants.
    end_forces : (n_e, 12) forces and moments on the ends of each element, local axes [N, N·m].
    """
    section = section_forces(end_forces, GAUSS_XI)  # (element, xi, force)
    N, Vy, Vz, T, My, Mz = np.moveaxis(section * (L[:, None] * GAUSS_W)[:, :, None], 2, 0)
    _, _, _, tx, ty, tz = np.moveaxis(line_interpolation(GAUSS_XI, L, c), 2, 0)
    du, dv, dw, dtx, dty, dtz = np.moveaxis(_line_slopes(GAUSS_XI, L, c), 2, 0)
    K = np.zeros((len(L), 12, 12))
    for force, left, right in (
        (0.5 * N, dv, dv),
        (0.5 * N, dw, dw),
        (0.5 * c.polar * N, dtx, dtx),
        (-My, dtx, dv),
        (-Mz, dtx, dw),
        (Vy, tx, dw),
        (-Vy, tz, du),
        (Vz, ty, du),
        (-Vz, tx, dv),
        (0.5 * T, tz, dty),
        (-0.5 * T, ty, dtz),
    ):
        K += np.einsum("eg,egi,egj->eij", force, left, right, optimize=True)
    return K + K.transpose(0, 2, 1)


def section_forces(end_forces: Array, xi: Array) -> Array:
    """Return (N, Vy, Vz, T, My, Mz) on the positive face at ξ, (n_e, n_xi, 6), linear between the ends."""
    first, last = -end_forces[:, None, :6], end_forces[:, None, 6:]
    return np.asarray((1.0 - xi)[None, :, None] * first + xi[None, :, None] * last)


def _line_slopes(xi: Array, L: Array, c: BeamConstants) -> Array:
    """d/dx of the six motions of the centroid line, (n_e, n_xi, 6, 12)."""
    D = np.zeros((len(L), len(xi), 6, 12))
    for freedom in (0, 3):
        D[:, :, freedom, freedom] = -1.0 / L[:, None]
        D[:, :, freedom, freedom + 6] = 1.0 / L[:, None]
    for plane, (freedoms, sign) in enumerate(PLANES):
        slope, curvature = bending_slope(xi, L, shear_ratio(L, c, plane))
        D[:, :, 1 + plane, freedoms] = slope * sign
        D[:, :, 5 - plane, freedoms] = curvature * sign * sign[1]
    return D
