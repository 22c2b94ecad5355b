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
        _bent(model),
    )
    rows = np.column_stack([model.col_rows, _columns(model.col_rows_ptr)])
    return Sparsity(np.concatenate(mass), np.ascontiguousarray(rows))


def _felt(edges: AnyArray, felt: IntArray, ptr: IntArray) -> IntArray:
    """Row and column of M for every coordinate of the branches in the lists of the columns."""
    return _entries(edges["v"][felt], edges["n"][felt], _columns(ptr))


def _bent(model: Model) -> IntArray:
    """Those of the elastic coordinates of flexible bodies that a column moves, or loads through an arm."""
    n, pairs = len(model.flex), [(model.col_flex, _columns(model.col_flex_ptr))]
    for edges, felt, ptr in (
        (model.t_edges, model.col_in_t, model.col_in_t_ptr),
        (model.r_edges, model.col_in_r, model.col_in_r_ptr),
    ):
        arms = edges["flex"][felt]
        is_arm = arms >= 0
        pairs.append((model.flex_frames["body"][arms[is_arm]], _columns(ptr)[is_arm]))
    both = np.unique(np.concatenate([columns * max(n, 1) + bodies for bodies, columns in pairs]))
    columns, bodies = np.divmod(both, max(n, 1))
    return _entries(model.flex["v"][bodies], model.flex["m"][bodies], columns)


def _entries(first: IntArray, count: IntArray, columns: IntArray) -> IntArray:
    """Row and column of some rows from a first one on, each in its column."""
    start = np.repeat(np.cumsum(count) - count, count)
    rows = np.repeat(first, count) + np.arange(count.sum()) - start
    return np.column_stack([rows, np.repeat(columns, count)]).astype(np.int64)


def _columns(ptr: IntArray) -> IntArray:
    """The column that owns each entry of a list in compressed rows."""
    return np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
