"""Isotropic visco-elastic material."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from flexnet.errors import ModelError
from flexnet.typing import Array


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
    alpha : mass factor [1/s]; of the velocities of deformation, as the support of the body has them.
    beta : stiffness factor [s]; the same from every support.
    """

    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        if not (self.alpha >= 0.0 and self.beta >= 0.0):
            raise ModelError(
                f"Rayleigh factors alpha = {self.alpha}, beta = {self.beta} must not be negative"
            )

    @classmethod
    def through(cls, first: tuple[float, float], second: tuple[float, float]) -> "Rayleigh":
        """Return the damping with given ratios at two frequencies, each (frequency [Hz], ratio).

        ζ = α/2ω + βω/2; a pair of ratios that needs a negative factor is refused.
        """
        (f1, z1), (f2, z2) = first, second
        if not (f1 > 0.0 and f2 > 0.0 and f1 != f2):
            raise ModelError(f"Rayleigh damping through {f1} and {f2} Hz; expected two positive frequencies")
        w = 2.0 * pi * np.array([f1, f2])
        alpha, beta = np.linalg.solve(np.column_stack([0.5 / w, 0.5 * w]), [z1, z2])
        return cls(float(alpha), float(beta))


@dataclass(frozen=True, slots=True)
class ModalDamping:
    """Damping of the coordinates of a reduced body by ratios, added to that of the materials.

    Parameters
    ----------
    ratios : ζ of every coordinate, which is a mode of the body as its support holds it, or one for each of
        ``frequencies``.
    frequencies : increasing [Hz]; a coordinate has the ratio that lies on the line between its neighbours at
        its own frequency, beyond the ends that of the end. None: one ratio for all.

    Notes
    -----
    Coordinates are orthonormal in mass and diagonal in stiffness: C gains 2ζ_i ω_i on its diagonal.
    """

    ratios: float | Sequence[float]
    frequencies: Sequence[float] | None = None

    def __post_init__(self) -> None:
        z = np.atleast_1d(np.asarray(self.ratios, dtype=float))
        f = None if self.frequencies is None else np.asarray(self.frequencies, dtype=float)
        if z.ndim != 1 or not (z >= 0.0).all() or not np.isfinite(z).all():
            raise ModelError(f"damping ratios {self.ratios} must be finite and not negative")
        if (f is None and len(z) != 1) or (f is not None and f.shape != z.shape):
            raise ModelError(
                f"damping has {len(z)} ratios for {0 if f is None else f.size} frequencies; give one ratio"
                " for all, or one for each frequency"
            )
        if f is not None and not (f[0] >= 0.0 and (np.diff(f) > 0.0).all()):
            raise ModelError(f"frequencies {self.frequencies} of damping ratios must increase from zero")
        object.__setattr__(self, "ratios", float(z[0]) if f is None else tuple(z.tolist()))
        object.__setattr__(self, "frequencies", None if f is None else tuple(f.tolist()))

    def at(self, frequency: Array) -> Array:
        """Return ζ of coordinates of such frequencies (m,) [Hz]."""
        if self.frequencies is None:
            return np.full(len(frequency), self.ratios)
        return np.asarray(np.interp(frequency, self.frequencies, np.asarray(self.ratios)), dtype=float)


Damping = Rayleigh | ModalDamping
