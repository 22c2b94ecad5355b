"""Add element matrices into the blocks of a global sparse matrix."""

from numba import njit

from flexnet.typing import Array, IntArray


@njit(cache=True)
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
