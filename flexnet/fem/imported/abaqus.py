"""Abaqus: ``*MATRIX OUTPUT, STIFFNESS, MASS, FORMAT=MATRIX INPUT`` writes a ``.mtx`` file for either.

An entry is a line ``node, direction, node, direction, value``; one triangle is enough.
"""

from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.fem.imported.columns import read_columns, whole_numbers
from flexnet.fem.imported.deck import read_deck
from flexnet.fem.imported.model import ForeignModel, model_reader, symmetric
from flexnet.fem.imported.numbering import Numbering


@model_reader(".inp", ".mtx")
def read_abaqus(deck: Path, stiffness: Path, mass: Path) -> ForeignModel:
    """Read a model of Abaqus."""
    told, found = read_deck(deck), {}
    for path in (stiffness, mass):
        entries = read_columns(path, 5, ",")
        where = whole_numbers(entries[:, :4], path)
        if where[:, [1, 3]].min() < 1 or where[:, [1, 3]].max() > 6:
            raise FileFormatError(f"{path}: a direction is none of 1 to 6")
        if where[:, [0, 2]].min() < 1 or where[:, [0, 2]].max() >= 2**53 // 6:
            raise FileFormatError(f"{path}: a node has no number that a deck may give")
        found[path] = 6 * where[:, [0, 2]] + where[:, [1, 3]] - 1, entries[:, 4]
    keys = np.unique(np.concatenate([where.reshape(-1) for where, _ in found.values()]))
    numbering = Numbering.of(told, np.unique(keys // 6), stiffness)
    matrices = []
    for path in (stiffness, mass):
        where, value = found[path]
        row, column = (np.searchsorted(keys, where[:, k]) for k in (0, 1))
        matrices.append(symmetric(row, column, value, len(keys), str(path)))
    return numbering.model(np.column_stack([numbering.index(keys // 6), keys % 6]), matrices[0], matrices[1])
