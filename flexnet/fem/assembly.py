"""Assemble the sparse matrices of a body over all its freedoms (six per node, body axes)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array, csr_array, kron

from flexnet.fem.body import Body, freedoms, points_of
from flexnet.fem.mass_points import mass_matrix
from flexnet.fem.material import Rayleigh
from flexnet.fem.unit_loads import N_INERTIA, unit_inertia_loads
from flexnet.kernels.fem_scatter import scatter_blocks, scatter_rows
from flexnet.kernels.fem_sparse import count_entries, fill_entries
from flexnet.typing import Array, IntArray, Vector


@dataclass(frozen=True, slots=True)
class Matrices:
    """Stiffness, mass and damping of a body, each (6n, 6n) sparse, before links and supports.

    Attributes
    ----------
    K : stiffness [N/m, N, N·m].
    M : mass [kg, kg·m, kg·m²].
    C : damping: Kelvin–Voigt of the materials and Rayleigh of the body; ratios of modes come with the modes.
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
    """The 6×6 blocks of the matrices of n nodes, by sorted keys row · n + column."""

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
        return self.matrix(data)

    def matrix(self, data: Array) -> csr_array:
        """The matrix of blocks (blocks, 6, 6)."""
        pointer = np.searchsorted(self.keys, np.arange(self.n + 1) * self.n)
        size = 6 * self.n
        # a flat plate couples half of its freedoms: zeros are left out
        ptr = np.empty(size + 1, dtype=np.int64)
        count_entries(data, pointer, ptr)
        index, values = np.empty(ptr[-1], dtype=np.int64), np.empty(ptr[-1])
        fill_entries(data, pointer, self.keys % self.n, index, values)
        return csr_array((values, index, ptr), shape=(size, size))


def block_pattern(body: Body) -> BlockPattern:
    """Return the blocks that elements and point masses couple."""
    n = len(body.mesh.nodes)
    couples = [np.arange(n) * (n + 1)]
    for region in body.regions:
        cells = body.elements(region)
        couples.append((cells[:, :, None] * n + cells[:, None, :]).reshape(-1))
    keys = np.sort(np.concatenate(couples))  # numpy's unique hashes, which takes many times longer
    return BlockPattern(n, keys[np.diff(keys, prepend=-1) > 0])


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
            scatter_rows(loads, cells, unit_inertia_loads(points))
            yield cells, mass_matrix(points)

    K = pattern.assembled((cells, region.stiffness(X)) for region, cells, X in body.batches())
    M = pattern.assembled(masses())
    C = _damping(body, pattern)
    for part in body.parts:
        where = freedoms(part.nodes[None])[0]
        K, M = K + _placed(part.K, where, K.shape), M + _placed(part.mass(inertia), where, M.shape)
        C = C if part.C is None else C + _placed(part.C, where, C.shape)
        loads[where] += part.unit_loads(body.mesh.nodes[part.nodes], inertia)
    if isinstance(body.damping, Rayleigh) and (body.damping.alpha > 0.0 or body.damping.beta > 0.0):
        C = body.damping.alpha * M + body.damping.beta * K + C
    return Matrices(csr_array(K), csr_array(M), csr_array(C), loads, inertia)


def _placed(matrix: csr_array, where: IntArray, shape: tuple[int, int]) -> csr_array:
    """Return the matrix of some freedoms as one of all."""
    entries = coo_array(matrix)
    return csr_array(coo_array((entries.data, (where[entries.row], where[entries.col])), shape=shape))


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
                load = (unit_inertia_loads(points) @ motion)[:, :, None]
            state = region.state(X, q, load)[:, :, 0]
            yield cells, np.einsum("ec,ecij->eij", state, region.geometric_basis(X), optimize=True)

    return block_pattern(body).assembled(parts())


def centrifugal_stiffness(body: Body, omega: Vector, inertia: str = "consistent") -> csr_array:
    r"""Return the centrifugal stiffness (6n, 6n) of a frame that turns with ω [rad/s].

    .. math:: \int ρ N^T \tilde ω \tilde ω N dV = - \int ρ (\tilde ω N)^T \tilde ω N dV            \tag{1}

    It softens: points that move away from the axis are thrown further out.
    """
    turn = np.cross(np.eye(3), -np.asarray(omega, dtype=float)).T  # ω̃

    def parts() -> Iterator[tuple[IntArray, Array]]:
        for cells, points in body.mass_batches(inertia):
            yield cells, -mass_matrix(replace(points, N=turn @ points.N))

    out = block_pattern(body).assembled(parts())
    for part in body.parts:
        moved = -kron(part.scalar_mass(part.mass(inertia)), np.pad(turn.T @ turn, (0, 3)))
        out = csr_array(out + _placed(csr_array(moved), freedoms(part.nodes[None])[0], out.shape))
    return out


def _damping(body: Body, pattern: BlockPattern) -> csr_array:
    """Kelvin–Voigt damping of the materials."""
    size = 6 * len(body.mesh.nodes)
    if not any(region.retardation > 0.0 for region in body.regions):
        return csr_array((size, size))
    return pattern.assembled(
        (cells, region.retardation * region.stiffness(X)) for region, cells, X in body.batches()
    )
