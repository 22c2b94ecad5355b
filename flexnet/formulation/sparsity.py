"""Where the mass matrix and the constraint Jacobian can be nonzero, read off the trees."""

import numpy as np

from flexnet.dae import Sparsity
from flexnet.kernels.model import Model
from flexnet.typing import AnyArray, IntArray


def sparsity(model: Model) -> Sparsity:
    """Entries that :func:`~flexnet.kernels.dynamics.mass_and_jacobian` writes."""
    mass = (
        _felt(model.t_edges, model.col_in_t, model.col_in_t_ptr),
        _felt(model.r_edges, model.col_in_r, model.col_in_r_ptr),
    )
    rows = np.column_stack([model.col_rows, _columns(model.col_rows_ptr)])
    return Sparsity(np.concatenate(mass), np.ascontiguousarray(rows))


def _felt(edges: AnyArray, felt: IntArray, ptr: IntArray) -> IntArray:
    """Row and column of M for every coordinate of the branches in the lists of the columns."""
    count, first = edges["n"][felt], edges["v"][felt]
    start = np.repeat(np.cumsum(count) - count, count)
    rows = np.repeat(first, count) + np.arange(count.sum()) - start
    return np.column_stack([rows, np.repeat(_columns(ptr), count)]).astype(np.int64)


def _columns(ptr: IntArray) -> IntArray:
    """The column that owns each entry of a list in compressed rows."""
    return np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
