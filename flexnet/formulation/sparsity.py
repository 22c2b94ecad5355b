"""Where the mass matrix and the constraint Jacobian can be nonzero, read off the trees."""

import numpy as np

from flexnet.dae import Sparsity
from flexnet.kernels.model import Model
from flexnet.typing import IntArray


def sparsity(model: Model) -> Sparsity:
    """Entries that :func:`~flexnet.kernels.dynamics.mass_and_jacobian` writes."""
    by_t = [np.arange(e["v"], e["v"] + e["n"]) for e in model.t_edges]
    by_r = [np.arange(e["v"], e["v"] + e["n"]) for e in model.r_edges]
    mass, jacobian = list[IntArray](), list[IntArray]()
    for k in range(len(model.columns)):
        in_t = model.col_in_t[model.col_in_t_ptr[k] : model.col_in_t_ptr[k + 1]]
        in_r = model.col_in_r[model.col_in_r_ptr[k] : model.col_in_r_ptr[k + 1]]
        felt = [*(by_t[i] for i in in_t), *(by_r[i] for i in in_r)]
        mass.append(_pairs(np.concatenate([*felt, np.zeros(0, dtype=np.int64)]), k))
        jacobian.append(_pairs(model.col_rows[model.col_rows_ptr[k] : model.col_rows_ptr[k + 1]], k))
    none = np.zeros((0, 2), dtype=np.int64)
    return Sparsity(np.concatenate([*mass, none]), np.concatenate([*jacobian, none]))


def _pairs(rows: IntArray, column: int) -> IntArray:
    rows = np.asarray(rows, dtype=np.int64)
    return np.column_stack([rows, np.full(len(rows), column, dtype=np.int64)])
