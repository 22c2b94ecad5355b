r"""Mass points: every inertia integral of a finite-element body as one weighted sum.

An element family replaces its continuous mass by points chosen so that the integrals of products of
position and displacement are *exact*:

* a shell: area Gauss points × two thickness points at ±h/√12;
* a beam: axial Gauss points × four section points at (±√(Iz/A), ±√(Iy/A));
* a point mass with inertia: six points on its principal axes.

A point keeps its undeformed position s₀, its mass w and the matrix N that gives its displacement from the
freedoms of its element,

.. math:: u(s_0) = N(s_0)\, q_e ,                                               \tag{1}

so that, for any integrand quadratic in (s₀, u),

.. math:: \int_V \rho\, f(s_0, u)\, dV = \sum_p w_p\, f(s_p, N_p q_e).           \tag{2}

Units are SI. Freedoms per node are (ux, uy, uz, θx, θy, θz) in body axes.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.typing import Array


@dataclass(frozen=True, slots=True)
class MassPoints:
    """Exact mass points of the elements of one family.

    Parameters
    ----------
    s : (n_e, n_p, 3) array
        Undeformed positions in the body frame [m].
    N : (n_e, n_p, 3, n_edof) array
        Displacement matrix of each point, in body axes.
    w : (n_e, n_p) array
        Masses [kg].
    """

    s: Array
    N: Array
    w: Array

    def __post_init__(self) -> None:
        n_e, n_p = self.w.shape
        assert self.s.shape == (n_e, n_p, 3), f"positions {self.s.shape} do not fit masses {self.w.shape}"
        assert self.N.shape[:3] == (n_e, n_p, 3), f"matrices {self.N.shape} do not fit masses {self.w.shape}"


def mass_matrix(points: MassPoints) -> Array:
    r"""Return the element mass matrices :math:`\sum_p w_p N_p^T N_p` [kg, kg·m, kg·m²].

    Returns
    -------
    (n_e, n_edof, n_edof) array
    """
    n_e, n_p, _, n_edof = points.N.shape
    B = (np.sqrt(points.w)[:, :, None, None] * points.N).reshape(n_e, 3 * n_p, n_edof)
    return np.asarray(B.transpose(0, 2, 1) @ B)


def acceleration_load(points: MassPoints, a: Array) -> Array:
    r"""Return the inertia load :math:`-\sum_p w_p N_p^T a_p` of prescribed point accelerations.

    Parameters
    ----------
    points : mass points of n_e elements.
    a : (n_e, n_p, 3, n_l) array
        Accelerations of the points, one per load case [m/s²].

    Returns
    -------
    (n_e, n_edof, n_l) array
        Element load vectors [N, N·m].
    """
    n_e, n_p, _, n_edof = points.N.shape
    force = (points.w[:, :, None, None] * a).reshape(n_e, 3 * n_p, -1)
    return np.asarray(-points.N.reshape(n_e, 3 * n_p, n_edof).transpose(0, 2, 1) @ force)
