"""Applied forces in symbols: the laws of force elements inlined."""

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.algebra import Expr, Mat, Node, Vec, extern, number, rotate
from flexnet.components import ForceElement, TimeFunction
from flexnet.components.force_element import Motion, Twist
from flexnet.formulation.laws import Data, answer, energies, wrench
from flexnet.formulation.orientation import Orientation
from flexnet.formulation.symbolic.turns import twist
from flexnet.formulation.symbolic.variables import TIME
from flexnet.formulation.traced_law import inlined_rate
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.symbolic.mechanism import Mechanism


class InlinedEnd:
    """A frame of the mechanism; turns about one axis stay sums of angles."""

    def __init__(self, k: "Mechanism", node: int, rotation: int, C: Array) -> None:
        w = k.work
        self.x, self.v, self.omega = w.p[node], w.v[node], w.omega[rotation]
        self._place: Orientation = k.R[rotation].place(C)

    @property
    def R(self) -> Mat:
        """Orientation of the frame."""
        return self._place.matrix

    def vector(self, n: Vec) -> Vec:
        """A vector of the frame in ground axes."""
        if any(type(x) is Node for x in n):
            return rotate(self.R, n)
        return self._place.vector(np.array(n, dtype=float))


def element_family(k: "Mechanism", part: ForceElement, record: Any) -> list[Any]:
    """A force element: its load, potential and powers."""

    @cache
    def found() -> tuple[list[Expr], list[Expr]]:
        A = InlinedEnd(k, record.tail, record.tail_r, part.tail.rotation)
        B = InlinedEnd(k, record.head, record.head_r, part.head.rotation)
        motion = Motion(A, B, lambda: Twist(*twist(k, record.angle)))
        p = _data(k, part, record).read(part)
        load = answer(part, motion, p, TIME)
        rates = {f: first for f, first, _ in k.known.symbols.values()}
        stores = partial(_rate_of_potential, part, motion, p, rates)
        return wrench(part, motion, load), energies(part, motion, load, stores)

    def load(*arguments: Any) -> None:
        arguments[-1][:] = found()[0]

    def potential(*arguments: Any) -> None:
        arguments[-1][0] = found()[1][0]

    def power(*arguments: Any) -> None:
        arguments[-1][:2] = found()[1][1:]

    return [load, potential, power, None]


def _rate_of_potential(
    part: ForceElement, motion: Motion, p: object, rates: dict[Node, Expr], _: Expr
) -> Expr:  # fmt: skip
    return inlined_rate(part, motion, p, TIME, rates)


def _data(k: "Mechanism", part: ForceElement, record: Any) -> Data:
    """Numbers of an element as parameters named after it; directions stay numbers."""
    functions, formulas = [record.f], [record.law]

    def scalar(name: str, place: tuple[int, ...], value: float) -> Expr:
        letters = "xyz" if place and len(getattr(part, name)) == 3 else None
        ends = [letters[i] if letters else str(i + 1) for i in place]
        return k.parameters.scalar(".".join([part.letters.get(name, name), part.name, *ends]), value)

    def function(name: str, place: int | None, given: TimeFunction) -> Expr:
        ends = [part.letters.get(name, name), "" if place is None else "xyz"[place]]
        found = k.known.add(".".join([part.name, *filter(None, ends)]), given, functions[0])[0]
        functions[0] += not given.is_zero
        return found

    def formula(name: str, given: object) -> Callable[..., Expr]:
        formulas[0] += 1
        return partial(extern, "laws", formulas[0] - 1)

    return Data(scalar, function, lambda name, place, value: number(value), formula)
