"""Stress at a point of a flexible body as a signal: what is linear in the motion, and what is made of it.

Section forces and stresses are sums over the vector z of a body in motion (docs/theory/stress.md); von Mises'
stress, principal stresses and the largest over a section are formulas of such sums. Engines and channels read
the same formulas, each with its own z.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

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
    sides = [[StressRow(part.name, row, measure.dimension) for row in side] for side in found.rows]
    return reduce(_larger, [_of_side(side, found.form) for side in sides])


def _of_side(rows: Sequence[Signal], form: str) -> Signal:
    """What a form makes of the sums of one side."""
    if form == "value":
        return rows[0]
    if form == "outline":
        a, b, c = rows
        return abs(a) + _hypot(b, c)
    if len(rows) == 6:
        return _of_solid(rows, form)
    x, y, xy = rows
    if form == "von_mises":
        return _root(x * x - x * y + y * y + 3.0 * xy * xy)
    mean, radius = 0.5 * (x + y), _hypot(0.5 * (x - y), xy)
    return mean + radius if form == "s1" else mean - radius


def _of_solid(stress: Sequence[Signal], form: str) -> Signal:
    """Von Mises' or a principal stress of (σx, σy, σz, τxy, τyz, τzx), by the invariants of the deviator."""
    x, y, z, xy, yz, zx = stress
    J2 = ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 6.0 + xy * xy + yz * yz + zx * zx
    if form == "von_mises":
        return _root(3.0 * J2)
    mean = (x + y + z) / 3.0
    a, b, c = x - mean, y - mean, z - mean
    J3 = a * b * c + 2.0 * xy * yz * zx - a * yz * yz - b * zx * zx - c * xy * xy
    # σ = mean + 2√(J2/3) cos(φ + 2πk/3) with cos 3φ = J3/2 (J2/3)^-3/2, 0 ≤ 3φ ≤ π
    phi = combine("arctan2", _root(4.0 * (J2 / 3.0) ** 3 - J3 * J3), J3) / 3.0
    turn = 0.0 if form == "s1" else 2.0 * np.pi / 3.0
    return mean + 2.0 * _root(J2 / 3.0) * combine("cos", phi + turn)


def _larger(a: Signal, b: Signal) -> Signal:
    """The larger of two in magnitude, the first where they are equal."""
    return combine("select", abs(b) - abs(a), b, a)


def _hypot(a: Signal, b: Signal) -> Signal:
    return _root(a * a + b * b)


def _root(square: Signal) -> Signal:
    """√ of what is not negative; at zero, where it has no slope, nothing."""
    return combine("select", square, combine("sqrt", square), 0.0)
