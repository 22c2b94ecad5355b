"""The answer of a mechanism to a state, v̇ and λ, where events follow accelerations or loads of joints.

    M v̇ + Gᵀ λ = F(q, v, t, v̇, λ),     Φ̈ = 0                                                            (1)

F holds v̇ and λ where forces follow loads of joints; the matrix does not, and (1) is then met by iterations.
"""

from flexnet.kernels.compile import inner
from flexnet.kernels.constraints import rates_and_accelerations
from flexnet.kernels.dynamics import residual
from flexnet.kernels.linear_algebra import lu_factor, lu_solve
from flexnet.kernels.model import OF_MOTION, Model
from flexnet.kernels.newton import newton_matrices
from flexnet.kernels.work import Work
from flexnet.typing import Array

#: iterations of (1), and the change over the size that is none
ITERATIONS, NOTHING = 60, 1e-13


@inner
def find_motion(model: Model, t: float, q: Array, v: Array, work: Work) -> None:
    """Solve (1); the workspace then is that of the residual there."""
    n, m = v.shape[0], model.rows.shape[0]
    x, left = work.answer[0], work.answer[1]
    x[:] = 0.0
    for k in range(ITERATIONS):
        residual(model, t, q, v, x[0:n], x[n:], work, left[0:n], work.answer[2, n:])
        rates_and_accelerations(model, v, x[0:n], work, work.answer[2, n:], work.answer[3, n:])
        for i in range(m):
            left[n + i] = work.answer[3, n + i]
        if k == 0:
            _factor(model, work, n, m)
            # matrices leave the sums of forces behind them, not those of the residual
        lu_solve(work.saddle, work.pivots, left)
        moved, size = 0.0, 0.0
        for i in range(n + m):
            x[i] -= left[i]
            moved, size = max(moved, abs(left[i])), max(size, abs(x[i]))
        if moved <= NOTHING * size and k > 0:
            return
        if model.sensed[OF_MOTION] == 0 and k == 1:
            return


@inner
def _factor(model: Model, work: Work, n: int, m: int) -> None:
    """Factor [M Gᵀ; G 0] at the state of the last residual."""
    newton_matrices(model, work, 0.0, 0.0, work.M, work.G)
    A = work.saddle
    A[:] = 0.0
    for i in range(n):
        for j in range(n):
            A[i, j] = work.M[i, j]
        for j in range(m):
            A[i, n + j] = A[n + j, i] = work.G[j, i]
    lu_factor(A, work.pivots)
