r"""Forces, strains and stresses of the displaced facet.

All components are in facet axes: 1 along the projection of the section's axis, 2 = n × 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.recovered import AbstractRecovered
from flexnet.fem.shell.ply import plane_stress, strain_rotation
from flexnet.fem.shell.section import ShellSection
from flexnet.typing import Array, IntArray

__all__ = ["Face", "ShellStress"]

Face: TypeAlias = Literal["bottom", "middle", "top"]

FRACTION: dict[Face, float] = {"bottom": 0.0, "middle": 0.5, "top": 1.0}
"""Place of a face in the thickness, from the bottom."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShellStress(AbstractRecovered):
    """Stresses at the centroids of the facets of a region, in facet axes.

    Attributes
    ----------
    cells : (n_e, 3) nodes of the facets.
    section : thickness and material.
    strains : (…, n_e, 6) strains εx, εy, γxy [-] and curvatures κx, κy, κxy [1/m] of the plane of the nodes.
    nodes : (n,) nodes of the facets; where regions were joined, a node may come twice.
    rotations : (…, n, 3) their rotations in body axes [rad], for moments at nodes.
    """

    by_row: ClassVar[tuple[str, ...]] = ("strains", "rotations")
    by_place: ClassVar[tuple[str, ...]] = ("cells", "nodes")

    cells: IntArray
    section: ShellSection
    strains: Array
    nodes: IntArray
    rotations: Array

    @classmethod
    def of(cls, cells: IntArray, section: ShellSection, B: Array, q: Array) -> "ShellStress":
        """Return the stresses of freedoms q (n_l, n_e, n_edof) by strains B (n_e, 6, n_edof)."""
        nodes, first = np.unique(cells, return_index=True)
        turns = q.reshape(len(q), cells.size, 6)[:, first, 3:]
        return cls(cells, section, np.einsum("eij,lej->lei", B, q), nodes, turns)

    def largest_stress(self) -> Array:
        """Return the von Mises stress, the larger of the two faces, (…, n_e) [Pa]."""
        return np.maximum(self.von_mises("bottom"), self.von_mises("top"))

    def corner_stress(self) -> Array:
        """Return the von Mises stress of the middle, the larger of the two faces, at every corner [Pa]."""
        found = self.largest_stress()
        return np.broadcast_to(found[..., None], (*found.shape, self.cells.shape[1]))

    def quantities(self) -> Iterator[tuple[str, str, Array]]:
        """Yield von Mises and principal stresses at both faces."""
        yield "von Mises", "Pa", np.stack([self.von_mises("bottom"), self.von_mises("top")], axis=-1)
        principal = [self.principal("bottom"), self.principal("top")]
        yield "s1", "Pa", np.stack([p[..., 0] for p in principal], axis=-1)
        yield "s2", "Pa", np.stack([p[..., 1] for p in principal], axis=-1)

    def critical_stress(self, worst: "ShellStress", element: int, place: int) -> Array:
        """Return the normal stress along the larger principal axis of ``worst`` at a face, (rows,) [Pa]."""
        face: Face = "top" if place else "bottom"
        s1, s2, angle = worst.principal(face)[0, element]
        angle += 0.0 if abs(s1) >= abs(s2) else 0.5 * np.pi
        c, s = np.cos(angle), np.sin(angle)
        stress = self.strains[:, element] @ _face_matrix(self.section, face)
        return np.asarray(stress @ [c * c, s * s, 2.0 * c * s])

    def stress(self, where: Face) -> Array:
        """Return (σx, σy, τxy) at ``"bottom"``, ``"middle"`` or ``"top"``, (…, n_e, 3) [Pa]."""
        return np.asarray(self.strains @ _face_matrix(self.section, where))

    def face_strain(self, where: Face) -> Array:
        """Return (εx, εy, γxy) at a face, (…, n_e, 3) [-]."""
        return np.asarray(self.strains[..., :3] + _height(self.section, where) * self.strains[..., 3:])

    def resultants(self) -> Array:
        """Return (Nx, Ny, Nxy) [N/m] and (Mx, My, Mxy) [N·m/m] about the plane of the nodes, (…, n_e, 6)."""
        return np.asarray(self.strains @ self.section.ABD)

    def ply_stress(self, ply: int) -> Array:
        """Return (σ1, σ2, τ12) in the middle of a ply, 0 the lowest, in fibre axes, (…, n_e, 3) [Pa]."""
        if not 0 <= ply < len(self.section.plies):
            raise ModelError(f"ply {ply} of a section of {len(self.section.plies)}; the lowest is 0")
        layer, z = self.section.plies[ply], self.section.interfaces
        middle = self.strains[..., :3] + 0.5 * (z[ply] + z[ply + 1]) * self.strains[..., 3:]
        return np.asarray(middle @ strain_rotation(layer.angle).T @ plane_stress(layer.material))

    def principal(self, where: Face) -> Array:
        """Return σ1 ≥ σ2 [Pa] and the angle from axis 1 of the facet to σ1 [rad] at a face, (…, n_e, 3)."""
        x, y, xy = np.moveaxis(self.stress(where), -1, 0)
        mean, radius = 0.5 * (x + y), np.hypot(0.5 * (x - y), xy)
        return np.stack([mean + radius, mean - radius, 0.5 * np.arctan2(2.0 * xy, x - y)], axis=-1)

    def von_mises(self, where: Face) -> Array:
        """Return √(σx² - σxσy + σy² + 3τxy²) at a face, (…, n_e) [Pa]."""
        # the square is |Lᵀσ|², L Lᵀ its matrix
        L = np.array([[1.0, 0.0, 0.0], [-0.5, 0.75**0.5, 0.0], [0.0, 0.0, 3.0**0.5]])
        y = self.strains @ (_face_matrix(self.section, where) @ L)
        return np.asarray(np.sqrt(np.einsum("...i,...i->...", y, y)))

    def largest_strain(self) -> Array:
        """Return the largest magnitude of a principal strain at the two faces, (…, n_e) [-]."""
        largest = []
        for face in ("bottom", "top"):
            x, y, xy = np.moveaxis(self.face_strain(face), -1, 0)
            largest.append(np.abs(x + y) / 2 + np.hypot(x - y, xy) / 2)
        return np.asarray(np.max(largest, axis=0))


def _face_matrix(section: ShellSection, where: Face) -> Array:
    """Return the matrix (6, 3) that turns generalised strains into stresses at a face."""
    z = _height(section, where)
    Q = section.ply_at(z).stiffness()
    return np.concatenate([Q, z * Q])


def _height(section: ShellSection, where: Face) -> float:
    """Return the height of a face above the plane of the nodes [m]."""
    bottom, top = section.interfaces[[0, -1]]
    return float(bottom + FRACTION[where] * (top - bottom))
