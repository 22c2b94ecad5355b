"""Consistent loads on the facet."""

import numpy as np

from flexnet.fem.shell.displacement import midsurface
from flexnet.fem.shell.facet import Facets
from flexnet.fem.shell.inertia import mass_points
from flexnet.fem.shell.section import ShellSection
from flexnet.fem.shell.triangle_rule import DEGREE_4
from flexnet.kernels.fem_shell import ALPHA_B
from flexnet.typing import Array, IntArray, Vector

__all__ = ["body_load", "pressure_load", "traction_load", "edge_load"]

ANY_AXIS = (1.0, 0.0, 0.0)


def body_load(X: Array, section: ShellSection, b: Vector) -> Array:
    """Return the load of a uniform field of force per mass, such as gravity.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates [m].
    section : thickness and material.
    b : (3,) array, force per unit mass in body axes [N/kg].

    Returns
    -------
    (n_e, 18) array, ∫ρ Nᵀ b dV [N, N·m].
    """
    points = mass_points(X, section)
    return np.asarray(
        np.einsum("ep,epaf,a->ef", points.w, points.N, np.asarray(b, dtype=float), optimize=True)
    )


def traction_load(X: Array, t: Array) -> Array:
    """Return the load of a traction that is uniform on each facet.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates [m].
    t : (n_e, 3) or (3,) array, force per unit area in body axes [N/m²].

    Returns
    -------
    (n_e, 18) array, ∫Nᵀ t dA [N, N·m].
    """
    facets = Facets.of(X, ANY_AXIS)
    N = np.einsum("p,epaf->eaf", DEGREE_4.weight, midsurface(facets, DEGREE_4.zeta))
    return np.asarray(np.einsum("eaf,ea,e->ef", N, np.broadcast_to(t, (len(N), 3)), facets.area))


def pressure_load(X: Array, p: Array | float) -> Array:
    """Return the load of a pressure that pushes along the normal n = (x2 - x1) × (x3 - x1).

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates [m].
    p : (n_e,) array or number, pressure [Pa].

    Returns
    -------
    (n_e, 18) array, ∫Nᵀ p n dA [N, N·m].
    """
    normal = Facets.of(X, ANY_AXIS).R[:, 2]
    return traction_load(X, np.broadcast_to(p, len(normal))[:, None] * normal)


def edge_load(X: Array, side: IntArray, t: Array) -> Array:
    r"""Return the load of a force per length that is uniform on one side of each facet.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates [m].
    side : (n_e,) array of 0, 1, 2: the side from node 1 to 2, 2 to 3 or 3 to 1.
    t : (n_e, 3) or (3,) array, force per unit length in body axes [N/m].

    Returns
    -------
    (n_e, 18) array [N, N·m].

    Notes
    -----
    On a side from i to j, of length l and direction s, half the force goes to each end, with the end
    moments ±(l²/12) s × t of a cubic side; their drilling part carries the weight α_b of the membrane's
    side displacement, so that a constant stress is in equilibrium with its edge loads exactly.
    """
    facets = Facets.of(X, ANY_AXIS)
    n_e = len(facets.area)
    e, i, j = np.arange(n_e), np.asarray(side), (np.asarray(side) + 1) % 3
    d = X[e, j] - X[e, i]
    t = np.broadcast_to(t, (n_e, 3))
    length = np.linalg.norm(d, axis=1, keepdims=True)
    moment = np.cross(d, t) * length / 12.0
    n = facets.R[:, 2]
    moment += (ALPHA_B - 1.0) * np.einsum("ea,ea->e", moment, n)[:, None] * n
    load = np.zeros((n_e, 3, 2, 3))  # (element, node, force or moment, xyz)
    load[e, i, 0] = load[e, j, 0] = 0.5 * length * t
    load[e, i, 1], load[e, j, 1] = moment, -moment
    return load.reshape(n_e, 18)
