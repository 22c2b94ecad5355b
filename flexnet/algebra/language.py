"""Programs as text of NumPy, C and Fortran: one writer, and what each language writes in its own way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.algebra.function import FUNCTIONS, Function, formula_of
from flexnet.algebra.scalar import (
    CALL,
    DIV,
    EXTERN,
    MUL,
    POW,
    SELECT,
    SUM,
    Expr,
    Node,
    children,
    split,
    terms,
)
from flexnet.algebra.tape import Program, as_list, tape, uses
from flexnet.errors import ModelError

#: how tightly an expression holds together: a sum, a product, a power or something in brackets
_LOOSE, _PRODUCT, _TIGHT = range(3)
#: a formula used once is written where it is used, up to so many operations
_LONG = 24


@dataclass(frozen=True, slots=True)
class Language:
    """How a language writes what is not the same everywhere.

    Attributes
    ----------
    name : the attribute of a :class:`~flexnet.algebra.function.Function` that has its name.
    real : a number.
    power : a power of two texts.
    choice : a value by a comparison: left side, sign, right side, value if true, value if not.
    entry : entry of an array with a shape.
    line : an assignment of a local name, and one to an entry.
    """

    name: str
    real: Callable[[float], str]
    power: Callable[[str, str], str]
    choice: Callable[[str, str, str, str, str], str]
    entry: Callable[[str, tuple[int, ...], tuple[int, ...]], str]
    local: str = "{} = {}"
    line: str = "{} = {}"


def _c_entry(array: str, place: tuple[int, ...], shape: tuple[int, ...]) -> str:
    return f"{array}[{np.ravel_multi_index(place, shape)}]"


NUMPY = Language(
    "numpy", repr, "{}**{}".format, lambda l, op, r, a, b: f"where({l} {op} {r}, {a}, {b})",
    lambda array, place, shape: f"{array}[{', '.join(map(str, place))}]",
)  # fmt: skip
C = Language(
    "c", repr, "pow({}, {})".format, lambda l, op, r, a, b: f"({l} {op} {r} ? {a} : {b})", _c_entry,
    "const double {} = {};", "{} = {};",
)  # fmt: skip
FORTRAN = Language(
    "fortran", lambda x: repr(x).replace("e", "d") if "e" in repr(x) else f"{x!r}d0", "{}**{}".format,
    lambda l, op, r, a, b: f"merge({a}, {b}, {l} {op} {r})",
    lambda array, place, shape: f"{array}({', '.join(str(i + 1) for i in place)})",
)  # fmt: skip


class Writer:
    """Writes expressions in one language.

    Parameters
    ----------
    language : which.
    names : text of every node that is given; grows by the local names of a body.
    """

    def __init__(self, language: Language, names: Mapping[Node, str]) -> None:
        self.language, self.names = language, dict(names)

    def write(self, x: Expr, least: int = _LOOSE) -> str:
        """Text of an expression, in brackets unless it holds together at least so tightly."""
        text, level = self._write(x)
        return text if level >= least else f"({text})"

    def _write(self, x: Expr) -> tuple[str, int]:
        if type(x) is not Node:
            return self.language.real(float(x)), _TIGHT if x >= 0 else _LOOSE
        if x in self.names:
            return self.names[x], _TIGHT
        if x.op == SUM:
            return self._sum(x), _LOOSE
        if x.op == MUL:
            return f"{self.write(x.args[0], _PRODUCT)} * {self.write(x.args[1], _TIGHT)}", _PRODUCT
        if x.op == DIV:
            return f"{self.write(x.args[0], _PRODUCT)} / {self.write(x.args[1], _TIGHT)}", _PRODUCT
        if x.op == POW:
            return self.language.power(*(self.write(y, _TIGHT) for y in x.args)), _PRODUCT
        if x.op == SELECT:
            or_equal, left, right, a, b = x.args
            sides = self.write(left), "<=" if or_equal else "<", self.write(right)
            return self.language.choice(*sides, self.write(a), self.write(b)), _TIGHT
        return self._call(x), _TIGHT

    def _sum(self, x: Node) -> str:
        text = ""
        for c, y in terms(x):
            factor = "" if abs(c) == 1 else f"{self.language.real(abs(float(c)))} * "
            term = factor + self.write(y, _TIGHT if factor else _PRODUCT)
            text += f" {'-' if c < 0 else '+'} {term}" if text else f"{'-' if c < 0 else ''}{term}"
        if x.args[0] != 0:
            text += f" {'-' if x.args[0] < 0 else '+'} {self.language.real(abs(float(x.args[0])))}"
        return text

    def _call(self, x: Node) -> str:
        if x.op == EXTERN:
            if self.language is not NUMPY:
                raise ModelError(
                    "a law is a Python function, which cannot be exported; write it as an expression"
                )
            table, place, *args = x.args
            return f"{table}[{place}]({', '.join(map(self.write, args))})"
        function, *args = x.args
        name = function.name if function.formula else getattr(function, self.language.name)
        return f"{name}({', '.join(map(self.write, args))})"

    def body(self, program: Program) -> tuple[list[str], list[str]]:
        """Names of the local results of a program, and its lines."""
        given = set(program.given)
        listed = [x for x in tape(program.results, given) if split(x)[1] is x]
        count = uses(program.results, given)
        size: dict[Node, int] = {}
        local: list[str] = []
        lines: list[str] = []
        for x in listed:
            size[x] = 1 + sum(size.get(split(y)[1], 1) for y in children(x))
            if count[x] > 1 or size[x] > _LONG:
                text = self.write(x)
                local.append(f"z{len(local)}")
                self.names[x], size[x] = local[-1], 1
                lines.append(self.language.local.format(local[-1], text))
        for array, place, e in program.entries:
            if e is not None:
                entry = self.language.entry(array, place, program.outputs[array].shape)
                text = f"{entry} + {self.write(e, _PRODUCT)}" if array in program.sums else self.write(e)
                lines.append(self.language.line.format(entry, text))
        return local, lines


def given_names(program: Program, language: Language) -> dict[Node, str]:
    """Text of every given node."""
    names: dict[Node, str] = {}
    for argument, entries in program.inputs.items():
        shape = (len(as_list(entries)),)
        for i, x in enumerate(as_list(entries)):
            names[x] = argument if type(entries) is Node else language.entry(argument, (i,), shape)
    return names


def helpers(programs: Sequence[Program]) -> list[Function]:
    """Functions that have to be written out, each after those it needs."""
    found: dict[Function, None] = {}

    def meet(outputs: list[Expr], known: list[Node]) -> None:
        for x in tape(outputs, known):
            if x.op == CALL and x.args[0].formula is not None and x.args[0] not in found:
                meet([formula_of(x.args[0])[1]], [])
                found[x.args[0]] = None

    for program in programs:
        meet(program.results, program.given)
    return list(found)


def _helper(function: Function, language: Language) -> str:
    """Formula of a function as one expression of its arguments."""
    inputs, formula = formula_of(function)
    return Writer(language, {x: x.args[0] for x in inputs}).write(formula)


_NUMPY_NAMES = sorted({f.numpy for f in FUNCTIONS.values() if f.numpy and f.numpy != "abs"})


def to_numpy(programs: Sequence[Program], about: Sequence[str] = ()) -> str:
    """Python module; every function fills the arrays it is given last.

    Entries of the arguments may be arrays of one shape, for many evaluations at once.
    """
    parts = ['"""Formulas."""', "", *(f"# {line}".rstrip() for line in about), ""]
    parts += [f"from numpy import asarray, errstate, {', '.join(_NUMPY_NAMES)}, where", ""]
    for function in helpers(programs):
        arguments = ", ".join(function.parameters)
        parts += ["", f"def {function.name}({arguments}):", f"    return {_helper(function, NUMPY)}", ""]
    for program in programs:
        _, lines = Writer(NUMPY, given_names(program, NUMPY)).body(program)
        arguments = ", ".join([*program.inputs, *program.outputs])
        # the branch that is not taken may divide by zero
        parts += ["", '@errstate(all="ignore")', f"def {program.name}({arguments}):"]
        scalars = [name for name, x in program.inputs.items() if type(x) is Node]
        parts += [f"    {name} = asarray({name})[()]" for name in scalars]
        parts += [f"    {line}" for line in lines or ["pass"]]
        parts.append("")
    return "\n".join(parts)


def functions(programs: Sequence[Program]) -> dict[str, Callable[..., None]]:
    """Programs as functions of Python, by their names."""
    space: dict[str, Any] = {}
    exec(compile(to_numpy(programs), "<formulas>", "exec"), space)
    return {program.name: space[program.name] for program in programs}


def to_c(programs: Sequence[Program], about: Sequence[str] = ()) -> str:
    """C file; matrices are stored by rows."""
    parts = ["/*", *(f" * {line}".rstrip() for line in about), " */", "#include <math.h>", ""]
    for function in helpers(programs):
        arguments = ", ".join(f"double {x}" for x in function.parameters)
        parts += [f"static double {function.name}({arguments}) {{ return {_helper(function, C)}; }}"]
    for program in programs:
        _, lines = Writer(C, given_names(program, C)).body(program)
        inputs = [
            f"double {k}" if type(x) is Node else f"const double *{k}" for k, x in program.inputs.items()
        ]
        outputs = [f"double *{name}" for name in program.outputs]
        parts.append(f"\nvoid {program.name}({', '.join([*inputs, *outputs])}) {{")
        parts += [f"    {line}" for line in lines]
        parts.append("}")
    return "\n".join([*parts, ""])


def to_fortran(programs: Sequence[Program], about: Sequence[str] = (), module: str = "formulas") -> str:
    """Fortran module with C names; matrices are (rows, columns)."""
    parts = [*(f"! {line}".rstrip() for line in about), f"module {module}"]
    parts += ["use, intrinsic :: ieee_arithmetic, only: ieee_rint", "implicit none", "contains"]
    for function in helpers(programs):
        arguments = ", ".join(function.parameters)
        parts += [
            f"  pure double precision function {function.name}({arguments})",
            f"    double precision, intent(in) :: {arguments}",
            _continued(f"    {function.name} = {_helper(function, FORTRAN)}"),
            "  end function",
        ]
    for program in programs:
        local, lines = Writer(FORTRAN, given_names(program, FORTRAN)).body(program)
        names = ", ".join([*program.inputs, *program.outputs])
        parts.append(f'  subroutine {program.name}({names}) bind(c, name="{program.name}")')
        for name, x in program.inputs.items():
            kind = "value" if type(x) is Node else f"dimension({max(len(as_list(x)), 1)})"
            parts.append(f"    double precision, intent(in), {kind} :: {name}")
        for name, entries in program.outputs.items():
            shape = ", ".join(str(max(n, 1)) for n in entries.shape)
            parts.append(f"    double precision, intent(inout) :: {name}({shape})")
        parts += [f"    double precision :: {name}" for name in local]
        parts += [_continued(f"    {line}") for line in lines]
        parts.append(f"  end subroutine {program.name}")
    return "\n".join([*parts, f"end module {module}", ""])


def _continued(line: str) -> str:
    """A Fortran statement over several lines."""
    indent = line[: len(line) - len(line.lstrip())]
    out, now = list[str](), indent
    for word in line.split():
        if len(now) + len(word) > 110:
            out.append(now)
            now = indent + "   "
        now += word if not now.strip() and not out else f" {word}"
    return " &\n".join([*out, now])
