r"""The 2-node, 3-D Mindlin beam with quadratic rotation: interpolation, stiffness and mass points.

In one bending plane, with deflection w, rotation β and shear γ = w' - β, ξ = x/L:

.. math::
    β(ξ) &= (1-ξ) β_1 + ξ β_2 + 4ξ(1-ξ) α                                            \tag{1} \\
    γ &= \tfrac23 Φ α, \qquad Φ = 12 EI / (k G A L^2)                                \tag{2} \\
    α &= \frac{3}{2(1+Φ)} \left[\frac{w_2-w_1}{L} - \frac{β_1+β_2}{2}\right]         \tag{3} \\
    w(ξ) &= w_1 + L\left[(ξ-\tfrac{ξ^2}{2}) β_1 + \tfrac{ξ^2}{2} β_2
             + (2ξ^2 - \tfrac43 ξ^3 + \tfrac23 Φ ξ) α\right]                          \tag{4}

(2) is the equilibrium M' + Q = 0 and (3) makes (4) arrive at w₂. The axial displacement and the twist are
linear. The derivation is in docs/theory/beam.md; Φ = 0 is the Euler-Bernoulli beam, exactly.

Local freedoms are (u, v, w, θx, θy, θz) of each end, on the centroid line; the xy plane has (w, β) = (v, θz),
the xz plane (w, -θy). Units are SI.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.fem.beam.section import BeamSection
from flexnet.fem.material import Material
from flexnet.typing import Array

# freedoms (w₁, β₁, w₂, β₂) of each bending plane in the local twelve, and the sign of β
PLANES = (
    (np.array([1, 5, 7, 11]), np.array([1.0, 1.0, 1.0, 1.0])),  # xy: v, θz
    (np.array([2, 4, 8, 10]), np.array([1.0, -1.0, 1.0, -1.0])),  # xz: w, -θy
)
GAUSS_XI, GAUSS_W = 0.5 * (np.polynomial.legendre.leggauss(4) + np.array([[1.0], [0.0]]))


@dataclass(frozen=True, slots=True)
class BeamConstants:
    """Numbers of a uniform beam: stiffnesses, masses per length, and what is left out of the theory.

    Parameters
    ----------
    EA, GJ : axial and torsional stiffness [N, N·m²].
    EI : bending stiffness in the xy and the xz plane [N·m²].
    kGA : shear stiffness in the xy and the xz plane [N]; infinite without shear deformation.
    rhoA : mass per length [kg/m].
    r : radii of gyration along y and z [m]; zero without rotary inertia.
    polar : (Iy + Iz)/A [m²], the lever of an axial force on the twist.
    """

    EA: float
    GJ: float
    EI: tuple[float, float]
    kGA: tuple[float, float]
    rhoA: float
    r: tuple[float, float]
    polar: float


def beam_constants(
    material: Material, section: BeamSection, *, shear: bool = True, rotary_inertia: bool = True
) -> BeamConstants:
    """Return the constants of a beam; shear deformation and rotary inertia can each be left out."""
    m, s = material, section
    return BeamConstants(
        EA=m.E * s.A,
        GJ=m.G * s.torsion,
        EI=(m.E * s.Iz, m.E * s.Iy),
        kGA=(s.ky * m.G * s.A, s.kz * m.G * s.A) if shear else (np.inf, np.inf),
        rhoA=m.rho * s.A,
        r=((s.Iz / s.A) ** 0.5, (s.Iy / s.A) ** 0.5) if rotary_inertia else (0.0, 0.0),
        polar=(s.Iy + s.Iz) / s.A,
    )


def shear_ratio(L: Array, c: BeamConstants, plane: int) -> Array:
    """Φ of eq. (2) for elements of length L (n_e,)."""
    return np.asarray(12.0 * c.EI[plane] / (c.kGA[plane] * L**2))


def bending_stiffness(L: Array, EI: float, Phi: Array) -> Array:
    """Return the (n_e, 4, 4) stiffness of one bending plane in (w₁, β₁, w₂, β₂)."""
    k = np.empty((len(L), 4, 4))
    k[:, 0, :] = np.stack([12.0 + 0 * L, 6.0 * L, -12.0 + 0 * L, 6.0 * L], axis=1)
    k[:, 1, :] = np.stack([6.0 * L, (4.0 + Phi) * L**2, -6.0 * L, (2.0 - Phi) * L**2], axis=1)
    k[:, 2, :] = -k[:, 0, :]
    k[:, 3, :] = np.stack([6.0 * L, (2.0 - Phi) * L**2, -6.0 * L, (4.0 + Phi) * L**2], axis=1)
    return np.asarray(EI / ((1.0 + Phi) * L**3))[:, None, None] * k


def local_stiffness(L: Array, c: BeamConstants) -> Array:
    """Return the (n_e, 12, 12) stiffness in local axes at the centroid line."""
    K = np.zeros((len(L), 12, 12))
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for freedom, stiffness in ((0, c.EA), (3, c.GJ)):
        ends = np.array([freedom, freedom + 6])
        K[:, ends[:, None], ends] = (stiffness / L)[:, None, None] * pair
    for plane, (freedoms, sign) in enumerate(PLANES):
        k = bending_stiffness(L, c.EI[plane], shear_ratio(L, c, plane))
        K[:, freedoms[:, None], freedoms] = k * sign[:, None] * sign
    return K


def bending_shape(xi: Array, L: Array, Phi: Array) -> tuple[Array, Array]:
    """Return w(ξ) and β(ξ) of eqs (4) and (1), each (n_e, n_xi, 4) in (w₁, β₁, w₂, β₂)."""
    x = xi[None, :]
    l, f = L[:, None], Phi[:, None]
    a = quadratic_rotation(L, Phi)
    one, zero = np.ones_like(l * x), np.zeros_like(l * x)
    w_linear = np.stack([one, l * (x - 0.5 * x**2), zero, l * 0.5 * x**2], axis=2)
    b_linear = np.stack([zero, one - x, zero, zero + x], axis=2)
    w_alpha = l * (2.0 * x**2 - 4.0 / 3.0 * x**3 + 2.0 / 3.0 * f * x)
    b_alpha = zero + 4.0 * x * (1.0 - x)
    return w_linear + w_alpha[:, :, None] * a[:, None, :], b_linear + b_alpha[:, :, None] * a[:, None, :]


def bending_slope(xi: Array, L: Array, Phi: Array) -> tuple[Array, Array]:
    """Return dw/dx and dβ/dx, each (n_e, n_xi, 4), from eqs (4) and (1)."""
    x, l = xi[None, :], L[:, None]
    a = quadratic_rotation(L, Phi)
    _, b = bending_shape(xi, L, Phi)
    shear = 2.0 / 3.0 * Phi[:, None] * a  # γ, eq. (2)
    zero = np.zeros_like(l * x)
    b_linear = np.stack([zero, zero - 1.0 / l, zero, zero + 1.0 / l], axis=2)
    b_alpha = 4.0 * (1.0 - 2.0 * x) / l
    return b + shear[:, None, :], b_linear + b_alpha[:, :, None] * a[:, None, :]


def quadratic_rotation(L: Array, Phi: Array) -> Array:
    """Return the (n_e, 4) coefficients of (w₁, β₁, w₂, β₂) in α, eq. (3)."""
    half = np.full_like(L, -0.5)
    return np.asarray((1.5 / (1.0 + Phi))[:, None] * np.stack([-1.0 / L, half, 1.0 / L, half], axis=1))


def line_interpolation(xi: Array, L: Array, c: BeamConstants) -> Array:
    """Return the six motions (u, v, w, θx, θy, θz) of the centroid line, (n_e, n_xi, 6, 12), local axes."""
    B = np.zeros((len(L), len(xi), 6, 12))
    for freedom in (0, 3):
        B[:, :, freedom, freedom] = 1.0 - xi
        B[:, :, freedom, freedom + 6] = xi
    for plane, (freedoms, sign) in enumerate(PLANES):
        w, b = bending_shape(xi, L, shear_ratio(L, c, plane))
        B[:, :, 1 + plane, freedoms] = w * sign
        B[:, :, 5 - plane, freedoms] = b * sign * sign[1]  # θz = β, θy = -β
    return B


def local_mass_points(L: Array, c: BeamConstants) -> tuple[Array, Array, Array]:
    r"""Return local positions, displacement matrices and masses of the mass points.

    Four Gauss points along the line (exact to degree 7; products of cubics are degree 6) and four points of
    the section at (±r_y, ±r_z), which carry ∫y² = A r_y², ∫z² = A r_z², ∫yz = 0; without rotary inertia one
    point on the centroid line. A point moves by

    .. math:: u(x, y, z) = \bar u(x) + \bar\theta(x) \times (0, y, z).                   \tag{5}

    Returns
    -------
    s : (n_e, n_p, 3), N : (n_e, n_p, 3, 12), w : (n_e, n_p) arrays
        In the local axes of the elements, from their first end.
    """
    ry, rz = c.r
    section = [(ry, rz), (-ry, rz), (-ry, -rz), (ry, -rz)] if ry > 0.0 or rz > 0.0 else [(0.0, 0.0)]
    B = line_interpolation(GAUSS_XI, L, c)  # (element, xi, motion, freedom)
    mass = c.rhoA * L[:, None] * GAUSS_W / len(section)
    s, N = [], []
    for y, z in section:
        position = np.zeros((len(L), len(GAUSS_XI), 3))
        position[:, :, 0] = L[:, None] * GAUSS_XI
        position[:, :, 1], position[:, :, 2] = y, z
        # θ × (0, y, z) = (θy z - θz y, -θx z, θx y)
        turn = np.array([[0.0, z, -y], [-z, 0.0, 0.0], [y, 0.0, 0.0]])
        s.append(position)
        N.append(B[:, :, :3] + turn @ B[:, :, 3:])
    return np.concatenate(s, axis=1), np.concatenate(N, axis=1), np.tile(mass, len(section))
