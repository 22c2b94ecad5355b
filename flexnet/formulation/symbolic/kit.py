"""What the symbols of a mechanism are: the group a term belongs to, the name a factor gets."""

from dataclasses import dataclass
from typing import Any

import sympy as sp

from flexnet.algebra.exchange import to_sympy
from flexnet.formulation.symbolic.equations import SymbolicEquations

#: first parts of names of parameters that are no places
HEADS = ("m", "J", "k", "c", "g")


@dataclass(frozen=True, slots=True)
class Kit:
    """What the symbols of a mechanism are.

    Attributes
    ----------
    a, v, lam : accelerations, velocities, multipliers.
    elastic : elastic coordinates.
    driven : known functions of time and their derivatives.
    number : number of each angle, for the names of sums.
    values : values of parameters by name.
    """

    a: frozenset[Any]
    v: frozenset[Any]
    lam: frozenset[Any]
    elastic: frozenset[Any]
    driven: frozenset[Any]
    number: dict[Any, int]
    values: dict[str, float]

    @classmethod
    def of(cls, equations: SymbolicEquations) -> "Kit":
        """Symbols of equations."""
        var, numeric = equations.variables, equations.numeric
        numbers = {to_sympy([var.place[q]])[0]: v + 1 for q, v in numeric.coordinates.scalars}
        known = [x for symbols in equations.known.symbols.values() for x in symbols]
        return cls(
            frozenset(to_sympy(var.a)), frozenset(to_sympy(var.v)), frozenset(to_sympy(var.lam)),
            frozenset(s for s in numbers if ".elastic_" in s.name), frozenset(to_sympy(known)), numbers,
            {node.name: value for node, value in equations.parameters.values.items()},
        )  # fmt: skip

    @property
    def moving(self) -> frozenset[Any]:
        """Symbols by which terms are collected."""
        return self.a | self.v | self.lam

    def word(self, moving: Any, rest: Any) -> str:
        """Group of a term: what moves in it, and the parameters that say where it comes from."""
        inside = moving.free_symbols
        if inside & self.a:
            return "inertia"
        if inside & self.lam:
            return "reaction"
        first = {s.name.split(".")[0] for s in rest.free_symbols}
        powers = sp.Mul(*(f for f in sp.Mul.make_args(moving) if f.free_symbols & self.v))
        degree = sum(int(f.as_base_exp()[1]) for f in sp.Mul.make_args(powers)) if powers != 1 else 0
        if "c" in first and degree:
            return "damping"
        if degree == 2:
            return "centrifugal" if len(powers.free_symbols) == 1 else "Coriolis"
        if degree:
            return "driven" if rest.free_symbols & self.driven else "damping"
        return self._at_rest(rest, first)

    def _at_rest(self, rest: Any, first: set[str]) -> str:
        if "g" in first:
            return "gravity"
        if rest.free_symbols & self.driven:
            return "driven"
        if first & {"k", "rest"}:
            return "spring"
        return "elastic" if rest.free_symbols & self.elastic else "applied"

    def positive(self, part: Any) -> Any:
        """A sum or its opposite, whichever is positive."""
        values = {s: self.values[s.name] for s in part.free_symbols if s.name in self.values}
        if len(values) < len(part.free_symbols):
            return part
        value = part.xreplace(values)
        is_other = part.could_extract_minus_sign() if value == 0 else value < 0  # of none: one of the two
        return sp.expand(-part) if is_other else part

    def name(self, part: Any) -> str:
        """Name of a factor by its meaning: s12 of sin(θ₁ + θ₂), l.body of a length on a body; else none."""
        if isinstance(part, sp.sin | sp.cos):
            angle = part.args[0].as_coefficients_dict()
            if len(angle) < 2 or not all(x in self.number and abs(n) == 1 for x, n in angle.items()):
                return ""
            letter = "s" if isinstance(part, sp.sin) else "c"
            ordered = sorted(angle.items(), key=lambda pair: self.number[pair[0]])
            if all(n == 1 for _, n in ordered):
                return letter + "".join(str(self.number[x]) for x, _ in ordered)
            signs = "".join(("-" if n < 0 else "+") + str(self.number[x]) for x, n in ordered)
            return f"{letter}_{signs.removeprefix('+')}"
        if part.is_Add and all(self._is_place(s) for s in part.free_symbols):
            bodies = {s.name.split(".")[0] for s in part.free_symbols}
            is_plain = all(
                abs(c) == 1 and x.is_Symbol for c, x in (term.as_coeff_Mul() for term in part.args)
            )
            return f"l.{bodies.pop()}" if len(bodies) == 1 and is_plain else ""
        return ""

    def _is_place(self, s: Any) -> bool:
        """Whether a symbol is a coordinate of a frame in its body."""
        first, *rest = s.name.split(".")
        return s.name in self.values and first not in HEADS and bool(rest) and rest[-1] in ("x", "y", "z")
