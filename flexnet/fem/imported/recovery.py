"""Stresses of imported parts: at nodes, by the matrix that came with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.recovered import AbstractRecovered
from flexnet.fem.solid.recovery import along_largest, principal_values, von_mises
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NodalStress(AbstractRecovered):
    """Stresses at nodes, in body axes.

    Attributes
    ----------
    cells : (p, 1) nodes of the mesh.
    stress : (…, p, 6) σx, σy, σz, τxy, τyz, τzx [Pa].
    """

    by_row: ClassVar[tuple[str, ...]] = ("stress",)

    cells: IntArray
    stress: Array

    def von_mises(self) -> Array:
        """Return von Mises' stress of every node, (…, p) [Pa]."""
        return von_mises(self.stress)

    def at_node(self, node: int) -> Array:
        """Return the stresses at a node, (…, 1, 6) [Pa]; none, (…, 0, 6), where it has none."""
        return np.asarray(self.stress[..., self.cells[:, 0] == node, :])

    def largest_strain(self) -> Array:
        """Refuse: a matrix of stresses does not tell the strains."""
        raise ModelError("stresses of another program come without strains")

    def largest_stress(self) -> Array:
        """Return von Mises' stress of every node, (…, p) [Pa]."""
        return self.von_mises()

    def corner_stress(self) -> Array:
        """Return von Mises' stress of every node, (…, p, 1) [Pa]."""
        return self.von_mises()[..., None]

    def critical_stress(self, worst: "NodalStress", element: int, place: int) -> Array:
        """Return the normal stress along the largest principal axis of ``worst`` at a node, (rows,) [Pa]."""
        return np.asarray(self.stress[:, element] @ along_largest(worst.stress[0, element]))

    def quantities(self) -> Iterator[tuple[str, str, Array]]:
        """Yield von Mises and principal stresses."""
        yield "von Mises", "Pa", self.von_mises()[..., None]
        principal = principal_values(self.stress)
        yield "s1", "Pa", principal[..., :1]
        yield "s3", "Pa", principal[..., 2:]
