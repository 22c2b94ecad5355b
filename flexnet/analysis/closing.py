"""Newton's method on the constraints: the nearest configuration that satisfies them.

Near is measured by the sizes of the coordinates. Deforming a body counts a thousand times as much as moving
it: bodies are bent only where moving them does not close a loop, so that a step in absolute coordinates,
which opens the joints, is closed as it would have been made in the coordinates of the joints.
"""

import numpy as np

from flexnet.formulation import Equations
from flexnet.typing import Array, BoolArray

#: constraint violation that counts as closed, m or rad
CLOSED = 1e-12
_ITERATIONS = 20
_BENT = 1e-3
#: longest move of a coordinate in one iteration, m or rad
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
    sizes = np.ones(equations.n_v)
    sizes[equations.packer.elastic_indices()[1]] *= _BENT
    for _ in range(_ITERATIONS):
        phi = equations.constraints(q, t)
        if np.abs(phi).max(initial=0.0) < CLOSED:
            break
        _, G = equations.mass_and_jacobian(q, t)
        d = sizes if moves is None else np.where(moves, sizes, 0.0)
        dq = -d * np.linalg.lstsq(G * d, phi, rcond=1e-12)[0]
        q = equations.compose(q, dq * min(1.0, _LONGEST / max(float(np.abs(dq).max(initial=0.0)), 1e-300)))
    return q, equations.constraints(q, t)


def is_closed(phi: Array) -> bool:
    """Whether what is left of the constraints is round-off."""
    return bool(np.abs(phi).max(initial=0.0) < 1e3 * CLOSED)
