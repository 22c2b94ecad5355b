"""The constraint Jacobian of a large mechanism: the entries that can be nonzero, and no others."""

from flexnet.kernels.compile import kernel
from flexnet.kernels.constraints import row_power
from flexnet.kernels.dynamics import column_outward
from flexnet.kernels.entry import restore
from flexnet.typing import Array, IntArray


@kernel
def jacobian_entries(data: IntArray, out: Array) -> None:
    """Entries of G in the order of ``col_rows``, column by column, at the state of the last residual."""
    model, work = restore(data)
    work.dv[:] = 0.0
    work.dw[:] = 0.0
    for k in range(model.columns.shape[0]):
        column_outward(model, k, work)
        for l in range(model.col_rows_ptr[k, 0], model.col_rows_ptr[k, 1]):
            i = model.col_rows[l]
            out[l] = 1.0 if model.rows[i].v >= 0 else row_power(model, i, work.dv, work.dw, work)
        for l in range(model.col_out_ptr[k, 0], model.col_out_ptr[k, 1]):
            work.dv[model.t_edges[model.col_out[l]].child] = 0.0
        for l in range(model.col_turn_ptr[k, 0], model.col_turn_ptr[k, 1]):
            work.dw[model.r_edges[model.col_turn[l]].child] = 0.0
