"""Laws of force elements as families: traced for a motion of two frames, whatever the mechanism.

Every number of an element is an argument, so elements that differ in their numbers only are one family. Its
programs take the arguments of :func:`flexnet.kernels.forces.evaluate_law`:

===========  ================================================================================================
load         force and torque on the head, force and torque on the tail, (12,) in ground axes
potential    energy it stores [J]
power        power of what neither stores nor damps, power of damping [W]
tangent      of stiff elements: derivative (12, 24) of the load by x, θ, v, ω of tail and head
===========  ================================================================================================
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
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
    plus,
    prepared,
    reach,
    rotate,
    substituted,
    symbol,
    symbols,
    times,
    transpose,
)  # fmt: skip
from flexnet.algebra.language import functions
from flexnet.algebra.scalar import INPUT
from flexnet.components import TimeFunction
from flexnet.components.force_element import Action, ForceElement, Motion, Twist
from flexnet.formulation.functions import FunctionTable
from flexnet.formulation.laws import Data, answer, energies, wrench
from flexnet.formulation.remembered import remembered_law
from flexnet.typing import AnyArray, Array

#: smallest 1 + a·a' of the axes of a twist, at half a turn of swing
_OPPOSITE = 1e-12


class TracedEnd:
    """A frame on a body: what it is as arguments, in ground axes.

    Parameters
    ----------
    letter : of the end in the names of the arguments.
    C : orientation of the frame on its body.
    is_flat : whether it stays in the plane, turned about z alone: the rest of the arguments is not looked at.
    """

    def __init__(self, a: Arguments, letter: str, C: Mat, is_flat: bool = False) -> None:
        self.x, self.v = a.vector(f"x_{letter}"), a.vector(f"v_{letter}")
        self.body, self.omega = a.matrix(f"R_{letter}"), a.vector(f"w_{letter}")
        self.C = C
        if is_flat:
            self.x, self.v = (*self.x[:2], 0), (*self.v[:2], 0)
            (c, _, _), (s, _, _), _ = self.body
            self.body, self.omega = ((c, -s, 0), (s, c, 0), (0, 0, 1)), (0, 0, self.omega[2])

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
        changes = [*zip(self.x, dx, strict=True)]
        for i, row in enumerate(self.body):
            changes += [(row[j], columns[j][i]) for j in range(3)]
        return {x: change for x, change in changes if type(x) is Node and x.op == INPUT}


@dataclass(eq=False)
class TracedLaw:
    """A law traced for a family.

    Attributes
    ----------
    element : one of its members.
    arguments : of its programs.
    motion, load : what it saw and answered.
    rates : rate of every known function by its value.
    """

    element: ForceElement
    arguments: Arguments
    motion: "TracedMotion"
    load: Action
    t: Node
    rates: dict[Node, Expr]

    @cached_property
    def wrench(self) -> list[Expr]:
        """Force and torque on the head, force and torque on the tail."""
        return wrench(self.element, self.motion, self.load)

    @cached_property
    def energies(self) -> list[Expr]:
        """Potential, power, power of damping."""
        rate = partial(self.motion.rate, known=self.rates | {self.t: 1})
        return energies(self.element, self.motion, self.load, rate)

    @cached_property
    def needs_rates(self) -> bool:
        """Whether the rates of known functions are asked for."""
        wanted = set(self.rates.values())
        return any(not found.isdisjoint(wanted) for found in reach([*self.wrench, *self.energies]))

    @cached_property
    def programs(self) -> list[Program]:
        """Functions the kernels call."""
        potential, *powers = self.energies
        outputs = {"load": self.wrench, "potential": [potential], "power": powers}
        made = [self.arguments.program(name, entries) for name, entries in outputs.items()]
        return [*made, self.tangent()] if self.element.is_stiff else made

    @cached_property
    def prepared(self) -> tuple[list[Program], Callable[..., None], int]:
        """The programs as they are called, what makes their numbers of those of a member, and how many."""
        programs, prepare = prepared(self.programs, "p")
        return programs, functions([prepare])["prepare"], len(prepare.results)

    @cached_property
    def has(self) -> list[bool]:
        """Whether there are force and torque on the head, force and torque on the tail."""
        vectors = [self.wrench[i : i + 3] for i in (0, 3, 6, 9)]
        return [any(type(x) is Node or x != 0 for x in vector) for vector in vectors]

    def tangent(self) -> Program:
        """Exact derivative (12, 24), by rows, of the wrench by x, θ, v and ω of the tail, then of the head.

        θ turns the body, δR = [δθ]× R; a counted angle follows, δθ = u·(δθ_head - δθ_tail). What is always
        zero is not written: it is before.
        """
        entries = np.zeros((12, 24), dtype=object)
        for j, move in enumerate(self.motion.moves()):
            entries[:, j] = forward(self.wrench, move)
        written = [e if type(e) is Node or e != 0 else None for e in entries.ravel()]
        return self.arguments.program("tangent", written)


class TracedMotion(Motion):
    """Motion of two frames whatever the mechanism: places and rates are arguments.

    Parameters
    ----------
    a : receives the arguments.
    C_A, C_B : orientation of the frames on their bodies.
    is_flat : whether both stay in the plane.
    """

    def __init__(self, a: Arguments, C_A: Mat = UNIT, C_B: Mat = UNIT, is_flat: bool = False) -> None:
        self.ends = TracedEnd(a, "A", C_A, is_flat), TracedEnd(a, "B", C_B, is_flat)
        axes = a.vector("a_A"), a.vector("a_B")
        self.axes = tuple((0, 0, n[2]) for n in axes) if is_flat else axes
        self.theta = a.number("theta")
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
    return {y: d for y, d in moves.items() if type(y) is Node and (type(d) is Node or d != 0)}


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A member of a family: its law, and what is its own.

    Attributes
    ----------
    p : its numbers, in the order of the argument p.
    functions : its known functions, in the order of the argument f.
    formulas : its functions that could not be traced, in the order of the argument laws.
    """

    element: ForceElement
    law: TracedLaw
    p: list[float]
    functions: list[TimeFunction]
    formulas: list[Any]


