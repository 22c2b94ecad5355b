"""CalculiX: ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` writes ``.sti``, ``.mas`` and ``.dof`` beside the deck.

Matrices are lines ``row column value``, one triangle; line k of the ``.dof`` file, ``node.direction``, says
what row k is.
"""

from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.fem.imported.columns import read_columns, whole_numbers
from flexnet.fem.imported.deck import read_deck
from flexnet.fem.imported.model import ForeignModel, model_reader, symmetric
from flexnet.fem.imported.numbering import Numbering
from flexnet.typing import IntArray
from flexnet.validation import existing_file


@model_reader(".inp", ".sti")
def read_calculix(deck: Path, stiffness: Path, mass: Path) -> ForeignModel:
    """Read a model of CalculiX; the ``.dof`` file lies beside the stiffness."""
    told = read_deck(deck)
    by_row = _freedoms(stiffness.with_suffix(".dof"))
    numbering = Numbering.of(told, np.unique(by_row[:, 0]), stiffness.with_suffix(".dof"))
    size = len(by_row)
    matrices = []
    for path in (stiffness, mass):
        entries = read_columns(path, 3)
        row, column = (whole_numbers(entries[:, k], path) - 1 for k in (0, 1))
        matrices.append(symmetric(row, column, entries[:, 2], size, str(path)))
    freedoms = np.column_stack([numbering.index(by_row[:, 0]), by_row[:, 1] - 1])
    return numbering.model(freedoms, matrices[0], matrices[1])


def _freedoms(path: Path) -> IntArray:
    """Node and direction of every row, (f, 2)."""
    path = existing_file(path, FileFormatError)
    found = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            node, point, direction = line.decode("latin-1").strip().partition(".")
            if not (
                point and node.isdecimal() and direction in ("1", "2", "3", "4", "5", "6") and len(node) < 18
            ):
                raise FileFormatError(
                    f"{path}, line {number}: node.direction was expected, got {line[:40]!r}"
                )
            found.append((int(node), int(direction)))
    if not found:
        raise FileFormatError(f"{path}: it names no freedoms")
    return np.array(found, dtype=np.int64)
