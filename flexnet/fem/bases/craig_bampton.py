"""Craig and Bampton's basis: constraint modes and modes of the body held at its frames."""

import numpy as np

from flexnet.fem.attachment import attachment_shapes, interface, orthonormal, without_rigid
from flexnet.fem.bases.eigenmodes import chosen_modes
from flexnet.fem.bases.registry import basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure


@basis("frames", needs_frames=True)
def craig_bampton(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Static shapes of unit motions of the frames, and eigenmodes of the body held at them.

    Coordinates are mixtures and named after their larger part; six combinations of a free body are rigid
    motions and left out.
    """
    held = interface(structure, reduction.frames)
    _, z, following = chosen_modes(held.K, held.M, reduction, 0, held.factor)
    chosen = structure.body.attachments if reduction.frames is None else reduction.frames
    ports = [name for name in chosen if name in structure.body.ports]
    spread = attachment_shapes(structure, ports, None)
    static = np.hstack([held.shapes, spread[:, np.abs(spread).max(axis=0, initial=0.0) > 0.0]])
    shapes = np.hstack([static, held.T @ z])
    n_static = static.shape[1]
    size = np.sqrt(np.einsum("ij,ij->j", shapes, structure.full.M @ shapes))
    if structure.is_free:
        shapes = without_rigid(structure, shapes)
    omega, mixed = orthonormal(structure, shapes, size)
    part = np.linalg.lstsq(shapes, mixed, rcond=None)[0]
    made = shapes[:, n_static:] @ part[n_static:]
    normal_share = np.einsum("ij,ij->j", made, structure.full.M @ made)
    normal = np.argsort(-normal_share)[: z.shape[1]]
    kind = tuple("normal" if i in normal else "attachment" for i in range(len(omega)))
    return Basis(mixed, omega, kind, following)
