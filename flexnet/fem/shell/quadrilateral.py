r"""The shell quadrilateral: discrete Kirchhoff bending (DKQ) and the OPT membrane of both its halvings.

**Bending.** The normal turns by β, quadratic with eight points: corners, where β_x = θy, β_y = -θx, and
middles of the sides, where on the side from i to j of length l, tangent s,

    β_s = 3/(2l) (w_i - w_j) - ¼ (β_si + β_sj),      β_n = ½ (β_ni + β_nj),            (1)

Kirchhoff's condition for a cubic deflection of the side (Batoz and Tahar 1982, eqs (17)-(22)). The
curvatures κ of β are integrated at 2 × 2 points, in the plane across both diagonals. A rigid motion gives
none, warped or not.

**Membrane.** A diagonal cuts the quadrilateral into two OPT triangles. With β0 = 1 their strains at the
corners, mean of both halves that meet there and of both diagonals, are those of in-plane bending exactly,
on any rectangle and without shear. They are interpolated bilinearly to S(ξ, η), and

    ε = ε̄ + s (S - S̄),      ε̄ = mean of the halves of both diagonals,            (2)

S̄ the mean of S. The mean ε̄ passes the patch test on any mesh, triangles beside quadrilaterals included,
and s² = 1/mean(A11 A⁻¹11), 1 - ν² if isotropic, gives the energy of in-plane bending, in which the sheet
contracts freely. Drilling rotations refer to the normals of the sides as in the triangle. Both parts make
one strain (ε, κ), so that a laminate couples them. Mass and prestress are those of the halves.

References
----------
Batoz, J.-L., Tahar, M. B., Evaluation of a new quadrilateral thin plate bending element, Int. J. Numer.
Meth. Engng 18 (1982) 1655-1677.
"""

from collections.abc import Iterator

import numpy as np

from flexnet.fem.mass_points import MassPoints
from flexnet.fem.shell.drilling import quadrilateral_normals
from flexnet.fem.shell.inertia import mass_points
from flexnet.fem.shell.kinematics import (
    CENTROID,
    strain_energy,
    strain_matrix,
    weighted_bending,
)
from flexnet.fem.shell.kinematics import CORNERS as TRIANGLE
from flexnet.fem.shell.opt import contraction
from flexnet.fem.shell.prestress import geometric_basis
from flexnet.fem.shell.section import ShellSection
from flexnet.typing import Array, IntArray

HALVES = ((0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3))
"""Corners of the halves by either diagonal."""
# normals of their sides among those of the sides 12, 23, 34, 41 and, last, of the quadrilateral itself
SIDES = ((0, 1, 4), (4, 2, 3), (0, 4, 3), (1, 2, 4))
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
GAUSS = CORNERS / np.sqrt(3.0)
CENTRE = np.zeros((1, 2))
POINTS = np.concatenate([TRIANGLE, CENTROID])


def halves(X: Array) -> Iterator[tuple[IntArray, Array, Array]]:
    """Yield freedoms (18,) among the 24, nodes (n_e, 3, 3) and side normals (n_e, 3, 3) of the four halves.

    Parameters
    ----------
    X : (n_e, 8 or more, 3) array, nodes and normals of the sides 12, 23, 34, 41.
    """
    normals = np.concatenate([X[:, 4:8], quadrilateral_normals(X[:, :4])[:, None]], axis=1)
    for corners, sides in zip(HALVES, SIDES, strict=True):
        where = (6 * np.array(corners)[:, None] + np.arange(6)).reshape(-1)
        yield where, X[:, list(corners)], normals[:, list(sides)]


def surface(X: Array) -> Array:
    """Return the area (n_e,) of quadrilaterals, warped ones included: the mean over both diagonals [m²]."""
    total = np.zeros(len(X))
    for _, triangle, _ in halves(X):
        a, b = triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0]
        total += 0.25 * np.linalg.norm(np.cross(a, b), axis=1)
    return total


