"""What a correction of an α-method is measured by, and what round-off leaves of it."""

from flexnet.integrators.alpha_matrix import solve
from flexnet.integrators.alpha_state import (
    TANGENT,
    Scratch,
    State,
)
from flexnet.kernels import unreduced
from flexnet.kernels.compile import shared

#: round-off of a position over its size
ROUND_OFF = 2e-15
#: least weight of a coordinate over the largest, both times their sizes: one without inertia counts, too
LIGHT = 1e-6
#: largest of the numbers that give round-off its signs
LARGEST = 2147483647


@shared
def find_norm(y: State, s: Scratch, c_q: float, c_v: float) -> None:
    """Weights that make corrections of all v̇ and λ comparable, whatever their units.

    A coordinate counts with the root of its diagonal entry of Newton's matrix, so that w|δv̇| is √kg m/s²; a
    multiplier with the largest such acceleration that a unit of it gives a coordinate alone. The level is
    that of v̇ and λ: states are judged apart.
    """
    n, m = s.v1.shape[0], s.phi.shape[0]
    moving = n - s.per_unknown.shape[0]
    has_tangent = y.counts[TANGENT] == 1
    has_blocks = s.blocks.bodies.shape[0] > 0
    heaviest = 0.0
    if has_blocks:
        unreduced.diagonal(s.blocks, c_q, c_v, s.rp)
    for i in range(n):
        d = s.rp[i] if has_blocks else s.M[i, i]
        if has_tangent and s.tangent.columns.shape[0] > 0:
            e = s.tangent.diagonal[i]
            d += c_v * s.slopes[1, e] + c_q * s.slopes[0, e]
        elif has_tangent:
            d += c_v * s.D[i, i] + c_q * s.K[i, i]
        s.norm[i] = abs(d)
        heaviest = max(heaviest, abs(d) / (s.per_size[i] * s.per_size[i]))
    s.norm[n + m] = heaviest**0.5
    for i in range(n):
        s.norm[i] = (s.norm[i] + LIGHT * heaviest * s.per_size[i] * s.per_size[i]) ** 0.5
    for j in range(m):
        s.norm[n + j] = 0.0
    if has_blocks:
        unreduced.load_weights(s.blocks, s.norm, s.norm[n : n + m])
    elif s.plan.order.shape[0] > 0:
        for e in range(s.plan.jacobian.shape[0]):
            j, i = s.plan.jacobian[e, 0], s.plan.jacobian[e, 1]
            s.norm[n + j] = max(s.norm[n + j], abs(s.G[j, i]) / s.norm[i])
    else:
        for j in range(m):
            for i in range(n):
                s.norm[n + j] = max(s.norm[n + j], abs(s.G[j, i]) / s.norm[i])
    level = 0.0
    for i in range(moving):
        level = max(level, s.norm[i] * abs(y.vdot[i]))
    for j in range(m):
        level = max(level, s.norm[n + j] * abs(y.lam[j]))
    s.norm[n + m + 1] = level


@shared
def round_off(y: State, s: Scratch) -> float:
    """Smallest correction of a position, over its size, that means anything."""
    largest = 1.0
    for i in range(y.q.shape[0]):
        largest = max(largest, abs(y.q[i]) * s.per_place[i])
    return ROUND_OFF * largest


@shared
def load_round_off(s: Scratch, floor: float, c_q: float) -> float:
    """Weighted round-off of λ₁: that of the positions through Newton's matrix, and its own."""
    n, m = s.vdot1.shape[0], s.lam1.shape[0]
    own = 0.0
    for j in range(m):
        own = max(own, s.norm[n + j] * abs(s.lam1[j]))
    return float(floor * s.norm[n + m] / c_q + ROUND_OFF * own)


@shared
def answer_to_round_off(s: Scratch, floor: float, c_q: float) -> tuple[float, float]:
    """Largest part in positions, and in λ, weighted, of what constraints open by round-off bring about.

    Their signs are without order, and the same in every run. In a long chain gaps add up: λ is as large as
    the matrix says, not as one constraint alone would have it. ``s.rhs`` is overwritten.
    """
    n, m = s.vdot1.shape[0], s.lam1.shape[0]
    if s.norm[n + m + 2] == 0.0:
        s.rhs[0:n] = 0.0
        sign = 1
        for j in range(m):
            # Park and Miller, Commun. ACM 31 (1988) 1192-1201
            sign = 16807 * sign % LARGEST
            s.rhs[n + j] = s.row_sizes[j] if 2 * sign > LARGEST else -s.row_sizes[j]
        solve(s)
        moved, load = 0.0, 0.0
        for i in range(n - s.per_unknown.shape[0]):
            moved = max(moved, s.per_size[i] * abs(s.rhs[i]))
        for j in range(m):
            load = max(load, s.norm[n + j] * abs(s.rhs[n + j]))
        s.norm[n + m + 2], s.norm[n + m + 3] = moved, load
    return float(floor * s.norm[n + m + 2]), float(floor * s.norm[n + m + 3] / c_q)


@shared
def state_round_off(s: Scratch, c_v: float) -> float:
    """Weighted correction of ż₁ that moves no state but by round-off."""
    n, largest = s.v1.shape[0], 0.0
    for i in range(n - s.per_unknown.shape[0], n):
        largest = max(largest, s.norm[i] * abs(s.v1[i]))
    return float(ROUND_OFF * largest / c_v)
