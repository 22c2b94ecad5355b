r"""Rigid links and averaging interfaces: freedoms that follow other freedoms.

A link writes the six freedoms of some nodes as a linear function of those of others,

.. math:: u_{dep} = D\, u ,                                                           \tag{1}

and the body's freedoms become u = T û with the independent ones û (:func:`link_map`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import coo_array, csr_array

from flexnet.errors import ModelError
from flexnet.mesh import Mesh, NodeRef
from flexnet.typing import Array, IntArray

Triplets: TypeAlias = tuple[IntArray, IntArray, Array]  # rows, columns, values


@dataclass(frozen=True, slots=True)
class RigidLink:
    """Nodes carried rigidly by a master node, exactly, at any distance.

    Parameters
    ----------
    master : the node that carries.
    slaves : the nodes that follow.
    rotations : False leaves the rotations of the slaves free (they follow in translation only).
    """

    master: NodeRef
    slaves: NodeRef
    rotations: bool = True


@dataclass(frozen=True, slots=True)
class AverageLink:
    r"""A reference node that follows the mean motion of a set of nodes, without stiffening it.

    Parameters
    ----------
    reference : the node that follows; it must have no stiffness of its own.
    nodes : the set.
    weights : one per node, equal if not given.
    rotation_length : ℓ [m]; larger than zero lets the nodes' own rotations take part in the mean rotation,
        which a set of nodes on one line needs.

    Notes
    -----
    Translation U and rotation θ of the reference minimise, with r_i from the reference to node i,

    .. math:: \sum_i w_i \left( |u_i - U - θ \times r_i|^2 + ℓ^2 |θ_i - θ|^2 \right) .       \tag{2}

    A force on the reference is thereby spread over the set with the same resultant.
    """

    reference: NodeRef
    nodes: NodeRef
    weights: tuple[float, ...] | None = None
    rotation_length: float = 0.0


Link: TypeAlias = RigidLink | AverageLink


def arm_matrix(r: Array) -> Array:
    """Return the (n, 6, 6) matrices that carry the freedoms of a node to points at r (n, 3) from it."""
    A = np.zeros((len(r), 6, 6))
    A[:, np.arange(6), np.arange(6)] = 1.0
    # θ × r
    A[:, 0, 4], A[:, 0, 5] = r[:, 2], -r[:, 1]
    A[:, 1, 3], A[:, 1, 5] = -r[:, 2], r[:, 0]
    A[:, 2, 3], A[:, 2, 4] = r[:, 1], -r[:, 0]
    return A


def linked_pairs(mesh: Mesh, links: Sequence[Link]) -> IntArray:
    """Return the (n, 2) pairs of nodes that links connect."""
    pairs = [np.empty((0, 2), dtype=np.int64)]
    for link in links:
        one, many = _ends(mesh, link)
        pairs.append(np.column_stack([np.full(len(many), one), many]))
    return np.concatenate(pairs)


def link_map(mesh: Mesh, links: Sequence[Link]) -> csr_array:
    """Return T (6n, n_independent) of eq. (1): all freedoms from the independent ones.

    Raises
    ------
    ModelError
        If a freedom follows two links, or links go round in a circle; the node is named.
    """
    n = 6 * len(mesh.nodes)
    parts = [_rigid(mesh, x) if isinstance(x, RigidLink) else _average(mesh, x) for x in links]
    rows = np.concatenate([np.empty(0, dtype=np.int64), *(p[0] for p in parts)])
    columns = np.concatenate([np.empty(0, dtype=np.int64), *(p[1] for p in parts)])
    values = np.concatenate([np.empty(0), *(p[2] for p in parts)])
    followers = [np.unique(p[0]) for p in parts]
    everyone, count = np.unique(np.concatenate([np.empty(0, np.int64), *followers]), return_counts=True)
    if (count > 1).any():
        raise ModelError(f"node {everyone[count > 1][0] // 6} is carried by two links")
    independent = np.setdiff1d(np.arange(n), everyone)
    P = csr_array(
        (np.ones(len(independent)), (independent, np.arange(len(independent)))), (n, len(independent))
    )
    D = csr_array(coo_array((values, (rows, columns)), shape=(n, n)))
    _check_acyclic(D, len(links))
    # chains of links: T = P + D P + D² P + …
    T, carried = P, D @ P
    while carried.nnz:
        T, carried = T + carried, D @ carried
    return csr_array(T)


def _check_acyclic(D: csr_array, n_links: int) -> None:
    chain = np.abs(D)
    for _ in range(n_links):
        chain = chain @ np.abs(D)
        if not chain.nnz:
            return
    if chain.nnz:
        raise ModelError(f"links go round in a circle through node {int(chain.nonzero()[0][0]) // 6}")


def _ends(mesh: Mesh, link: Link) -> tuple[int, IntArray]:
    one, many = (link.master, link.slaves) if isinstance(link, RigidLink) else (link.reference, link.nodes)
    first, others = mesh.find_node(one), mesh.find_nodes(many)
    if first in others:
        raise ModelError(f"node {first} is linked to itself")
    return first, others


def _rigid(mesh: Mesh, link: RigidLink) -> Triplets:
    master, slaves = _ends(mesh, link)
    A = arm_matrix(mesh.nodes[slaves] - mesh.nodes[master])[:, : 6 if link.rotations else 3]
    row = 6 * slaves[:, None, None] + np.arange(A.shape[1])[None, :, None] + np.zeros_like(A, dtype=np.int64)
    column = 6 * master + np.arange(6)[None, None, :] + np.zeros_like(A, dtype=np.int64)
    used = A != 0.0
    return row[used], column[used], A[used]


def _average(mesh: Mesh, link: AverageLink) -> Triplets:
    reference, nodes = _ends(mesh, link)
    w = np.ones(len(nodes)) if link.weights is None else np.asarray(link.weights, dtype=float)
    if w.shape != nodes.shape or not (w > 0.0).all():
        raise ModelError(f"average link at node {reference}: weights must be positive, one per node")
    # residuals B (U, θ) - u_i of translations, scaled by √w, and of rotations, scaled by ℓ√w
    A = arm_matrix(mesh.nodes[nodes] - mesh.nodes[reference])
    scale = np.sqrt(w)[:, None] * np.repeat([1.0, link.rotation_length], 3)
    B = (A * scale[:, :, None]).reshape(-1, 6)
    size = np.linalg.norm(mesh.nodes[nodes] - mesh.nodes[reference], axis=1).max()
    column_scale = np.repeat([1.0, size if size > 0.0 else 1.0], 3)
    if np.linalg.matrix_rank(B / column_scale, tol=1e-9 * np.sqrt(w.sum())) < 6:
        raise ModelError(
            f"average link at node {reference}: the nodes lie on one line or point and define no rotation;"
            " give rotation_length"
        )
    # (6, 6 nodes); with the rotations in sizes of the set, or a small one loses its translations to round-off
    W = np.linalg.pinv(B / column_scale) / column_scale[:, None] * scale.reshape(-1)
    row = 6 * reference + np.arange(6)[:, None] + np.zeros_like(W, dtype=np.int64)
    column = (6 * nodes[:, None] + np.arange(6)).reshape(1, -1) + np.zeros_like(W, dtype=np.int64)
    used = np.abs(W) > 1e-15 * np.abs(W).max(axis=1, keepdims=True)
    return row[used], column[used], W[used]
