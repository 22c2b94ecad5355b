"""Counted angles in symbols; the formulas are those of :mod:`flexnet.kernels.turns`."""

from flexnet.algebra import Expr, Vec, add, atan2, dot, minus, number, plus, times, wrap
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.variables import KnownFunctions
from flexnet.typing import AnyArray


def twist(k: Kinematics, i: int, rates: Rates, known: KnownFunctions) -> tuple[Expr, Expr, Vec]:
    """Counted angle i, its rate, and its gradient, the axis of turning in ground."""
    record = k.equations.model.angles[i]
    tail, head = int(record["tail_r"]), int(record["head_r"])
    A, B = k.R[tail], k.R[head]
    n, m, a = (A.vector(x) for x in record["tail"])
    if record["place"] < 0:
        return *_sum(k, record, known), a
    n_B, m_B, b = (B.vector(x) for x in record["head"])
    s = add(dot(m, n_B), -dot(n, m_B))
    c = add(dot(n, n_B), dot(m, m_B))
    last = k.variables.place[int(record["place"])]
    angle = add(last, wrap(add(atan2(s, c), -last)))
    u = times(1 / add(1, dot(a, b)), plus(a, b))
    return angle, dot(u, minus(rates.angular[head], rates.angular[tail])), u


def counted_angle(k: Kinematics, i: int, known: KnownFunctions) -> tuple[Expr, bool]:
    """Counted angle i as a sum of coordinates, exactly; or what q holds of it, a step behind."""
    record = k.equations.model.angles[i]
    if record["place"] < 0:
        return _sum(k, record, known)[0], True
    return k.variables.place[int(record["place"])], False


def _sum(k: Kinematics, record: AnyArray, known: KnownFunctions) -> tuple[Expr, Expr]:
    """Angle and rate as sums over the branches between the two frames."""
    model = k.equations.model
    angles, rates = [], []
    for turn in model.turns[slice(*record["branches"])]:
        sense, edge = int(turn["sense"]), model.r_edges[int(turn["edge"])]
        if edge["function"] >= 0:
            name = k.equations.packer.R.branches[int(turn["edge"])].edge.name
            function = k.equations.terminals[name].rotation.function  # type: ignore[union-attr]
            assert function is not None
            f, f_dot, _ = known.add(name, function, int(edge["function"]))
            angles.append(sense * f)
            rates.append(sense * f_dot)
        else:
            angles.append(sense * k.variables.place[int(edge["q"])])
            rates.append(sense * k.variables.v[int(edge["v"])])
    return add(number(float(record["offset"])), *angles), add(*rates)
