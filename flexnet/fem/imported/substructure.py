r"""A part of a body that another program made: its stiffness and mass, without elements.

Inertia integrals need the displacement between the nodes, which a matrix does not tell. They follow from the
mass matrix M by fields that any finite element holds at its nodes: with the rigid motions R and the strains
:math:`E_{ab} = \tfrac12 (s_a e_b + s_b e_a)` as nodal freedoms,

.. math::
    \int ρ\, \hat N = R_t^T M Φ, \quad \int ρ\, \tilde s \hat N = R_r^T M Φ, \quad
    \int ρ\, s_{(a} \hat N_{b)} = E_{ab}^T M Φ,                                          \tag{1}

exact where elements represent a linear field. For products of displacements the scalar mass
:math:`m_{nk}` of the translations (the mean of the three directions) is used,

.. math:: NN_{ab} = Φ_a^T m Φ_b + \tfrac13 δ_{ab} \big(Φ^T M Φ - \sum_c Φ_c^T m Φ_c\big) ,    \tag{2}

so that the mass of the coordinates is that of M. Solids and lumped masses have no remainder: (2) is exact.
Of elements with rotations the rotary inertia is spread over the three directions.

What of a shape is a rigid motion of the part is known better. With

.. math:: Φ = R x + \hat Φ, \quad R^T M \hat Φ = 0                                           \tag{3}

the field of R x is :math:`y + \tilde x_r s`, linear in the place, and all integrals with it are those of (1);
(2) is taken of :math:`\hat Φ` alone. So the tensors of shapes that differ by rigid motions, those of two
supports, are of one and the same body, and a combination that is nearly a rigid motion has hardly any mass
beside it in every deformed state: with (2) of Φ that mass, M of a clamped body less what its frame can move
(eq. 6 of docs/theory/flexible_bodies.md), could lose its sign.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import csr_array, diags_array

from flexnet.errors import ModelError
from flexnet.fem.imported.elements import ForeignElements
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.links import arm_matrix
from flexnet.fem.unit_loads import unit_accelerations
from flexnet.typing import AnyArray, Array, IntArray

RIGID = 1e-5  # share of the forces in the matrix that a rigid motion may leave


@dataclass(frozen=True, slots=True, eq=False)
class Substructure:
    """Stiffness and mass of some nodes of a mesh, six freedoms each in body axes. Units are SI.

    Attributes
    ----------
    nodes : (n,) nodes of the mesh.
    K, M : (6n, 6n) stiffness and mass.
    C : (6n, 6n) damping, None if there is none.
    has_rotations : (n,) whether a node has rotations; nodes of solids have none.
    stress : (6p, 6n) σx, σy, σz, τxy, τyz, τzx at p points per freedom [Pa/m, Pa], None if not known.
    stress_nodes : (p,) which of its nodes the points are.
    elements : those whose strains tell stresses.
    silent : why others have none.
    """

    nodes: IntArray
    K: csr_array
    M: csr_array
    C: csr_array | None
    has_rotations: AnyArray
    stress: csr_array | None = None
    stress_nodes: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    elements: tuple[ForeignElements, ...] = ()
    silent: tuple[str, ...] = ()

    @property
    def has_stresses(self) -> bool:
        """Whether a matrix, or elements, tell its stresses."""
        return self.stress is not None or bool(self.elements)

    def check(self, X: Array) -> None:
        """Refuse matrices that do not belong to nodes at X (n, 3): rigid motions must cost nothing.

        Raises
        ------
        ModelError
            If a rigid motion strains the part, or its mass differs from one direction to another.
        """
        middle = X.mean(axis=0)
        R = arm_matrix(X - middle).reshape(-1, 6) * self._present()[:, None]
        left = np.abs(self.K @ R).max(axis=0) / np.maximum((np.abs(self.K) @ np.abs(R)).max(axis=0), 1e-300)
        if not (left <= RIGID).all():
            worst = int(np.argmax(~(left <= RIGID)))
            what = f"{'displacement along' if worst < 3 else 'rotation about'} {'xyz'[worst % 3]}"
            raise ModelError(
                f"the stiffness resists a rigid {what}: the matrices hold supports, or their nodes or units"
                " are others"
            )
        if self.stress is not None:
            strained = np.abs(self.stress @ R).max(axis=0)
            whole = np.maximum((np.abs(self.stress) @ np.abs(R)).max(axis=0), 1e-300)
            if not (strained <= RIGID * whole).all():
                raise ModelError("a rigid motion has stresses: the stress matrix is of other nodes or units")
        mass = np.diag(R.T @ (self.M @ R))[:3]
        if not (mass > 0.0).all() or np.ptp(mass) > RIGID * mass.max():
            raise ModelError(f"the mass along x, y and z is {', '.join(f'{m:.6g}' for m in mass)} kg")

    def lumped(self) -> "Substructure":
        """Return the part with masses at its nodes, in proportion to the diagonal of M; no rotary inertia."""
        blocks = self.M.diagonal().reshape(-1, 6)[:, :3].mean(axis=1)
        weight = blocks / blocks.sum() * self.scalar_mass().sum()
        values = np.hstack([np.repeat(weight[:, None], 3, axis=1), np.zeros((len(weight), 3))])
        M = csr_array(diags_array(values.reshape(-1)))
        return replace(self, M=M)

    def mass(self, inertia: str) -> csr_array:
        """Return M, or its lumped form."""
        return self.lumped().M if inertia == "lumped" else self.M

    def scalar_mass(self, M: csr_array | None = None) -> csr_array:
        """Return m (n, n) of eq. (2)."""
        full = self.M if M is None else M
        return csr_array(sum(full[a::6][:, a::6] for a in range(3)) / 3.0)

    def unit_loads(self, X: Array, inertia: str) -> Array:
        """Return the (6n, 12) inertia loads of unit accelerations of the frame."""
        field = np.zeros((len(X), 6, 12))
        field[:, :3] = unit_accelerations(X)
        field[:, 3:, 3:6] = np.eye(3)
        return np.asarray(-(self.mass(inertia) @ (field.reshape(-1, 12) * self._present()[:, None])))

    def field_loads(self, phi: Array, inertia: str) -> Array:
        """Return the loads -∫ρ N_aᵀ N̂_bj of shapes phi (6n, k), (6n, 9k), axes (a, b, j)."""
        k = phi.shape[1]
        moved = self.scalar_mass(self.mass(inertia)) @ phi.reshape(-1, 6, k)[:, :3].reshape(-1, 3 * k)
        out = np.zeros((len(self.nodes), 6, 3, 3 * k))
        for a in range(3):
            out[:, a, a] = -moved
        return out.reshape(-1, 9 * k)

    def tensors(self, X: Array, phi: Array, inertia: str) -> InertiaTensors:
        """Return the inertia tensors of the part for nodes at X (n, 3) and shapes phi (6n, k)."""
        M, present = self.mass(inertia), self._present()[:, None]
        R = arm_matrix(X).reshape(-1, 6) * present
        rigid = R.T @ np.asarray(M @ R)
        J = rigid[3:, 3:]
        s1 = -0.5 * np.array(
            [rigid[2, 4] - rigid[1, 5], rigid[0, 5] - rigid[2, 3], rigid[1, 3] - rigid[0, 4]]
        )
        s2 = 0.5 * np.trace(J) * np.eye(3) - 0.5 * (J + J.T)
        x = _rigid_part(X, M, present, phi)
        elastic = phi * present - R @ x
        MP = np.asarray(M @ elastic)
        N1, sN = R[:, :3].T @ MP, _first_moments(X, R, MP)
        own = InertiaTensors(
            float(np.trace(rigid[:3, :3]) / 3.0), s1, s2, N1, sN, self._products(M, elastic, MP)
        )
        return _with_rigid(own, x)

    def _products(self, M: csr_array, phi: Array, MP: Array) -> Array:
        """Return NN of eq. (2), (3, 3, k, k)."""
        k = phi.shape[1]
        u = phi.reshape(-1, 6, k)[:, :3].reshape(-1, 3 * k)
        gram = u.T @ (self.scalar_mass(M) @ u)
        NN = 0.5 * (gram + gram.T).reshape(3, k, 3, k).transpose(0, 2, 1, 3)
        whole = phi.T @ MP
        rest = 0.5 * (whole + whole.T) - NN[0, 0] - NN[1, 1] - NN[2, 2]
        for a in range(3):
            NN[a, a] += rest / 3.0
        return np.ascontiguousarray(NN)

    def _present(self) -> Array:
        """Return one for every freedom that exists, zero for the others, (6n,)."""
        turns = np.repeat(np.asarray(self.has_rotations, dtype=float)[:, None], 3, axis=1)
        return np.hstack([np.ones_like(turns), turns]).reshape(-1)


def _rigid_part(X: Array, M: csr_array, present: Array, phi: Array) -> Array:
    """Return x (6, k) of eq. (3), a displacement of the origin and a rotation; X are the nodes (n, 3)."""
    middle = X.mean(axis=0)
    R = arm_matrix(X - middle).reshape(-1, 6) * present
    size = np.repeat([1.0, 1.0 / max(float(np.abs(X - middle).max(initial=0.0)), 1e-300)], 3)
    MR = np.asarray(M @ (R * size))
    # a straight line without rotary inertia does not resist its spin
    x = np.linalg.pinv(size[:, None] * (R.T @ MR), rcond=1e-10, hermitian=True) @ (MR.T @ (phi * present))
    x *= size[:, None]
    x[:3] -= np.cross(x[3:], middle, axisa=0).T
    return np.asarray(x)


def _first_moments(X: Array, R: Array, MP: Array) -> Array:
    """Return ∫ρ s_a N_b (3, 3, k) of eq. (1) from M Φ."""
    turned = R[:, 3:].T @ MP  # ∫ρ s̃ N̂
    sN = np.zeros((3, 3, MP.shape[1]))
    for a in range(3):
        for b in range(3):
            strain = np.zeros((len(X), 6))
            strain[:, a] += 0.5 * X[:, b]
            strain[:, b] += 0.5 * X[:, a]
            sN[a, b] = strain.reshape(-1) @ MP
    for c, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
        sN[a, b] += 0.5 * turned[c]
        sN[b, a] -= 0.5 * turned[c]
    return sN


def _with_rigid(own: InertiaTensors, x: Array) -> InertiaTensors:
    """Return the tensors of the shapes R x + Φ̂, from those of Φ̂; x (6, k)."""
    y, turn = x[:3], np.cross(x[3:].T[:, None], np.eye(3)).transpose(2, 1, 0)  # N_bj = y_bj + turn_bdj s_d
    N1 = own.mass * y + np.einsum("d,bdj->bj", own.s1, turn)
    sN = np.einsum("a,bj->abj", own.s1, y) + np.einsum("ad,bdj->abj", own.s2, turn)
    # of a rigid motion with a rigid one, and with an elastic one
    mixed = np.einsum("ai,bj->abij", y, own.N1) + np.einsum("adi,dbj->abij", turn, own.sN)
    both = np.einsum("ai,bj->abij", y, N1) + np.einsum("adi,dbj->abij", turn, sN)
    NN = own.NN + both + mixed + mixed.transpose(1, 0, 3, 2)
    return replace(own, N1=own.N1 + N1, sN=own.sN + sN, NN=np.ascontiguousarray(NN))
