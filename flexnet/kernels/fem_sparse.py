"""Sparse rows: out of dense blocks, and those of chosen freedoms."""

from flexnet.kernels.compile import kernel
from flexnet.typing import Array, IntArray


@kernel
def count_entries(data: Array, pointer: IntArray, ptr: IntArray) -> None:
    """Count the entries that are not zero in front of every row of a matrix of 6×6 blocks.

    Parameters
    ----------
    data : (blocks, 6, 6) array
        Blocks by rows of blocks.
    pointer : (n + 1,) array
        Row r of blocks is [pointer[r], pointer[r + 1]).
    ptr : (6n + 1,) array
        Counts; overwritten.
    """
    count = 0
    ptr[0] = 0
    for r in range(len(pointer) - 1):
        for i in range(6):
            for k in range(pointer[r], pointer[r + 1]):
                for j in range(6):
                    if data[k, i, j] != 0.0:
                        count += 1
            ptr[6 * r + i + 1] = count


@kernel
def fill_entries(data: Array, pointer: IntArray, column: IntArray, index: IntArray, values: Array) -> None:
    """Write columns and values of the entries that are not zero, row by row.

    Parameters
    ----------
    data, pointer :
        As in :func:`count_entries`.
    column : (blocks,) array
        Column of each block.
    index, values : (entries,) arrays
        Overwritten.
    """
    e = 0
    for r in range(len(pointer) - 1):
        for i in range(6):
            for k in range(pointer[r], pointer[r + 1]):
                for j in range(6):
                    if data[k, i, j] != 0.0:
                        index[e] = 6 * column[k] + j
                        values[e] = data[k, i, j]
                        e += 1


@kernel
def count_picked(rows: IntArray, place: IntArray, ptr: IntArray, index: IntArray, picked: IntArray) -> None:
    """Count the entries in front of every row of the matrix of some freedoms.

    Parameters
    ----------
    rows : (m,) array
        Freedoms that are kept.
    place : (n,) array
        Place of each freedom among them, -1 if it is none.
    ptr, index : (n + 1,) and (entries,) arrays
        Rows and columns of the whole matrix.
    picked : (m + 1,) array
        Counts; overwritten.
    """
    count = 0
    picked[0] = 0
    for k in range(len(rows)):
        for e in range(ptr[rows[k]], ptr[rows[k] + 1]):
            if place[index[e]] >= 0:
                count += 1
        picked[k + 1] = count


@kernel
def fill_picked(
    rows: IntArray,
    place: IntArray,
    ptr: IntArray,
    index: IntArray,
    values: Array,
    to_index: IntArray,
    to_values: Array,
) -> None:
    """Write columns and values of the matrix of some freedoms, row by row.

    Parameters
    ----------
    rows, place, ptr, index :
        As in :func:`count_picked`.
    values : (entries,) array
        Of the whole matrix.
    to_index, to_values : arrays
        Columns and values of the picked one; overwritten.
    """
    k = 0
    for r in rows:
        for e in range(ptr[r], ptr[r + 1]):
            if place[index[e]] >= 0:
                to_index[k] = place[index[e]]
                to_values[k] = values[e]
                k += 1
