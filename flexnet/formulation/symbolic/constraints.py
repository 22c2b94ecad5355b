"""Step 2 in symbols: the formulas of :mod:`flexnet.components.row` on the expressions of all frames."""

from dataclasses import dataclass

from flexnet.algebra import Expr, Node, Vec, add, dot, minus, mul, substituted
from flexnet.components.row import Leg
from flexnet.formulation.row_programs import leg_vectors
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.turns import counted_angle
from flexnet.formulation.symbolic.variables import KnownFunctions, KnownValues
from flexnet.typing import AnyArray


@dataclass(slots=True, eq=False)
class Wrench:
    """Unit wrench of a row on one pair of frames: its nodes and its parts.

    δΦ = force·(δp_B - δp_A) + head·δθ_B + tail·δθ_A.
    """

    nodes: tuple[int, int]
    turns: tuple[int, int]
    force: Vec
    tail: Vec
    head: Vec

    def power(self, rates: Rates) -> Expr:
        """Work on velocities or accelerations."""
        d = minus(rates.linear[self.nodes[1]], rates.linear[self.nodes[0]])
        return add(
            dot(self.force, d),
            dot(self.head, rates.angular[self.turns[1]]),
            dot(self.tail, rates.angular[self.turns[0]]),
        )


@dataclass(slots=True, eq=False)
class Chord:
    """One scalar constraint: its value, its derivative by its known function, and its unit wrenches.

    Attributes
    ----------
    v : the driven velocity coordinate that the row is, -1 unless it is one.
    places : what stands for the nodes of its formula.
    """

    row: ConstraintRow
    record: AnyArray
    known: KnownValues
    value: Expr
    by_f: Expr
    wrenches: list[Wrench]
    v: int
    places: dict[Node, Expr]


def chords(k: Kinematics, known: KnownFunctions) -> list[Chord]:
    """All constraint rows with their values and unit wrenches."""
    pairs = zip(k.equations.rows, k.equations.model.rows, strict=True)
    return [_chord(k, row, record, known) for row, record in pairs]


def _known(row: ConstraintRow, record: AnyArray, known: KnownFunctions) -> KnownValues:
    if row.function is None:
        return 0, 0, 0
    name = row.component.name
    driven = getattr(row.component, "displacements", ())
    if len(driven) > 1:
        name = f"{name}.{[f is row.function for f in driven].index(True) + 1}"
    return known.add(name, row.function, int(record["function"]))


def _chord(k: Kinematics, row: ConstraintRow, record: AnyArray, known: KnownFunctions) -> Chord:
    f = _known(row, record, known)
    if row.place is not None:
        value = add(k.variables.place[row.place.q], -f[0])
        return Chord(row, record, f, value, -1, [], row.place.v, {})
    traced = row.row.traced
    places: dict[Node, Expr] = {traced.f: f[0], traced.f_dot: f[1]}
    places |= dict(zip(traced.numbers, row.row.numbers, strict=True))
    vectors = leg_vectors(row.row, *row.ends)
    for leg, given, mark in zip(traced.legs, vectors, ("", "other_"), strict=False):
        _place(k, leg, given, record, mark, known, places)
    wrenches = [x for leg in traced.legs for v in (leg.force, leg.tail_torque, leg.head_torque) for x in v]
    value, by_f, *parts = substituted([traced.value, traced.by_f, *wrenches], places)
    legs = [
        Wrench(
            (int(record[f"{mark}tail"]), int(record[f"{mark}head"])),
            (int(record[f"{mark}tail_r"]), int(record[f"{mark}head_r"])),
            *((parts[i], parts[i + 1], parts[i + 2]) for i in (9 * n, 9 * n + 3, 9 * n + 6)),
        )
        for n, mark in zip(range(len(traced.legs)), ("", "other_"), strict=False)
    ]
    return Chord(row, record, f, value, by_f, legs, -1, places)


def _place(
    k: Kinematics, leg: Leg, vectors: tuple[list[AnyArray], list[AnyArray]], record: AnyArray, mark: str,
    known: KnownFunctions, places: dict[Node, Expr],
) -> None:  # fmt: skip
    """Put expressions in the place of the nodes of a leg."""
    A, B = (k.R[int(record[f"{mark}{end}_r"])] for end in ("tail", "head"))
    d = minus(k.p[int(record[f"{mark}head"])], k.p[int(record[f"{mark}tail"])])
    pairs = [(leg.d, d)]
    tails = (*leg.tail, *(leg.axes_A if "A" in leg.asks else ()))
    heads = (*leg.head, *(leg.axes_B if "B" in leg.asks else ()))
    pairs += [(node, A.vector(n)) for node, n in zip(tails, vectors[0], strict=True)]
    pairs += [(node, B.vector(a)) for node, a in zip(heads, vectors[1], strict=True)]
    _exchange(pairs, places)
    if leg.angle is not None:
        turn, is_exact = counted_angle(k, int(record[f"{mark}angle"]), known)
        places[leg.turn] = turn
        if is_exact and isinstance(leg.angle, Node):
            places[leg.angle] = turn


def _exchange(pairs: list[tuple[Vec, Vec]], places: dict[Node, Expr]) -> None:
    for nodes, values in pairs:
        places |= {n: x for n, x in zip(nodes, values, strict=True) if isinstance(n, Node)}


def _power(c: Chord, rates: Rates) -> Expr:
    """Power of the unit wrenches of a row."""
    return add(*(wrench.power(rates) for wrench in c.wrenches))


def time_rate(c: Chord) -> Expr:
    """Part Φ_f ḟ of Φ̇ that is a known function's own; drivers in the tree bring theirs by the velocities."""
    return mul(c.by_f, c.known[1])


def rate(c: Chord, v: list[Expr], rates: Rates) -> Expr:
    """Φ̇ = G v + Φ_t."""
    own = v[c.v] if c.v >= 0 else _power(c, rates)
    return add(own, time_rate(c))


def acceleration(c: Chord, a: list[Expr], rates: Rates, acc: Rates) -> Expr:
    """Φ̈ for the accelerations given."""
    own = mul(c.by_f, c.known[2])
    if c.v >= 0:
        return add(a[c.v], own)
    traced, places = c.row.row.traced, dict(c.places)
    for leg, wrench in zip(traced.legs, c.wrenches, strict=True):
        (tail, head), (tail_r, head_r) = wrench.nodes, wrench.turns
        dv = minus(rates.linear[head], rates.linear[tail])
        turning = [(leg.w_A, rates.angular[tail_r]), (leg.w_B, rates.angular[head_r])]
        _exchange([(leg.dv, dv), *turning], places)
    (bias,) = substituted([traced.bias], places)
    return add(_power(c, acc), own, bias)
