r"""Forces, strains and stresses of the displaced facet.

All components are in facet axes: 1 along the projection of the section's axis, 2 = n × 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, TypeAlias

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

PLY = "ply "
"""How the place of a stress in a laminate begins, before the number of the ply."""


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
    free : (…, n_e, 3) curvatures that are free, under a voltage or a temperature: in the rotations, not in
        the strains; (…, 0, 3) where nothing strains freely.
    """

    by_row: ClassVar[tuple[str, ...]] = ("strains", "rotations", "free")
    by_place: ClassVar[tuple[str, ...]] = ("cells", "nodes")

    cells: IntArray
    section: ShellSection
    strains: Array
    nodes: IntArray
    rotations: Array
    free: Array

    @classmethod
    def of(cls, cells: IntArray, section: ShellSection, B: Array, q: Array) -> "ShellStress":
        """Return the stresses of freedoms q (n_l, n_e, n_edof) by strains B (n_e, 6, n_edof)."""
        nodes, first = np.unique(cells, return_index=True)
        turns = q.reshape(len(q), cells.size, 6)[:, first, 3:]
        return cls(cells, section, np.einsum("eij,lej->lei", B, q), nodes, turns, np.zeros((len(q), 0, 3)))

    def without(self, free: Self, rows: IntArray) -> Self:
        """Return what is elastic: strains less free ones. Rotations stay: an element alone has others."""
        strains, curvatures = self.strains.copy(), np.zeros((*self.strains.shape[:2], 3))
        strains[rows] -= free.strains
        curvatures[rows] = free.strains[..., 3:]
        return replace(self, strains=strains, free=curvatures)

    def has_face(self, where: str) -> bool:
        """Whether the section has this face, or ply."""
        return not where.startswith(PLY) or int(where.removeprefix(PLY)) < len(self.section.plies)

    def largest_stress(self) -> Array:
        """Return the von Mises stress, the largest of the faces of all plies, (…, n_e) [Pa]."""
        largest = [_von_mises(self.strains, S) for S in _ply_matrices(self.section)]
        return np.asarray(np.max(largest, axis=0))

    def corner_stress(self) -> Array:
        """Return the von Mises stress of the middle, the largest of all faces, at every corner [Pa]."""
        found = self.largest_stress()
        return np.broadcast_to(found[..., None], (*found.shape, self.cells.shape[1]))

    def quantities(self) -> Iterator[tuple[str, str, Array]]:
        """Yield von Mises and principal stresses at the bottom and the top of every ply, lowest first."""
        faces = _ply_matrices(self.section)
        yield "von Mises", "Pa", np.stack([_von_mises(self.strains, S) for S in faces], axis=-1)
        principal = [_principal(self.strains @ S) for S in faces]
        yield "s1", "Pa", np.stack([p[..., 0] for p in principal], axis=-1)
        yield "s2", "Pa", np.stack([p[..., 1] for p in principal], axis=-1)

    def critical_stress(self, worst: "ShellStress", element: int, place: int) -> Array:
        """Return the normal stress along the larger principal axis of ``worst`` at a face of a ply [Pa]."""
        S = _ply_matrices(self.section)[place]
        s1, s2, angle = _principal(worst.strains[0, element] @ S)
        angle += 0.0 if abs(s1) >= abs(s2) else 0.5 * np.pi
        c, s = np.cos(angle), np.sin(angle)
        return np.asarray(self.strains[:, element] @ (S @ [c * c, s * s, 2.0 * c * s]))

    def stress(self, where: Face) -> Array:
        """Return (σx, σy, τxy) at ``"bottom"``, ``"middle"`` or ``"top"``, (…, n_e, 3) [Pa]."""
        return np.asarray(self.strains @ _face_matrix(self.section, where))

    def stress_at(self, where: str) -> Array:
        """Return the same at a face, or of ``"ply k"`` as :meth:`ply_stress` tells it."""
        if where.startswith(PLY):
            return self.ply_stress(int(where.removeprefix(PLY)))
        return self.stress(where)  # type: ignore[arg-type]  # checked when the measure was made

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
        return _principal(self.stress(where))

    def von_mises(self, where: Face) -> Array:
        """Return √(σx² - σxσy + σy² + 3τxy²) at a face, (…, n_e) [Pa]."""
        return _von_mises(self.strains, _face_matrix(self.section, where))

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


def _ply_matrices(section: ShellSection) -> list[Array]:
    """Return the same at the bottom and the top of every ply, lowest first, 2 n_plies of them."""
    z, stiffness = section.interfaces, [ply.stiffness() for ply in section.plies]
    return [np.concatenate([Q, z[k + side] * Q]) for k, Q in enumerate(stiffness) for side in (0, 1)]


def _von_mises(strains: Array, S: Array) -> Array:
    """Return von Mises' stress (…) of strains (…, 6) at a height with the matrix S [Pa]."""
    # the square is |Lᵀσ|², L Lᵀ its matrix
    L = np.array([[1.0, 0.0, 0.0], [-0.5, 0.75**0.5, 0.0], [0.0, 0.0, 3.0**0.5]])
    y = strains @ (S @ L)
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", y, y)))


def _principal(stress: Array) -> Array:
    """Return σ1 ≥ σ2 and the angle to σ1 (…, 3) of stresses (σx, σy, τxy) (…, 3)."""
    x, y, xy = np.moveaxis(stress, -1, 0)
    mean, radius = 0.5 * (x + y), np.hypot(0.5 * (x - y), xy)
    return np.stack([mean + radius, mean - radius, 0.5 * np.arctan2(2.0 * xy, x - y)], axis=-1)


def _height(section: ShellSection, where: Face) -> float:
    """Return the height of a face above the plane of the nodes [m]."""
    bottom, top = section.interfaces[[0, -1]]
    return float(bottom + FRACTION[where] * (top - bottom))
