"""MITC4, the rival of our quadrilateral: Reissner–Mindlin bending with assumed transverse shear.

β and w are bilinear. The covariant shears γ_ξ = w,ξ + β·x,ξ and γ_η = w,η + β·x,η are taken at the middles of
the sides, A, C (η = -1, 1) and D, B (ξ = -1, 1), and interpolated between them,

    γ_ξ = ½(1 - η) γ_ξ(A) + ½(1 + η) γ_ξ(C),      γ_η = ½(1 - ξ) γ_η(D) + ½(1 + ξ) γ_η(B).

The membrane is that of our quadrilateral, drilling included, so that bending alone is compared. Isotropic.

Bathe, K.-J., Dvorkin, E. N., A four-node plate bending element based on Mindlin/Reissner plate theory and a
mixed interpolation, Int. J. Numer. Meth. Engng 21 (1985) 367-383.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.fem.shell.kinematics import strain_energy
from flexnet.fem.shell.quad_region import QuadRegion
from flexnet.fem.shell.quadrilateral import CORNERS, GAUSS, quadrilateral_strains
from tests.fem.shell.structure import QuadShell

SHEAR_FACTOR = 5.0 / 6.0


def gradients(points):
    """∂N/∂(ξ, η) of the bilinear functions, (point, node, direction)."""
    u, v = 1.0 + points[:, :1] * CORNERS[:, 0], 1.0 + points[:, 1:] * CORNERS[:, 1]
    return np.stack([CORNERS[:, 0] * v, CORNERS[:, 1] * u], axis=-1) / 4.0


def covariant_shear(x, point, direction):
    """B of γ_ξ (direction 0) or γ_η (1) at one point: freedoms w, β_x, β_y of every node, (e, node, 3)."""
    by = gradients(np.array([point]))[0, :, direction]
    N = np.prod(1.0 + np.array(point) * CORNERS, axis=1) / 4.0
    along = np.einsum("n,ena->ea", by, x)
    B = np.zeros((len(x), 4, 3))
    B[..., 0], B[..., 1:] = by, N[:, None] * along[:, None]
    return B


def bending(X, section):
    """B of κ and of γ (e, point, 3 and 2, 24) at the 2 × 2 points, and the area of each (e, point)."""
    R = section.axes(X)
    x = np.einsum("eni,eai->ena", X - X.mean(axis=1, keepdims=True), R[:, :2])
    by = gradients(GAUSS)
    J = np.einsum("pnd,ena->epda", by, x)
    G = np.einsum("pnd,epad->epna", by, np.linalg.inv(J))
    local = np.zeros((len(X), 4, 5, 4, 3))  # (element, point, κ and γ, node, w β_x β_y)
    local[:, :, 0, :, 1] = local[:, :, 2, :, 2] = G[..., 0]
    local[:, :, 1, :, 2] = local[:, :, 2, :, 1] = G[..., 1]
    (A, C), (D, B) = (
        [covariant_shear(x, at, k) for at in ends]
        for k, ends in enumerate([((0.0, -1.0), (0.0, 1.0)), ((-1.0, 0.0), (1.0, 0.0))])
    )
    for p, (xi, eta) in enumerate(GAUSS):
        pair = np.stack([(1 - eta) * A + (1 + eta) * C, (1 - xi) * D + (1 + xi) * B], axis=1) / 2.0
        local[:, p, 3:] = np.einsum("eda,eanj->ednj", np.linalg.inv(J[:, p]), pair)
    full = np.zeros((len(X), 4, 5, 4, 6))
    full[..., :3] = local[..., :1] * R[:, None, None, None, 2]
    turn = np.stack([local[..., 2] * -1.0, local[..., 1]], axis=-1)  # β_x = θy, β_y = -θx
    full[..., 3:] = np.einsum("epcna,eai->epcni", turn, R[:, :2])
    full = full.reshape(len(X), 4, 5, 24)
    return full[:, :, :3], full[:, :, 3:], np.linalg.det(J)


@dataclass(frozen=True)
class MitcRegion(QuadRegion):
    """Our region with the stiffness of MITC4."""

    def stiffness(self, X):
        curvature, shear, area = bending(X[:, :4], self.section)
        B, _ = quadrilateral_strains(X, self.section, GAUSS)
        K = strain_energy(np.concatenate([B[:, :, :3], curvature], axis=2), self.section, area)
        G = sum(ply.material.G * ply.thickness for ply in self.section.plies) * SHEAR_FACTOR
        return K + G * np.einsum("ep,epci,epcj->eij", area, shear, shear, optimize=True)


class MitcShell(QuadShell):
    """The same of MITC4, with its own loads: a quarter of what acts on a cell at each corner, no moments."""

    region = MitcRegion

    def gather(self, load_e):
        force = load_e.reshape(-1, 2, 3, 6)[..., :3].sum(axis=(1, 2)) / 4.0
        load = np.zeros((len(self.nodes), 6))
        np.add.at(load[:, :3], self.quadrilaterals.reshape(-1), np.repeat(force, 4, axis=0))
        return load.reshape(-1)
