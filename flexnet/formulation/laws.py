"""Laws of force elements as families: what a law is called with, and the programs traced from it.

Both engines call ``element.law(motion, p, t)``. Here the motion is that of two frames whatever the mechanism,
and every number of the element is an argument; so elements that differ in their numbers only are one family.
Its programs take the arguments of :data:`flexnet.kernels.forces.evaluate_law`:

===========  ================================================================================================
load         force and torque on the head, force and torque on the tail, (12,) in ground axes
potential    energy it stores [J]
power        power of what neither stores nor damps, power of damping [W]
===========  ================================================================================================
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Arguments,
    Expr,
    FamilyTable,
    Mat,
    Node,
    Program,
    Vec,
    add,
    cross,
    dot,
    extern,
    forward,
    is_unit,
    matmul,
    maximum,
    mul,
    negative,
    plus,
    prepared,
    reach,
    rotate,
    substituted,
    symbol,
    symbols,
    times,
    traced,
    transpose,
)  # fmt: skip
from flexnet.algebra.language import functions
from flexnet.components import TimeFunction
from flexnet.components.force_element import (
    Action,
    ForceElement,
    Motion,
    Twist,
    tail_torque,
    total_power,
)
from flexnet.errors import ModelError
from flexnet.formulation.functions import FunctionTable
from flexnet.typing import AnyArray, Array

#: a user's formula of three numbers is held against its trace here
_SAMPLES = (
    (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.37, -1.3, 0.9),
    (-2.1, 0.45, 3.7), (1e-3, -2e-3, 0.1), (7.3, 11.0, 23.0), (-0.02, -0.3, 0.5),
)  # fmt: skip
#: smallest 1 + a·a' of the axes of a twist, at half a turn of swing
_OPPOSITE = 1e-12


@dataclass(slots=True)
class Data:
    """How the data of an element become what its law reads.

    Attributes
    ----------
    number : an expression for a number that is not zero: its field, its indices, its value.
    function : an expression for a known function: its field, its index if there are several.
    direction : an expression for an entry of a direction.
    formula : an expression for a user's function that cannot be traced, of three expressions.
    """

    number: Callable[[str, tuple[int, ...], float], Expr]
    function: Callable[[str, int | None, TimeFunction], Expr]
    direction: Callable[[str, tuple[int, ...], float], Expr]
    formula: Callable[[str, Any], Callable[[Expr, Expr, Expr], Expr]]

    def read(self, element: ForceElement) -> Any:
        """All fields of an element by their names."""
        return SimpleNamespace(
            **{f.name: self._field(element, f.name, f.type) for f in fields(element) if f.name not in _ENDS}
        )

    def _field(self, element: ForceElement, name: str, kind: Any) -> Any:
        value = getattr(element, name)
        if isinstance(value, TimeFunction):
            return self.function(name, None, value)
        if isinstance(value, tuple) and value and all(isinstance(x, TimeFunction) for x in value):
            return tuple(self.function(name, i, x) for i, x in enumerate(value))
        numbers = as_numbers(value, kind)
        if numbers is not None:
            return self._numbers(element, name, numbers)
        if is_sympy(value):
            return _of_sympy(element, value)
        if callable(value):
            return traced(value, ("x", "v", "t"), _SAMPLES) or self.formula(name, value)
        return value

    def _numbers(self, element: ForceElement, name: str, values: Array) -> Any:
        """Expressions in the shape of an array; a symmetric matrix has its entries once."""
        make = self.direction if name in element.directions else self.number
        made: dict[tuple[int, ...], Expr] = {}
        is_symmetric = _is_symmetric(values)
        for where in np.ndindex(*values.shape):
            first = tuple(sorted(where)) if is_symmetric else where
            if first not in made:
                x = float(values[where])
                made[first] = 0 if x == 0.0 else make(name, first, x)
            made[where] = made[first]
        return _nested(made, values.shape)


_ENDS = ("name", "tail", "head")


def as_numbers(value: Any, kind: Any) -> Array | None:
    """Numbers of a field that has some: a float, or an array or sequence of floats."""
    is_float = isinstance(value, float) or (kind in (float, "float") and isinstance(value, int | np.number))
    if is_float or (isinstance(value, np.ndarray) and value.dtype.kind in "fi"):
        return np.asarray(value, dtype=float)
    if isinstance(value, tuple | list) and value and all(isinstance(x, float) for x in value):
        return np.array(value, dtype=float)
    return None


def _is_symmetric(values: Array) -> bool:
    return values.ndim == 2 and values.shape[0] == values.shape[1] and bool((values == values.T).all())


def _nested(made: dict[tuple[int, ...], Expr], shape: tuple[int, ...], before: tuple[int, ...] = ()) -> Any:
    if not shape:
        return made[before]
    return tuple(_nested(made, shape[1:], (*before, i)) for i in range(shape[0]))


def is_sympy(value: Any) -> bool:
    """Whether a value is a sympy expression; there is none where sympy was never imported."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def _of_sympy(element: ForceElement, value: Any) -> Callable[[Expr, Expr, Expr], Expr]:
    from flexnet.algebra.exchange import from_sympy

    unknown = {str(s) for s in value.free_symbols} - {"x", "v", "t"}
    if unknown:
        raise ModelError(f"law of {element.name!r} contains {sorted(unknown)}; it may contain x, v and t")
    return lambda x, v, t: from_sympy(value, {"x": x, "v": v, "t": t})


