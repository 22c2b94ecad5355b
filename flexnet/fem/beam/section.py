r"""The section of a beam: area, second moments, torsion constant and shear coefficients.

The axes y, z of a section are principal and start at its centroid. Bending in the xy plane is governed by
:math:`I_z = \int y^2 dA`, bending in the xz plane by :math:`I_y = \int z^2 dA`.
"""

from dataclasses import dataclass

from flexnet.errors import ModelError


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
