r"""Load-dependent Ritz vectors: what the loads on a body excite, and nothing else.

The first block is the static answer K⁻¹F of all loads F (on frames, of gravity, acceleration and rotation),
every further one the static answer of the inertia of the block before,

.. math:: X_0 = K^{-1} F, \qquad X_{k+1} = K^{-1} M X_k ,                               \tag{1}

a Krylov sequence. The answer of the body to a harmonic load, :math:`(K - ω^2 M)^{-1} F = \sum_k ω^{2k} X_k`,
is projected with an error of its compliance :math:`F^T u` of order :math:`ω^{4(k+1)}` with k + 1 whole
blocks: two terms of the series a block. Eigenmodes that no load excites are not in it.

References
----------
Wilson, Yuan and Dickens, Earthquake Eng. Struct. Dyn. 10 (1982) 813-821.
"""

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.attachment import static_shapes
from flexnet.fem.bases.eigenmodes import beside
from flexnet.fem.bases.inertia_relief import complete_shapes
from flexnet.fem.bases.registry import LOADS, basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure


@basis(*LOADS, has_eigenmodes=False)
def ritz(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Static shapes of all loads, and so many Ritz vectors beyond: statics of the inertia of those before."""
    static, kinds = complete_shapes(structure, reduction, factor)
    none = Basis(np.zeros((len(static), 0)), np.empty(0), (), np.nan)
    made = block = beside(structure, none, static, kinds)
    assert isinstance(reduction.modes, int)
    wanted = len(made.omega) + reduction.modes
    while len(made.omega) < wanted:
        before = len(made.omega)
        further = static_shapes(structure, np.asarray(structure.full.M @ block.shapes), factor)
        made = beside(structure, made, further, ("ritz",) * further.shape[1])
        block = Basis(
            made.shapes[:, before:wanted], made.omega[before:wanted], made.kind[before:wanted], np.nan
        )
        if not len(block.omega):
            raise ModelError(f"{reduction.modes} Ritz vectors asked for; loads of the body excite fewer")
    return Basis(made.shapes[:, :wanted], made.omega[:wanted], made.kind[:wanted], np.nan)