# -- energies ----------------------------------------------------------------------------------


def energies(element: ForceElement, motion: Motion, load: Action, rate: Callable[[Expr], Expr]) -> list[Expr]:
    """Potential, power of what neither stores nor damps, power of damping; ``rate`` is d/dt."""
    power = load.power
    if power is None:
        stored = 0 if type(load.potential) is not Node else rate(load.potential)
        power = add(total_power(element, motion, load), stored, load.dissipation)
    return [load.potential, power, -load.dissipation]


# -- a motion of two frames, whatever the mechanism --------------------------------------------


class TracedEnd:
    """A frame on a body: what it is as arguments, in ground axes.

    Parameters
    ----------
    letter : of the end in the names of the arguments.
    C : orientation of the frame on its body.
    """

    def __init__(self, a: Arguments, letter: str, C: Mat) -> None:
        self.x, self.v = a.vector(f"x_{letter}"), a.vector(f"v_{letter}")
        self.body, self.omega = a.matrix(f"R_{letter}"), a.vector(f"w_{letter}")
        self.C = C

    @property
    def R(self) -> Mat:
        """Orientation of the frame."""
        return self.body if self.C == UNIT else matmul(self.body, self.C)

    def vector(self, n: Vec) -> Vec:
        """A vector of the frame in ground axes."""
        return rotate(self.body, n if self.C == UNIT else rotate(self.C, n))

    def move(self, dx: Vec, turn: Vec) -> dict[Node, Expr]:
        """How the arguments change when the body is displaced and turned: δR = [δθ]× R."""
        columns = [cross(turn, column) for column in transpose(self.body)]
        out = dict(zip(self.x, dx, strict=True))
        for i, row in enumerate(self.body):
            out |= {row[j]: columns[j][i] for j in range(3)}
        return out


