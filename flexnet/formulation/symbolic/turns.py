"""Counted angles in symbols: sums of angles where they are such, else (1) of :mod:`flexnet.kernels.turns`."""

from typing import TYPE_CHECKING, Any

from flexnet.algebra import Expr, Vec, add, dot, minus, number, plus, times
from flexnet.components.row import nearest_twist

if TYPE_CHECKING:
    from flexnet.formulation.symbolic.mechanism import Mechanism


def twist(k: "Mechanism", i: int) -> tuple[Expr, Expr, Vec]:
    """Counted angle i, its rate, and its gradient, the axis of turning in ground."""
    record = k.model.angles[i]
    A, B = k.R[record.tail_r], k.R[record.head_r]
    n, m, a = (A.vector(x) for x in record.tail)
    if record.place < 0:
        return *_sum(k, record), a
    n_B, m_B, b = (B.vector(x) for x in record.head)
    angle = nearest_twist(k.variables.place[record.place], (n, m), (n_B, m_B))
    u = times(1 / add(1, dot(a, b)), plus(a, b))
    return angle, dot(u, minus(k.work.omega[record.head_r], k.work.omega[record.tail_r])), u


def counted_angle(k: "Mechanism", i: int) -> tuple[Expr, bool]:
    """Counted angle i as a sum of coordinates, exactly; or what q holds of it, a step behind."""
    record = k.model.angles[i]
    if record.place < 0:
        return _sum(k, record)[0], True
    return k.variables.place[record.place], False


def _sum(k: "Mechanism", record: Any) -> tuple[Expr, Expr]:
    """Angle and rate as sums over the branches between the two frames."""
    angles, rates = [], []
    for turn in k.model.turns[slice(*record.branches)]:
        sense, edge = int(turn.sense), k.model.r_edges[turn.edge]
        q, v = k.work.f[edge.function, :2] if edge.function >= 0 else (k.q[edge.q], k.v[edge.v])
        angles.append(sense * q)
        rates.append(sense * v)
    return add(number(record.offset), *angles), add(*rates)
