r"""The section of a beam: area, second moments, torsion constant and shear coefficients.

The axes y, z of a section are principal and start at its centroid. Bending in the xy plane is governed by
:math:`I_z = \int y^2 dA`, bending in the xz plane by :math:`I_y = \int z^2 dA`.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.typing import Array


@dataclass(frozen=True, slots=True)
class BeamSection:
    """Section constants of a beam.

    Parameters
    ----------
    A : area [m²].
    Iy, Iz : second moments ∫z²dA and ∫y²dA [m⁴].
    J : torsion constant [m⁴]; Iy + Iz (right for circular sections only) if not given.
    ky, kz : shear coefficients for shear along y and along z.
    corners : (y, z) of the corners of its outline [m], where normal stresses are largest.
    radius : of a round outline [m].
    """

    A: float
    Iy: float
    Iz: float
    J: float | None = None
    ky: float = 5.0 / 6.0
    kz: float = 5.0 / 6.0
    corners: tuple[tuple[float, float], ...] = ()
    radius: float = 0.0

    def __post_init__(self) -> None:
        for name in ("A", "Iy", "Iz", "ky", "kz"):
            value = getattr(self, name)
            if not value > 0.0:
                raise ModelError(f"beam section: {name} = {value} must be positive")
        if self.J is None:
            object.__setattr__(self, "J", self.Iy + self.Iz)
        elif not self.J > 0.0:
            raise ModelError(f"beam section: J = {self.J} must be positive")

    @property
    def torsion(self) -> float:
        """Torsion constant [m⁴]."""
        assert self.J is not None
        return self.J

    def stress_row(self, y: float, z: float) -> Array:
        """Normal stress at a point from the centroid by section forces (N, Vy, Vz, T, My, Mz), (6,)."""
        return np.array([1.0 / self.A, 0.0, 0.0, 0.0, z / self.Iy, -y / self.Iz])

    def stress_rows(self) -> Array:
        """The same at its corners, or at those of a rectangle with its area and second moments, (k, 6)."""
        y, z = (3.0 * self.Iz / self.A) ** 0.5, (3.0 * self.Iy / self.A) ** 0.5
        corners = self.corners or ((y, z), (-y, z), (y, -z), (-y, -z))
        return np.array([self.stress_row(*corner) for corner in corners])
