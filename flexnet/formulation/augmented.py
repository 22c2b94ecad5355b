"""Accelerations and multipliers at once, by the augmented form.

    [M Gᵀ] [v̇]   [ F     ]
    [G  0 ] [λ] = [-γ     ],      γ = Φ̈ for v̇ = 0                                       DynaFlex (24)

Where forces follow accelerations or loads of joints, that is the first of some iterations.
"""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from flexnet.coupled import solve_coupled
from flexnet.errors import ModelError
from flexnet.formulation.state import Motion, State
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations


def augmented_motion(equations: "Equations", state: State) -> Motion:
    """Accelerations and multipliers at a state."""
    F, bias = equations.forces(state), equations.constraint_bias(state)
    M, G = equations.mass_and_jacobian(state.q, state.t)
    n, m = equations.n_v, equations.m
    KKT = np.zeros((n + m, n + m))
    KKT[:n, :n], KKT[:n, n:], KKT[n:, :n] = M, G.T, G
    solve = partial(_solve, equations.weights)
    try:
        x = solve(KKT, np.concatenate([F, -bias]))
        if equations.is_coupled:
            x = solve_coupled(partial(_defect, equations, state), solve, x, equations.weights)
    except np.linalg.LinAlgError:
        raise ModelError(
            f"the equations of {equations.system.name!r} are singular: a freedom without mass or a dead point"
        ) from None
    return Motion(x[:n], x[n:])


def _solve(d: Array, A: Array, b: Array) -> Array:
    """Solve with a matrix like [M Gᵀ; G 0], pivots chosen without units by weights d."""
    return np.asarray(d * np.linalg.solve(d[:, None] * A * d, d * b))


def _defect(equations: "Equations", state: State, x: Array) -> Array:
    """R and Φ̈ (n + m,) of v̇ and λ at a state."""
    a, lam = x[: equations.n_v].copy(), x[equations.n_v :].copy()
    r, _ = equations.residual(state, a, lam)
    return np.concatenate([r, equations.constraint_motion(state, a)[1]])
