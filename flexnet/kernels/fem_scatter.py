"""Add element matrices and vectors into global ones."""

from flexnet.kernels.compile import kernel
from flexnet.typing import Array, IntArray


@kernel
def scatter_blocks(data: Array, slots: IntArray, matrices: Array) -> None:
    """Add 6×6 blocks of element matrices into ``data``, in place.

    Parameters
    ----------
    data : (n_blocks, 6, 6) array
        Blocks of the global matrix; overwritten.
    slots : (n_e, nodes, nodes) array
        Place in ``data`` of each block of each element.
    matrices : (n_e, 6·nodes, 6·nodes) array
        Element matrices.
    """
    n_e, nodes, _ = slots.shape
    for e in range(n_e):
        for a in range(nodes):
            for b in range(nodes):
                slot = slots[e, a, b]
                for i in range(6):
                    for j in range(6):
                        data[slot, i, j] += matrices[e, 6 * a + i, 6 * b + j]


@kernel
def scatter_rows(total: Array, cells: IntArray, vectors: Array) -> None:
    """Add element vectors into the rows of ``total``, in place.

    Parameters
    ----------
    total : (6n, k) array
        Global vectors, one per column; overwritten.
    cells : (n_e, nodes) array
        Nodes of the elements.
    vectors : (n_e, 6·nodes, k) array
        Element vectors.
    """
    n_e, nodes = cells.shape
    for e in range(n_e):
        for a in range(nodes):
            for i in range(6):
                row = 6 * cells[e, a] + i
                for j in range(total.shape[1]):
                    total[row, j] += vectors[e, 6 * a + i, j]
