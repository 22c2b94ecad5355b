r"""Supports: which freedoms of a body are held, and the freedoms that remain.

For a floating frame a support is the choice of that frame: deformations are measured from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse import csc_array, csr_array, diags_array

from flexnet.errors import ModelError
from flexnet.mesh import Mesh, NodeRef
from flexnet.typing import Array, IntArray

FREEDOMS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True, slots=True)
class Free:
    """No support, such as ``Free()``; the frame of the body follows its mean motion (mean axes)."""


@dataclass(frozen=True, slots=True)
class Clamped:
    """All six freedoms of nodes are held, such as ``Clamped("start")``; the body's frame moves with them."""

    where: NodeRef


@dataclass(frozen=True, slots=True)
class Pinned:
    """The chord between nodes is held, such as ``Pinned("start", "end")``: a frame on the line between them.

    Held are the three translations of ``start``, its rotation about the chord, and the two translations of
    ``end`` normal to the chord: six, so that any load is carried without internal constraint.
    """

    start: NodeRef
    end: NodeRef


@dataclass(frozen=True, slots=True)
class Tripod:
    """Three points of a body are held as on three feet: the frame of a solid, whose nodes do not turn.

    Held are the three translations of ``a``, the two of ``b`` normal to the line from a to b, and the one of
    ``c`` normal to the plane of the three.
    """

    a: NodeRef
    b: NodeRef
    c: NodeRef


@dataclass(frozen=True, slots=True)
class Held:
    """Chosen freedoms of one or more nodes are held, such as ``Held("root", "x y z")``.

    Parameters
    ----------
    where : nodes.
    freedoms : some of ``x y z rx ry rz``, in body axes.
    """

    where: NodeRef
    freedoms: str = "x y z rx ry rz"

    def __post_init__(self) -> None:
        unknown = [word for word in self.freedoms.split() if word not in FREEDOMS]
        if unknown or not self.freedoms.split():
            raise ModelError(f"held freedoms {self.freedoms!r} are not some of {' '.join(FREEDOMS)}")


Support: TypeAlias = Free | Clamped | Pinned | Tripod | Held | Sequence[Clamped | Pinned | Tripod | Held]


def held_rows(mesh: Mesh, support: Support) -> csr_array:
    """Return the rows H (n_held, 6n) of the combinations of freedoms that are held: H u = 0."""
    parts = [_held(mesh, one) for one in (support if isinstance(support, Sequence) else [support])]
    columns = np.concatenate([np.empty(0, dtype=np.int64), *(p[0].reshape(-1) for p in parts)])
    values = np.concatenate([np.empty(0), *(p[1].reshape(-1) for p in parts)])
    widths = [np.full(p[0].shape[0], p[0].shape[1]) for p in parts]
    pointer = np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, dtype=np.int64), *widths]))])
    return csr_array((values, columns, pointer), shape=(len(pointer) - 1, 6 * len(mesh.nodes)))


def hold(T: csr_array, H: csr_array, size: float, tolerance: float = 1e-10) -> csr_array:
    r"""Return the map of the freedoms that satisfy the held rows.

    Parameters
    ----------
    T : (n, m) map, u = T û.
    H : (h, n) rows with H u = 0.
    size : of the body [m], in which displacements are counted beside rotations.
    tolerance : relative size below which a row follows from the others.

    Returns
    -------
    (n, m - rank) array
        Map u = T Z z such that H T Z = 0.

    Notes
    -----
    A row that holds a single independent freedom removes it. The others, C û = 0, are solved for as many
    pivot freedoms as they have rank, by QR with column pivoting: :math:`û_p = -R_{11}^{-1} R_{12}\, û_o`.
    """
    rows, own = units(T, H, size)
    C = csr_array(diags_array(1.0 / rows) @ H @ T @ diags_array(own))
    C.data[np.abs(C.data) < tolerance] = 0.0
    C.eliminate_zeros()
    count = np.diff(C.indptr)
    gone = np.zeros(T.shape[1], dtype=bool)
    gone[C.indices[np.repeat(count == 1, count)]] = True
    rest = C[count > 1]
    pivots, others, coefficients = _eliminated(rest, gone, tolerance)
    coefficients = coefficients * own[pivots][:, None] / own[others]
    gone[pivots] = True
    kept = np.flatnonzero(~gone)
    if not pivots.size:
        return csr_array(csc_array(T)[:, kept])
    place = np.cumsum(~gone) - 1
    row = np.concatenate([kept, np.repeat(pivots, len(others))])
    column = np.concatenate([np.arange(len(kept)), np.tile(place[others], len(pivots))])
    value = np.concatenate([np.ones(len(kept)), coefficients.reshape(-1)])
    return csr_array(T @ csr_array((value, (row, column)), shape=(T.shape[1], len(kept))))


