"""A region of shell quadrilaterals of one section."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.fem.mass_points import MassPoints
from flexnet.fem.region import AbstractRegion
from flexnet.fem.shell.bending_scale import bending_scales, shell_geometry
from flexnet.fem.shell.drilling import FOLD_ANGLE
from flexnet.fem.shell.quadrilateral import (
    CORNERS,
    GAUSS,
    curvatures,
    quadrilateral_mass_points,
    quadrilateral_prestress,
    quadrilateral_stiffness,
    quadrilateral_strains,
    surface,
)
from flexnet.fem.shell.recovery import ShellStress
from flexnet.fem.shell.section import ShellSection, layer_forces
from flexnet.typing import Array, IntArray

__all__ = ["QuadRegion"]


@dataclass(frozen=True, slots=True)
class QuadRegion(AbstractRegion):
    """Quadrilaterals of the mesh that are shells; a :class:`ShellRegion` makes one where its group has some.

    Parameters
    ----------
    group : name of the group of quadrilaterals.
    section : layers, their axis and their offset from the nodes.
    fold_angle : neighbours that meet at more than this angle are folded [rad].
    bending_scale : weight of the part of bending that is not constant, as of :class:`ShellRegion`.

    Notes
    -----
    The geometry ``X`` of a quadrilateral is (9, 3): its four nodes, the normals of its sides 12, 23, 34, 41
    and the mean normal of the quadrilaterals around it. Its state is (Nx, Ny, Nxy), the membrane forces at
    its centre [N/m].
    """

    kind: ClassVar[str] = "quadrilateral"
    n_state: ClassVar[int] = 3
    has_bow: ClassVar[bool] = False

    group: str
    section: ShellSection
    fold_angle: float = FOLD_ANGLE
    bending_scale: float | None = None

    @property
    def materials(self) -> tuple[tuple[float, float], ...]:
        """Young's modulus [Pa], along the fibres, and density [kg/m³] of its layers."""
        return tuple((ply.modulus, ply.material.rho) for ply in self.section.plies)

    @property
    def density(self) -> float:
        """Mass per area [kg/m²]."""
        return self.section.mass_per_area

    @property
    def retardation(self) -> float:
        """Kelvin–Voigt retardation time [s]."""
        return self.section.plies[0].material.eta

    def geometry(self, nodes: Array, cells: IntArray) -> Array:
        """Return nodes, side normals and the mean normal of the quadrilaterals around, (n_e, 9, 3)."""
        return shell_geometry(nodes, cells, self.fold_angle)

    def stiffness(self, X: Array) -> Array:
        """Return the (n_e, 24, 24) stiffness matrices."""
        return quadrilateral_stiffness(X, self.section, bending_scales(X, self.bending_scale))

    def mass_points(self, X: Array) -> MassPoints:
        """Return the exact mass points of the halves by both diagonals."""
        return quadrilateral_mass_points(X, self.section)

    def linear_mass_points(self, X: Array) -> MassPoints:
        """Return four points of the bilinear interpolation."""
        return self._plane_points(X, GAUSS)

    def lumped_mass_points(self, X: Array) -> MassPoints:
        """Return the mass at the nodes, by the area of the corners."""
        return self._plane_points(X, CORNERS)

    def state(self, X: Array, q: Array, f: Array) -> Array:
        """Return the membrane forces (n_e, 3, n_l) of displacements q (n_e, 24, n_l) at the centre."""
        B, _ = quadrilateral_strains(X, self.section)
        return np.asarray(self.section.ABD[:3] @ (B[:, 0] @ q))

    def geometric_basis(self, X: Array) -> Array:
        """Return the (n_e, 3, 24, 24) geometric stiffness of unit membrane forces."""
        return quadrilateral_prestress(X, self.section)

    def second_order_strain(self, X: Array, a: Array, b: Array) -> Array:
        """Return aᵀK_G b of each force of the state, (n_e, n_state, k)."""
        turned = a[:, None, None] @ self.geometric_basis(X)
        return np.asarray((turned @ b[:, None])[:, :, 0])

    def layer_loads(self, X: Array, force: float, at: tuple[float, ...]) -> Array:
        """Return ∫Bᵀ(N, zN) dA (n_e, 24) of a layer at the height z."""
        B, area = quadrilateral_strains(X, self.section, GAUSS)
        return np.asarray(np.einsum("ep,i,epij->ej", area, layer_forces(force, at), B))

    def recover(self, cells: IntArray, X: Array, q: Array, f: Array | None = None) -> ShellStress:
        """Return the stresses at the centres; loads distributed over an element change nothing."""
        B, _ = quadrilateral_strains(X, self.section)
        return ShellStress.of(cells, self.section, B[:, 0], q)

    def _plane_points(self, X: Array, points: Array) -> MassPoints:
        """Return masses at (ξ, η), in the plane of the mass, carried bilinearly by the nodes."""
        n_e, n_p, nodes = len(X), len(points), X[:, :4]
        N = (1.0 + points[:, :1] * CORNERS[:, 0]) * (1.0 + points[:, 1:] * CORNERS[:, 1]) / 4.0
        _, area = curvatures(nodes, self.section, points)
        area *= (surface(X) / area.sum(axis=1))[:, None]
        arm = float(self.section.mass_heights()[0].mean()) * self.section.axes(nodes)[:, 2]
        carried = np.zeros((n_e, 3, 2, 3))  # (element, i, translation or rotation, j): u + θ × arm
        carried[:, :, 0] = np.eye(3)
        carried[:, :, 1] = np.cross(np.eye(3), arm[:, None, :]).transpose(0, 2, 1)
        moved = np.einsum("pn,eitj->epintj", N, carried).reshape(n_e, n_p, 3, 24)
        s = np.einsum("pn,eni->epi", N, nodes) + arm[:, None]
        return MassPoints(s, moved, self.density * area)
