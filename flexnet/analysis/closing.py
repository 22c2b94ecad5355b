"""Newton's method on the constraints: the nearest configuration that satisfies them.

Near is measured by the sizes of the coordinates. Deforming a body counts a thousand times as much as moving
it: bodies are bent only where moving them does not close a loop, so that a step in absolute coordinates,
which opens the joints, is closed as it would have been made in the coordinates of the joints.
"""

import numpy as np

from flexnet.formulation import Equations
from flexnet.typing import Array

#: constraint violation that counts as closed, of the size of the constraint
CLOSED = 1e-12
_ITERATIONS = 20
_BENT = 1e-3
#: longest move of a coordinate in one iteration, of its size
_LONGEST = 0.5


def close(equations: Equations, q: Array, t: float) -> tuple[Array, Array]:
    """Move a configuration on its constraints.

    Parameters
    ----------
    q : (n_q,) configuration near them.
    t : s.

    Returns
    -------
    q : (n_q,) the last iterate.
    phi : (m,) what is left of the constraints there, m or rad.
    """
    d, rows = equations.sizes.copy(), equations.row_sizes
    d[equations.packer.elastic_indices()[1]] *= _BENT
    for _ in range(_ITERATIONS):
        phi = equations.constraints(q, t)
        if np.abs(phi / rows).max(initial=0.0) < CLOSED:
            break
        _, G = equations.mass_and_jacobian(q, t)
        x = -np.linalg.lstsq(G * d / rows[:, None], phi / rows, rcond=1e-12)[0]
        longest = float(np.abs(d * x / equations.sizes).max(initial=0.0))
        q = equations.compose(q, d * x * (_LONGEST / longest if longest > _LONGEST else 1.0))
    return q, equations.constraints(q, t)


def is_closed(equations: Equations, phi: Array) -> bool:
    """Whether what is left of the constraints is round-off."""
    return bool(np.abs(phi / equations.row_sizes).max(initial=0.0) < 1e3 * CLOSED)
