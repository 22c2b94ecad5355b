"""Assemble the sparse matrices of a body over all its freedoms (six per node, body axes)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import bsr_array, csr_array

from flexnet.fem.body import Body, freedoms
from flexnet.fem.mass_points import mass_matrix
from flexnet.kernels.fem_scatter import scatter_blocks
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True)
class Matrices:
    """Stiffness, mass and damping of a body, each (6n, 6n) sparse, before links and supports.

    Attributes
    ----------
    K : stiffness [N/m, N, N·m].
    M : mass [kg, kg·m, kg·m²].
    C : damping: Kelvin–Voigt of the materials and Rayleigh of the body.
    """

    K: csr_array
    M: csr_array
    C: csr_array


@dataclass(frozen=True, slots=True)
class BlockPattern:
    """The 6×6 blocks a body's matrices have: sorted block keys (row · n + column) and row pointers."""

    n: int
    keys: IntArray

    def slots(self, cells: IntArray) -> IntArray:
        """Return the place of each block of each element, (n_e, nodes, nodes)."""
        return np.searchsorted(self.keys, cells[:, :, None] * self.n + cells[:, None, :])

    def assembled(self, parts: Iterable[tuple[IntArray, Array]]) -> csr_array:
        """Add element matrices, given as (nodes, matrices) of batches of elements."""
        data = np.zeros((len(self.keys), 6, 6))
        for cells, matrices in parts:
            scatter_blocks(data, self.slots(cells), np.ascontiguousarray(matrices))
        pointer = np.searchsorted(self.keys, np.arange(self.n + 1) * self.n)
        size = 6 * self.n
        blocks = bsr_array((data, self.keys % self.n, pointer), shape=(size, size))
        matrix = csr_array(blocks.tocsr())
        matrix.eliminate_zeros()  # a flat plate couples half of its freedoms
        return matrix


def block_pattern(body: Body) -> BlockPattern:
    """Return the blocks that elements and point masses couple."""
    n = len(body.mesh.nodes)
    couples = [np.arange(n) * (n + 1)]
    for region in body.regions:
        cells = body.elements(region)
        couples.append(np.unique(cells[:, :, None] * n + cells[:, None, :]))
    return BlockPattern(n, np.unique(np.concatenate(couples)))


def assemble(body: Body, inertia: str = "consistent") -> Matrices:
    """Return the matrices of a body.

    Parameters
    ----------
    body : what to assemble.
    inertia : ``consistent``, ``linear`` or ``lumped``.
    """
    pattern = block_pattern(body)
    K = pattern.assembled((cells, region.stiffness(X)) for region, cells, X in body.batches())
    M = pattern.assembled((cells, mass_matrix(points)) for cells, points in body.mass_batches(inertia))
    return Matrices(K, M, _damping(body, pattern, K, M))


def geometric_stiffness(body: Body, u: Array, f: Iterable[Array] | None = None) -> csr_array:
    """Return the geometric stiffness (6n, 6n) of a state of displacement, without that of link arms.

    Parameters
    ----------
    body : elements.
    u : (6n,) displacement whose internal forces prestress the body.
    f : element load vectors (n_e, n_edof) of each batch, for loads distributed over elements; none if all
        loads act on nodes.
    """
    loads = iter(f) if f is not None else None
    parts = []
    for region, cells, X in body.batches():
        q = u[freedoms(cells)]
        load = np.zeros_like(q) if loads is None else next(loads)
        state = region.state(X, q[:, :, None], load[:, :, None])[:, :, 0]
        parts.append((cells, region.geometric_stiffness(X, state)))
    return block_pattern(body).assembled(parts)


def _damping(body: Body, pattern: BlockPattern, K: csr_array, M: csr_array) -> csr_array:
    C = body.damping.alpha * M + body.damping.beta * K
    if any(region.retardation > 0.0 for region in body.regions):
        C = C + pattern.assembled(
            (cells, region.retardation * region.stiffness(X)) for region, cells, X in body.batches()
        )
    return csr_array(C)
