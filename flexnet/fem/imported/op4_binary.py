"""Binary OUTPUT4 files of Nastran: records of Fortran, whole numbers of 32 bits, either order of bytes.

A record is its length, its bytes, its length again. A matrix is a record of its columns, rows (negative: big
sparse), form, type and name of eight characters, then one of every column: column, first row, words, values.
In a sparse column the first row is zero and strings of values follow, each behind its words and first row,
packed into one number or two. The column after the last ends the matrix.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.typing import Array

HEAD = 24  # bytes of the first record
WORDS = {1: 1, 2: 2}  # of a real number of single and double precision, by type


#: column and first row, from 0, and values
String = tuple[int, int, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Op4Matrix:
    """A matrix of a file: its strings of values, wherever they stand."""

    name: str
    rows: int
    columns: int
    strings: list[String]


@dataclass(slots=True)
class _Records:
    """Records of a file, taken one after another."""

    path: Path
    content: bytes
    order: str
    at: int = 0

    def take(self) -> bytes:
        start = self.at + 4
        size = self.whole(self.content[self.at : start], 1)[0]
        end = start + size
        if size < 0 or self.whole(self.content[end : end + 4], 1)[0] != size:
            raise self.refusal("the two lengths of a record differ")
        self.at = end + 4
        return self.content[start:end]

    def whole(self, data: bytes, count: int) -> tuple[int, ...]:
        if len(data) < 4 * count:
            raise self.refusal("the file ends in the middle of a matrix")
        return struct.unpack(f"{self.order}{count}i", data[: 4 * count])

    def values(self, data: bytes, kind: int) -> Array:
        width = 4 * WORDS[kind]
        if not data or len(data) % width:
            raise self.refusal(f"numbers of {width} bytes were expected")
        return np.frombuffer(data, f"{self.order}f{width}").astype(float)

    def refusal(self, why: str) -> FileFormatError:
        return FileFormatError(f"{self.path}, byte {self.at}: {why}")


def binary_matrices(path: Path, content: bytes) -> Iterator[Op4Matrix]:
    """Yield the matrices of a binary file one after another; the next begins where the last was read."""
    order = "<" if content[:4] == struct.pack("<i", HEAD) else ">"
    records = _Records(path, content, order)
    while records.at < len(content):
        head = records.take()
        if len(head) != HEAD:
            raise records.refusal("the head of a matrix was expected; whole numbers of 64 bits are not read")
        columns, rows, _, kind = records.whole(head, 4)
        name = head[16:].decode("latin-1").strip().upper()
        if kind not in WORDS or columns < 1:
            raise records.refusal(f"{name} is no matrix of real numbers")
        strings = list(_strings(records, columns, rows < 0, kind))
        yield Op4Matrix(name, abs(rows), columns, strings)


def _strings(records: _Records, columns: int, is_big: bool, kind: int) -> Iterator[String]:
    while True:
        data = records.take()
        column, first, words = records.whole(data, 3)
        data = data[12:]
        if column == columns + 1:
            return
        if not 1 <= column <= columns or first < 0 or not 4 <= 4 * words <= len(data):
            raise records.refusal(f"column {column} from row {first} with {words} words")
        data = data[: 4 * words]
        if first > 0:
            yield column - 1, first - 1, records.values(data, kind)
            continue
        while data:
            if is_big:
                length, row = records.whole(data, 2)
            else:
                length, row = divmod(records.whole(data, 1)[0], 65536)
            begin, end = (8, 4 + 4 * length) if is_big else (4, 4 * length)
            if row < 1 or end <= begin or end > len(data):
                raise records.refusal(f"a string of {length} words from row {row}")
            yield column - 1, row - 1, records.values(data[begin:end], kind)
            data = data[end:]
