"""``modes="auto"``: few coordinates that suffice."""

from dataclasses import replace

import numpy as np

from flexnet.fem.attachment import attachment_shapes, orthonormal
from flexnet.fem.bases.attachment import attachment
from flexnet.fem.bases.eigenmodes import eigenmodes
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure

COORDINATES, EIGENMODES = 10, 4  # in all at most, eigenmodes at least


def automatic(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """At most ten coordinates: the softest static shapes of loads on the frames, and eigenmodes."""
    rigid = 6 if structure.is_free else 0
    available = int(np.count_nonzero(structure.M.diagonal() > 0.0)) - rigid
    chosen = replace(reduction, modes=min(COORDINATES, available))
    if not structure.body.attachments:
        return eigenmodes(structure, chosen, factor)
    static = attachment_shapes(structure, reduction.frames, factor)
    size = np.sqrt(np.einsum("ij,ij->j", static, structure.full.M @ static))
    rank = orthonormal(structure, static, size)[1].shape[1]
    normal = min(max(COORDINATES - rank, EIGENMODES), available)
    made = attachment(structure, replace(reduction, modes=normal), factor)
    kept = slice(0, COORDINATES)  # eigenmodes come first, static shapes by their frequency
    return Basis(made.shapes[:, kept], made.omega[kept], made.kind[kept], made.next_omega)
