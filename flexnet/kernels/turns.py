"""Counted angles: the twist of one frame as seen from another about an axis, whole turns included.

With the axes (n, m, a) of the tail and (n', m', a') of the head in ground, a the axis of turning, the
rotation from tail to head is a twist θ about a, then the swing that brings a to a' on the shortest way:

    tan θ = (m·n' - n·m')/(n·n' + m·m'),     θ̇ = u·(ω' - ω),     u = (a + a')/(1 + a·a')               (1)

which knows θ but for whole turns, wherever the swing is less than half a turn. Those come from the
configuration: either θ is a sum of its angles, or it holds the θ of the last step, and θ is the one nearest
to it. So θ is a function of (t, q), and :func:`count` moves on what q holds after every step
(docs/theory/turns.md).
"""

from math import acos, atan2, pi

from flexnet.kernels.compile import inner
from flexnet.kernels.kinematics import positions
from flexnet.kernels.model import Model
from flexnet.kernels.vector import dot, rotate
from flexnet.kernels.work import Work
from flexnet.typing import Array


@inner
def twist(model: Model, k: int, q: Array, work: Work) -> float:
    """Counted angle k [rad]."""
    g = model.angles[k]
    if g.place < 0:
        angle = g.offset
        for i in range(g.branches[0], g.branches[1]):
            turn = model.turns[i]
            branch = model.r_edges[turn.edge]
            angle += turn.sense * (work.f[branch.function, 0] if branch.function >= 0 else q[branch.q])
        return float(angle)
    n, m, n_B, m_B = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2], work.tmp[3, 0]
    rotate(work.R[g.tail_r], g.tail[0], n)
    rotate(work.R[g.tail_r], g.tail[1], m)
    rotate(work.R[g.head_r], g.head[0], n_B)
    rotate(work.R[g.head_r], g.head[1], m_B)
    angle = atan2(dot(m, n_B) - dot(n, m_B), dot(n, n_B) + dot(m, m_B))
    return float(angle - 2 * pi * round((angle - q[g.place]) / (2 * pi)))


@inner
def _cosine_of_swing(model: Model, k: int, work: Work) -> float:
    """Cosine of the angle between the axes; where there is no axis, of the whole rotation."""
    g = model.angles[k]
    x, y = work.tmp[4, 0], work.tmp[4, 1]
    total = 0.0
    first = 2 if g.has_axis == 1 else 0
    for j in range(first, 3):
        rotate(work.R[g.tail_r], g.tail[j], x)
        rotate(work.R[g.head_r], g.head[j], y)
        total += dot(x, y)
    return total if g.has_axis == 1 else 0.5 * (total - 1.0)


@inner
def count(model: Model, t: float, q: Array, work: Work) -> None:
    """Bring the counted angles that q holds to the state they are part of, after a step.

    Of each, ``work.watch`` keeps its value, how far it turned in one step at most, the last swing, and the
    largest swing the next step may reach.
    """
    positions(model, t, q, work)
    for k in range(model.angles.shape[0]):
        g = model.angles[k]
        watch = work.watch[k]
        if g.has_axis == 1:
            watch[0] = twist(model, k, q, work)
        if g.place >= 0:
            watch[1] = max(watch[1], abs(watch[0] - q[g.place]))
            q[g.place] = watch[0]
        if g.place >= 0 or g.has_axis == 0:
            swing = acos(max(-1.0, min(1.0, _cosine_of_swing(model, k, work))))
            watch[3] = max(watch[3], swing + max(swing - watch[2], 0.0))
            watch[2] = swing
