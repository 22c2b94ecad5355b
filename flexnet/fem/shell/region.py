"""A region of shell facets of one section."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.region import AbstractRegion
from flexnet.fem.shell.bending_scale import bending_scales, shell_geometry
from flexnet.fem.shell.drilling import FOLD_ANGLE
from flexnet.fem.shell.inertia import mass_points
from flexnet.fem.shell.kinematics import CENTROID, CORNERS, corner_strains, stiffness, strain_matrix
from flexnet.fem.shell.prestress import geometric_basis, reduced_geometric
from flexnet.fem.shell.quad_region import QuadRegion
from flexnet.fem.shell.recovery import ShellStress
from flexnet.fem.shell.section import ShellSection, layer_forces
from flexnet.fem.shell.triangle_rule import MIDSIDES
from flexnet.typing import Array, IntArray

__all__ = ["ShellRegion"]


@dataclass(frozen=True, slots=True)
class ShellRegion(AbstractRegion):
    """Triangles of the mesh that are shell facets, and quadrilaterals of a group of the same name.

    Parameters
    ----------
    group : name of the group of triangles, quadrilaterals, or both.
    section : layers, their axis and their offset from the nodes.
    fold_angle : neighbours that meet at more than this angle are folded; below it they are facets of a
        curved surface and their drilling rotations refer to the normals of the sides [rad].
    bending_scale : weight of the part of bending that is not constant in an element; 1 is DKT and DKQ. Left
        out it is 3/2 where neighbours lie in one plane, which cancels the mean error of second order in the
        size of the cells, and 1 on curved surfaces (docs/theory/shell.md, S3c).

    Notes
    -----
    The geometry ``X`` of a facet is (7, 3): its three nodes, the normals of its sides 12, 23, 31 and the mean
    normal of the facets around it. Its state is (Nx, Ny, Nxy), the membrane forces in facet axes at its three
    nodes [N/m], between which they are linear.
    """

    kind: ClassVar[str] = "triangle"
    n_state: ClassVar[int] = 9
    has_bow: ClassVar[bool] = False

    group: str
    section: ShellSection
    fold_angle: float = FOLD_ANGLE
    bending_scale: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.fold_angle <= np.pi:
            raise ModelError(f"region {self.group!r}: fold angle {self.fold_angle} is not between 0 and π")
        if self.bending_scale is not None and not 0.0 < self.bending_scale < np.inf:
            raise ModelError(f"region {self.group!r}: bending scale {self.bending_scale} must be positive")
        times = {ply.material.eta for ply in self.section.plies}
        if len(times) > 1:
            raise ModelError(
                f"region {self.group!r}: its plies have retardation times {sorted(times)}; give them the same"
            )

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

    def on_quadrilaterals(self) -> QuadRegion:
        """Return the same sheet on the quadrilaterals of the group."""
        return QuadRegion(self.group, self.section, self.fold_angle, self.bending_scale)

    def geometry(self, nodes: Array, cells: IntArray) -> Array:
        """Return nodes, side normals and the mean normal of the facets around, (n_e, 7, 3)."""
        return shell_geometry(nodes, cells, self.fold_angle)

    def stiffness(self, X: Array) -> Array:
        """Return the (n_e, 18, 18) stiffness matrices."""
        scale = bending_scales(X, self.bending_scale)
        return stiffness(X[:, :3], self.section, X[:, 3:6], scale)

    def mass_points(self, X: Array) -> MassPoints:
        """Return the exact mass points."""
        return mass_points(X[:, :3], self.section)

    def linear_mass_points(self, X: Array) -> MassPoints:
        """Return the three midsides, exact for products of the linear interpolation."""
        return self._plane_points(X, MIDSIDES.zeta)

    def lumped_mass_points(self, X: Array) -> MassPoints:
        """Return a third of the mass at each node."""
        return self._plane_points(X, CORNERS)

    def state(self, X: Array, q: Array, f: Array) -> Array:
        """Return the membrane forces at the nodes (n_e, 9, n_l) of displacements q (n_e, 18, n_l).

        Loads ``f`` distributed over a facet do not change them.
        """
        B = corner_strains(self.section.facets(X[:, :3]), self.section, X[:, 3:6])
        return np.asarray((self.section.ABD[:3] @ B).reshape(len(X), 9, 18) @ q)

    def geometric_basis(self, X: Array) -> Array:
        """Return the (n_e, 9, 18, 18) geometric stiffness of unit membrane forces at the nodes."""
        return geometric_basis(X[:, :3], self.section)

    def reduced_geometric(self, X: Array, state: Array, phi: Array) -> Array:
        """Return the sum of φᵀK_G φ over facets (n_l, m, m) from the gradients of the shapes."""
        return reduced_geometric(X[:, :3], self.section, state, phi)

    def second_order_strain(self, X: Array, a: Array, b: Array) -> Array:
        """Return aᵀK_G b of each force of the state, (n_e, n_state, k)."""
        turned = a[:, None, None] @ self.geometric_basis(X)
        return np.asarray((turned @ b[:, None])[:, :, 0])

    def layer_loads(self, X: Array, force: float, at: tuple[float, ...]) -> Array:
        """Return ∫Bᵀ(N, zN) dA (n_e, 18) of a layer at the height z: B is linear, its middle its mean."""
        facets = self.section.facets(X[:, :3])
        B = strain_matrix(facets, self.section, CENTROID, X[:, 3:6])[:, 0]
        return np.asarray(facets.area[:, None] * (layer_forces(force, at) @ B))

    def recover(self, cells: IntArray, X: Array, q: Array, f: Array | None = None) -> ShellStress:
        """Return the stresses at the centroids of the facets; loads distributed over them change nothing."""
        B = strain_matrix(self.section.facets(X[:, :3]), self.section, CENTROID, X[:, 3:6])[:, 0]
        return ShellStress.of(cells, self.section, B, q)

    def _plane_points(self, X: Array, zeta: Array) -> MassPoints:
        """Return equal masses at ``zeta``, in the plane of the mass, carried linearly by the nodes."""
        facets = self.section.facets(X[:, :3])
        n_e, n_p = len(X), len(zeta)
        height = float(self.section.mass_heights()[0].mean())
        arm = height * facets.R[:, 2]
        carried = np.zeros((n_e, 3, 2, 3))  # (element, i, translation or rotation, j): u + θ × arm
        carried[:, :, 0] = np.eye(3)
        carried[:, :, 1] = np.cross(np.eye(3), arm[:, None, :]).transpose(0, 2, 1)
        N = np.einsum("pn,eitj->epintj", zeta, carried).reshape(n_e, n_p, 3, 18)
        s = np.einsum("pn,eni->epi", zeta, X[:, :3]) + arm[:, None]
        mass = np.repeat(self.density * facets.area[:, None] / n_p, n_p, axis=1)
        return MassPoints(s, N, mass)