@dataclass(slots=True, eq=False)
class Traced:
    """A law traced for a family, and what its element is but for the family.

    Attributes
    ----------
    arguments : of its programs.
    motion, load : what it saw and answered.
    rates : rate of every known function by its value.
    p : numbers of the element, in the order of the argument p.
    functions : its known functions, in the order of the argument f.
    formulas : its functions that could not be traced, in the order of the argument laws.
    """

    element: ForceElement
    arguments: Arguments
    motion: "TracedMotion"
    load: Action
    t: Node
    rates: dict[Node, Expr]
    p: list[float]
    functions: list[TimeFunction]
    formulas: list[Any]

    @property
    def wrench(self) -> list[Expr]:
        """Force and torque on the head, force and torque on the tail."""
        force = self.load.force
        back = ZERO3 if self.element.acts_from_datum else negative(force)
        return [*force, *self.load.torque, *back, *tail_torque(self.element, self.motion, self.load)]

    @property
    def energies(self) -> list[Expr]:
        """Potential, power, power of damping."""
        rate = partial(self.motion.rate, known=self.rates | {self.t: 1})
        return energies(self.element, self.motion, self.load, rate)

    @property
    def needs_rates(self) -> bool:
        """Whether the rates of known functions are asked for."""
        wanted = set(self.rates.values())
        return any(not found.isdisjoint(wanted) for found in reach([*self.wrench, *self.energies]))

    @property
    def programs(self) -> list[Program]:
        """Functions the kernels call."""
        potential, *powers = self.energies
        outputs = {"load": self.wrench, "potential": [potential], "power": powers}
        return [self.arguments.program(name, entries) for name, entries in outputs.items()]

    def tangent(self) -> Program:
        """Exact derivative (12, 24) of the wrench by x, θ, v and ω of the tail, then of the head.

        θ turns the body, δR = [δθ]× R; a counted angle follows, δθ = u·(δθ_head - δθ_tail).
        """
        entries = np.zeros((12, 24), dtype=object)
        for j, move in enumerate(self.motion.moves()):
            entries[:, j] = forward(self.wrench, move)
        return Program("tangent", dict(self.arguments.inputs), {"out": entries})


class TracedMotion(Motion):
    """Motion of two frames whatever the mechanism: places and rates are arguments.

    Parameters
    ----------
    a : receives the arguments.
    C_A, C_B : orientation of the frames on their bodies.
    """

    def __init__(self, a: Arguments, C_A: Mat = UNIT, C_B: Mat = UNIT) -> None:
        self.ends = TracedEnd(a, "A", C_A), TracedEnd(a, "B", C_B)
        self.axes, self.theta = (a.vector("a_A"), a.vector("a_B")), a.number("theta")
        super().__init__(*self.ends, self._counted)

    def _counted(self) -> Twist:
        """Along u = (a + a')/(1 + a·a')."""
        first, second = (rotate(end.body, n) for end, n in zip(self.ends, self.axes, strict=True))
        axis = times(1 / maximum(add(1, dot(first, second)), _OPPOSITE), plus(first, second))
        return Twist(self.theta, dot(axis, self.omega), axis)

    def rate(self, x: Expr, known: Mapping[Node, Expr]) -> Expr:
        """d/dt of an expression of places and of what has a known rate."""
        tail, head = self.ends
        moves = tail.move(tail.v, tail.omega) | head.move(head.v, head.omega) | dict(known)
        if self.theta in reach([x])[0]:
            moves[self.theta] = self.twist.rate
        return forward([x], _moving(moves))[0]

    def moves(self) -> Iterator[dict[Node, Expr]]:
        """How the arguments change with x, θ, v and ω of the tail, then of the head."""
        for end, sign in zip(self.ends, (-1, 1), strict=True):
            yield from (_moving(end.move(unit, ZERO3)) for unit in UNIT)
            for unit in UNIT:
                turn = {self.theta: mul(sign, dot(unit, self.twist.axis))}
                yield _moving(end.move(ZERO3, unit) | turn)
            for rates in (end.v, end.omega):
                yield from (_moving(dict(zip(rates, unit, strict=True))) for unit in UNIT)


def _moving(moves: dict[Node, Expr]) -> dict[Node, Expr]:
    return {y: d for y, d in moves.items() if type(d) is Node or d != 0}


