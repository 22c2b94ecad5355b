r"""Modal derivatives: how eigenmodes change where a body deflects, the membrane fields of its bending.

A deflection Σ q_i φ_i stretches the body to second order. With the strain energy up to third order in the
displacements the static answer of all else to it is :math:`\tfrac12 \sum q_i q_j θ_{ij}`,

.. math:: K θ_{ij} = - f_{ij}, \qquad v^T f_{ij} = φ_i^T K_G(v)\, φ_j ,                  \tag{1}

K_G(v) the geometric stiffness of the internal forces of a displacement v. For bending modes θ is the
displacement in the plane or along the axis that relieves what bending stretches. By reciprocity the motion of
a frame along a is :math:`θ_{ij}|_{f,a} = -H_{fa,ij}`, the foreshortening of the table: a theorem of both.

References
----------
Idelsohn and Cardona, Comput. Methods Appl. Mech. Eng. 49 (1985) 253-279.
"""

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.attachment import attachment_shapes, static_shapes
from flexnet.fem.bases.eigenmodes import beside, eigenmodes
from flexnet.fem.bases.registry import basis
from flexnet.fem.body import freedoms
from flexnet.fem.factor import Factor
from flexnet.fem.links import RigidLink
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure
from flexnet.kernels.fem_scatter import scatter_rows
from flexnet.typing import AnyArray, Array

IDLE = 1e-10  # of the largest strain energy of a derivative: below it there is none


@basis("frames")
def derivatives(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Eigenmodes, static shapes of loads on the frames, and membrane fields of pairs of the eigenmodes."""
    modes = eigenmodes(structure, reduction, factor)
    static = attachment_shapes(structure, reduction.frames, factor)
    own = modal_derivatives(structure, modes.shapes, factor)
    kinds = ("attachment",) * static.shape[1] + ("derivative",) * own.shape[1]
    return beside(structure, modes, np.hstack([static, own]), kinds)


def modal_derivatives(structure: Structure, shapes: Array, factor: Factor | None) -> Array:
    """Return θ (6n, k) of eq. (1) of all pairs i ≤ j of shapes (6n, m) that have one, i first."""
    if not structure.body.regions:
        raise ModelError("reduction 'derivatives' needs elements: matrices of another program do not tell")
    f = derivative_loads(structure, shapes)
    theta = -static_shapes(structure, f, factor)
    energy = -np.einsum("ij,ij->j", f, theta)
    return theta[:, energy > IDLE * energy.max(initial=0.0)]


def derivative_loads(structure: Structure, shapes: Array) -> Array:
    """Return f (6n, m(m+1)/2) of eq. (1)."""
    body, m = structure.body, shapes.shape[1]
    i, j = np.triu_indices(m)
    total = np.zeros((len(shapes), len(i)))
    for region, cells, X in body.batches():
        where = freedoms(cells)
        n_e, n_edof = where.shape
        unit = np.broadcast_to(np.eye(n_edof), (n_e, n_edof, n_edof))
        state = region.state(X, unit, np.zeros((n_e, n_edof, n_edof if region.has_bow else 0)))
        phi = shapes[where]  # (element, freedom, shape)
        turned = region.geometric_basis(X) @ phi[:, None]  # (element, state, freedom, shape)
        products = phi.transpose(0, 2, 1)[:, None] @ turned  # (element, state, i, j)
        loads = state.transpose(0, 2, 1) @ products[:, :, i, j]
        scatter_rows(total, cells, np.ascontiguousarray(loads))
    return np.asarray(total + structure.full.K @ _arm_ends(structure, shapes, i, j))


def _arm_ends(structure: Structure, shapes: Array, i: AnyArray, j: AnyArray) -> Array:
    """Second-order displacement (6n, pairs) of nodes on rigid arms: ½(θ_i×(θ_j×a) + θ_j×(θ_i×a))."""
    out = np.zeros((len(shapes), len(i)))
    mesh = structure.body.mesh
    for link in structure.body.links:
        if isinstance(link, RigidLink):
            master = mesh.find_node(link.master)
            turn = shapes[6 * master + 3 : 6 * master + 6].T  # (shape, 3)
            for slave in mesh.find_nodes(link.slaves):
                arm = mesh.nodes[slave] - mesh.nodes[master]
                both = np.cross(turn[i], np.cross(turn[j], arm)) + np.cross(turn[j], np.cross(turn[i], arm))
                out[6 * slave : 6 * slave + 3] += 0.5 * both.T
    return out
