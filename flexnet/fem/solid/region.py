"""A region of tetrahedra of one material."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.fem.mass_points import MassPoints
from flexnet.fem.material import Material
from flexnet.fem.region import AbstractRegion
from flexnet.fem.solid.recovery import SolidStress, elasticity
from flexnet.fem.solid.tetrahedron import CORNERS, DEGREE_5, GAUSS, functions, gradients
from flexnet.typing import Array, IntArray

#: strain εx εy εz γxy γyz γzx by gradient: (row, displacement, derivative)
SHEARS = ((3, 0, 1), (4, 1, 2), (5, 2, 0))
#: pairs of derivatives of the stresses σx σy σz τxy τyz τzx
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


@dataclass(frozen=True, slots=True)
class SolidRegion(AbstractRegion):
    """Tetrahedra of the mesh that are solid.

    Parameters
    ----------
    group : name of the group of tetrahedra.
    material : isotropic.

    Notes
    -----
    Stiffness by four points, as C3D10 of Abaqus and CalculiX; mass points are exact on straight edges. The
    state are the stresses (σx, σy, σz, τxy, τyz, τzx) at these four points in body axes [Pa]: where a body is
    bent they change over an element, and their mean is not what stretches as its fibres turn.
    """

    kind: ClassVar[str] = "tetrahedron"
    n_state: ClassVar[int] = 24
    has_bow: ClassVar[bool] = False
    has_rotations: ClassVar[bool] = False

    group: str
    material: Material

    @property
    def materials(self) -> tuple[tuple[float, float], ...]:
        """Young's modulus [Pa] and density [kg/m³]."""
        return ((self.material.E, self.material.rho),)

    @property
    def density(self) -> float:
        """Mass per volume [kg/m³]."""
        return self.material.rho

    @property
    def retardation(self) -> float:
        """Kelvin–Voigt retardation time [s]."""
        return self.material.eta

    def geometry(self, nodes: Array, cells: IntArray) -> Array:
        """Return the positions of the nodes, (n_e, 10, 3)."""
        return nodes[cells]

    def stiffness(self, X: Array) -> Array:
        """Return the (n_e, 60, 60) stiffness matrices, zero in the rotations."""
        B, volume = strain_matrix(X, GAUSS.zeta)
        S = elasticity(self.material) @ B * (volume * GAUSS.weight)[:, :, None, None]
        return np.asarray(np.einsum("epsi,epsj->eij", B, S, optimize=True))

    def mass_points(self, X: Array) -> MassPoints:
        """Return fourteen points, exact for products of position and displacement."""
        _, volume = gradients(X, DEGREE_5.zeta)
        return self._points(X, functions(DEGREE_5.zeta), volume * DEGREE_5.weight)

    def linear_mass_points(self, X: Array) -> MassPoints:
        """Return four points whose displacement is interpolated linearly between the corners."""
        _, volume = gradients(X, GAUSS.zeta)
        N = np.hstack([GAUSS.zeta, np.zeros((4, 6))])
        return self._points(X, N, volume * GAUSS.weight)

    def lumped_mass_points(self, X: Array) -> MassPoints:
        """Return masses at the nodes in proportion to the diagonal of the mass: 1/36 corners, 4/27 edges."""
        _, volume = gradients(X, GAUSS.zeta)
        share = np.repeat([1.0 / 36.0, 4.0 / 27.0], [4, 6])
        return self._points(X, np.eye(10), (volume @ GAUSS.weight)[:, None] * share)

    def state(self, X: Array, q: Array, f: Array) -> Array:
        """Return the stresses at four points (n_e, 24, n_l) of displacements q (n_e, 60, n_l)."""
        B, _ = strain_matrix(X, GAUSS.zeta)
        return np.asarray((elasticity(self.material) @ B).reshape(len(X), 24, 60) @ q)

    def geometric_basis(self, X: Array) -> Array:
        r"""Return the (n_e, 24, 60, 60) geometric stiffness of unit stresses at four points.

        ½ qᵀK_G q = ½ ∫ Σ_ab σ_ab ∂u/∂x_a · ∂u/∂x_b dV.
        """
        G, volume = gradients(X, GAUSS.zeta)
        weight = volume * GAUSS.weight
        K = np.zeros((len(X), 4, 6, 10, 6, 10, 6))
        for c, (a, b) in enumerate(PAIRS):
            one = weight[:, :, None, None] * G[..., a][:, :, :, None] * G[..., b][:, :, None, :]
            both = one if a == b else one + one.transpose(0, 1, 3, 2)
            for i in range(3):
                K[:, :, c, :, i, :, i] = both
        return K.reshape(len(X), 24, 60, 60)

    def second_order_strain(self, X: Array, a: Array, b: Array) -> Array:
        """Return aᵀK_G b of each stress, (n_e, 24, k), from the gradients of both displacements."""
        G, volume = gradients(X, GAUSS.zeta)
        n_e, k = len(X), b.shape[2]
        one = np.einsum("epna,eni->epai", G, a.reshape(n_e, 10, 6)[:, :, :3])
        other = np.einsum("epna,enik->epaik", G, b.reshape(n_e, 10, 6, k)[:, :, :3])
        both = np.einsum("ep,epai,epbik->epabk", volume * GAUSS.weight, one, other, optimize=True)
        parts = [both[:, :, i, j] + (i != j) * both[:, :, j, i] for i, j in PAIRS]
        return np.stack(parts, axis=2).reshape(n_e, 24, k)

    def recover(self, cells: IntArray, X: Array, q: Array, f: Array | None = None) -> SolidStress:
        """Return the strains at the corners; loads distributed over an element change nothing."""
        B, _ = strain_matrix(X, CORNERS)
        return SolidStress(cells, self.material, np.einsum("epsi,lei->leps", B, q, optimize=True))

    def _points(self, X: Array, N: Array, w: Array) -> MassPoints:
        """Return points with functions N (n_p, 10) and masses from volumes w (n_e, n_p)."""
        n_e, n_p = w.shape
        moved = np.zeros((n_e, n_p, 3, 10, 6))
        for i in range(3):
            moved[:, :, i, :, i] = N
        s = np.einsum("pn,eni->epi", N, X) if len(N) != 4 else functions(GAUSS.zeta) @ X
        return MassPoints(np.asarray(s), moved.reshape(n_e, n_p, 3, 60), self.density * w)


def strain_matrix(X: Array, zeta: Array) -> tuple[Array, Array]:
    """Return B (n_e, n_p, 6, 60) with ε = B q_e, and the volume per unit weight (n_e, n_p) [m³]."""
    G, volume = gradients(X, zeta)
    B = np.zeros((*volume.shape, 6, 10, 6))
    for i in range(3):
        B[:, :, i, :, i] = G[..., i]
    for row, i, j in SHEARS:
        B[:, :, row, :, i] = G[..., j]
        B[:, :, row, :, j] = G[..., i]
    return B.reshape(*volume.shape, 6, 60), volume
