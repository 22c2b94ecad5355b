r"""Constant inertia tensors of a floating body, as sums over its mass points.

With s the undeformed position, N̂ = NΦ the displacement of a mass point per elastic coordinate (DESIGN of the
table; Shabana's :math:`\bar S` matrices):

.. math::
    m = \int ρ, \quad s_1 = \int ρ s, \quad s_2 = \int ρ s s^T, \quad
    N_{1,aj} = \int ρ \hat N_{aj}, \quad
    sN_{abj} = \int ρ s_a \hat N_{bj}, \quad
    NN_{abij} = \int ρ \hat N_{ai} \hat N_{bj} .                                     \tag{1}

No full matrix is formed: a batch of elements contributes products of (points × coordinates) arrays.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.fem.body import Body, freedoms
from flexnet.fem.sparse import Tensor
from flexnet.typing import Array


@dataclass(frozen=True, slots=True)
class InertiaTensors:
    """The tensors of eq. (1).

    Attributes
    ----------
    mass : [kg].
    s1 : (3,) first moments [kg·m].
    s2 : (3, 3) second moments ∫ρ s sᵀ [kg·m²].
    N1 : (3, m) [kg].
    sN : (3, 3, m) position component, displacement component, coordinate [kg·m].
    NN : (3, 3, m, m) two displacement components, two coordinates [kg]; NN[a, b] = NN[b, a]ᵀ.
    """

    mass: float
    s1: Array
    s2: Array
    N1: Array
    sN: Array
    NN: Tensor

    def with_part(self, other: "InertiaTensors") -> "InertiaTensors":
        """Return the tensors of two parts of one body."""
        return InertiaTensors(
            self.mass + other.mass,
            self.s1 + other.s1,
            self.s2 + other.s2,
            self.N1 + other.N1,
            self.sN + other.sN,
            self.NN + other.NN,
        )


def inertia_tensors(body: Body, shapes: Array, inertia: str = "consistent") -> InertiaTensors:
    """Return the inertia tensors of a body in the basis ``shapes`` (6n, m)."""
    m = shapes.shape[1]
    rigid = np.zeros((4, 4))  # of (1, x, y, z)
    mixed = np.zeros((4, 3 * m))
    gram = np.zeros((3 * m, 3 * m))
    for cells, points in body.mass_batches(inertia):
        n_e, n_p, _, n_edof = points.N.shape
        moved = points.N.reshape(n_e, 3 * n_p, n_edof) @ shapes[freedoms(cells)]
        root = np.sqrt(points.w).reshape(-1, 1)
        u = moved.reshape(n_e * n_p, 3 * m)  # (point, component and coordinate)
        u *= root
        position = root * np.column_stack([np.ones(n_e * n_p), points.s.reshape(-1, 3)])
        rigid += position.T @ position
        mixed += position.T @ u
        gram += u.T @ u
    NN = 0.5 * (gram + gram.T).reshape(3, m, 3, m).transpose(0, 2, 1, 3)
    found = InertiaTensors(
        mass=float(rigid[0, 0]),
        s1=rigid[0, 1:].copy(),
        s2=0.5 * (rigid[1:, 1:] + rigid[1:, 1:].T),
        N1=mixed[0].reshape(3, m).copy(),
        sN=mixed[1:].reshape(3, 3, m).copy(),
        NN=np.ascontiguousarray(NN),
    )
    for part in body.parts:
        phi = shapes[freedoms(part.nodes[None])[0]]
        found = found.with_part(part.tensors(body.mesh.nodes[part.nodes], phi, inertia))
    return found
