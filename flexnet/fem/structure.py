"""A supported body: the matrices of the freedoms that remain after links and supports."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from flexnet.errors import ModelError
from flexnet.fem.assembly import Matrices, assemble
from flexnet.fem.body import Body
from flexnet.fem.links import arm_matrix, link_map
from flexnet.fem.supports import FREEDOMS, Free, Support, held_rows, hold
from flexnet.kernels.fem_sparse import count_picked, fill_picked
from flexnet.mesh import Mesh
from flexnet.typing import AnyArray, Array, IntArray


@dataclass(frozen=True, slots=True)
class Structure:
    """A body on its supports.

    Attributes
    ----------
    body : mesh, regions, links, masses.
    support : what is held.
    full : matrices over all 6n freedoms.
    T : (6n, m) map of the remaining freedoms to all, u = T z.
    K, M : (m, m) stiffness and mass of the remaining freedoms.
    is_free : whether some rigid motion is left.
    """

    body: Body
    support: Support
    full: Matrices
    T: csr_array
    K: csr_array
    M: csr_array
    is_free: bool

    @property
    def n(self) -> int:
        """Number of remaining freedoms."""
        return int(self.K.shape[0])


def supported(
    body: Body, support: Support, inertia: str = "consistent", matrices: Matrices | None = None
) -> Structure:
    """Return a body on its supports.

    Parameters
    ----------
    body : what is supported.
    support : :class:`Free`, :class:`Clamped`, :class:`Pinned`, :class:`Held` or several of the last three.
    inertia : ``consistent``, ``linear`` or ``lumped``.
    matrices : those of the body, if they are at hand already.

    Raises
    ------
    ModelError
        If a remaining freedom has no stiffness at all; its node is named.
    """
    full = assemble(body, inertia) if matrices is None else matrices
    H, absent = held_rows(body.mesh, support), absent_freedoms(body)
    held = csr_array(vstack([H, _picked(absent)])) if absent.any() else H
    T = hold(link_map(body.mesh, body.links), held, size_of(body.mesh))
    K = congruent(T, full.K)
    _check_stiffness(K, T)
    rigid = scaled_rigid_motions(body.mesh) * ~absent[:, None]
    is_free = isinstance(support, Free) or bool(np.linalg.matrix_rank(H @ rigid, tol=1e-9) < 6)
    return Structure(body, support, full, T, K, congruent(T, full.M), is_free)


def absent_freedoms(body: Body) -> AnyArray:
    """Return which freedoms (6n,) are none: the rotations of nodes of solids."""
    unturned = np.repeat(body.without_rotations()[:, None], 3, axis=1)
    return np.hstack([np.zeros_like(unturned), unturned]).reshape(-1)


def _picked(chosen: AnyArray) -> csr_array:
    """Return rows that pick the chosen freedoms, one each."""
    columns = np.flatnonzero(chosen)
    n = len(columns)
    return csr_array((np.ones(n), columns, np.arange(n + 1)), shape=(n, len(chosen)))


def congruent(T: csr_array, A: csr_array) -> csr_array:
    """Return TᵀAT; picking rows and columns if T only picks freedoms."""
    if T.nnz == T.shape[1] and (T.data == 1.0).all():
        order = np.argsort(T.indices)
        return _principal(A, np.repeat(np.arange(T.shape[0]), np.diff(T.indptr))[order])
    product = csr_array(T.T @ (A @ T))
    product.sort_indices()
    return product


def _principal(A: csr_array, rows: IntArray) -> csr_array:
    """Return the rows and columns of some freedoms."""
    place = np.full(A.shape[0], -1)
    place[rows] = np.arange(len(rows))
    from_ptr, from_index = (x.astype(np.int64, copy=False) for x in (A.indptr, A.indices))
    ptr = np.empty(len(rows) + 1, dtype=np.int64)
    count_picked(rows, place, from_ptr, from_index, ptr)
    index, values = np.empty(ptr[-1], dtype=np.int64), np.empty(ptr[-1])
    fill_picked(rows, place, from_ptr, from_index, A.data, index, values)
    return csr_array((values, index, ptr), shape=(len(rows), len(rows)))


def rigid_motions(mesh: Mesh, about: Array | None = None) -> Array:
    """Return the (6n, 6) nodal freedoms of three unit translations and three unit rotations.

    Parameters
    ----------
    mesh : nodes.
    about : (3,) centre of the rotations [m], the origin if not given.
    """
    centre = np.zeros(3) if about is None else about
    return arm_matrix(mesh.nodes - centre).reshape(-1, 6)


def scaled_rigid_motions(mesh: Mesh) -> Array:
    """Return rigid motions about the middle of the mesh, rotations scaled to its size."""
    return np.asarray(rigid_motions(mesh, mesh.nodes.mean(axis=0)) / np.repeat([1.0, size_of(mesh)], 3))


def size_of(mesh: Mesh) -> float:
    """Return the largest distance of a node from their middle [m]; 1 of a single node."""
    size = float(np.linalg.norm(mesh.nodes - mesh.nodes.mean(axis=0), axis=1).max())
    return size if size > 0.0 else 1.0


def _check_stiffness(K: csr_array, T: csr_array) -> None:
    loose = np.flatnonzero(K.diagonal() <= 0.0)
    if loose.size:
        column = csc_array(T)[:, [loose[0]]].toarray()[:, 0]
        node, freedom = divmod(int(np.argmax(np.abs(column))), 6)
        raise ModelError(f"node {node}: freedom {FREEDOMS[freedom]} has no stiffness; link it or hold it")
