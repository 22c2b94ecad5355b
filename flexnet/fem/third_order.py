r"""What one floating frame leaves of the inertia of a bent body: the kinetic energy of third order.

The displacement of second order u₂, which keeps the strain energy quadratic, is the static answer to the
second-order strain,

.. math:: K u_2 = -\tfrac12 q^T K_G(\cdot) q, \qquad \dot u_2 = -K^{-1} q^T K_G(\cdot) \dot q ,     \tag{1}

K_G(U) the geometric stiffness of the internal forces of a displacement U. It takes part in the kinetic energy
by ∫ρ u̇·u̇₂, of which (6) of docs/theory/flexible_bodies.md has the share of the mean motion. With the rest of
the inertia load of a motion, which is in balance, and its static answer U,

.. math:: T_3(q, \dot q) = -q^T K_G(U)\, \dot q, \qquad
          K U = M \Phi\dot q - M R x, \quad x = A_0^{-1} E_1 \dot q ,                          \tag{2}

is what is left out: a motion whose kinetic energy is ½ μ has a frequency that is off by T₃/μ of it, of first
order in q. U is taken within the shapes of the body. See docs/theory/validity.md.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

from flexnet.fem.body import Body, freedoms, points_of
from flexnet.fem.factor import factorise
from flexnet.fem.flex_table import FlexTable
from flexnet.fem.geometric_tensors import link_blocks
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.sparse import SparseStack
from flexnet.fem.stress_modes import nodal_freedoms
from flexnet.kernels.fem_scatter import scatter_rows
from flexnet.typing import Array


def slowest_motions(table: FlexTable, most: int) -> Array:
    """Return elastic rates (m, k) of the slowest eigenmodes in the frame of a body, q̇ᵀM q̇ = 1."""
    k = min(most, table.m)
    if isinstance(table.K, SparseStack):
        _, x = eigsh(table.K.matrix, min(k, table.m - 1), table.M.matrix, sigma=0.0)
        return np.asarray(x)
    # coordinates without mass follow: 1/ω² is none
    over, x = eigh(table.M, table.K, subset_by_index=[table.m - k, table.m - 1])
    return np.asarray(x[:, over > 0.0] / np.sqrt(over[over > 0.0]))


def third_order_energy(body: Body, table: FlexTable, q: Array, rates: Array, inertia: str) -> Array:
    """Return T₃ (k,) of eq. (2) at elastic coordinates q (m,) for rates (m, k) [J].

    Parameters
    ----------
    body : elements the table was made from; matrices of other programs have none, and no part in T₃.
    inertia : ``consistent``, ``linear`` or ``lumped``.
    """
    x = _mean_motion(table.inertia, rates)
    c = _solved(table.K, table.M @ rates - _momenta(table.inertia).T @ x)
    u, moved, U = (nodal_freedoms(table, one) for one in (q, rates, c))
    out = np.zeros(rates.shape[1])
    for region, cells, X in body.batches():
        where = freedoms(cells)
        load = np.zeros((*where.shape, 0))
        if region.has_bow:
            load = inertia_loads(points_of(region, X, inertia), moved[where], x)
        state = region.state(X, U[where], load)
        out -= np.einsum("eck,eck->k", state, region.second_order_strain(X, u[where], moved[where]))
    for master, blocks in link_blocks(body, _passed_on(body, U, moved, x, inertia)):
        turn = slice(6 * master + 3, 6 * master + 6)
        out -= np.einsum("kij,i,jk->k", blocks, u[turn], moved[turn])
    return out


def inertia_loads(points: MassPoints, moved: Array, x: Array) -> Array:
    """Return the element loads (n_e, n_edof, k) of accelerations of the nodes, less rigid ones x (6, k)."""
    arm = np.cross(np.eye(3), points.s[:, :, None]).transpose(0, 1, 3, 2)  # (element, point, i, axis): ω × s
    a = points.N @ moved[:, None] - x[:3] - arm @ x[3:]
    return np.asarray(np.einsum("ep,epif,epik->efk", points.w, points.N, a, optimize=True))


def _passed_on(body: Body, U: Array, moved: Array, x: Array, inertia: str) -> Array:
    """Internal less external forces (6n, k) of the nodes; zeros of a body without links."""
    total = np.zeros((6 * len(body.mesh.nodes), U.shape[1]))
    if not body.links:
        return total
    for region, cells, X in body.batches():
        scatter_rows(total, cells, np.ascontiguousarray(region.stiffness(X) @ U[freedoms(cells)]))
    for cells, points in body.mass_batches(inertia):
        scatter_rows(total, cells, -inertia_loads(points, moved[freedoms(cells)], x))
    return total


def _momenta(inertia: InertiaTensors) -> Array:
    """Momentum and angular momentum about the origin per elastic rate, E₁ (6, m)."""
    sN = inertia.sN
    angular = np.stack([sN[1, 2] - sN[2, 1], sN[2, 0] - sN[0, 2], sN[0, 1] - sN[1, 0]])
    return np.concatenate([inertia.N1, angular])


def _mean_motion(inertia: InertiaTensors, rates: Array) -> Array:
    """Rigid motion x = A₀⁻¹E₁ q̇ (6, k) with the same momenta; none about a line without a section."""
    c = inertia.s1 / inertia.mass
    p, h = np.split(_momenta(inertia) @ rates, 2)
    about = inertia.s2 - inertia.mass * np.outer(c, c)
    J = np.trace(about) * np.eye(3) - about
    turn = np.linalg.pinv(J, rcond=1e-10, hermitian=True) @ (h - np.cross(c, p.T).T)
    return np.concatenate([p / inertia.mass - np.cross(turn.T, c).T, turn])


def _solved(K: Array | SparseStack, b: Array) -> Array:
    """K⁻¹ b."""
    if isinstance(K, SparseStack):
        return np.asarray(factorise(csr_array(K.matrix)).solve(b))
    return np.asarray(np.linalg.solve(K, b))
