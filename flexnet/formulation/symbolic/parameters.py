"""Parameters of a mechanism as symbols named after its components, with their values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp

from flexnet.formulation.symbolic.tape import ZERO, Expr, number
from flexnet.typing import Array


@dataclass(slots=True, eq=False)
class Parameters:
    """Numbers of a mechanism, as symbols or as they are.

    Attributes
    ----------
    as_numbers : write numbers instead of symbols.
    given : expressions to write for named parameters, such as ``{"m1.x": -l / 2}``.
    values : value of every symbol made so far.
    """

    as_numbers: bool = False
    given: Mapping[str, Expr] = field(default_factory=dict)
    values: dict[Expr, float] = field(default_factory=dict)

    def scalar(self, name: str, value: float) -> Expr:
        """A parameter; zero stays zero, because what is not there is not written."""
        if name in self.given:
            return sp.sympify(self.given[name])
        if value == 0.0:
            return ZERO
        if self.as_numbers:
            return number(value)
        symbol = sp.Symbol(name, real=True)
        self.values[symbol] = float(value)
        return symbol

    def vector(self, name: str, value: Array) -> tuple[Expr, Expr, Expr]:
        """Three parameters ``name.x``, ``name.y``, ``name.z``."""
        x, y, z = (self.scalar(f"{name}.{c}", float(value[k])) for k, c in enumerate("xyz"))
        return x, y, z

    def symmetric(self, name: str, value: Array) -> tuple[tuple[Expr, ...], ...]:
        """A symmetric matrix with parameters such as ``name.xx`` and ``name.xy``."""
        letters = "xyz"
        return tuple(
            tuple(
                self.scalar(f"{name}.{letters[min(i, j)]}{letters[max(i, j)]}", float(value[i, j]))
                for j in range(3)
            )
            for i in range(3)
        )
