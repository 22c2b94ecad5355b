"""Families: laws that differ in their numbers only are one function, traced once and called by its address.

Whatever differs from member to member is an argument: parameters, known functions of time, the state. What is
left (which terms there are, which are zero, in which frame one looks) is the family. It is written by calling
a Python function with the :class:`Arguments` as nodes, and compiled once however many members it has, in
however many models; a :class:`FamilyTable` gives the addresses that compiled code calls.

Programs that are called at the same place take the same arguments in the same order, whether a member needs
them or not: what a program does not use it does not load.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from math import isfinite
from typing import Any

import numpy as np

from flexnet.algebra.language import functions
from flexnet.algebra.llvm import to_llvm
from flexnet.algebra.machine import compile_programs
from flexnet.algebra.scalar import Expr, Node, children, symbol
from flexnet.algebra.tape import Program, array_of, mapped, substituted, tape
from flexnet.algebra.vector import Mat, Vec
from flexnet.typing import AnyArray


@dataclass(slots=True, eq=False)
class Arguments:
    """Arguments of programs while they are traced, in the order in which they are named.

    Attributes
    ----------
    inputs : of each argument its node if it is a number, its entries so far if it is an array.
    """

    inputs: dict[str, Node | list[Node]] = field(default_factory=dict)

    def number(self, name: str) -> Node:
        """A number, passed by its value."""
        made = symbol(name)
        self.inputs[name] = made
        return made

    def array(self, name: str, length: int = 0) -> list[Node]:
        """An array of so many entries; it may grow, and a table of functions has none."""
        self.inputs[name] = []
        return [self.more(name) for _ in range(length)]

    def more(self, name: str) -> Node:
        """One more entry of an array."""
        entries = self.inputs[name]
        assert isinstance(entries, list), f"{name} is a number"
        entries.append(symbol(f"{name}[{len(entries)}]"))
        return entries[-1]

    def vector(self, name: str) -> Vec:
        """Three entries."""
        x, y, z = self.array(name, 3)
        return x, y, z

    def matrix(self, name: str) -> Mat:
        """Nine entries, by rows."""
        e = self.array(name, 9)
        return (e[0], e[1], e[2]), (e[3], e[4], e[5]), (e[6], e[7], e[8])

    def program(self, name: str, outputs: Sequence[Expr]) -> Program:
        """The program ``name(…, out)`` that writes some expressions of these arguments into an array."""
        return Program(name, dict(self.inputs), {"out": array_of(outputs)})


def prepared(programs: Sequence[Program], array: str) -> tuple[list[Program], Program]:
    """Programs that find in an array what follows from its entries alone, and the one that prepares it."""
    entries = programs[0].inputs[array]
    assert isinstance(entries, list), f"{array} is a number"
    constant, asked = set(entries), dict[Node, None]()
    outputs = [e for program in programs for e in program.results if type(e) is Node]
    for x in tape(outputs):
        if all(y in constant for y in children(x)):
            constant.add(x)
        else:
            asked |= dict.fromkeys(y for y in children(x) if y in constant)
    asked |= dict.fromkeys(x for x in outputs if x in constant)
    found = list(asked)
    made = [replace(p, inputs={**p.inputs, array: found}) for p in programs]
    return made, Program("prepare", {array: entries}, {"out": array_of(found)})


#: functions of every family met in this process, by their text; machine code lives as long as the process
_made: dict[tuple[str, bool], tuple[list[Any], Any]] = {}


#: texts of the last programs: a mechanism with other numbers has the same ones
_texts: dict[tuple[object, ...], str] = {}
#: the same by the object: families are remembered by those who make them
_last: dict[int, tuple[Sequence[Program], str]] = {}
_MOST_TEXTS = 4096


def _text(programs: Sequence[Program]) -> str:
    """The text of programs, remembered: equal formulas are the same nodes, and live as long as their text."""
    key = tuple(
        (p.name, *((k, x if isinstance(x, Node) else tuple(x)) for k, x in p.inputs.items()),
         *((k, where, e if isinstance(e, Node) else (type(e), repr(e))) for k, where, e in p.entries))
        for p in programs
    )  # fmt: skip
    if key not in _texts:
        if len(_texts) >= _MOST_TEXTS:
            del _texts[next(iter(_texts))]
        _texts[key] = to_llvm(programs)
    return _texts[key]


def _functions(text: str, programs: Sequence[Program], is_interpreted: bool) -> list[Any]:
    """Addresses of programs, or the functions themselves where nothing is compiled."""
    key = text, is_interpreted
    if key not in _made:
        if is_interpreted:
            python = functions(programs)
            _made[key] = [python[p.name] for p in programs], None
        else:
            code = compile_programs(programs)
            _made[key] = [code.addresses[p.name] for p in programs], code
    return _made[key][0]


@lru_cache(maxsize=64)
def _digest(texts: tuple[str, ...]) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()


@dataclass(slots=True, eq=False)
class FamilyTable:
    """Functions of the families of a model, and where each family's begin.

    Attributes
    ----------
    is_interpreted : whether functions of NumPy stand for addresses.
    """

    is_interpreted: bool = False
    _functions: list[Any] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def add(self, programs: Sequence[Program]) -> int:
        """Place of the first program of a family; the others follow. Equal families have one place."""
        same, text = _last.get(id(programs), (None, ""))
        if same is not programs:
            if len(_last) >= _MOST_TEXTS:
                _last.clear()
            text = _text(programs)
            _last[id(programs)] = programs, text
        if text not in self._places:
            self._places[text] = self.count
            self._functions += _functions(text, programs, self.is_interpreted)
        return self._places[text]

    def copy(self) -> "FamilyTable":
        """A table with the same families, to which others can be added."""
        return FamilyTable(self.is_interpreted, self._functions.copy(), self._places.copy())

    @property
    def count(self) -> int:
        """Number of functions."""
        return len(self._functions)

    @property
    def digest(self) -> str:
        """Hash of all families in their order: what the addresses stand for."""
        return _digest(tuple(self._places))

    def addresses(self) -> AnyArray:
        """(count,) addresses; an array of Python functions where nothing is compiled."""
        return np.array(self._functions, dtype=object if self.is_interpreted else np.int64)


@dataclass(frozen=True, slots=True)
class TracedFunction:
    """A user's function of numbers as one of expressions; two that answer the same are equal.

    Attributes
    ----------
    inputs, answer : what it was called with, and what it gave: whatever else it has read is in there.
    """

    inputs: tuple[Node, ...]
    answer: Expr

    def __call__(self, *args: Expr) -> Expr:
        """The answer to other inputs."""
        return substituted([self.answer], dict(zip(self.inputs, args, strict=True)))[0]

    def opened(self, number: Callable[[float], Expr]) -> "TracedFunction":
        """The same with what ``number`` gives for its numbers: but for 0, ±1, whole ones and exponents."""

        def argument(x: float) -> Expr:
            return x if x in (0.0, 1.0, -1.0) else number(float(x))

        return TracedFunction(self.inputs, mapped([self.answer], lambda node: None, argument)[0])


def traced(
    function: Callable[..., Any], names: Sequence[str], samples: Sequence[Sequence[float]]
) -> TracedFunction | None:
    """A user's function of numbers as one of expressions; None where it cannot be traced.

    It cannot where it asks whether an expression is true, or calls what knows numbers only. Nor may a trace
    be trusted that rests on anything but its arguments, or on a comparison such as ``x == 0``, which a node
    denies: it is made twice, and held against the function at some samples.
    """
    inputs = [symbol(name) for name in names]
    try:
        first, second = function(*inputs), function(*inputs)
    except Exception:  # whatever it asked for: it is called with numbers later, and raises there if it must
        return None
    is_number = isinstance(first, int | float) and not isinstance(first, bool) and isfinite(first)
    if not (first is second or (is_number and first == second)) or not (is_number or type(first) is Node):
        return None
    run = functions([Program("f", {"x": inputs}, {"out": array_of([first])})])["f"]
    if not all(_agrees(function, run, sample) for sample in samples):
        return None
    return TracedFunction(tuple(inputs), first)


def _agrees(function: Callable[..., Any], run: Callable[..., None], sample: Sequence[float]) -> bool:
    """Whether a trace has the value of a function, where that has one."""
    try:
        wanted = float(function(*sample))
    except Exception:  # not defined there
        return True
    out = np.zeros(1)
    run(np.array(sample, dtype=float), out)
    return bool(np.isclose(out[0], wanted, rtol=1e-12, atol=0.0, equal_nan=True))
