"""A region of beams of one material, section and orientation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.beam.element import BeamConstants, beam_constants, local_mass_points, local_stiffness
from flexnet.fem.beam.frame import beam_axes, nodes_to_ends
from flexnet.fem.beam.geometric import local_geometric_stiffness, local_state, prestress_between
from flexnet.fem.beam.recovery import BeamForces
from flexnet.fem.beam.rod_section import RodSection
from flexnet.fem.beam.section import BeamSection
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.material import Material
from flexnet.fem.region import AbstractRegion
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True)
class BeamRegion(AbstractRegion):
    """Lines of the mesh that are beams.

    Parameters
    ----------
    group : name of the line group.
    material, section : what the beams are made of; a :class:`RodSection` has all of it, and no material.
    orientation : direction of the section's y axis (its part normal to the beam).
        Without it the section's z axis is as near to the body's z axis as it can be.
    offset : (y, z) of the centroid from the node line, in section axes [m].
    shear : False leaves shear deformation out (Euler–Bernoulli).
    rotary_inertia : False concentrates the mass on the centroid line; then nothing resists the twist but
        stiffness, and a straight free beam has no inertia about its axis.
    ends : sections at the first and the second end of tapered beams, of which ``section`` is the middle: they
        have the stresses.
    """

    kind: ClassVar[str] = "line"
    n_state: ClassVar[int] = 15
    has_bow: ClassVar[bool] = True

    group: str
    material: Material | None
    section: BeamSection | RodSection
    orientation: tuple[float, float, float] | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    shear: bool = True
    rotary_inertia: bool = True
    ends: tuple[BeamSection | RodSection, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.section, RodSection):
            if self.material is not None:
                raise ModelError(f"region {self.group!r}: a section by its matrix takes None as material")
            self.section.mass_spread()
        elif self.material is None:
            raise ModelError(f"region {self.group!r}: a section of this kind needs a material")
        if self.orientation is not None:
            values = tuple(float(x) for x in self.orientation)
            if len(values) != 3 or not np.isfinite(values).all() or not any(values):
                raise ModelError(f"region {self.group!r}: orientation {self.orientation} is not a direction")
            object.__setattr__(self, "orientation", values)
        offset = tuple(float(x) for x in self.offset)
        if len(offset) != 2 or not np.isfinite(offset).all():
            raise ModelError(f"region {self.group!r}: offset {self.offset} is not a pair (y, z)")
        object.__setattr__(self, "offset", offset)
        if len(self.ends) not in (0, 2):
            raise ModelError(f"region {self.group!r}: {len(self.ends)} sections at the ends; expected two")

    @property
    def constants(self) -> BeamConstants:
        """Stiffnesses and masses per length."""
        return beam_constants(
            self.material, self.section, shear=self.shear, rotary_inertia=self.rotary_inertia
        )

    @property
    def materials(self) -> tuple[tuple[float, float], ...]:
        """Young's modulus [Pa] and density [kg/m³]."""
        return () if self.material is None else ((self.material.E, self.material.rho),)

    @property
    def density(self) -> float:
        """Mass per length [kg/m]."""
        return self.constants.rhoA

    @property
    def retardation(self) -> float:
        """Kelvin–Voigt retardation time [s]."""
        owner = self.section if isinstance(self.section, RodSection) else self.material
        assert owner is not None
        return owner.eta

    def geometry(self, nodes: Array, cells: IntArray) -> Array:
        """Return the positions of the ends, (n_e, 2, 3)."""
        return nodes[cells]

    def stiffness(self, X: Array) -> Array:
        """Return the (n_e, 12, 12) stiffness matrices."""
        T = nodes_to_ends(beam_axes(X, self.orientation), self.offset)
        return np.asarray(T.transpose(0, 2, 1) @ local_stiffness(_length(X), self.constants) @ T)

    def mass_points(self, X: Array) -> MassPoints:
        """Return the exact mass points."""
        R = beam_axes(X, self.orientation)
        s, N, w = local_mass_points(_length(X), self.constants)
        T = nodes_to_ends(R, self.offset)
        back = R.transpose(0, 2, 1)[:, None]
        position = (s + np.array([0.0, *self.offset])) @ R + X[:, :1]
        return MassPoints(position, back @ N @ T[:, None], w)

    def linear_mass_points(self, X: Array) -> MassPoints:
        """Return two Gauss points, exact for products of the linear interpolation."""
        xi = 0.5 + 0.5 * np.array([-1.0, 1.0]) / np.sqrt(3.0)
        return self._straight_points(X, xi)

    def lumped_mass_points(self, X: Array) -> MassPoints:
        """Return half the mass at each end."""
        return self._straight_points(X, np.array([0.0, 1.0]))

    def state(self, X: Array, q: Array, f: Array) -> Array:
        """Return the forces K q - f on the ends and the bow of the section forces between, (n_e, 15, n_l)."""
        R = beam_axes(X, self.orientation)
        T = nodes_to_ends(R, self.offset)
        # element loads to the centroid line: f = Tᵀ f̄
        local_load = np.linalg.solve(T.transpose(0, 2, 1), f).astype(np.float64)
        L = _length(X)
        forces = np.asarray(local_stiffness(L, self.constants) @ (T @ q) - local_load)
        return local_state(L, forces, local_load)

    def geometric_basis(self, X: Array) -> Array:
        """Return the (n_e, 15, 12, 12) geometric stiffness of each force of the state.

        The centroid line is carried by arms from the nodes; the second-order displacement ½θ×(θ×o) of an arm
        end works with the end force F.
        """
        R = beam_axes(X, self.orientation)
        T = nodes_to_ends(R, self.offset)[:, None]
        L, c = _length(X), self.constants
        units = np.broadcast_to(np.eye(self.n_state)[:, None], (self.n_state, len(X), self.n_state))
        K = np.stack([local_geometric_stiffness(L, c, unit) for unit in units], axis=1)
        K = T.transpose(0, 1, 3, 2) @ K @ T
        arm = np.array([0.0, *self.offset]) @ R
        for node in (0, 6):
            turn = slice(node + 3, node + 6)
            for axis in range(3):
                K[:, node + axis, turn, turn] += arm_geometric_stiffness(arm, R[:, axis])
        return np.asarray(K)

    def prestress_between(self, X: Array, state: Array, u: Array) -> Array:
        """Return the loads between the nodes (n_e, 12, n_l m) that states (n_e, 15, n_l) bring on shapes."""
        T = nodes_to_ends(beam_axes(X, self.orientation), self.offset)
        loads = prestress_between(_length(X), self.constants, state, T @ u)
        return np.asarray(T.transpose(0, 2, 1) @ loads)

    def second_order_strain(self, X: Array, a: Array, b: Array) -> Array:
        """Return aᵀK_G b of each force of the state, (n_e, n_state, k)."""
        turned = a[:, None, None] @ self.geometric_basis(X)
        return np.asarray((turned @ b[:, None])[:, :, 0])

    def layer_loads(self, X: Array, force: float, at: tuple[float, ...]) -> Array:
        """Return the loads (n_e, 12) of N, M_y = N z, M_z = -N y on the ends, opposite to each other."""
        if len(at) != 2:
            raise ModelError(f"region {self.group!r}: a layer on a beam has an offset (y, z); got {at}")
        end = force * np.array([1.0, 0.0, 0.0, 0.0, at[1], -at[0]])
        return np.asarray(
            np.concatenate([-end, end]) @ nodes_to_ends(beam_axes(X, self.orientation), self.offset)
        )

    def recover(self, cells: IntArray, X: Array, q: Array, f: Array | None = None) -> BeamForces:
        """Return the section forces at both ends."""
        T = nodes_to_ends(beam_axes(X, self.orientation), self.offset)
        ends = np.einsum("eij,lej->lei", local_stiffness(_length(X), self.constants) @ T, q)
        if f is not None:
            ends -= np.einsum("eji,lej->lei", np.linalg.inv(T), f)
        forces = ends.reshape(*q.shape[:2], 2, 6) * np.array([[-1.0], [1.0]])
        known = {} if self.material is None else {"E": self.material.E}
        return BeamForces(cells, self.section, forces, **known, ends=self.ends)

    def _straight_points(self, X: Array, xi: Array) -> MassPoints:
        R = beam_axes(X, self.orientation)
        T = nodes_to_ends(R, self.offset)
        carried = R.transpose(0, 2, 1) @ T.reshape(len(X), 4, 3, 12)[:, [0, 2]].transpose(1, 0, 2, 3)
        weights = np.stack([1.0 - xi, xi])  # (end, point)
        N = np.einsum("np,neij->epij", weights, carried)
        arm = np.array([0.0, *self.offset]) @ R
        s = np.einsum("np,eni->epi", weights, X) + arm[:, None, :]
        mass = np.broadcast_to(0.5 * self.density * _length(X)[:, None], (len(X), 2))
        return MassPoints(s, N, np.array(mass))


def arm_geometric_stiffness(arm: Array, force: Array) -> Array:
    r"""Return the (n, 3, 3) Hessian of F·½θ×(θ×a), the work of a force at the end of a rigid arm.

    .. math:: K = \tfrac12 (F a^T + a F^T) - (F \cdot a) 1                                \tag{1}
    """
    outer = force[:, :, None] * arm[:, None, :]
    dot = (force * arm).sum(axis=1)
    return np.asarray(0.5 * (outer + outer.transpose(0, 2, 1)) - dot[:, None, None] * np.eye(3))


def _length(X: Array) -> Array:
    return np.asarray(np.linalg.norm(X[:, 1] - X[:, 0], axis=1))
