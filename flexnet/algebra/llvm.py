"""Programs as LLVM text, numbered from zero: the text of a program depends on nothing but its formulas."""

import struct
from collections.abc import Sequence

import numpy as np

from flexnet.algebra.function import Function, formula_of
from flexnet.algebra.language import helpers
from flexnet.algebra.scalar import DIV, EXTERN, MUL, POW, SELECT, SUM, Expr, Node, terms
from flexnet.algebra.tape import Program, as_list, tape

#: functions the processor or the optimiser knows; the others are those of C's library
_INTRINSIC = ("sin", "cos", "exp", "log", "sqrt", "fabs", "rint", "pow")


def to_llvm(programs: Sequence[Program]) -> str:
    """Module with a function ``void name(…)`` for each program.

    Numbers are passed as doubles, arrays and tables of functions by their addresses. Outputs overlap nothing.
    """
    needed: set[str] = set()
    parts = [_helper(function, needed) for function in helpers(programs)]
    parts += [_program(program, needed) for program in programs]
    declared = [f"declare double @{name}" for name in sorted(needed)]
    return "\n".join([*declared, *parts, ""])


def _real(x: Expr) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


class _Body:
    """Instructions of a function.

    Attributes
    ----------
    lines : so far.
    values : text of every node that has been computed or given.
    needed : functions to declare.
    """

    def __init__(self, values: dict[Node, str], needed: set[str]) -> None:
        self.lines: list[str] = []
        self.values, self.needed = values, needed
        self._count = 0

    def new(self, instruction: str) -> str:
        """An instruction with a result."""
        name = f"%.{self._count}"
        self._count += 1
        self.lines.append(f"  {name} = {instruction}")
        return name

    def value(self, x: Expr) -> str:
        """Text of a node computed before, or of a number; what is given in an array is loaded."""
        if type(x) is not Node:
            return _real(x)
        text = self.values[x]
        if text.startswith("@"):
            array, place = text[1:].split()
            text = self.values[x] = self.load(array, int(place), "double")
        return text

    def load(self, array: str, place: int, kind: str) -> str:
        """An entry of an array."""
        where = self.new(f"getelementptr inbounds {kind}, ptr %{array}, i64 {place}")
        return self.new(f"load {kind}, ptr {where}, align 8")

    def store(self, text: str, array: str, place: int) -> None:
        """Write an entry of an array."""
        where = self.new(f"getelementptr inbounds double, ptr %{array}, i64 {place}")
        self.lines.append(f"  store double {text}, ptr {where}, align 8")

    def compute(self, x: Node) -> None:
        """Instructions of a node whose arguments have been computed."""
        if x.op == SUM:
            text = self._sum(x)
        elif x.op in (MUL, DIV):
            a, b = map(self.value, x.args)
            text = self.new(f"{'fmul' if x.op == MUL else 'fdiv'} double {a}, {b}")
        elif x.op == POW:
            text = self._named("pow", x.args)
        elif x.op == SELECT:
            _, _, _, a, b = x.args
            text = self.new(
                f"select i1 {self.compare(x)}, double {self.value(a)}, double {self.value(b)}"
            )  # fmt: skip
        elif x.op == EXTERN:
            table, place, *args = x.args
            address = self.load(table, place, "i64")
            text = self._call(self.new(f"inttoptr i64 {address} to ptr"), args)
        else:
            function, *args = x.args
            text = (
                self._call(f"@fx.{function.name}", args)
                if function.formula
                else self._named(function.c, args)
            )
        self.values[x] = text

    def compare(self, x: Node) -> str:
        """The comparison of a choice."""
        or_equal, left, right, _, _ = x.args
        return self.new(f"fcmp {'ole' if or_equal else 'olt'} double {self.value(left)}, {self.value(right)}")

    def _sum(self, x: Node) -> str:
        text = ""
        for c, y in terms(x):
            is_unit = abs(c) == 1
            term = self.value(y) if is_unit else self.new(f"fmul double {self.value(y)}, {_real(c)}")
            if text:
                text = self.new(f"{'fsub' if is_unit and c < 0 else 'fadd'} double {text}, {term}")
            else:
                text = self.new(f"fneg double {term}") if c == -1 else term
        return self.new(f"fadd double {text}, {_real(x.args[0])}") if x.args[0] != 0 else text

    def _named(self, name: str, args: Sequence[Expr]) -> str:
        full = f"llvm.{name}.f64" if name in _INTRINSIC else name
        self.needed.add(f"{full}({', '.join(['double'] * len(args))})")
        return self._call(f"@{full}", args)

    def _call(self, name: str, args: Sequence[Expr]) -> str:
        return self.new(f"call double {name}({', '.join(f'double {self.value(y)}' for y in args)})")


def _program(program: Program, needed: set[str]) -> str:
    """A program: every entry of its outputs is written as soon as it is known."""
    values: dict[Node, str] = {}
    arguments = []
    for name, entries in program.inputs.items():
        if type(entries) is Node:
            values[entries] = f"%{name}"
            arguments.append(f"double %{name}")
        else:
            values |= {x: f"@{name} {i}" for i, x in enumerate(as_list(entries))}
            arguments.append(f"ptr %{name}")
    arguments += [f"ptr noalias %{name}" for name in program.outputs]
    body = _Body(values, needed)
    ready: dict[Expr, list[tuple[str, int]]] = {}

    def write(e: Expr, array: str, place: int) -> None:
        text = body.value(e)
        if array in program.sums:
            text = body.new(f"fadd double {body.load(array, place, 'double')}, {text}")
        body.store(text, array, place)

    for array, where, e in program.entries:
        place = int(np.ravel_multi_index(where, program.outputs[array].shape))
        if e is None or (array in program.sums and type(e) is not Node and e == 0):
            continue
        if type(e) is not Node or e in values:
            write(e, array, place)
        else:
            ready.setdefault(e, []).append((array, place))
    for x in tape(program.results, program.given):
        body.compute(x)
        for array, place in ready.get(x, ()):
            write(x, array, place)
    head = f"define void @{program.name}({', '.join(arguments)}) nounwind {{"
    return "\n".join([head, *body.lines, "  ret void", "}"])


def _helper(function: Function, needed: set[str]) -> str:
    """A function by its formula; only the branch that is taken is computed."""
    inputs, formula = formula_of(function)
    body = _Body({x: f"%{x.args[0]}" for x in inputs}, needed)
    _branch(body, formula)
    arguments = ", ".join(f"double %{name}" for name in function.parameters)
    head = f"define internal double @fx.{function.name}({arguments}) nounwind {{"
    return "\n".join([head, *body.lines, "}"])


def _branch(body: _Body, x: Expr) -> None:
    """Compute and return an expression; a choice by a jump."""
    known = list(body.values)
    if type(x) is not Node or x.op != SELECT or x in body.values:
        for y in tape([x], known):
            body.compute(y)
        body.lines.append(f"  ret double {body.value(x)}")
        return
    for y in tape(x.args[1:3], known):
        body.compute(y)
    label = body.compare(x)[2:]
    body.lines.append(f"  br i1 %.{label}, label %then{label}, label %else{label}")
    for word, y in (("then", x.args[3]), ("else", x.args[4])):
        body.lines.append(f"{word}{label}:")
        before = dict(body.values)
        _branch(body, y)
        body.values = before
