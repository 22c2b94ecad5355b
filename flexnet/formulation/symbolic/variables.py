"""Variables of the equations: coordinates, their rates, multipliers and known functions of time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flexnet.algebra import Expr, Node, symbol
from flexnet.components import TimeFunction
from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.symbolic.parameters import Parameters

#: value and two derivatives of a known function
KnownValues = tuple[Expr, Expr, Expr]

TIME = symbol("t")


@dataclass(slots=True, eq=False)
class Variables:
    """Symbols of a state.

    Attributes
    ----------
    q : configuration; a 3-D rotation by angles has three symbols, by a quaternion four.
    v, a : velocities and accelerations, in the order of the numeric engine.
    lam : multipliers of the constraint rows.
    place : symbol of each scalar coordinate by its index in the numeric configuration.
    sequences : axes of the angles of every 3-D rotation, by the name of its branch; empty for a quaternion.
    turns : configuration symbols of every 3-D rotation, by the name of its branch.
    z, z_dot : first-order states and their rates.
    """

    q: list[Expr]
    v: list[Expr]
    a: list[Expr]
    lam: list[Expr]
    place: dict[int, Expr]
    sequences: dict[str, str]
    turns: dict[str, list[Expr]]
    z: list[Expr] = field(default_factory=list)
    z_dot: list[Expr] = field(default_factory=list)

    @property
    def names(self) -> frozenset[str]:
        """Names of all of them."""
        return frozenset(str(s.name) for s in (*self.q, *self.v, *self.a, *self.lam, *self.z))

    @property
    def is_numeric_layout(self) -> bool:
        """Whether q and v are those of the numeric engine: no 3-D rotation is written in angles."""
        return not any(self.sequences.values())


def make_variables(equations: Equations, rotations: str | Mapping[str, str]) -> Variables:
    """Symbols of all coordinates.

    Parameters
    ----------
    rotations : ``"quaternion"``, a sequence of axes such as ``"zxz"`` for all 3-D rotations, or one for
        each by the name of its branch.
    """
    names = equations.coordinates
    free = {
        branch.edge.name: edge
        for branch, edge in zip(equations.R.branches, equations.model.r_edges, strict=True)
        if edge["is_free"]
    }
    sequences = {name: _sequence(rotations, name) for name in free}
    q, place, v_names = list[Expr](), dict[int, Expr](), list(names.v_names)
    turns: dict[str, list[Expr]] = {}
    starts = {int(edge["q"]): name for name, edge in free.items()}
    k = 0
    while k < len(names.q_names):
        owner = starts.get(k)
        if owner is None:
            place[k] = symbol(names.q_names[k])
            q.append(place[k])
            k += 1
            continue
        if sequences[owner]:
            first = int(free[owner]["v"])
            v_names[first : first + 3] = [f"{owner}.angle_{i}" for i in (1, 2, 3)]
            turns[owner] = [symbol(name) for name in v_names[first : first + 3]]
        else:
            turns[owner] = [symbol(name) for name in names.q_names[k : k + 4]]
        q += turns[owner]
        k += 4
    return Variables(
        q,
        [symbol(f"{name}_dot" if "omega" not in name else name) for name in v_names],
        [symbol(f"{name}_ddot" if "omega" not in name else f"{name}_dot") for name in v_names],
        [symbol(f"lambda_{i + 1}") for i in range(equations.m)],
        place,
        sequences,
        turns,
        [symbol(name) for name in equations.states.names],
        [symbol(f"{name}_dot") for name in equations.states.names],
    )


def _sequence(rotations: str | Mapping[str, str], name: str) -> str:
    chosen = rotations if isinstance(rotations, str) else rotations.get(name, "quaternion")
    if chosen == "quaternion":
        return ""
    sequence = chosen.lower()
    is_good = len(sequence) == 3 and set(sequence) <= set("xyz")
    if not is_good or sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ModelError(
            f"rotation of {name!r} cannot be written by {chosen!r}: say quaternion, or three axes such as "
            "zxz or xyz, no two equal ones in a row"
        )
    return sequence


@dataclass(slots=True, eq=False)
class KnownFunctions:
    """Known functions of time met so far, each with the symbols of its value and two derivatives.

    Attributes
    ----------
    symbols : by name.
    functions : the functions, by name; constants are parameters and not listed.
    index : their place in the packed model of the numeric engine.
    signals : symbol of every signal that a force follows, and the signal, by name.
    """

    parameters: Parameters
    symbols: dict[str, KnownValues] = field(default_factory=dict)
    functions: dict[str, TimeFunction] = field(default_factory=dict)
    index: dict[str, int] = field(default_factory=dict)
    signals: dict[str, tuple[Node, Any]] = field(default_factory=dict)

    def add(self, name: str, function: TimeFunction, index: int) -> KnownValues:
        """Symbols of a function; a constant is a parameter."""
        if function.kind == "constant":
            return self.parameters.scalar(name, function.parameters[0]), 0, 0
        if function.kind == "signal":
            if name not in self.signals:
                self.signals[name] = self.parameters.symbol(name), function.expression
            return self.signals[name][0], 0, 0
        if name not in self.symbols:
            f, d, dd = (self.parameters.symbol(name + suffix) for suffix in ("", "_dot", "_ddot"))
            self.symbols[name] = (f, d, dd)
            self.functions[name] = function
            self.index[name] = int(index)
        return self.symbols[name]
