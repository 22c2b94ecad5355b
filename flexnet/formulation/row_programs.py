"""Constraint rows as families: programs of the formulas of :mod:`flexnet.components.row`, and their numbers.

A row's vectors are constant on the bodies of its frames; their components are arguments, but for 0 and ±1,
which the family knows. So a row along an axis of a body reads one column of its rotation matrix.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from flexnet.algebra import Arguments, Expr, Mat, Node, Program, Vec, minus, rotate, substituted
from flexnet.components import Frame
from flexnet.components.row import Formula, Leg, Row, TracedRow, trace
from flexnet.formulation.branch_programs import Pattern, directions
from flexnet.typing import Array

#: what a family knows of every vector of a leg: of those in its tail and its head
Legs = tuple[tuple[Pattern, ...], tuple[Pattern, ...]]


def leg_frames(row: Row, tail: Frame, head: Frame) -> list[tuple[Frame, Frame]]:
    """Tail and head of every relative motion a row asks for."""
    return [(tail, head)] if row.other is None else [(tail, head), row.other[:2]]


def leg_vectors(row: Row, tail: Frame, head: Frame) -> list[tuple[list[Array], list[Array]]]:
    """Vectors of every leg in the bodies of its tail and head, axes of the frames last where asked for."""
    out = []
    given = [(row.tail_vectors, row.head_vectors), (row.other_vectors, row.other_vectors)]
    for leg, (A, B), (n, a) in zip(row.traced.legs, leg_frames(row, tail, head), given, strict=False):
        tails = [*n, *(np.eye(3) if "A" in leg.asks else ())]
        heads = [*a, *(np.eye(3) if "B" in leg.asks else ())]
        out.append(([A.rotation @ x for x in tails], [B.rotation @ x for x in heads]))
    return out


def row_family(row: Row, tail: Frame, head: Frame) -> tuple[tuple[object, ...], list[float]]:
    """Key of the family of a row, and the numbers it is called with."""
    patterns, numbers = list[Legs](), list[float]()
    for tails, heads in leg_vectors(row, tail, head):
        known, others = directions(*tails, *heads)
        patterns.append((tuple(known[: len(tails)]), tuple(known[len(tails) :])))
        numbers += others
    numbers += row.numbers
    return (row.formula, row.shape, tuple(patterns)), numbers


@cache
def row_programs(
    formula: Formula, shape: tuple[int, int, int, bool, int | None], patterns: tuple[Legs, ...]
) -> tuple[Program, Program]:
    """Programs of a family: Φ, Φ_f and unit wrenches; γ.

    Their arguments are numbers, of every leg the places and orientations of tail and head, in the second with
    their velocities, then f, (ḟ,) and the turns last counted.
    """
    traced = trace(formula, *shape)
    made = []
    for has_rates in (False, True):
        a = Arguments()
        a.array("p")
        swap: dict[Node, Expr] = {}
        ends = [_end_arguments(a, mark, has_rates) for mark in ("1", "2")]
        _f_arguments(a, traced, has_rates, swap)
        for leg, (A, B), pattern in zip(traced.legs, ends, patterns, strict=False):
            _place(a, leg, A, B, pattern, swap)
        swap |= {node: a.more("p") for node in traced.numbers}
        outputs = [traced.bias] if has_rates else traced.outputs
        made.append(a.program("bias" if has_rates else "row", substituted(outputs, swap)))
    return made[0], made[1]


def _end_arguments(a: Arguments, mark: str, has_rates: bool) -> Sequence[tuple[Vec, Mat, Vec, Vec]]:
    """Place, orientation and rates of the tail and the head of a leg."""
    zero: Vec = (0, 0, 0)
    out = []
    for end in "AB":
        x, R = a.vector(f"p_{end}{mark}"), a.matrix(f"R_{end}{mark}")
        v, w = (a.vector(f"v_{end}{mark}"), a.vector(f"w_{end}{mark}")) if has_rates else (zero, zero)
        out.append((x, R, v, w))
    return out


def _f_arguments(a: Arguments, traced: TracedRow, has_rates: bool, swap: dict[Node, Expr]) -> None:
    """Known function, its rate, and the turns last counted."""
    swap[traced.f] = a.number("f")
    if has_rates:
        swap[traced.f_dot] = a.number("f_dot")
    turns = a.number("turn_1"), a.number("turn_2")
    swap |= {leg.turn: turn for leg, turn in zip(traced.legs, turns, strict=False)}


def _place(
    a: Arguments,
    leg: Leg,
    A: tuple[Vec, Mat, Vec, Vec],
    B: tuple[Vec, Mat, Vec, Vec],
    pattern: Legs,
    swap: dict[Node, Expr],
) -> None:
    """Put the arguments of a leg in the place of its nodes."""
    pairs: list[tuple[Vec, Vec]] = [(leg.d, minus(B[0], A[0])), (leg.dv, minus(B[2], A[2]))]
    pairs += [(leg.w_A, A[3]), (leg.w_B, B[3])]
    for (_, R, _, _), nodes, known in (
        (A, (*leg.tail, *(leg.axes_A if "A" in leg.asks else ())), pattern[0]),
        (B, (*leg.head, *(leg.axes_B if "B" in leg.asks else ())), pattern[1]),
    ):
        for vector, entries in zip(nodes, known, strict=True):
            x, y, z = (a.more("p") if e is None else e for e in entries)
            pairs.append((vector, rotate(R, (x, y, z))))
    swap |= {
        n: e for vector, value in pairs for n, e in zip(vector, value, strict=True) if isinstance(n, Node)
    }
