"""Geometric stiffness of the facet, from its membrane forces."""

import numpy as np

from flexnet.fem.shell.displacement import coefficients, gradient_of, midsurface_gradient
from flexnet.fem.shell.section import ShellSection
from flexnet.fem.shell.triangle_rule import DEGREE_4
from flexnet.typing import Array

__all__ = ["geometric_basis", "geometric_stiffness", "reduced_geometric"]


def geometric_stiffness(X: Array, section: ShellSection, N_membrane: Array) -> Array:
    r"""Return the stiffness that given membrane forces add to a batch of facets.

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates in body axes [m].
    section : thickness and material; its axis orients the membrane forces.
    N_membrane : (n_e, 3) array, (Nx, Ny, Nxy) in facet axes [N/m], tension positive, constant in a facet.

    Returns
    -------
    (n_e, 18, 18) array [N/m, N, N·m], linear in ``N_membrane``.

    Notes
    -----
    The quadratic part of the Green strain of the mid-surface, all three displacements included, does the work

        ½ qᵀ K_G q = ½ ∫ Σ_ab N_ab Σ_k ∂u_k/∂x_a ∂u_k/∂x_b dA,      k = u, v, w,                    (1)

    with the field of ``displacement``, the one the mass moves with, so that stiffening by inertia forces and
    the inertia itself are of one piece; slopes are quadratic and the rule is of degree 4. The moments of the
    section and the work of the forces through the thickness, of relative order (h/l)², are left out.
    """
    force = np.tile(np.asarray(N_membrane, dtype=float), (1, 3))
    return np.asarray(np.einsum("ec,ecij->eij", force, geometric_basis(X, section)))


def geometric_basis(X: Array, section: ShellSection) -> Array:
    """Return the geometric stiffness of unit Nx, Ny, Nxy at node 1, 2 and 3, (n_e, 9, 18, 18), eq. (1).

    Membrane forces are linear in a facet; those of a node are zero at the two others.
    """
    facets = section.facets(X)
    n_e = len(facets.area)
    G = midsurface_gradient(facets, DEGREE_4.zeta)
    # axes: element, derivative, point and component, freedom
    right = G.reshape(n_e, 2, -1, 18)
    K = np.empty((n_e, 9, 18, 18))
    for i, zeta in enumerate(DEGREE_4.zeta.T):
        weight = facets.area[:, None] * (DEGREE_4.weight * zeta)
        left = (G * weight[:, None, :, None, None]).reshape(n_e, 2, -1, 18).transpose(0, 1, 3, 2)
        np.matmul(left[:, 0], right[:, 0], out=K[:, 3 * i])
        np.matmul(left[:, 1], right[:, 1], out=K[:, 3 * i + 1])
        Kxy = left[:, 0] @ right[:, 1]
        np.add(Kxy, Kxy.transpose(0, 2, 1), out=K[:, 3 * i + 2])
    return K


def reduced_geometric(X: Array, section: ShellSection, state: Array, phi: Array) -> Array:
    """Return Σ φᵀK_G φ (n_l, m, m) over facets; its symmetric part is that of eq. (1).

    Parameters
    ----------
    X : (n_e, 3, 3) array, node coordinates in body axes [m].
    section : thickness and material; its axis orients the membrane forces.
    state : (n_e, 9, n_l) array, membrane forces at the nodes for each load [N/m].
    phi : (n_e, 18, m) array, shapes.

    Notes
    -----
    The shapes' gradients at the points take the place of the element matrices, which are not formed.
    """
    facets = section.facets(X)
    n_e, m, n_l = len(facets.area), phi.shape[2], state.shape[2]
    moved = coefficients(facets).reshape(n_e, 30, 18) @ phi
    H = gradient_of(moved.reshape(n_e, 10, 3 * m), facets, DEGREE_4.zeta).reshape(n_e, 2, -1, 3, m)
    # axes: element, derivative, point and component, node and shape
    weighted = H[..., None, :] * (DEGREE_4.weight[:, None] * DEGREE_4.zeta)[:, None, :, None]
    left = weighted.reshape(n_e, 2, -1, 3 * m).transpose(0, 1, 3, 2)
    right = H.reshape(n_e, 2, -1, m)
    force = facets.area[:, None, None] * state
    total = np.zeros((n_l, m * m))
    for c, (a, b, factor) in enumerate(((0, 0, 1.0), (1, 1, 1.0), (0, 1, 2.0))):
        own = factor * force[:, c::3].reshape(3 * n_e, n_l)
        total += own.T @ (left[:, a] @ right[:, b]).reshape(3 * n_e, m * m)
    return total.reshape(n_l, m, m)
