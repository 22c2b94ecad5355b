"""No reduction."""

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.bases.registry import LOADS, basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure

FULL_LIMIT = 3000  # freedoms of an unreduced table; its tensors are dense


@basis(*LOADS)
def full(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Every freedom of the supported body."""
    if structure.is_free:
        raise ModelError("an unreduced table needs a support: rigid motions are not deformations")
    if structure.n > FULL_LIMIT:
        raise ModelError(f"{structure.n} freedoms are too many for an unreduced table (limit {FULL_LIMIT})")
    kind = ("nodal",) * structure.n
    return Basis(structure.T.toarray(), np.full(structure.n, np.nan), kind, np.nan)
