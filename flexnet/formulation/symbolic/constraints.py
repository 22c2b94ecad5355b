"""Step 2 in symbols: the formulas of :mod:`flexnet.components.row` on the expressions of all frames."""

from typing import TYPE_CHECKING, Any

from flexnet.algebra import Expr, Node, Vec, minus, substituted
from flexnet.components.row import Leg
from flexnet.formulation.row_programs import leg_vectors
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.symbolic.turns import counted_angle
from flexnet.typing import AnyArray

if TYPE_CHECKING:
    from flexnet.formulation.symbolic.mechanism import Mechanism


def row_family(k: "Mechanism", row: ConstraintRow, record: Any) -> list[Any]:
    """A constraint row: Φ, Φ_f and its unit wrenches; γ."""
    traced = row.row.traced
    places: dict[Node, Expr] = dict(zip(traced.numbers, row.row.numbers, strict=True))
    ends = [
        [(getattr(record, f"{mark}{end}"), getattr(record, f"{mark}{end}_r")) for end in ("tail", "head")]
        for mark in ("", "other_")
    ]

    def value(*arguments: Any) -> None:
        *_, out = arguments
        known = k.work.f[record.function] if record.function >= 0 else (0, 0, 0)
        places.update({traced.f: known[0], traced.f_dot: known[1]})
        given = leg_vectors(row.row, *row.ends)
        for leg, pair, vectors, angle in zip(
            traced.legs, ends, given, (record.angle, record.other_angle), strict=False
        ):
            _place(k, leg, pair, vectors, angle, places)
        found = substituted(traced.outputs, places)
        out[: len(found)] = found

    def bias(*arguments: Any) -> None:
        *_, out = arguments
        w = k.work
        for leg, ((tail, tail_r), (head, head_r)) in zip(traced.legs, ends, strict=False):
            _exchange([(leg.dv, minus(w.v[head], w.v[tail]))], places)
            _exchange([(leg.w_A, w.omega[tail_r]), (leg.w_B, w.omega[head_r])], places)
        out[:1] = substituted([traced.bias], places)

    return [value, bias]


def _place(
    k: "Mechanism", leg: Leg, ends: list[tuple[int, int]], vectors: tuple[list[AnyArray], list[AnyArray]],
    angle: int, places: dict[Node, Expr],
) -> None:  # fmt: skip
    """Put expressions in the place of the nodes of a leg."""
    (tail, tail_r), (head, head_r) = ends
    A, B = k.R[tail_r], k.R[head_r]
    pairs = [(leg.d, minus(k.work.p[head], k.work.p[tail]))]
    tails = (*leg.tail, *(leg.axes_A if "A" in leg.asks else ()))
    heads = (*leg.head, *(leg.axes_B if "B" in leg.asks else ()))
    pairs += [(node, A.vector(n)) for node, n in zip(tails, vectors[0], strict=True)]
    pairs += [(node, B.vector(a)) for node, a in zip(heads, vectors[1], strict=True)]
    _exchange(pairs, places)
    if leg.angle is not None:
        turn, is_exact = counted_angle(k, angle)
        places[leg.turn] = turn
        if is_exact and isinstance(leg.angle, Node):
            places[leg.angle] = turn


def _exchange(pairs: list[tuple[Vec, Vec]], places: dict[Node, Expr]) -> None:
    for nodes, values in pairs:
        places |= {n: x for n, x in zip(nodes, values, strict=True) if isinstance(n, Node)}
