"""Programs: what a function of the exported code takes and gives, and its text in three languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from flexnet.components import TorsionalSpring, TranslationalSpring
from flexnet.errors import ModelError
from flexnet.formulation.symbolic import code, special
from flexnet.formulation.symbolic.code import Dialect, Emitter
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.known import formula
from flexnet.formulation.symbolic.tape import Expr, Tape, needed
from flexnet.formulation.symbolic.variables import TIME
from flexnet.kernels import entry
from flexnet.typing import AnyArray, Array


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A function of arrays.

    Attributes
    ----------
    name : of the function.
    tape : intermediate results, known functions of time included where they are formulas.
    inputs : symbols of each input array, in the order of the arguments after t.
    outputs : entries of each output array.
    """

    name: str
    tape: Tape
    inputs: dict[str, list[Expr]]
    outputs: dict[str, AnyArray]


#: what the arguments of exported functions are
ABOUT = {
    "q": "configuration", "v": "velocity", "a": "acceleration", "lam": "multipliers", "p": "parameters",
    "known": "known functions that are no formulas: value and two derivatives each", "r": "M a + G' lam - F",
    "M": "mass matrix", "F": "forces", "phi": "constraints", "G": "constraint Jacobian",
    "phi_dot": "rate of the constraints", "bias": "second rate of the constraints for zero acceleration",
}  # fmt: skip


def make_programs(
    equations: SymbolicEquations,
    names: Sequence[str] = ("residual", "equations"),
    extra: Mapping[str, AnyArray] | None = None,
) -> list[Program]:
    """Programs of a mechanism.

    Parameters
    ----------
    names : ``residual`` gives r and Φ; ``equations`` gives M, F, Φ, G, Φ̇ and the bias of Φ̈.
    extra : further outputs of ``residual``, such as reactions.
    """
    made: dict[str, dict[str, AnyArray]] = {}
    if "residual" in names:
        made["residual"] = {"r": equations.residual, "phi": equations.phi, **(extra or {})}
    if "equations" in names:
        made["equations"] = {
            "M": equations.M, "F": equations.F, "phi": equations.phi, "G": equations.G,
            "phi_dot": equations.phi_dot, "bias": equations.bias,
        }  # fmt: skip
    x = equations.variables
    tape, f = _with_formulas(equations)
    p = list(equations.parameters.values)
    state = {"q": x.q, "v": x.v}
    inputs = {
        "residual": {**state, "a": x.a, "lam": x.lam, "p": p, "known": f},
        "equations": {**state, "p": p, "known": f},
    }
    return [Program(name, tape, inputs[name], made[name]) for name in names]


def _with_formulas(equations: SymbolicEquations) -> tuple[Tape, list[Expr]]:
    """The tape with formulas of time put first, and the symbols of functions that have none."""
    tape, left = Tape(), list[Expr]()
    for name, symbols in equations.known.symbols.items():
        f = formula(equations.known.functions[name])
        if f is None:
            left += symbols
            continue
        for k, symbol in enumerate(symbols):
            tape.lines[symbol] = sp.diff(f, TIME, k) if k else f
    tape.lines.update(equations.tape.lines)
    return tape, left


def index_names(program: Program, style: str) -> dict[Expr, str]:
    """Text of every input: ``q[0]`` in Python and C, ``q(1)`` in Fortran."""
    names = {TIME: "t"}
    for array, symbols in program.inputs.items():
        for i, s in enumerate(symbols):
            names[s] = f"{array}({i + 1})" if style == "fortran" else f"{array}[{i}]"
    for i, name in enumerate(program.tape.lines):
        if not name.name.isidentifier():
            names[name] = f"y{i}"
    return names


def targets(program: Program, style: str) -> dict[str, Expr]:
    """Expression of every entry of the outputs."""
    out: dict[str, Expr] = {}
    for array, entries in program.outputs.items():
        for where in np.ndindex(*entries.shape):
            if style == "fortran":
                text = f"{array}({', '.join(str(i + 1) for i in where)})"
            elif style == "c":
                text = f"{array}[{np.ravel_multi_index(where, entries.shape)}]"
            else:
                text = f"{array}[{', '.join(map(str, where))}]"
            out[text] = entries[where]
    return out


def body(program: Program, dialect: Dialect, style: str) -> list[str]:
    """Lines of a function."""
    return Emitter(dialect, index_names(program, style)).block(program.tape, targets(program, style))


def _describe(programs: Sequence[Program], mark: str) -> list[str]:
    """Names of the entries of the inputs."""
    lines = []
    for array, symbols in programs[0].inputs.items():
        lines.append(f"{mark} {array}: {ABOUT.get(array, array)}")
        lines += [f"{mark}   {i}  {s.name}" for i, s in enumerate(symbols)]
    return lines


PYTHON_HEAD = """from math import acos, asin, atan, atan2, cos, cosh, exp, log, pi, sin, sinh, sqrt, tan, tanh
"""

PYTHON_SIGNS = """
def sgn(x):
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


def step(x):
    return 1.0 if x > 0.0 else (0.0 if x < 0.0 else 0.5)
"""


