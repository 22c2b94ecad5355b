"""Programs of a mechanism: its equations as functions of arrays, exported or evaluated at numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexnet.algebra import (
    Node,
    Program,
    array_of,
    forward,
    language,
    mul,
    substituted,
)
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.feedback import Feedback
from flexnet.formulation.symbolic.variables import TIME
from flexnet.kernels import entry
from flexnet.typing import AnyArray, Array

#: what the arguments of exported functions are
ABOUT = {
    "t": "time", "q": "configuration", "v": "velocity", "a": "acceleration", "lam": "multipliers",
    "p": "parameters", "laws": "laws of springs that are Python functions",
    "known": "known functions that are no formulas: value and two derivatives each", "r": "M a + G' lam - F",
    "M": "mass matrix", "F": "forces", "phi": "constraints", "G": "constraint Jacobian",
    "phi_dot": "rate of the constraints", "bias": "second rate of the constraints for zero acceleration",
    "z": "first-order states", "z_dot": "their rates; of one without a rate, its row",
}  # fmt: skip


def make_programs(equations: SymbolicEquations, extra: Mapping[str, AnyArray] | None = None) -> list[Program]:
    """Programs of a mechanism: ``residual`` gives r and Φ; ``equations`` M, F, Φ, G, Φ̇ and the bias of Φ̈.

    Parameters
    ----------
    extra : further outputs of ``residual``, such as reactions.
    """
    e = equations
    residual = {"r": e.residual, "phi": e.phi, **(extra or {})}
    named = {"M": e.M, "F": e.F, "phi": e.phi, "G": e.G, "phi_dot": e.phi_dot, "bias": e.bias}
    return [
        make_program(e, "residual", residual, ("q", "v", "a", "lam")), make_program(e, "equations", named),
    ]  # fmt: skip


def make_program(
    equations: SymbolicEquations,
    name: str,
    outputs: Mapping[str, AnyArray],
    state: Sequence[str] = ("q", "v"),
) -> Program:
    """Entries of the equations as a program of time, state, parameters and known functions.

    Parameters
    ----------
    outputs : entries of each array the program fills.
    state : which of q, v, a and lam are arguments.
    """
    feedback = Feedback(equations)
    if feedback.rates:
        masses = equations.numeric.states.masses.tolist()
        rates = zip(feedback.rates, masses, strict=True)
        outputs = {
            **outputs,
            "z_dot": array_of([f if E in (0.0, 1.0) else mul(1.0 / E, f) for f, E in rates]),
        }
    swap, left = _formulas(equations)
    arrays = {
        key: array_of(substituted(feedback.inserted(x.ravel()), swap)).reshape(x.shape)
        for key, x in outputs.items()
    }
    inputs: dict[str, Node | list[Node]] = {"t": TIME}
    inputs |= {key: getattr(equations.variables, key) for key in state}
    if feedback.rates:
        inputs["z"] = equations.variables.z
    inputs |= {"p": list(equations.parameters.values), "known": left}
    program = Program(name, inputs, arrays)
    return Program(name, {**inputs, "laws": []}, arrays) if program.has_externs else program


def _formulas(equations: SymbolicEquations) -> tuple[dict[Node, Any], list[Node]]:
    """Formulas of time for the symbols that have one, and the symbols of functions that have none."""
    swap: dict[Node, Any] = {}
    left: list[Node] = []
    for name, symbols in equations.known.symbols.items():
        f = equations.known.functions[name].formula(TIME)
        if f is None:
            left += symbols
            continue
        first = forward([f], {TIME: 1})[0]
        swap |= zip(symbols, (f, first, forward([first], {TIME: 1})[0]), strict=True)
    return swap, left


def _about(programs: Sequence[Program]) -> list[str]:
    """Names of the entries of the inputs."""
    lines = ["Equations of motion, as functions of", ""]
    for array, symbols in programs[0].inputs.items():
        lines.append(f"{array}: {ABOUT.get(array, array)}")
        if not isinstance(symbols, Node):
            lines += [f"  {i}  {s.name}" for i, s in enumerate(symbols)]
    return lines


def to_python(programs: Sequence[Program]) -> str:
    """Python module; every function fills the NumPy arrays it is given last."""
    return language.to_numpy(programs, _about(programs))


def to_c(programs: Sequence[Program]) -> str:
    """C file; matrices are stored by rows."""
    return language.to_c(programs, _about(programs))


def to_fortran(programs: Sequence[Program]) -> str:
    """Fortran module with C names; matrices are (rows, columns)."""
    return language.to_fortran(programs, _about(programs), "flexnet_equations")


#: writer of every language the equations can be exported to
EXPORTS = {"numpy": to_python, "c": to_c, "fortran": to_fortran}


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
        self._functions = language.functions(list(self.programs.values()))
        self.p = np.array(list(equations.parameters.values.values()), dtype=float)

    def __call__(self, name: str, t: float, **arrays: Array) -> dict[str, Array]:
        """Outputs of a program for t and its input arrays; parameters and known functions are supplied."""
        program = self.programs[name]
        out = {key: np.zeros(entries.shape) for key, entries in program.outputs.items()}
        self._functions[name](*self.arguments(name, t, **arrays), *out.values())
        return out

    def arguments(self, name: str, t: float, **arrays: Array) -> list[Any]:
        """Arguments of a program before its outputs."""
        given = {"t": t, "p": self.p, "known": self._known(t), "laws": user_laws(self.equations), **arrays}
        return [given[key] for key in self.programs[name].inputs]

    def _known(self, t: float) -> Array:
        """Value and two derivatives of the functions that are no formulas, by the numeric engine."""
        numeric, known = self.equations.numeric, self.equations.known
        entry.known_functions(numeric.handle, float(t))
        rows = [
            numeric.work.f[known.index[name]]
            for name, f in known.functions.items()
            if f.formula(TIME) is None
        ]
        return np.concatenate(rows) if rows else np.zeros(0)


def user_laws(equations: SymbolicEquations) -> list[Any]:
    """Python functions of the elements that could not be traced, in the order of the packed model."""
    return [formula for _, formula, _ in equations.numeric.packer.laws.formulas]