def trace(element: ForceElement, is_flat: bool = False) -> Traced:
    """Call the law of an element with arguments for all its numbers; once for all that differ in these.

    Parameters
    ----------
    is_flat : whether its frames stay in the plane, turned about z alone.
    """
    a = Arguments()
    for name in ("p", "f", "laws"):
        a.array(name)
    values, functions, formulas = list[float](), list[TimeFunction](), list[Any]()
    rates: dict[Node, Expr] = {}

    def number(name: str, place: tuple[int, ...], value: float) -> Node:
        values.append(value)
        return a.more("p")

    def function(name: str, place: int | None, given: TimeFunction) -> Expr:
        if given.is_zero:
            return 0
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
        if is_flat:
            return (e[0], e[1], 0), (e[3], e[4], 0), (0, 0, 1)
        return (e[0], e[1], e[2]), (e[3], e[4], e[5]), (e[6], e[7], e[8])

    p = Data(number, function, number, formula).read(element)
    ends = orientation(element.tail.rotation), orientation(element.head.rotation)

    def make(seen: ForceElement) -> TracedLaw:
        motion, t = TracedMotion(a, *ends, is_flat), a.number("t")
        return TracedLaw(element, a, motion, answer(seen, motion, p, t), t, rates)

    law = remembered_law(element, (p, (*ends, is_flat)), make)
    return Traced(element, law, values, functions, formulas)


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
    is_flat : whether all frames stay in the plane, turned about z alone.
    p : parameters of all elements.
    formulas : functions that could not be traced: what they belong to, and of how many numbers they are.
    """

    families: FamilyTable
    functions: FunctionTable
    is_flat: bool = False
    p: list[float] = field(default_factory=list)
    formulas: list[tuple[str, Any, int]] = field(default_factory=list)

    def add(self, element: ForceElement) -> dict[str, Any]:
        """Pack a law; return its family and where its own numbers begin."""
        traced = trace(element, self.is_flat)
        law = traced.law
        programs, prepare, n = law.prepared
        out: dict[str, Any] = {
            "family": self.families.add(programs),
            "p": len(self.p),
            "f": len(self.functions.records),
            "law": len(self.formulas),
            "has": law.has,
        }
        p = np.zeros(n)
        prepare(np.array(traced.p, dtype=float), p)
        self.p += p.tolist()
        for function in traced.functions:
            self.functions.add(function, element.name, is_motion=law.needs_rates)
        self.formulas += [(element.name, formula, 3) for formula in traced.formulas]
        return out

    def addresses(self) -> AnyArray:
        """Addresses of the functions that could not be traced."""
        calls = [self.functions.callback(formula, arity) for _, formula, arity in self.formulas]
        return np.array(calls, dtype=object if self.families.is_interpreted else np.int64)