def trace(element: ForceElement) -> Traced:
    """Call the law of an element with arguments for all its numbers."""
    a = Arguments()
    for name in ("p", "f", "laws"):
        a.array(name)
    values, functions, formulas = list[float](), list[TimeFunction](), list[Any]()
    rates: dict[Node, Expr] = {}

    def number(name: str, place: tuple[int, ...], value: float) -> Node:
        values.append(value)
        return a.more("p")

    def function(name: str, place: int | None, given: TimeFunction) -> Expr:
        if given.kind == "constant":
            return 0 if given.is_zero else number(name, (), given.parameters[0])
        functions.append(given)
        value, first, _ = a.more("f"), a.more("f"), a.more("f")
        rates[value] = first
        return value

    def formula(name: str, given: Any) -> Callable[[Expr, Expr, Expr], Expr]:
        formulas.append(given)
        return partial(extern, "laws", len(formulas) - 1)

    def orientation(C: Array) -> Mat:
        if is_unit(C):
            return UNIT
        e = [number("C", (), x) for x in C.ravel()]
        return (e[0], e[1], e[2]), (e[3], e[4], e[5]), (e[6], e[7], e[8])

    p = Data(number, function, number, formula).read(element)
    motion = TracedMotion(a, orientation(element.tail.rotation), orientation(element.head.rotation))
    t = a.number("t")
    return Traced(element, a, motion, answer(element, motion, p, t), t, rates, values, functions, formulas)


def answer(element: ForceElement, motion: Motion, p: Any, t: Expr) -> Action:
    """What the law of an element gives, checked."""
    load = element.law(motion, p, t)
    if not isinstance(load, Action):
        raise ModelError(f"law of {element.name!r} gives {type(load).__name__}; expected an Action")
    return load


def inlined_rate(
    element: ForceElement, motion: Motion, p: Any, t: Node, known: Mapping[Node, Expr]
) -> Expr:  # fmt: skip
    """d/dt of the potential of an element in a mechanism: by places and rates in general, then those."""
    general = TracedMotion(Arguments())
    turning, along = symbol("turning"), symbols("along_x along_y along_z")
    general._twist = lambda: Twist(general.theta, turning, (along[0], along[1], along[2]))
    rate = general.rate(answer(element, general, p, t).potential, {**known, t: 1})
    swap: dict[Node, Expr] = {}
    for here, there in zip(general.ends, (motion.tail, motion.head), strict=True):
        for nodes, values in ((here.x, there.x), (here.v, there.v), (here.omega, there.omega)):
            swap |= zip(nodes, values, strict=True)
        for row, values in zip(here.body, there.R, strict=True):
            swap |= zip(row, values, strict=True)
    if element.turns:
        swap |= {general.theta: motion.twist.angle, turning: motion.twist.rate}
        swap |= zip(along, motion.twist.axis, strict=True)
    return substituted([rate], swap)[0]


# -- packing -----------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class LawTable:
    """Families of the force elements packed so far, and what is theirs alone.

    Attributes
    ----------
    families : functions of the families.
    functions : known functions of time.
    p : parameters of all elements.
    formulas : functions that could not be traced, and the elements they belong to.
    """

    families: FamilyTable
    functions: FunctionTable
    p: list[float] = field(default_factory=list)
    formulas: list[tuple[str, Any]] = field(default_factory=list)
    _made: dict[tuple[Expr, ...], tuple[int, Callable[..., None], int]] = field(default_factory=dict)

    def add(self, element: ForceElement) -> dict[str, int]:
        """Pack a law; return its family and where its own numbers begin."""
        law = trace(element)
        key = (*law.wrench, *law.energies)
        if key not in self._made:
            programs, prepare = prepared(law.programs, "p")
            place = self.families.add(programs)
            self._made[key] = place, functions([prepare])["prepare"], len(prepare.results)
        family, prepare_p, n = self._made[key]
        out = {
            "family": family,
            "p": len(self.p),
            "f": len(self.functions.records),
            "law": len(self.formulas),
        }
        p = np.zeros(n)
        prepare_p(np.array(law.p, dtype=float), p)
        self.p += p.tolist()
        for function in law.functions:
            self.functions.add(function, element.name, is_motion=law.needs_rates)
        self.formulas += [(element.name, formula) for formula in law.formulas]
        return out

    def addresses(self) -> AnyArray:
        """Addresses of the functions that could not be traced."""
        calls = [self.functions.callback(formula) for _, formula in self.formulas]
        return np.array(calls, dtype=object if self.families.is_interpreted else np.int64)