def quadrilateral_stiffness(X: Array, section: ShellSection, bending_scale: float | Array = 1.0) -> Array:
    """Return the (n_e, 24, 24) stiffness matrices; X as in :func:`halves`, β_b as of a triangle."""
    B, area = quadrilateral_strains(X, section, GAUSS)
    return strain_energy(weighted_bending(B, area, bending_scale), section, area)


def quadrilateral_strains(X: Array, section: ShellSection, points: Array = CENTRE) -> tuple[Array, Array]:
    """Return B with (ε, κ) = B q_e at points (ξ, η), (n_e, n_p, 6, 24), and the area per weight (n_e, n_p).

    Strains are in the axes of the quadrilateral: 1 along the projection of the section's axis.
    """
    at_corners, mean = _membrane(X, section)
    bending, area = curvatures(X[:, :4], section, points)
    _, weight = curvatures(X[:, :4], section, GAUSS)
    S = np.einsum("pc,ecij->epij", _bilinear(points), at_corners)
    whole = np.einsum("ep,pc,ecij->eij", weight, _bilinear(GAUSS), at_corners, optimize=True)
    whole /= weight.sum(axis=1)[:, None, None]
    scale = np.sqrt(1.0 / contraction(section.A))
    return np.concatenate([mean[:, None] + scale * (S - whole[:, None]), bending], axis=2), area


