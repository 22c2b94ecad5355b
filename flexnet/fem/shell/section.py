r"""The section of a shell: layers through the thickness, and what they integrate to.

The layers follow each other from bottom to top along the normal; z is measured from the plane of the
nodes. With Q̄_k the plane-stress stiffness of layer k, between z_k and z_{k+1}, the forces N and moments
M per unit length are

    (N, M) = [[A, B], [B, D]] (ε, κ),      (A, B, D) = Σ_k ∫ Q̄_k (1, z, z²) dz.                  (1)

References
----------
Jones, R. M., Mechanics of Composite Materials, 2nd ed. (1999), eqs (4.22)-(4.25).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.material import Material
from flexnet.fem.shell.facet import Facets
from flexnet.fem.shell.ply import Orthotropic, Ply
from flexnet.typing import Array

__all__ = ["ShellSection"]


@dataclass(frozen=True, slots=True)
class ShellSection:
    """Layers of a shell, bottom to top.

    Parameters
    ----------
    plies : layers from bottom to top along the normal (x2 - x1) × (x3 - x1).
    axis : direction in body axes whose projection on a facet is its axis 1: ply angles, stresses, strains
    and forces
        refer to it.
    offset : height of the middle of the thickness above the plane of the nodes [m].

    Examples
    --------
    >>> from flexnet.fem.material import Material
    >>> section = ShellSection.uniform(2.0e-3, Material(E=70.0e9, nu=0.3, rho=2700.0))
    >>> float(section.mass_per_area)
    5.4
    """

    plies: tuple[Ply, ...]
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not self.plies:
            raise ModelError("shell section: a laminate needs at least one ply")
        if not (np.shape(self.axis) == (3,) and np.all(np.isfinite(self.axis)) and np.any(self.axis)):
            raise ModelError(f"shell section: axis is {self.axis}; it must be a direction in space")
        if not np.isfinite(self.offset):
            raise ModelError(f"shell section: offset is {self.offset}; it must be a length")

    @classmethod
    def uniform(
        cls,
        thickness: float,
        material: Material | Orthotropic,
        axis: tuple[float, float, float] = (1.0, 0.0, 0.0),
        offset: float = 0.0,
    ) -> "ShellSection":
        """Return the section of a sheet of one material."""
        return cls((Ply(material, thickness),), axis, offset)

    @classmethod
    def laminate(
        cls,
        material: Material | Orthotropic,
        thickness: float,
        angles: Sequence[float],
        axis: tuple[float, float, float] = (1.0, 0.0, 0.0),
        offset: float = 0.0,
    ) -> "ShellSection":
        """Return the section of equal plies at ``angles`` [rad], bottom to top."""
        return cls(tuple(Ply(material, thickness, angle) for angle in angles), axis, offset)

    @property
    def thickness(self) -> float:
        """Total thickness [m]."""
        return float(sum(ply.thickness for ply in self.plies))

    @property
    def interfaces(self) -> Array:
        """Heights z of the faces of the plies, bottom to top, (n_plies + 1,) [m]."""
        z = np.concatenate([[0.0], np.cumsum([ply.thickness for ply in self.plies])])
        return np.asarray(z - 0.5 * z[-1] + self.offset)

    @property
    def ABD(self) -> Array:
        """Stiffness [[A, B], [B, D]] of eq. (1), (6, 6) [N/m, N, N·m]."""
        return _stiffness(self)

    @property
    def A(self) -> Array:
        """Membrane stiffness, (3, 3) [N/m]."""
        return self.ABD[:3, :3]

    @property
    def mass_per_area(self) -> float:
        """Mass per unit area ∫ρ dz [kg/m²]."""
        return float(sum(ply.material.rho * ply.thickness for ply in self.plies))

    def _moments(self, density: Array) -> Array:
        """Return ∫(1, z, z²) density dz, (3, ...); density is constant in each ply, first axis the plies."""
        z = self.interfaces
        length = np.stack([(z[1:] ** m - z[:-1] ** m) / m for m in (1, 2, 3)])
        return np.asarray(np.tensordot(length, density, axes=1))

    def mass_heights(self) -> tuple[Array, Array]:
        """Return two heights and two masses per area that reproduce ∫ρ, ∫ρz and ∫ρz².

        Returns
        -------
        z : (2,) array, heights above the plane of the nodes [m]; ±h/√12 for a uniform sheet.
        mass : (2,) array, masses per unit area [kg/m²].
        """
        m0, m1, m2 = self._moments(np.array([ply.material.rho for ply in self.plies]))
        if m0 == 0.0:
            return np.full(2, self.offset), np.zeros(2)
        centre = m1 / m0
        radius = np.sqrt(m2 / m0 - centre**2)
        return centre + radius * np.array([-1.0, 1.0]), np.full(2, 0.5 * m0)

    def ply_at(self, z: float) -> Ply:
        """Return the ply that contains height ``z``; the lower one where two meet."""
        k = int(np.searchsorted(self.interfaces[1:-1], z))
        return self.plies[k]

    def axes(self, X: Array) -> Array:
        """Return the axes of quadrilaterals (n_e, 4, 3), rows e1, e2, n across both diagonals."""
        middle = X.mean(axis=1)
        spanned = np.stack([middle, middle + X[:, 2] - X[:, 0], middle + X[:, 3] - X[:, 1]], axis=1)
        return self.facets(spanned).R

    def facets(self, X: Array) -> Facets:
        """Measure facets in the axes of this section; a fibre direction must exist on each."""
        is_directed = any(isinstance(ply.material, Orthotropic) for ply in self.plies)
        return Facets.of(X, self.axis, strict=is_directed)


def layer_forces(force: float, at: tuple[float, ...]) -> Array:
    """Return (N, M) (6,) of a layer that pushes alike along both axes, at a height over the nodes."""
    if len(at) != 1:
        raise ModelError(f"a layer on a shell has one offset, its height over the nodes; got {at}")
    return force * np.array([1.0, 1.0, 0.0, at[0], at[0], 0.0])


@lru_cache(maxsize=64)
def _stiffness(section: ShellSection) -> Array:
    """Return [[A, B], [B, D]], asked for by every batch of facets; not to be written to."""
    A, B, D = section._moments(np.stack([ply.stiffness() for ply in section.plies]))
    stiffness = np.block([[A, B], [B, D]])
    stiffness.flags.writeable = False
    return stiffness
