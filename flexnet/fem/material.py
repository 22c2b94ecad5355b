"""Isotropic visco-elastic material."""

from dataclasses import dataclass

from flexnet.errors import ModelError


@dataclass(frozen=True, slots=True)
class Material:
    r"""Linear isotropic material of Kelvin–Voigt type.

    Parameters
    ----------
    E : Young's modulus [Pa].
    nu : Poisson's ratio, -1 < ν < 0.5.
    rho : mass density [kg/m³].
    eta : retardation time [s], zero for a purely elastic material.

    Notes
    -----
    With the elastic tensor H,

    .. math:: \sigma = H \varepsilon + G \dot\varepsilon, \qquad G = \eta H            \tag{1}

    (Richard 2012, eq. 62), so that an element of this material has the damping matrix η K_e. A mode of
    angular frequency ω then has the damping ratio ηω/2.
    """

    E: float
    nu: float
    rho: float
    eta: float = 0.0

    def __post_init__(self) -> None:
        if not self.E > 0.0:
            raise ModelError(f"Young's modulus E = {self.E} must be positive")
        if not -1.0 < self.nu < 0.5:
            raise ModelError(f"Poisson's ratio nu = {self.nu} must lie between -1 and 0.5 (both excluded)")
        if not self.rho >= 0.0:
            raise ModelError(f"density rho = {self.rho} must not be negative")
        if not self.eta >= 0.0:
            raise ModelError(f"retardation time eta = {self.eta} must not be negative")

    @property
    def G(self) -> float:
        """Shear modulus [Pa]."""
        return self.E / (2.0 * (1.0 + self.nu))


@dataclass(frozen=True, slots=True)
class Rayleigh:
    """Damping of the whole body, C = alpha·M + beta·K, added to that of the materials.

    Parameters
    ----------
    alpha : mass factor [1/s].
    beta : stiffness factor [s].
    """

    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        if not (self.alpha >= 0.0 and self.beta >= 0.0):
            raise ModelError(
                f"Rayleigh factors alpha = {self.alpha}, beta = {self.beta} must not be negative"
            )
