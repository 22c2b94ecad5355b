"""Newton's method on the constraints: the nearest configuration that satisfies them."""

import numpy as np

from flexnet.formulation import Equations
from flexnet.formulation.scale import largest, least_change
from flexnet.typing import Array, BoolArray

#: constraint violation that counts as closed, over the size of the row
CLOSED = 1e-12
_ITERATIONS = 20
#: longest move of a coordinate in one iteration, over its size
_LONGEST = 0.5


def close(equations: Equations, q: Array, t: float, moves: BoolArray | None = None) -> tuple[Array, Array]:
    """Move a configuration on its constraints.

    Parameters
    ----------
    q : (n_q,) configuration near them.
    t : s.
    moves : (n_v,) velocities along which it may move; all if left out.

    Returns
    -------
    q : (n_q,) the last iterate.
    phi : (m,) what is left of the constraints there.
    """
    sizes, rows = equations.sizes, equations.row_sizes
    for _ in range(_ITERATIONS):
        phi = equations.constraints(q, t)
        if largest(phi, rows) < CLOSED:
            break
        _, G = equations.mass_and_jacobian(q, t)
        dq = np.zeros(equations.n_v)
        free = np.ones(equations.n_v, dtype=bool) if moves is None else moves
        dq[free] = least_change(G[:, free], phi, sizes[free], rows, rcond=1e-12)
        q = equations.compose(q, dq * min(1.0, _LONGEST / max(largest(dq, sizes), 1e-300)))
    return q, equations.constraints(q, t)


def is_closed(equations: Equations, phi: Array) -> bool:
    """Whether what is left of the constraints is round-off."""
    return largest(phi, equations.row_sizes) < 1e3 * CLOSED
