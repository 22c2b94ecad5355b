"""Rows of a large Jacobian: which are independent of those before them, and the least change that meets them.

Gᵀ = Q R with the rows of G in their order. |R_ii| is what is left of row i, of unit length, after all rows
before it: what Gram and Schmidt find, without their basis, which fills up. R is found front by front (Duff &
Reid, ACM Trans. Math. Softw. 9 (1983) 302-325): the coordinates whose first row is i are reflected into one,
which is done, and the others go on to the next row they have. A row that is dependent leaves none behind. A
chain costs a time proportional to its length, a loop one that grows with the rows open in it.

Where nothing is nearly dependent a shorter way shows it: the pivots of Ĝ Ĝᵀ, eliminated in the order of the
rows, are |R_ii|² to round-off.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from flexnet.kernels.entry import jacobian_entries
from flexnet.kernels.model import Model
from flexnet.typing import Array, BoolArray, IntArray

#: entries of a Jacobian above which it is kept as a sparse one
LARGE = 200_000
#: pivot of Ĝ Ĝᵀ above which round-off cannot have made a dependent row of unit length an independent one
_CLEAR = 1e-8
#: a dense array, or a sparse one of scipy (``csr_array``) where it is large
Jacobian: TypeAlias = Any
_Front: TypeAlias = tuple[IntArray, Array]


def large_jacobian(model: Model, handle: IntArray, shape: tuple[int, int]) -> Jacobian:
    """A sparse Jacobian (m, n) of the configuration in the workspace."""
    from scipy.sparse import csr_array  # here: small mechanisms need none

    values = np.empty(len(model.col_rows))
    jacobian_entries(handle, values)
    columns = np.repeat(np.arange(shape[1]), np.diff(model.col_rows_ptr)[:, 0])
    return csr_array((values, (model.col_rows, columns)), shape=shape)


def scaled(G: Jacobian, columns: Array, rows: Array) -> Jacobian:
    """G with its columns multiplied and its rows divided by some numbers."""
    if isinstance(G, np.ndarray):
        return G * columns / rows[:, None]
    return (G * columns[None, :] / rows[:, None]).tocsr()


def independent_sparse_rows(G: Jacobian, tolerance: float, shortest: float) -> BoolArray:
    """Rows of a sparse G (m, n) that are independent of the rows before them.

    Parameters
    ----------
    tolerance : a row is dependent when less is left of it, of its length.
    shortest : length below which a row is none.
    """
    m = G.shape[0]
    length = np.sqrt(np.asarray((G * G).sum(axis=1)).ravel())
    is_row = length >= shortest
    A = scaled(G, np.ones(G.shape[1]), np.where(is_row, length, 1.0))
    if is_row.all() and _are_clear(A, max(_CLEAR, 2.0 * tolerance**2)):
        return np.ones(m, dtype=bool)
    fronts = _first_fronts(A.tocsc(), is_row)
    keep = np.zeros(m, dtype=bool)
    for i in range(m):
        if i not in fronts:
            continue
        rows, A = _joined(fronts.pop(i))
        left = float(np.sqrt(A[:, 0] @ A[:, 0]))
        keep[i] = left > tolerance
        rest = _reflected(A, left) if keep[i] else A[:, 1:]
        if rest.size:
            if rest.shape[0] > rest.shape[1]:
                rest = np.asarray(np.linalg.qr(rest, mode="r"))
            fronts.setdefault(int(rows[1]), []).append((rows[1:], rest))
    return keep


def _are_clear(A: Jacobian, least: float) -> bool:
    """Whether all rows of unit length are independent beyond doubt, what is left of each squared."""
    from scipy.sparse.linalg import splu

    if A.shape[0] > A.shape[1]:
        return False
    try:
        found = splu(
            (A @ A.T).tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # exactly singular
        return False
    in_order = np.array_equal(found.perm_r, np.arange(A.shape[0]))
    return in_order and bool(found.U.diagonal().min() > least)


def _first_fronts(A: Jacobian, is_row: BoolArray) -> dict[int, list[_Front]]:
    """Coordinates by the first row they enter: the rows, and a line of entries for each coordinate."""
    out: dict[int, list[_Front]] = {}
    ends, entries, values = A.indptr.tolist(), A.indices.astype(np.int64), A.data
    for a, b in pairwise(ends):
        rows, x = entries[a:b], values[a:b]
        if not is_row[rows].all():
            rows, x = rows[is_row[rows]], x[is_row[rows]]
        if len(rows):
            order = np.argsort(rows)
            out.setdefault(int(rows[order[0]]), []).append((rows[order], x[None, order]))
    return out


def _joined(fronts: list[_Front]) -> _Front:
    """Several fronts as one, over all the rows they enter."""
    if len(fronts) == 1:
        return fronts[0]
    rows = np.unique(np.concatenate([r for r, _ in fronts]))
    out = np.zeros((sum(len(A) for _, A in fronts), len(rows)))
    at = 0
    for r, A in fronts:
        out[at : at + len(A), np.searchsorted(rows, r)] = A
        at += len(A)
    return rows, out


def _reflected(A: Array, left: float) -> Array:
    """What is left of A when a reflection has taken its first column into its first line."""
    w = A[:, 0].copy()
    w[0] += np.copysign(left, w[0])
    w /= np.sqrt(w @ w)
    out: Array = A[1:, 1:] - np.outer(2.0 * w[1:], w @ A[:, 1:])
    return out


def least_sparse_change(G: Jacobian, phi: Array, rcond: float) -> Array:
    """Smallest x with G x = -Φ for the rows of a sparse G that are independent of those before them.

    [1 Gᵀ; G 0] [x; y] = [0; -Φ].
    """
    from scipy.sparse import block_array, eye_array
    from scipy.sparse.linalg import splu

    keep = independent_sparse_rows(G, rcond, rcond) if phi.any() else np.zeros(len(phi), dtype=bool)
    if not keep.any():
        return np.zeros(G.shape[1])
    A, n = G[keep], G.shape[1]
    factors = splu(block_array([[eye_array(n), A.T], [A, None]], format="csc"))
    b = np.concatenate([np.zeros(n), -phi[keep]])
    return np.asarray(factors.solve(b))[:n]


def shares_of_rows(G: Jacobian, kept: IntArray, out: IntArray) -> Iterator[Array]:
    """Shares c of the rows kept, A, in each row g left out of a sparse G: g = Aᵀ c.

    [1 Aᵀ; A 0] [x; c] = [g; 0].
    """
    from scipy.sparse import block_array, eye_array
    from scipy.sparse.linalg import splu

    A, n = G[kept], G.shape[1]
    factors = splu(block_array([[eye_array(n), A.T], [A, None]], format="csc"))
    for i in out:
        yield np.asarray(factors.solve(np.concatenate([G[[i]].toarray()[0], np.zeros(len(kept))])))[n:]
