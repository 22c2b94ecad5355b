r"""Bending: the discrete Kirchhoff triangle (DKT).

Freedoms per node, in facet axes: w, θx = ∂w/∂y, θy = -∂w/∂x. The normal turns by β = (β_x, β_y), a point
at height z moves in the plane by z β, and the curvatures are

    κ = (∂β_x/∂x, ∂β_y/∂y, ∂β_x/∂y + ∂β_y/∂x),      ε(z) = z κ.                              (1)

β is quadratic in the triangle; along a side k of length l_k, tangent s, w is cubic, β_n linear, and
Kirchhoff's condition ∂w/∂s + β_s = 0 holds at both ends and at the middle. Eliminating the midside values
of β leaves nine freedoms; the element is exact for constant curvature on any triangle. The compiled
curvatures are in flexnet.kernels.fem_shell.

References
----------
Batoz, J.-L., Bathe, K.-J., Ho, L.-W., A study of three-node triangular plate bending elements,
Int. J. Numer. Meth. Engng 15 (1980) 1771-1812, eqs (28)-(34).
"""

import numpy as np

from flexnet.typing import Array

__all__ = ["quadratic"]

SIDES = ((1, 2), (2, 0), (0, 1))
"""Sides 4, 5, 6 of the six-node triangle: nodes (2,3), (3,1), (1,2)."""


def quadratic(zeta: Array) -> Array:
    """Return the six-node quadratic functions N_1 … N_6 at ``zeta``, (n_p, 6)."""
    z1, z2, z3 = zeta.T
    corners = [z * (2.0 * z - 1.0) for z in (z1, z2, z3)]
    return np.stack([*corners, 4.0 * z2 * z3, 4.0 * z3 * z1, 4.0 * z1 * z2], axis=-1)
