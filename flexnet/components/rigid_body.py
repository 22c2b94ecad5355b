"""Rigid body: an edge from the datum to its centre-of-mass frame."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.components.frame import Frame
from flexnet.components.registry import component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array


@component
@dataclass(frozen=True, slots=True, eq=False)
class RigidBody:
    """Rigid body with its frame at the centre of mass.

    Motion space   {x, y, z | any rotation}
    Terminal       F = -m a,   T = -(J ω̇ + ω × J ω)            GTM (75)-(76), DynaFlex (8), Léger (B.1)

    Attributes
    ----------
    mass : kg, positive (zero only for a massless body).
    inertia : (3, 3) about the centre of mass in the body frame, kg m².
    """

    symbol: ClassVar[str] = "m"
    kind: ClassVar[Kind] = Kind.BODY
    noun: ClassVar[str] = "body"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    mass: float
    inertia: Array

    @property
    def terminal(self) -> Terminal:
        """Three translations in ground axes and any rotation."""
        rotation = Rotation.ball()
        return Terminal(Translation(free=XYZ), rotation)


def check_mass(name: str, mass: float) -> None:
    """Refuse a mass that is not positive."""
    if not isinstance(mass, int | float | np.number) or not np.isfinite(mass) or mass <= 0:
        raise ModelError(
            f"body {name!r} has mass {mass!r} kg; it must be a positive number (or say massless_body)"
        )


def as_inertia(name: str, value: object, is_planar: bool) -> Array:
    """Turn a number (J_zz), three principal moments or a matrix into a checked (3, 3) inertia.

    In space the number 0 is that of a point mass.

    Raises
    ------
    ModelError
        If the matrix is not symmetric, a principal moment is negative, or one exceeds the sum of the
        other two (no distribution of mass can do that).
    """
    J = np.array(value, dtype=float)
    if J.ndim == 0:
        if not is_planar and J != 0:
            raise ModelError(f"body {name!r} needs three moments of inertia or a matrix, got {value}")
        if not np.isfinite(J) or J < 0:
            raise ModelError(f"body {name!r} has moment of inertia {J} kg m²; it must not be negative")
        return np.diag([0.0, 0.0, float(J)])
    if J.shape == (3,):
        J = np.diag(J)
    if J.shape != (3, 3) or not np.all(np.isfinite(J)):
        few = "one moment, " if is_planar else ""
        raise ModelError(
            f"inertia of body {name!r} must be {few}three moments or a (3, 3) matrix, got {value!r}"
        )
    if not np.allclose(J, J.T, atol=1e-12 * float(np.abs(J).max())):
        raise ModelError(f"inertia of body {name!r} is not symmetric")
    _check_triangle(name, np.linalg.eigvalsh(J), is_planar)
    return J


def _check_triangle(name: str, moments: Array, is_planar: bool) -> None:
    scale = max(float(moments.max()), 1e-300)
    if moments.min() < -1e-9 * scale:
        raise ModelError(
            f"inertia of body {name!r} has the negative principal moment {moments.min():g} kg m²"
        )
    if not is_planar and moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
        raise ModelError(
            f"inertia of body {name!r} violates the triangle inequality: "
            f"{moments[2]:g} > {moments[0]:g} + {moments[1]:g} kg m²"
        )
