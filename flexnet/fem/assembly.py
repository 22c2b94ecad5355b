"""Assemble the sparse matrices of a body over all its freedoms (six per node, body axes)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import bsr_array, csr_array

from flexnet.fem.body import Body, freedoms, points_of
from flexnet.fem.mass_points import acceleration_load, mass_matrix
from flexnet.fem.unit_loads import N_INERTIA, unit_accelerations
from flexnet.kernels.fem_scatter import scatter_blocks, scatter_rows
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True)
class Matrices:
    """Stiffness, mass and damping of a body, each (6n, 6n) sparse, before links and supports.

    Attributes
    ----------
    K : stiffness [N/m, N, N·m].
    M : mass [kg, kg·m, kg·m²].
    C : damping: Kelvin–Voigt of the materials and Rayleigh of the body.
    unit_loads : (6n, 12) inertia loads of unit accelerations of the frame (flexnet.fem.unit_loads).
    inertia : ``consistent``, ``linear`` or ``lumped``.
    """

    K: csr_array
    M: csr_array
    C: csr_array
    unit_loads: Array
    inertia: str


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
    loads = np.zeros((6 * len(body.mesh.nodes), N_INERTIA))

    def masses() -> Iterator[tuple[IntArray, Array]]:
        for cells, points in body.mass_batches(inertia):
            scatter_rows(loads, cells, acceleration_load(points, unit_accelerations(points.s)))
            yield cells, mass_matrix(points)

    K = pattern.assembled((cells, region.stiffness(X)) for region, cells, X in body.batches())
    M = pattern.assembled(masses())
    return Matrices(K, M, _damping(body, pattern, K, M), loads, inertia)


def geometric_stiffness(
    body: Body, u: Array, motion: Array | None = None, inertia: str = "consistent"
) -> csr_array:
    """Return the geometric stiffness (6n, 6n) of a state of displacement, without that of link arms.

    Parameters
    ----------
    body : elements.
    u : (6n,) displacement whose internal forces prestress the body.
    motion : (12,) acceleration of the frame (flexnet.fem.unit_loads) if it is among the loads.
    inertia : ``consistent``, ``linear`` or ``lumped``.
    """

    def parts() -> Iterator[tuple[IntArray, Array]]:
        for region, cells, X in body.batches():
            q = u[freedoms(cells)][:, :, None]
            load = np.zeros_like(q)
            if region.has_bow and motion is not None:
                points = points_of(region, X, inertia)
                load = acceleration_load(points, (unit_accelerations(points.s) @ motion)[..., None])
            yield cells, region.geometric_stiffness(X, region.state(X, q, load)[:, :, 0])

    return block_pattern(body).assembled(parts())


def _damping(body: Body, pattern: BlockPattern, K: csr_array, M: csr_array) -> csr_array:
    C = body.damping.alpha * M + body.damping.beta * K
    if any(region.retardation > 0.0 for region in body.regions):
        C = C + pattern.assembled(
            (cells, region.retardation * region.stiffness(X)) for region, cells, X in body.batches()
        )
    return csr_array(C)
