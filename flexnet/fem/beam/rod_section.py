r"""The section of a beam by its matrix: stiffness, mass and inertia per length, coupled as they may be.

Strains and forces of a section are ordered as :math:`(\Gamma_x, \Gamma_y, \Gamma_z, \kappa_x, \kappa_y,
\kappa_z)` and :math:`(N, V_y, V_z, T, M_y, M_z)`, in section axes with x along the beam.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.beam.section import BeamSection
from flexnet.fem.material import Material
from flexnet.typing import Array


@dataclass(frozen=True, eq=False)
class RodSection:
    """Constants of a section per length.

    Parameters
    ----------
    stiffness : (6, 6) symmetric, of (N, Vy, Vz, T, My, Mz) by their strains [N, N m, N m²], or its diagonal
        (EA, GAy, GAz, GJ, EIy, EIz).
    mass : per length [kg/m].
    inertia : (3, 3) of rotation per length about the axis of the beam [kg m], or its diagonal.
    eta : retardation time of Kelvin–Voigt damping [s].
    stress : (n, 6) normal stress at points of the section by (N, Vy, Vz, T, My, Mz), from whatever gave the
        stiffness; without it there are section forces and no stresses of a flexible body.
    """

    stiffness: Array
    mass: float
    inertia: Array
    eta: float = 0.0
    stress: Array | None = None

    def __post_init__(self) -> None:
        for name, n in (("stiffness", 6), ("inertia", 3)):
            given = np.asarray(getattr(self, name), dtype=float)
            matrix = np.diag(given) if given.shape == (n,) else given
            if matrix.shape != (n, n) or not np.all(np.isfinite(matrix)):
                raise ModelError(f"rod section: {name} is {given.shape}; expected ({n},) or ({n}, {n})")
            size = np.sqrt(np.abs(np.outer(np.diag(matrix), np.diag(matrix))))
            if not np.all(np.abs(matrix - matrix.T) <= 1e-10 * np.maximum(size, np.abs(matrix))):
                raise ModelError(f"rod section: {name} is not symmetric")
            # entries have units of their own: of a section of micrometres EI is 1e-12 of EA
            if np.diag(matrix).min() <= 0.0 or np.linalg.eigvalsh(matrix / size).min() <= 0.0:
                raise ModelError(f"rod section: {name} must be positive definite")
            object.__setattr__(self, name, (matrix + matrix.T) / 2)
        if not (np.isfinite(self.mass) and self.mass > 0.0):
            raise ModelError(f"rod section: mass = {self.mass} kg/m must be positive")
        if not (np.isfinite(self.eta) and self.eta >= 0.0):
            raise ModelError(f"rod section: retardation time eta = {self.eta} s must not be negative")
        if self.stress is not None:
            rows = np.atleast_2d(np.asarray(self.stress, dtype=float))
            if rows.ndim != 2 or rows.shape[1] != 6 or not np.all(np.isfinite(rows)):
                raise ModelError(f"rod section: rows of stress are {rows.shape}; expected (n, 6)")
            object.__setattr__(self, "stress", rows)

    @classmethod
    def of(cls, material: Material, section: BeamSection) -> "RodSection":
        """Section of a material: EA, kGA, GJ, EI; ρA and ρ(Iy + Iz), ρIy, ρIz."""
        E, G, A = material.E, material.G, section.A
        shears = section.ky * G * A, section.kz * G * A
        diagonal = [E * A, *shears, G * section.torsion, E * section.Iy, E * section.Iz]
        moments = np.array([section.Iy + section.Iz, section.Iy, section.Iz])
        return cls(np.array(diagonal), material.rho * A, material.rho * moments, material.eta)

    @cached_property
    def flexibility(self) -> Array:
        """Strains by forces, (6, 6)."""
        F = np.linalg.inv(self.stiffness)
        out: Array = (F + F.T) / 2
        return out

    def mass_spread(self) -> Array:
        """Second moments ∫ρ(y, z)(y, z)ᵀ of the mass over itself, (2, 2) [m²], for a flexible body.

        Raises
        ------
        ModelError
            If the inertia is not that of masses in the plane of the section.
        """
        I = self.inertia
        off = max(abs(I[0, 0] - I[1, 1] - I[2, 2]), abs(I[0, 1]), abs(I[0, 2]))
        if off > 1e-6 * I[0, 0]:
            raise ModelError(
                f"rod section: inertia {np.diag(I).tolist()} is not that of masses in a section, "
                "Ixx = Iyy + Izz and Ixy = Ixz = 0; a flexible body needs that, an exact beam does not"
            )
        return np.array([[I[2, 2], -I[1, 2]], [-I[1, 2], I[1, 1]]]) / self.mass

    def stress_rows(self) -> Array:
        """Rows of stress, (n, 6) [Pa/N, Pa/(N m)]; refused where none were given."""
        if self.stress is None:
            raise ModelError("the section was given by its matrix: give RodSection rows of stress as well")
        return self.stress

    def strain_rows(self) -> Array:
        """Normal strain Γx + z κy - y κz by section forces, √3 radii of gyration of the mass out, (4, 6)."""
        y, z = np.sqrt(3.0 * np.diag(self.mass_spread()))
        F = self.flexibility
        return np.array([F[0] + i * z * F[4] - j * y * F[5] for i in (-1, 1) for j in (-1, 1)])

    def element_stiffness(self, length: float, axis: Array, shear: bool = True) -> Array:
        """Stiffness (6, 6) of an element of constant strain, by mean strains times its length.

        The moment of an element in balance varies, m(s) = m - s e × n, and so does its curvature. That adds
        to the flexibility of the force what it does between the nodes,

            F_nn + h²/12 [e]×ᵀ F_mm [e]×,

        and makes the nodes of a straight beam under end loads exact (MacNeal 1978). Without shear that part
        is all that is left of F_nn across the axis.

        Parameters
        ----------
        length : h [m].
        axis : (3,) unit vector e of the axis in section axes.
        shear : False leaves the flexibility in shear out.
        """
        x, y, z = axis
        E = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        F = self.flexibility.copy()
        if not shear:
            F[1:3] = F[:, 1:3] = 0.0
        F[:3, :3] += length**2 / 12.0 * E.T @ F[3:, 3:] @ E
        K = np.linalg.inv(F) / length
        # entries that are zero in exact arithmetic are told as such: laws leave them out
        K[np.abs(K) < 1e-13 * np.sqrt(np.outer(np.diag(K), np.diag(K)))] = 0.0
        out: Array = (K + K.T) / 2
        return out