def units(T: csr_array, H: csr_array, size: float) -> tuple[Array, Array]:
    """Units of rows H u (h,) and of the freedoms (m,) of u = T û, displacements in sizes of the body.

    Those of û are found where T leaves a freedom as it is.
    """
    unit = np.tile(np.repeat([size, 1.0], 3), T.shape[0] // 6)
    alone = np.flatnonzero(np.diff(T.indptr) == 1)
    alone = alone[T.data[T.indptr[alone]] == 1.0]
    own = np.ones(T.shape[1])
    own[T.indices[T.indptr[alone]]] = unit[alone]
    rows = np.zeros(H.shape[0])
    np.maximum.at(rows, np.repeat(np.arange(len(rows)), np.diff(H.indptr)), np.abs(H.data) * unit[H.indices])
    return rows, own


def _eliminated(C: csr_array, gone: Array, tolerance: float) -> tuple[IntArray, IntArray, Array]:
    """Pivot freedoms, the others in the rows, and the coefficients that give the pivots from the others."""
    columns = np.setdiff1d(np.unique(C.indices), np.flatnonzero(gone))
    if not columns.size:
        return np.empty(0, dtype=np.int64), columns, np.empty((0, 0))
    dense = csc_array(C)[:, columns].toarray()
    _, R, order = qr(dense, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.count_nonzero(diagonal > tolerance * max(diagonal[0], 1e-300)))
    coefficients = -solve_triangular(R[:rank, :rank], R[:rank, rank:])
    return columns[order[:rank]], columns[order[rank:]], coefficients


def _held(mesh: Mesh, support: Free | Clamped | Pinned | Tripod | Held) -> tuple[IntArray, Array]:
    """Columns and values of the held rows, each (n_rows, width)."""
    match support:
        case Free():
            return np.empty((0, 1), dtype=np.int64), np.empty((0, 1))
        case Clamped(where):
            columns = (6 * mesh.find_nodes(where)[:, None] + np.arange(6)).reshape(-1, 1)
            return columns, np.ones(columns.shape)
        case Held(where, freedoms):
            chosen = np.array([FREEDOMS.index(word) for word in freedoms.split()])
            columns = (6 * mesh.find_nodes(where)[:, None] + chosen).reshape(-1, 1)
            return columns, np.ones(columns.shape)
        case Pinned(start, end):
            return _chord_rows(mesh, mesh.find_node(start), mesh.find_node(end))
        case Tripod(a, b, c):
            return _feet_rows(mesh, mesh.find_node(a), mesh.find_node(b), mesh.find_node(c))


def _feet_rows(mesh: Mesh, a: int, b: int, c: int) -> tuple[IntArray, Array]:
    along, across = mesh.nodes[b] - mesh.nodes[a], mesh.nodes[c] - mesh.nodes[a]
    normal = np.cross(along, across)
    if not np.linalg.norm(normal) > 1e-9 * np.linalg.norm(along) * np.linalg.norm(across):
        raise ModelError(f"tripod support: nodes {a}, {b} and {c} lie on one line")
    n = normal / np.linalg.norm(normal)
    side = np.cross(n, along / np.linalg.norm(along))
    at_a, at_b, at_c = (6 * node + np.arange(3) for node in (a, b, c))
    return np.stack([at_a, at_a, at_a, at_b, at_b, at_c]), np.stack([*np.eye(3), side, n, n])


def _chord_rows(mesh: Mesh, a: int, b: int) -> tuple[IntArray, Array]:
    chord = mesh.nodes[b] - mesh.nodes[a]
    if not np.linalg.norm(chord) > 0.0:
        raise ModelError(f"pinned support: nodes {a} and {b} are at the same place")
    e1 = chord / np.linalg.norm(chord)
    least = np.eye(3)[np.argmin(np.abs(e1))]
    e2 = np.cross(e1, least) / np.linalg.norm(np.cross(e1, least))
    at_a, turn_a, at_b = 6 * a + np.arange(3), 6 * a + 3 + np.arange(3), 6 * b + np.arange(3)
    columns = np.stack([at_a, at_a, at_a, turn_a, at_b, at_b])
    return columns, np.stack([*np.eye(3), e1, e2, np.cross(e1, e2)])
