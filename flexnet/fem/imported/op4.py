"""OUTPUT4 files of Nastran: dense and sparse columns of real matrices; here the formatted ones.

A matrix is a line ``columns rows form type NAME 1P,3E23.16`` (rows negative: big sparse), then for every
column a line ``column first-row words`` and its values, some to a line. In a sparse column the first row is
zero, and strings of values follow, each behind a line with its length and first row, packed into one number
or two. The column after the last ends the matrix. Programs count words in different ways: lines of numbers
are known by their points, and lengths are not asked for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from flexnet.errors import FileFormatError
from flexnet.fem.imported.model import symmetric
from flexnet.fem.imported.op4_binary import Op4Matrix, String, binary_matrices
from flexnet.typing import Array
from flexnet.validation import existing_file

FORMAT = re.compile(r"(\d+)[ED](\d+)\.\d+")
REAL = (1, 2)  # types of single and double precision


@dataclass(slots=True)
class _Lines:
    """Lines of a file, taken one after another."""

    path: Path
    lines: list[str]
    at: int = 0

    def take(self) -> str:
        if self.at >= len(self.lines):
            raise self.refusal("the file ends in the middle of a matrix")
        self.at += 1
        return self.lines[self.at - 1]

    def numbers(self, count: int) -> list[int]:
        line = self.take()
        try:
            return [int(line[8 * i : 8 * i + 8]) for i in range(count)]
        except ValueError as error:
            raise self.refusal(f"{count} whole numbers of eight characters were expected") from error

    def values(self, width: int) -> Array:
        """Take the lines of numbers that follow: whole numbers have no point, heads of matrices a comma."""
        found: list[float] = []
        while self.at < len(self.lines) and "." in self.lines[self.at] and "," not in self.lines[self.at]:
            line = self.take().rstrip()
            try:
                found += [float(line[i : i + width].replace("D", "E")) for i in range(0, len(line), width)]
            except ValueError as error:
                raise self.refusal(f"numbers of {width} characters were expected") from error
        if not found:
            raise self.refusal("no numbers follow")
        return np.array(found)

    def fields(self) -> int:
        """Number of fields of eight characters on the line that comes next, 0 at the end."""
        return -(-len(self.lines[self.at].rstrip()) // 8) if self.at < len(self.lines) else 0

    def refusal(self, why: str) -> FileFormatError:
        return FileFormatError(f"{self.path}, line {self.at}: {why}")


@dataclass(frozen=True, slots=True)
class _Head:
    columns: int
    rows: int
    is_big: bool
    name: str
    width: int


def read_op4(path: Path, names: tuple[str, ...], size: int) -> csr_array:
    """Return the first matrix of one of the names, symmetric, (size, size).

    Raises
    ------
    FileFormatError
        If the file is damaged, or has no such matrix; line or byte is named.
    """
    path = existing_file(path, FileFormatError)
    content = path.read_bytes()
    found = []
    read = binary_matrices if b"\0" in content[:200] else _formatted_matrices
    for matrix in read(path, content):
        found.append(matrix.name)
        if matrix.name in names:
            return _square(matrix, size, path)
    raise FileFormatError(f"{path}: none of {', '.join(names)} is there; its matrices: {', '.join(found)}")


def _square(matrix: Op4Matrix, size: int, path: Path) -> csr_array:
    if (matrix.rows, matrix.columns) != (size, size):
        raise FileFormatError(
            f"{path}: {matrix.name} is {matrix.rows} by {matrix.columns}; the {size // 6} grid points have"
            f" {size} freedoms (write the g-set: KGG, MGG)"
        )
    strings = matrix.strings
    row = np.concatenate([np.empty(0, np.int64), *(np.arange(r, r + len(x)) for _, r, x in strings)])
    column = np.concatenate([np.empty(0, np.int64), *(np.full(len(x), c) for c, _, x in strings)])
    value = np.concatenate([np.empty(0), *(x for _, _, x in strings)])
    used = value != 0.0
    return symmetric(row[used], column[used], value[used], size, f"{path}, {matrix.name}")


def _formatted_matrices(path: Path, content: bytes) -> Iterator[Op4Matrix]:
    """Yield the matrices of a formatted file one after another."""
    lines = _Lines(path, content.decode("latin-1").splitlines())
    while any(line.strip() for line in lines.lines[lines.at : lines.at + 2]):
        head = _head(lines)
        yield Op4Matrix(head.name, head.rows, head.columns, list(_strings(lines, head)))


def _head(lines: _Lines) -> _Head:
    columns, rows, _, kind = lines.numbers(4)
    line = lines.lines[lines.at - 1]
    layout = FORMAT.search(line[40:])
    if layout is None or kind not in REAL or columns < 1:
        raise lines.refusal("the head of a matrix of real numbers was expected")
    name = line[32:40].strip().upper()
    return _Head(columns, abs(rows), rows < 0, name, int(layout[2]))


def _strings(lines: _Lines, head: _Head) -> Iterator[String]:
    """Column, first row and values of every string of a matrix, indices from 0."""
    while True:
        column, first, _ = lines.numbers(3)
        if column == head.columns + 1:
            lines.values(head.width)
            return
        if not 1 <= column <= head.columns or first < 0:
            raise lines.refusal(f"column {column} from row {first}")
        if first > 0:
            yield column - 1, first - 1, lines.values(head.width)
        while first == 0 and 0 < lines.fields() < 3:
            # length and first row of a string, as two numbers or as one
            row = lines.numbers(2)[1] if head.is_big else lines.numbers(1)[0] % 65536
            if row < 1:
                raise lines.refusal(f"a string from row {row}")
            yield column - 1, row - 1, lines.values(head.width)