def to_python(programs: Sequence[Program]) -> str:
    """Python module; every function fills the NumPy arrays it is given last."""
    parts = ['"""Equations of motion."""', "", *_describe(programs, "#"), "", PYTHON_HEAD, PYTHON_SIGNS]
    parts.append(special.PYTHON)
    for program in programs:
        arguments = ", ".join(["t", *program.inputs, *program.outputs])
        parts.append(f"\ndef {program.name}({arguments}):")
        parts += [f"    {line}" for line in body(program, code.PYTHON, "python")] or ["    pass"]
        parts.append("")
    return "\n".join(parts)


def _check_laws(programs: Sequence[Program]) -> None:
    """Refuse a user's Python law: no other language can call it."""
    for program in programs:
        outputs = [e for entries in program.outputs.values() for e in entries.ravel()]
        lines = [program.tape.lines[name] for name in needed(program.tape.lines, outputs)]
        if any(e.has(special.law) for e in [*lines, *outputs]):
            raise ModelError(
                "a law is a Python function, which cannot be exported; write it as an expression"
            )


def to_c(programs: Sequence[Program]) -> str:
    """C file; matrices are stored by rows."""
    _check_laws(programs)
    parts = ["/* Equations of motion.", *_describe(programs, " *"), " */", "#include <math.h>", special.C]
    for program in programs:
        inputs = [f"const double *{name}" for name in program.inputs]
        outputs = [f"double *{name}" for name in program.outputs]
        parts.append(f"void {program.name}(double t, {', '.join([*inputs, *outputs])}) {{")
        parts += [f"    {line}" for line in body(program, code.C, "c")]
        parts.append("}\n")
    return "\n".join(parts)


def to_fortran(programs: Sequence[Program]) -> str:
    """Fortran module with C names; matrices are (rows, columns)."""
    _check_laws(programs)
    parts = ["! Equations of motion.", *_describe(programs, "!"), "module flexnet_equations", "contains"]
    parts.append(special.FORTRAN)
    for program in programs:
        names = ["t", *program.inputs, *program.outputs]
        parts.append(f'  subroutine {program.name}({", ".join(names)}) bind(c, name="{program.name}")')
        parts.append("    double precision, intent(in), value :: t")
        for name, symbols in program.inputs.items():
            parts.append(f"    double precision, intent(in) :: {name}({max(len(symbols), 1)})")
        for name, entries in program.outputs.items():
            shape = ", ".join(str(max(n, 1)) for n in entries.shape)
            parts.append(f"    double precision, intent(out) :: {name}({shape})")
        lines = body(program, code.FORTRAN, "fortran")
        locals_ = [line.split(" = ")[0] for line in lines if "(" not in line.split(" = ")[0]]
        parts += [f"    double precision :: {name}" for name in locals_]
        parts += [f"    {_continued(line)}" for line in lines]
        parts.append(f"  end subroutine {program.name}\n")
    parts.append("end module flexnet_equations\n")
    return "\n".join(parts)


def _continued(line: str, width: int = 110) -> str:
    """A Fortran statement over several lines."""
    words, out, now = line.split(" "), list[str](), ""
    for word in words:
        if now and len(now) + len(word) > width:
            out.append(now)
            now = "      "
        now = f"{now} {word}" if now else word
    return " &\n".join([*out, now])


class Evaluator:
    """The equations of motion as Python functions, evaluated at numbers.

    Parameters
    ----------
    equations : what to evaluate.
    programs : which programs; all if left out.
    """

    def __init__(self, equations: SymbolicEquations, programs: Sequence[Program] | None = None) -> None:
        self.equations = equations
        self.programs = {p.name: p for p in programs or make_programs(equations)}
        self._space: dict[str, Any] = {"law": self._law}
        exec(compile(to_python(list(self.programs.values())), "<equations>", "exec"), self._space)
        self.p = np.array(list(equations.parameters.values.values()), dtype=float)

    def __call__(self, name: str, t: float, **arrays: Array) -> dict[str, Array]:
        """Outputs of a program for t and its input arrays; parameters and known functions are supplied."""
        program = self.programs[name]
        known = {"p": self.p, "known": self._known(t)}
        inputs = [arrays[key] if key in arrays else known[key] for key in program.inputs]
        out = {key: np.zeros(entries.shape) for key, entries in program.outputs.items()}
        self._space[name](t, *inputs, *out.values())
        return out

    def _known(self, t: float) -> Array:
        """Value and two derivatives of the functions that are no formulas, by the numeric engine."""
        numeric, known = self.equations.numeric, self.equations.known
        entry.known_functions(numeric.handle, float(t))
        rows = [
            numeric.work.f[known.index[name]] for name, f in known.functions.items() if formula(f) is None
        ]
        return np.concatenate(rows) if rows else np.zeros(0)

    def _law(self, element: int, x: float, v: float, t: float) -> float:
        numeric = self.equations.numeric
        part = numeric.system.components[numeric.element_names[element]]
        assert isinstance(part, TranslationalSpring | TorsionalSpring)
        assert callable(part.law.law)
        return float(part.law.law(x, v, t))
