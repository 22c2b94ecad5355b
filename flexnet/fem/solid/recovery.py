"""Strains and stresses of displaced tetrahedra."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.fem.material import Material
from flexnet.fem.recovered import AbstractRecovered
from flexnet.fem.solid.tetrahedron import EDGES
from flexnet.typing import Array, IntArray


def elasticity(material: Material) -> Array:
    """Return D with (σx, σy, σz, τxy, τyz, τzx) = D (εx, εy, εz, γxy, γyz, γzx), (6, 6) [Pa]."""
    lame = material.E * material.nu / ((1.0 + material.nu) * (1.0 - 2.0 * material.nu))
    D = np.diag(np.repeat([2.0 * material.G, material.G], 3))
    D[:3, :3] += lame
    return D


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SolidStress(AbstractRecovered):
    """Stresses at the four corners of the tetrahedra of a region, in body axes.

    Attributes
    ----------
    cells : (n_e, 10) nodes of the tetrahedra; (n_e, 4) of some of other programs.
    material : theirs.
    strains : (…, n_e, 4, 6) εx, εy, εz, γxy, γyz, γzx at the corners [-].
    """

    by_row: ClassVar[tuple[str, ...]] = ("strains",)

    cells: IntArray
    material: Material
    strains: Array

    def stress(self) -> Array:
        """Return (σx, σy, σz, τxy, τyz, τzx) at the corners, (…, n_e, 4, 6) [Pa]."""
        return np.asarray(self.strains @ elasticity(self.material))

    def von_mises(self) -> Array:
        """Return √(½[(σx-σy)² + (σy-σz)² + (σz-σx)²] + 3(τxy² + τyz² + τzx²)), (…, n_e, 4) [Pa]."""
        return von_mises(self.stress())

    def at_node(self, node: int) -> Array:
        """Return the stresses of the elements that meet at a node, there, (…, k, 6) [Pa]."""
        element, place = np.nonzero(self.cells == node)
        one, other = np.array([*((k, k) for k in range(4)), *EDGES])[place].T
        strains = 0.5 * (self.strains[..., element, one, :] + self.strains[..., element, other, :])
        return np.asarray(strains @ elasticity(self.material))

    def principal(self) -> Array:
        """Return σ1 ≥ σ2 ≥ σ3 at the corners, (…, n_e, 4, 3) [Pa]."""
        return principal_values(self.stress())

    def largest_strain(self) -> Array:
        """Return the largest magnitude of a principal strain at the corners, (…, n_e, 4) [-]."""
        halved = self.strains * np.repeat([1.0, 0.5], 3)
        return np.asarray(np.abs(principal_values(halved)).max(axis=-1))

    def largest_stress(self) -> Array:
        """Return the von Mises stress, the largest of the corners, (…, n_e) [Pa]."""
        return np.asarray(self.von_mises().max(axis=-1))

    def corner_stress(self) -> Array:
        """Return the von Mises stress at the corners, and the mean of two between them, (…, n_e, 10) [Pa]."""
        found = self.von_mises()
        if self.cells.shape[1] == 4:
            return found
        ends = np.array(EDGES)
        return np.concatenate([found, 0.5 * (found[..., ends[:, 0]] + found[..., ends[:, 1]])], axis=-1)

    def critical_stress(self, worst: "SolidStress", element: int, place: int) -> Array:
        """Return the normal stress along the largest principal axis of ``worst`` at a corner (rows,) [Pa]."""
        D = elasticity(self.material)
        row = along_largest(worst.strains[0, element, place] @ D)
        return np.asarray(self.strains[:, element, place] @ D @ row)

    def quantities(self) -> Iterator[tuple[str, str, Array]]:
        """Yield von Mises and principal stresses at the corners."""
        yield "von Mises", "Pa", self.von_mises()
        principal = self.principal()
        yield "s1", "Pa", principal[..., 0]
        yield "s3", "Pa", principal[..., 2]


def along_largest(stress: Array) -> Array:
    """Return the row (6,) of the normal stress along the principal axis of the largest magnitude."""
    values, axes = np.linalg.eigh(stress[[[0, 3, 5], [3, 1, 4], [5, 4, 2]]])
    x, y, z = axes[:, np.abs(values).argmax()]
    return np.array([x * x, y * y, z * z, 2.0 * x * y, 2.0 * y * z, 2.0 * z * x])


def von_mises(stress: Array) -> Array:
    """Von Mises' stress of components x, y, z, xy, yz, zx, (…,)."""
    x, y, z, xy, yz, zx = np.moveaxis(stress, -1, 0)
    apart = 0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2)
    return np.asarray(np.sqrt(apart + 3.0 * (xy**2 + yz**2 + zx**2)))


def principal_values(tensor: Array) -> Array:
    """Principal values, the largest first, of components x, y, z, xy, yz, zx, (…, 3)."""
    T = tensor[..., [[0, 3, 5], [3, 1, 4], [5, 4, 2]]]
    return np.asarray(np.linalg.eigvalsh(T)[..., ::-1])