def _membrane(X: Array, section: ShellSection) -> tuple[Array, Array]:
    """Return membrane strains of the halves at the corners (n_e, 4, 3, 24) and their mean (n_e, 3, 24)."""
    n_e, axes = len(X), section.axes(X[:, :4])
    at_corners, mean, total = np.zeros((n_e, 4, 3, 24)), np.zeros((n_e, 3, 24)), np.zeros(n_e)
    share = np.zeros((2, n_e, 4))  # (diagonal, element, corner): area of the halves that meet there
    parts = []
    for number, (where, triangle, normals) in enumerate(halves(X)):
        facets = section.facets(triangle)
        own = _turned(strain_matrix(facets, section, POINTS, normals, 1.0)[:, :, :3], facets.R, axes)
        share[number // 2][:, list(HALVES[number])] += facets.area[:, None]
        mean[:, :, where] += facets.area[:, None, None] * own[:, 3]
        total += facets.area
        parts.append((where, facets.area, own))
    for number, (where, area, own) in enumerate(parts):
        for k, corner in enumerate(HALVES[number]):
            weight = 0.5 * area / share[number // 2][:, corner]
            at_corners[:, corner][:, :, where] += weight[:, None, None] * own[:, k]
    return at_corners, mean / total[:, None, None]


def _bilinear(points: Array) -> Array:
    """Return the bilinear functions of the corners at points (ξ, η), (n_p, 4)."""
    return np.asarray((1.0 + points[:, :1] * CORNERS[:, 0]) * (1.0 + points[:, 1:] * CORNERS[:, 1]) / 4.0)


def _turned(B: Array, R: Array, axes: Array) -> Array:
    """Return membrane strains (n_e, n_p, 3, ·) of facets R in other axes (n_e, 3, 3), nearly in one plane."""
    c = np.einsum("ei,ei->e", R[:, 0], axes[:, 0])
    s = np.einsum("ei,ei->e", R[:, 1], axes[:, 0])
    size = np.hypot(c, s)
    c, s = c / size, s / size
    T = np.stack(
        [c * c, s * s, c * s, s * s, c * c, -c * s, -2 * c * s, 2 * c * s, c * c - s * s], axis=-1
    ).reshape(-1, 1, 3, 3)
    return np.asarray(T @ B)


def quadrilateral_mass_points(X: Array, section: ShellSection) -> MassPoints:
    """Return the mass points of the halves, half the mass each, (n_e, 96) points."""
    s, N, w = [], [], []
    for where, triangle, _ in halves(X):
        points = mass_points(triangle, section)
        spread = np.zeros((*points.N.shape[:3], 24))
        spread[..., where] = points.N
        s.append(points.s)
        N.append(spread)
        w.append(0.5 * points.w)
    return MassPoints(np.concatenate(s, axis=1), np.concatenate(N, axis=1), np.concatenate(w, axis=1))


def quadrilateral_prestress(X: Array, section: ShellSection) -> Array:
    """Return the geometric stiffness of unit membrane forces Nx, Ny, Nxy, (n_e, 3, 24, 24)."""
    K = np.zeros((len(X), 3, 24, 24))
    for where, triangle, _ in halves(X):
        own = geometric_basis(triangle, section).reshape(-1, 3, 3, 18, 18).sum(axis=1)
        K[:, :, where[:, None], where] += 0.5 * own
    return K


def curvatures(X: Array, section: ShellSection, points: Array) -> tuple[Array, Array]:
    """Return B with κ = B q_e (n_e, n_p, 3, 24) at points (ξ, η), and the area per weight (n_e, n_p) [m²]."""
    R = section.axes(X)
    x = np.einsum("eni,eai->ena", X - X.mean(axis=1, keepdims=True), R[:, :2])
    G, area = _gradients(x, points)
    beta = _normal_turn(x)  # (e, 8 points, β_x β_y, node, w θx θy)
    local = np.zeros((len(X), len(points), 3, 4, 3))
    local[:, :, 0] = np.einsum("epk,ekni->epni", G[..., 0], beta[:, :, 0])
    local[:, :, 1] = np.einsum("epk,ekni->epni", G[..., 1], beta[:, :, 1])
    local[:, :, 2] = np.einsum("epk,ekni->epni", G[..., 1], beta[:, :, 0])
    local[:, :, 2] += np.einsum("epk,ekni->epni", G[..., 0], beta[:, :, 1])
    B = np.zeros((len(X), len(points), 3, 4, 6))
    B[..., :3] = local[..., :1] * R[:, None, None, None, 2]
    B[..., 3:] = np.einsum("epcna,eai->epcni", local[..., 1:], R[:, :2])
    return B.reshape(len(X), len(points), 3, 24), area


def _normal_turn(x: Array) -> Array:
    """Return β at the corners and the middles of the sides, eq. (1), by w, θx, θy, (n_e, 8, 2, 4, 3)."""
    beta = np.zeros((len(x), 8, 2, 4, 3))
    for n in range(4):
        beta[:, n, 0, n, 2], beta[:, n, 1, n, 1] = 1.0, -1.0
    for i in range(4):
        j = (i + 1) % 4
        d = x[:, j] - x[:, i]
        l2 = (d * d).sum(axis=1)
        # ½ of the mean of the corners, less ¾ of its part along the side
        P = 0.5 * np.eye(2) - 0.75 * d[:, :, None] * d[:, None, :] / l2[:, None, None]
        for a, sign in ((i, 1.5), (j, -1.5)):
            beta[:, 4 + i, :, a, 0] = sign * d / l2[:, None]
            beta[:, 4 + i, :, a, 2] = P[:, :, 0]
            beta[:, 4 + i, :, a, 1] = -P[:, :, 1]
    return beta


def _gradients(x: Array, points: Array) -> tuple[Array, Array]:
    """Return ∂N/∂(x, y) of the eight functions (n_e, n_p, 8, 2) and the area per unit of ξη (n_e, n_p)."""
    xi, eta = points.T
    a, b = CORNERS.T
    by = np.zeros((len(points), 8, 2))
    u, v = 1.0 + xi[:, None] * a, 1.0 + eta[:, None] * b
    bilinear = np.stack([a * v / 4.0, b * u / 4.0], axis=-1)  # (point, node, direction)
    by[:, 4], by[:, 6] = (
        np.stack([-xi * (1.0 + s * eta), s * (1.0 - xi**2) / 2.0], axis=-1) for s in (-1.0, 1.0)
    )
    by[:, 5], by[:, 7] = (
        np.stack([s * (1.0 - eta**2) / 2.0, -eta * (1.0 + s * xi)], axis=-1) for s in (1.0, -1.0)
    )
    for n in range(4):
        by[:, n] = bilinear[:, n] - 0.5 * (by[:, 4 + n] + by[:, 4 + (n + 3) % 4])
    J = np.einsum("pnd,ena->epad", bilinear, x)
    return np.einsum("pkd,epda->epka", by, np.linalg.inv(J)), np.linalg.det(J)
