"""Matrices of one pattern, and rows of many points: what tables of unreduced bodies hold for arrays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class SparseStack:
    """Matrices (…, m, m) that are zero outside one pattern; the pattern is symmetric.

    Attributes
    ----------
    ptr : (m + 1,) entries of row i: [ptr[i], ptr[i + 1]).
    index : (entries,) their columns, ascending in a row.
    values : (…, entries).
    """

    __array_ufunc__: ClassVar[None] = None  # arrays leave products with it to __rmatmul__
    ptr: IntArray
    index: IntArray
    values: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the dense array."""
        m = len(self.ptr) - 1
        return (*self.values.shape[:-1], m, m)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> "SparseStack":
        """Some of the matrices."""
        return SparseStack(self.ptr, self.index, self.values[key])

    @property
    def matrix(self) -> csr_array:
        """A single one, as scipy knows it."""
        return csr_array((self.values, self.index, self.ptr), shape=self.shape)

    def __matmul__(self, x: Array) -> Array:
        """Products (…, m) or (…, m, k) with a vector (m,) or columns (m, k)."""
        if self.values.ndim == 1:
            return np.asarray(self.matrix @ x)
        if not len(self):
            return np.zeros((*self.shape[:-1], *x.shape[1:]))
        return np.stack([self[k] @ x for k in range(len(self))])

    def __rmatmul__(self, x: Array) -> Array:
        """Products (m,) or (k, m) of rows with a single matrix."""
        return np.asarray(x @ self.matrix)

    def toarray(self) -> Array:
        """The dense array."""
        out = np.zeros(self.shape)
        rows = np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))
        out[..., rows, self.index] = self.values
        return out

    def any(self) -> bool:
        """Whether any entry is not zero."""
        return bool(self.values.any())

    def diagonal(self) -> Array:
        """The diagonals (…, m)."""
        rows = np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))
        return self.values[..., rows == self.index]


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """Motions of n points (n, 3, m) per coordinate, of which hardly any is not zero.

    Attributes
    ----------
    rows : (3n, m), three of a point.
    """

    __array_ufunc__: ClassVar[None] = None
    rows: csr_array

    @property
    def shape(self) -> tuple[int, int, int]:
        """That of the dense array."""
        return int(self.rows.shape[0]) // 3, 3, int(self.rows.shape[1])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, k: int) -> Array:
        """Rows (3, m) of one point."""
        if not 0 <= k < len(self):
            raise IndexError(k)
        return np.asarray(self.rows[3 * k : 3 * k + 3].toarray())

    def __matmul__(self, x: Array) -> Array:
        """Motions (n, 3) for coordinates (m,), or (n, 3, k) for columns (m, k)."""
        return np.asarray(self.rows @ x).reshape(len(self), 3, *x.shape[1:])

    def __abs__(self) -> "SparseRows":
        return SparseRows(abs(self.rows))

    def max(self, axis: Any = None, initial: float = 0.0) -> Array:
        """Largest of each coordinate, (m,)."""
        found: Array = np.maximum(np.asarray(self.rows.max(axis=0).todense()).ravel(), initial)
        return found

    def toarray(self) -> Array:
        """The dense array."""
        return np.asarray(self.rows.toarray()).reshape(self.shape)


def stacked(matrices: list[csr_array]) -> SparseStack:
    """Sparse matrices on the union of their patterns, and of those of their transposes."""
    m = matrices[0].shape[0]
    keys = []
    for A in matrices:
        one = A.tocoo()
        i, j = one.row.astype(np.int64), one.col.astype(np.int64)
        keys += [i * m + j, j * m + i]
    pattern = np.unique(np.concatenate([np.arange(m) * (m + 1), *keys]))
    values = np.zeros((len(matrices), len(pattern)))
    for k, row in enumerate(values):
        one = matrices[k].tocoo()
        row[np.searchsorted(pattern, keys[2 * k])] = one.data
    ptr = np.searchsorted(pattern, np.arange(m + 1) * m).astype(np.int64)
    return SparseStack(ptr, pattern % max(m, 1), values)


#: an array (…, m, m) or (n, 3, m), or of an unreduced body one of the above; arguments are held to these
Tensor: TypeAlias = Any
if not TYPE_CHECKING:
    Tensor = Array | SparseStack | SparseRows
