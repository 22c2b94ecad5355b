"""Nodes of a deck that matrices refer to, from numbers to indices."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from flexnet.errors import FileFormatError
from flexnet.fem.imported.deck import Deck
from flexnet.fem.imported.elements import foreign_elements
from flexnet.fem.imported.model import ForeignModel
from flexnet.typing import AnyArray, Array, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """The nodes of a model.

    Attributes
    ----------
    deck : what the deck says.
    numbers : (n,) numbers in ascending order.
    nodes : (n, 3) positions.
    """

    deck: Deck
    numbers: IntArray
    nodes: Array

    @classmethod
    def of(cls, deck: Deck, used: AnyArray, path: Path) -> "Numbering":
        """Number the nodes that matrices refer to; those of the deck that they do not are left out."""
        numbers, nodes = deck.numbered()
        unknown = np.setdiff1d(used, numbers)
        if unknown.size:
            raise FileFormatError(
                f"{path}: node {unknown[0]} is none of the {len(numbers)} nodes of the deck"
                " (CalculiX expands shells and beams into solids: write matrices of solids)"
            )
        kept = np.isin(numbers, used)
        return cls(deck, numbers[kept], nodes[kept])

    def index(self, numbers: AnyArray) -> IntArray:
        """Return the indices of nodes by their numbers."""
        return np.searchsorted(self.numbers, numbers)

    def model(self, freedoms: IntArray, K: csr_array, M: csr_array) -> ForeignModel:
        """Return the model: sets and faces of the nodes that are left."""
        known = {k: i for i, k in enumerate(self.numbers.tolist())}
        sets = {
            name: self.index(np.array([k for k in members if k in known], dtype=np.int64))
            for name, members in self.deck.sets.items()
        }
        faces = np.array([f for f in self.deck.skin() if known.keys() >= set(f)], dtype=np.int64).reshape(
            -1, 3
        )
        turning = frozenset(freedoms[freedoms[:, 1] > 2, 0].tolist())
        elements, silent = foreign_elements(self.deck, known, turning)
        drawn = self.index(faces.reshape(-1, 3))
        return ForeignModel(
            self.numbers, self.nodes, freedoms, K, M, sets=sets, triangles=drawn,
            elements=elements, silent=silent,
        )  # fmt: skip
