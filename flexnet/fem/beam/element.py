r"""The 2-node, 3-D beam by the flexibility of its section: interpolation, stiffness and mass points.

Between loads at its ends a beam is in balance with section forces s = (N, Vy, Vz, T, My, Mz) that follow
from those at its last end, p, and its strains e = (Γ, κ) are F s, F the (6, 6) flexibility of the section.
With E = [e₁]×, motions d = (u, θ) of the line and x from its first end,

.. math::
    A(x) = \begin{bmatrix} 1 & -x E \\ 0 & 1 \end{bmatrix}, \qquad
    s(x) = A(L - x)^T p, \qquad d(x) = A(x)\, d_1 + G(x)\, p,                              \tag{1} \\
    G(x) = \int_0^x A(x-t)\, F\, A(L-t)^T dt                                               \tag{2}

and d(L) = d₂ gives :math:`p = G(L)^{-1} B q`, B = [-A(L), 1], and the stiffness :math:`K = B^T G(L)^{-1} B`:
exact for loads at the nodes with any number of elements, thick or thin, coupled or not. A beam of one
material has a diagonal F, and this is the beam of Timoshenko with quadratic rotation; without the
flexibility in shear it is that of Euler and Bernoulli, exactly. docs/theory/beam.md has the derivation.

Local freedoms are (u, v, w, θx, θy, θz) of each end. Units are SI.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.fem.beam.rod_section import RodSection
from flexnet.fem.beam.section import BeamSection
from flexnet.fem.material import Material
from flexnet.typing import Array

GAUSS_XI, GAUSS_W = 0.5 * (np.polynomial.legendre.leggauss(4) + np.array([[1.0], [0.0]]))

LEVER = np.zeros((6, 6))
"""dA/dx of eq. (1): θ × e₁ = (0, θz, -θy)."""
LEVER[1, 5], LEVER[2, 4] = 1.0, -1.0


@dataclass(frozen=True, slots=True, eq=False)
class BeamConstants:
    """Numbers of a uniform beam: flexibility, masses per length, and what is left out of the theory.

    Parameters
    ----------
    F : (6, 6) strains (Γx, Γy, Γz, κx, κy, κz) by section forces (N, Vy, Vz, T, My, Mz).
    rhoA : mass per length [kg/m].
    points : (n, 2) places (y, z) of a section at which equal parts of its mass are [m]; without rotary
        inertia the line itself.
    polar : (Iy + Iz)/A [m²], the lever of an axial force on the twist.
    """

    F: Array
    rhoA: float
    points: Array
    polar: float


def beam_constants(
    material: Material | None,
    section: BeamSection | RodSection,
    *,
    shear: bool = True,
    rotary_inertia: bool = True,
) -> BeamConstants:
    """Return the constants of a beam; shear deformation and rotary inertia can each be left out."""
    if isinstance(section, RodSection):
        F, mass, spread = section.flexibility.copy(), section.mass, section.mass_spread()
    else:
        assert material is not None
        m, s = material, section
        shears = s.ky * m.G * s.A, s.kz * m.G * s.A
        F = np.diag(1.0 / np.array([m.E * s.A, *shears, m.G * s.torsion, m.E * s.Iy, m.E * s.Iz]))
        mass, spread = m.rho * s.A, np.diag([s.Iz, s.Iy]) / s.A
    if not shear:
        F[1:3] = F[:, 1:3] = 0.0
    points = np.zeros((1, 2))
    if rotary_inertia:
        # ±r₁ ± r₂ along the principal directions carry the second moments of the mass
        squares, directions = np.linalg.eigh(spread)
        arms = directions * np.sqrt(np.maximum(squares, 0.0))
        points = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) @ arms.T
    return BeamConstants(F, mass, points, float(np.trace(spread)))


def local_stiffness(L: Array, c: BeamConstants) -> Array:
    """Return the (n_e, 12, 12) stiffness in local axes at the line of the beam."""
    K = _differences(L).transpose(0, 2, 1) @ end_forces(L, c)
    return np.asarray(0.5 * (K + K.transpose(0, 2, 1)))


def end_forces(L: Array, c: BeamConstants) -> Array:
    """Return the section forces p at the last end by the twelve freedoms, (n_e, 6, 12)."""
    G = _flexibility(L[:, None], L, c.F)[:, 0]
    # lengths and angles side by side: scaled to a unit diagonal before it is inverted
    size = np.sqrt(np.einsum("eii->ei", G))[:, :, None]
    scaled = np.linalg.inv(G / (size * size.transpose(0, 2, 1)))
    return np.asarray((0.5 * (scaled + scaled.transpose(0, 2, 1)) / size) @ (_differences(L) / size))


def line_interpolation(xi: Array, L: Array, c: BeamConstants) -> Array:
    """Return the six motions (u, v, w, θx, θy, θz) of the line, (n_e, n_xi, 6, 12), local axes, eq. (1)."""
    x = xi * L[:, None]
    d = _flexibility(x, L, c.F) @ end_forces(L, c)[:, None]
    d[..., :6] += _carried(x)
    return np.asarray(d)


def line_slopes(xi: Array, L: Array, c: BeamConstants) -> Array:
    """Return d/dx of the six motions of the line, (n_e, n_xi, 6, 12)."""
    x, l, F = (xi * L[:, None])[..., None, None], L[:, None, None, None], c.F
    turned = LEVER @ F
    rate = F + x * turned + (l - x) * turned.T + (l * x - 0.5 * x**2) * (turned @ LEVER.T)
    d = rate @ end_forces(L, c)[:, None]
    d[..., :6] += LEVER
    return np.asarray(d)


def _carried(x: Array) -> Array:
    """A(x) of eq. (1), (…, 6, 6)."""
    return np.asarray(np.eye(6) + x[..., None, None] * LEVER)


def _differences(L: Array) -> Array:
    """B = [-A(L), 1], the motion of the last end beyond what the first carries along, (n_e, 6, 12)."""
    return np.concatenate([-_carried(L), np.broadcast_to(np.eye(6), (len(L), 6, 6))], axis=2)


def _flexibility(x: Array, L: Array, F: Array) -> Array:
    """G(x) of eq. (2) at places x (n_e, n_x) of elements of length L (n_e,), (n_e, n_x, 6, 6)."""
    x, l = x[..., None, None], L[:, None, None, None]
    turned = LEVER @ F
    both = turned @ LEVER.T
    return np.asarray(
        x * F + 0.5 * x**2 * turned + (l * x - 0.5 * x**2) * turned.T + (0.5 * l * x**2 - x**3 / 6.0) * both
    )


def local_mass_points(L: Array, c: BeamConstants) -> tuple[Array, Array, Array]:
    r"""Return local positions, displacement matrices and masses of the mass points.

    Four Gauss points along the line (exact to degree 7; products of cubics are degree 6) and the points of
    the section, which carry its mass and its second moments. A point moves by

    .. math:: u(x, y, z) = u(x) + \theta(x) \times (0, y, z).                            \tag{3}

    Returns
    -------
    s : (n_e, n_p, 3), N : (n_e, n_p, 3, 12), w : (n_e, n_p) arrays
        In the local axes of the elements, from their first end.
    """
    B = line_interpolation(GAUSS_XI, L, c)
    s, N = [], []
    mass = c.rhoA * L[:, None] * GAUSS_W / len(c.points)
    for y, z in c.points:
        position = np.zeros((len(L), len(GAUSS_XI), 3))
        position[:, :, 0] = L[:, None] * GAUSS_XI
        position[:, :, 1], position[:, :, 2] = y, z
        # θ × (0, y, z) = (θy z - θz y, -θx z, θx y)
        turn = np.array([[0.0, z, -y], [-z, 0.0, 0.0], [y, 0.0, 0.0]])
        s.append(position)
        N.append(B[:, :, :3] + turn @ B[:, :, 3:])
    return np.concatenate(s, axis=1), np.concatenate(N, axis=1), np.tile(mass, len(c.points))
