"""How well the constraints determine the coordinates: the condition of their Jacobian.

    κ = σ_max / σ_min  of  Ĝ_ij = G_ij s_j / s_i

with s_j the size of coordinate j and s_i that of row i, so that metres or millimetres make no difference. κ
grows where angles near a dead centre hardly move what they are to close, and where a redundant row is near.
"""

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.formulation.sparse_rows import Jacobian, scaled
from flexnet.formulation.state import State
from flexnet.typing import Array


def scaled_jacobian(equations: Equations, state: State) -> Array:
    """Ĝ, (m, n): the constraint Jacobian in the model's own sizes."""
    G = scaled_rows(equations, state)
    return G if isinstance(G, np.ndarray) else np.asarray(G.toarray())


def scaled_rows(equations: Equations, state: State) -> Jacobian:
    """Ĝ as it is kept: a sparse one where it is large."""
    return scaled(equations.jacobian(state.q, state.t), equations.sizes, equations.row_sizes)


def condition(equations: Equations, state: State) -> float:
    """Condition κ of the constraint Jacobian; 1 where there are no constraints."""
    if equations.m == 0:
        return 1.0
    G = scaled_jacobian(equations, state)
    if not np.all(np.isfinite(G)):
        return np.inf
    sizes = np.linalg.svd(G, compute_uv=False)
    return float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf
