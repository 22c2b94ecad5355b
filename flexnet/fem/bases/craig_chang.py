r"""Craig and Chang's basis in any frame: modes of the unsupported body and residual attachment modes.

The deformations of a body that floats are those of no support at all; a support only says from which frame
they are measured. With u = T z on the support and a rigid motion R x of the frame, the free vibration is

.. math:: K z = λ \left(M - T^T M R\, (R^T M R)^{-1} R^T M\, T\right) z ,               \tag{1}

where M is TᵀMT: x is eliminated by the balance of momentum, Rᵀ M (T z + R x) = 0. So (1) has the elastic
frequencies of the free body, and T z is its mode less the rigid motion that takes the support back to its
place: the rigid content is purged by construction and the stiffness to be factorised is not singular.

Loads on the frames are relieved of their resultants by the inertia of the rigid motion they cause,
:math:`f - M R (R^T M R)^{-1} R^T f`; their static answer on the support is the attachment mode. Of a free
body both are those of the basis ``attachment``.

References
----------
Craig and Chang, AIAA Journal 14 (1976) 1633-1635 (free-interface modes with residual flexibility).
"""

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.attachment import frame_rows, orthonormal, relieved, rigid_momenta, static_shapes
from flexnet.fem.bases.eigenmodes import attachment, chosen_modes, named
from flexnet.fem.bases.registry import basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure, rigid_motions
from flexnet.typing import Array


@basis("balanced", needs_frames=True)
def craig_chang(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Modes of the unsupported body, and static shapes of loads on the frames balanced by inertia."""
    if structure.is_free:
        return attachment(structure, reduction, factor)
    lam, z, following = chosen_modes(
        structure.K, structure.M, reduction, 0, factor, _rigid_momentum(structure)
    )
    loads = relieved(structure, frame_rows(structure, reduction.frames).T.toarray())
    static = static_shapes(structure, loads, factor)
    shapes = np.hstack([np.asarray(structure.T @ z), static])
    kinds = ("free",) * len(lam) + ("attachment",) * static.shape[1]
    size = np.sqrt(np.einsum("ij,ij->j", shapes, structure.full.M @ shapes))
    omega, mixed = orthonormal(structure, shapes, size)
    return Basis(mixed, omega, named(structure, mixed, shapes, kinds), following)


def _rigid_momentum(structure: Structure) -> Array:
    """S (m, r) of eq. (1): SSᵀ is what the rigid motion takes from the mass of the remaining freedoms."""
    R = rigid_motions(structure.body.mesh, structure.body.mesh.nodes.mean(axis=0))
    MR = rigid_momenta(structure)
    length = float(np.ptp(structure.body.mesh.nodes, axis=0).max())
    scale = np.array([1.0] * 3 + [1.0 / length] * 3)  # all in the unit of mass
    value, vector = np.linalg.eigh(scale[:, None] * (R.T @ MR) * scale)
    kept = value > 1e-12 * value[-1]  # a slender line without rotary inertia has none about itself
    if not kept.any():
        raise ModelError("reduction 'craig_chang': the body has no mass")
    weight = (scale[:, None] * vector[:, kept]) / np.sqrt(value[kept])
    return np.asarray(structure.T.T @ (MR @ weight))
