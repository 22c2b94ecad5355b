"""One layer of a shell: its material, its thickness and the direction of its fibres."""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.material import Material
from flexnet.typing import Array

__all__ = ["Orthotropic", "Ply"]


@dataclass(frozen=True, slots=True)
class Orthotropic:
    """Orthotropic sheet in plane stress, fibres along 1.

    Parameters
    ----------
    E1, E2 : moduli along and across the fibres [Pa].
    nu12 : Poisson's ratio, contraction along 2 under tension along 1 [-].
    G12 : shear modulus [Pa].
    rho : density [kg/m³].
    eta : Kelvin–Voigt retardation time [s].
    """

    E1: float
    E2: float
    nu12: float
    G12: float
    rho: float
    eta: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("E1", self.E1), ("E2", self.E2), ("G12", self.G12)):
            if not (np.isfinite(value) and value > 0.0):
                raise ModelError(f"orthotropic material: {name} is {value}; it must be positive")
        if not (np.isfinite(self.rho) and self.rho >= 0.0):
            raise ModelError(f"orthotropic material: rho is {self.rho}; it must not be negative")
        if not (np.isfinite(self.eta) and self.eta >= 0.0):
            raise ModelError(f"orthotropic material: eta is {self.eta}; it must not be negative")
        if not self.nu12**2 < self.E1 / self.E2:
            raise ModelError(
                f"orthotropic material: nu12 is {self.nu12}; "
                f"its square must be less than E1/E2 = {self.E1 / self.E2:.4g}"
            )


@dataclass(frozen=True, slots=True)
class Ply:
    """One layer.

    Parameters
    ----------
    material : isotropic or orthotropic.
    thickness : [m].
    angle : from the axis of the section to the fibres, about the normal of the facet [rad].
    """

    material: Material | Orthotropic
    thickness: float
    angle: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.thickness) and self.thickness > 0.0):
            raise ModelError(f"ply: thickness is {self.thickness}; it must be positive")
        if not np.isfinite(self.angle):
            raise ModelError(f"ply: angle is {self.angle}; it must be a number of radians")

    @property
    def modulus(self) -> float:
        """Young's modulus, along the fibres [Pa]."""
        return self.material.E if isinstance(self.material, Material) else self.material.E1

    def stiffness(self) -> Array:
        """Return Q̄ with σ = Q̄ ε in facet axes, (3, 3) [Pa]."""
        T = strain_rotation(self.angle)
        return np.asarray(T.T @ plane_stress(self.material) @ T)


def plane_stress(material: Material | Orthotropic) -> Array:
    """Return Q with (σ1, σ2, τ12) = Q (ε1, ε2, γ12) in the axes of the material, (3, 3) [Pa]."""
    if isinstance(material, Orthotropic):
        E1, E2, nu12, G12 = material.E1, material.E2, material.nu12, material.G12
    else:
        E1, E2, nu12, G12 = material.E, material.E, material.nu, material.G
    Q = np.diag([E1, E2, 0.0])
    Q[0, 1] = Q[1, 0] = nu12 * E2
    Q /= 1.0 - nu12**2 * E2 / E1
    Q[2, 2] = G12
    return Q


def strain_rotation(angle: float) -> Array:
    """Return T with (ε1, ε2, γ12) = T (εx, εy, γxy), axes 1, 2 turned by ``angle`` from x, y; (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])
