"""Stress at a point of a flexible body as a signal: what is linear in the motion, and what is made of it.

Section forces and stresses are sums over the vector z of a body in motion (docs/theory/stress.md); von Mises'
stress, principal stresses and the largest over a section are formulas of such sums. Engines and channels read
the same formulas, each with its own z.
"""

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from flexnet.components import FlexibleBody
from flexnet.signals.measure import Measure
from flexnet.signals.signal import Measured, Signal, combine
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StressRow(Signal):
    """A sum over the vector z of a flexible body.

    Attributes
    ----------
    body : its name.
    weights : (n,) of those entries of z that have stresses.
    """

    body: str
    weights: Array
    dimension: Measured = None
    needs: ClassVar[tuple[Signal, ...]] = ()


def stress_signal(part: FlexibleBody, measure: Measure) -> Signal:
    """A measured stress as a formula of sums over z."""
    found = part.stress_at(measure.point, measure.coordinate, measure.face)
    rows: list[Signal] = [StressRow(part.name, row, measure.dimension) for row in found.rows]
    if found.form == "largest":
        return reduce(_larger, rows)
    if found.form == "outline":
        triples = zip(rows[0::3], rows[1::3], rows[2::3], strict=True)
        return reduce(lambda a, b: combine("maximum", a, b), [abs(a) + _hypot(b, c) for a, b, c in triples])
    x, y, xy = rows
    if found.form == "von_mises":
        return _root(x * x - x * y + y * y + 3.0 * xy * xy)
    mean, radius = 0.5 * (x + y), _hypot(0.5 * (x - y), xy)
    return mean + radius if found.form == "s1" else mean - radius


def _larger(a: Signal, b: Signal) -> Signal:
    """The larger of two in magnitude, the first where they are equal."""
    return combine("select", abs(b) - abs(a), b, a)


def _hypot(a: Signal, b: Signal) -> Signal:
    return _root(a * a + b * b)


def _root(square: Signal) -> Signal:
    """√ of what is not negative; at zero, where it has no slope, nothing."""
    return combine("select", square, combine("sqrt", square), 0.0)
