r"""The table of a body that is not reduced: its coordinates are the freedoms of the mesh, its tensors sparse.

With u = T q, T what links and supports leave, tensors of docs/theory/flextable.md are sums over elements,

.. math:: A = T^T \Big(\sum_e A_e\Big) T, \qquad
          NN_{ab,e} = \sum_p w_p N_{ap}^T N_{bp}, \qquad K_{G,e} = \sum_c σ_{c,e} B_{c,e} ,       \tag{1}

σ the internal forces of a unit load in element e: all of them are zero where no element joins two freedoms.
Nothing is dropped; what grows is the number of entries, and that with the mesh.
"""

import numpy as np
from scipy.sparse import csr_array

from flexnet.errors import ModelError
from flexnet.fem.assembly import BlockPattern, block_pattern
from flexnet.fem.attachment import frame_rows
from flexnet.fem.body import Body
from flexnet.fem.factor import Factor
from flexnet.fem.flex_table import FrameRows
from flexnet.fem.geometric_tensors import GeometricTensors, link_blocks, prestressed
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.sparse import SparseRows, SparseStack, stacked
from flexnet.fem.structure import Structure, congruent
from flexnet.fem.unit_loads import N_INERTIA
from flexnet.kernels.fem_scatter import scatter_blocks, scatter_rows
from flexnet.typing import Array, IntArray


def check_unreduced(structure: Structure) -> None:
    """Refuse what has no sparse tensors."""
    if structure.is_free:
        raise ModelError("an unreduced body needs a support: rigid motions are not deformations")
    if structure.body.parts:
        raise ModelError("matrices of other programs do not tell their elements; reduce the body (modes=…)")


def sparse_tensors(
    structure: Structure, factor: Factor | None, inertia: str, is_geometric: bool
) -> tuple[InertiaTensors, SparseStack, SparseStack, GeometricTensors]:
    """Inertia, K, C and geometric stiffness of (1), all on one pattern."""
    body, T = structure.body, structure.T
    pattern = block_pattern(body)
    rigid, mixed, NN = _inertia(body, pattern, inertia)
    n_f = len(body.attachments)
    G = np.zeros((N_INERTIA + 6 * n_f, 0, 6, 6))
    if is_geometric and factor is not None:
        G = _geometric(structure, factor, pattern, inertia)
    matrices = [congruent(T, structure.full.K), congruent(T, structure.full.C)]
    matrices += [congruent(T, pattern.matrix(blocks)) for blocks in (*NN, *G) if len(blocks)]
    stack = stacked(matrices)
    K, C, NN9, rest = stack[0], stack[1], stack.values[2:11], stack.values[11:]
    if not len(rest):
        rest = np.zeros((len(G), len(stack.index)))
    mixed = np.asarray(T.T @ mixed).T  # (12, m): (1, x, y, z) and component
    m = len(stack.ptr) - 1
    tensors = InertiaTensors(
        mass=float(rigid[0, 0]),
        s1=rigid[0, 1:].copy(),
        s2=0.5 * (rigid[1:, 1:] + rigid[1:, 1:].T),
        N1=mixed[:3].copy(),
        sN=mixed[3:].reshape(3, 3, m).copy(),
        NN=SparseStack(stack.ptr, stack.index, NN9.reshape(3, 3, -1).copy()),
    )
    part = {"acceleration": rest[:3], "angular_acceleration": rest[3:6], "omega_products": rest[6:12]}
    geometric = GeometricTensors(
        **{name: SparseStack(stack.ptr, stack.index, values) for name, values in part.items()},
        frames=SparseStack(stack.ptr, stack.index, rest[N_INERTIA:].reshape(n_f, 6, -1)),
    )
    return tensors, K, C, geometric


def sparse_rows(body: Body, T: csr_array, nodes: IntArray) -> FrameRows:
    """Motion of nodes per freedom."""
    first = 6 * np.repeat(nodes, 3) + np.tile(np.arange(3), len(nodes))
    rows = (SparseRows(csr_array(T[first + turn])) for turn in (0, 3))
    return FrameRows(tuple(str(node) for node in nodes), nodes, body.mesh.nodes[nodes], *rows)


def _inertia(body: Body, pattern: BlockPattern, inertia: str) -> tuple[Array, Array, Array]:
    """Moments (4, 4) of (1, x, y, z), ∫ρ (1, s) N (6n, 12), and blocks (9, blocks, 6, 6) of ∫ρ N_aᵀN_b."""
    rigid = np.zeros((4, 4))
    mixed = np.zeros((6 * len(body.mesh.nodes), 12))
    NN = np.zeros((9, len(pattern.keys), 6, 6))
    for cells, points in body.mass_batches(inertia):
        n_e, n_p, _, n_edof = points.N.shape
        position = np.concatenate([np.ones((n_e, n_p, 1)), points.s], axis=2)
        weighted = points.w[:, :, None] * position
        rigid += np.einsum("epi,epj->ij", weighted, position)
        moments = weighted.transpose(0, 2, 1) @ points.N.reshape(n_e, n_p, 3 * n_edof)
        moments = moments.reshape(n_e, 12, n_edof).transpose(0, 2, 1)
        scatter_rows(mixed, cells, np.ascontiguousarray(moments))
        slots = pattern.slots(cells)
        N = points.N.transpose(2, 0, 1, 3)  # (component, element, point, freedom)
        for a in range(3):
            left = np.ascontiguousarray((points.w[:, :, None] * N[a]).transpose(0, 2, 1))
            for b in range(3):
                scatter_blocks(NN[3 * a + b], slots, np.ascontiguousarray(left @ N[b]))
    return rigid, mixed, NN


def _geometric(structure: Structure, factor: Factor, pattern: BlockPattern, inertia: str) -> Array:
    """Blocks (12 + 6 n_f, blocks, 6, 6) of the geometric stiffness of unit loads."""
    body = structure.body
    F = np.hstack([structure.full.unit_loads, frame_rows(structure, None).T.toarray()])
    U = np.asarray(structure.T @ factor.solve(np.asarray(structure.T.T @ F)))
    G = np.zeros((F.shape[1], len(pattern.keys), 6, 6))
    for cells, state, basis in prestressed(body, U, np.eye(N_INERTIA, F.shape[1]), inertia):
        slots = pattern.slots(cells)
        for load, blocks in enumerate(G):
            element = np.einsum("ec,ecij->eij", state[:, :, load], basis)
            scatter_blocks(blocks, slots, np.ascontiguousarray(0.5 * (element + element.transpose(0, 2, 1))))
    n = len(body.mesh.nodes)
    for master, blocks in link_blocks(body, np.asarray(structure.full.K @ U - F)):
        own = int(np.searchsorted(pattern.keys, master * (n + 1)))
        G[:, own, 3:, 3:] += 0.5 * (blocks + blocks.transpose(0, 2, 1))
    return G
