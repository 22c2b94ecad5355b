"""Parameters of a mechanism as symbols named after its components, with their values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexnet.algebra import Expr, Node, number, symbol
from flexnet.algebra.vector import ROUND_OFF
from flexnet.typing import Array

_LINE = re.compile(r"z\d+")


@dataclass(slots=True, eq=False)
class Parameters:
    """Numbers of a mechanism, as symbols or as they are.

    Attributes
    ----------
    as_numbers : write numbers instead of symbols.
    given : expressions of sympy to write for named parameters, such as ``{"m1.x": -l / 2}``.
    values : value of every symbol made so far.
    taken : names of variables; a parameter of the same name, such as the component F.x of a force whose edge
        is a branch, is called F.x_given. So is one that is named like an intermediate result.
    """

    as_numbers: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)
    values: dict[Node, float] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    def symbol(self, name: str) -> Node:
        """A real symbol that is no variable."""
        is_taken = name in self.taken or _LINE.fullmatch(name)
        return symbol(f"{name}_given" if is_taken else name)

    def scalar(self, name: str, value: float) -> Expr:
        """A parameter; zero stays zero, because what is not there is not written."""
        if name in self.given:
            from flexnet.algebra.exchange import from_sympy  # loads sympy, which a run does without

            return from_sympy(self.given[name])
        if value == 0.0:
            return 0
        if self.as_numbers:
            return number(value)
        node = self.symbol(name)
        self.values[node] = float(value)
        return node

    def vector(self, name: str, value: Array) -> tuple[Expr, Expr, Expr]:
        """Three parameters ``name.x``, ``name.y``, ``name.z``."""
        x, y, z = (self.scalar(f"{name}.{c}", v) for v, c in zip(_clean(value), "xyz", strict=True))
        return x, y, z

    def symmetric(self, name: str, value: Array) -> tuple[tuple[Expr, ...], ...]:
        """A symmetric matrix with parameters such as ``name.xx`` and ``name.xy``."""
        letters, kept = "xyz", _clean(value)
        return tuple(
            tuple(
                self.scalar(f"{name}.{letters[min(i, j)]}{letters[max(i, j)]}", float(kept[i, j]))
                for j in range(3)
            )
            for i in range(3)
        )


def _clean(value: Array) -> Array:
    """Entries that are not round-off of the largest."""
    x = np.asarray(value, dtype=float)
    return np.where(np.abs(x) > ROUND_OFF * np.abs(x).max(initial=0.0), x, 0.0)
