"""Digests of rows: every block of rows that is put on disk leaves one line of them.

A line is 64-bit integers: the number of rows after the block, the CRC-32 of the block's part of every
column, and the CRC-32 of all that. A flipped bit, or damage within 32 bits in a row, is always found;
anything else but for one time in 2³².
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from flexnet.typing import AnyArray, BoolArray, IntArray

#: first row, row after the last, digest; None if it is lost, -1 if there never was one
Block: TypeAlias = tuple[int, int, int | None]


def digest(array: AnyArray) -> int:
    """CRC-32 of the bytes of an array, in C order and little-endian."""
    return zlib.crc32(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data)


def seal(status: AnyArray, message: AnyArray) -> int:
    """CRC-32 of the bytes reserved for a status and of those reserved for its message."""
    return zlib.crc32(status.tobytes() + message.tobytes())


def line(stop: int, digests: list[int]) -> IntArray:
    """One line: rows after the block, digests of its columns, digest of the line."""
    numbers = np.array([stop, *digests, 0], dtype=np.int64)
    numbers[-1] = digest(numbers[:-1])
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of a file.

    Attributes
    ----------
    numbers : (k, columns + 2) lines.
    is_sound : (k,) whether a line has its own digest.
    """

    numbers: IntArray
    is_sound: BoolArray

    def blocks(self, column: int, rows: int) -> Iterator[Block]:
        """Blocks of a column up to a number of rows: first row, row after the last, digest.

        Where a line is damaged its block is joined to the next, and has no digest.
        """
        start, is_known = 0, True
        for numbers, is_sound in zip(self.numbers, self.is_sound, strict=True):
            stop = int(numbers[0])
            if not is_sound:
                is_known = False
            elif start < stop <= rows:
                yield start, stop, int(numbers[1 + column]) if is_known else None
                start, is_known = stop, True
        if start < rows:
            yield start, rows, None


def read_lines(numbers: AnyArray) -> Lines:
    """Check every line against its own digest."""
    own = np.array([digest(row[:-1]) for row in numbers], dtype=np.int64)
    return Lines(numbers, own == numbers[:, -1] if len(numbers) else np.zeros(0, dtype=bool))
