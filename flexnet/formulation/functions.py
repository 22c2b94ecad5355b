"""Pack known functions of time and users' formulas into numbers the kernels read.

A sympy expression becomes a postfix program; a Python callable becomes a C function whose address the
kernels call. A callable that raises, or answers something that is no number, answers NaN to the kernel
and keeps its exception for the error message.
"""

import ctypes
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from flexnet.components import TimeFunction
from flexnet.components.time_function import with_derivatives
from flexnet.errors import ModelError
from flexnet.kernels import time_function as tf
from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.model import FUNCTION, Model
from flexnet.typing import AnyArray, Array, IntArray

#: what the loads of a System call its weights
GRAVITY = "gravity"

_KINDS = {
    "constant": tf.CONSTANT, "polynomial": tf.POLYNOMIAL, "harmonic": tf.HARMONIC,
    "cycloidal": tf.CYCLOIDAL, "smooth_step": tf.SMOOTH_STEP, "spline": tf.SPLINE,
    "expression": tf.EXPRESSION, "callable": tf.CALLABLE, "signal": tf.SIGNAL,
}  # fmt: skip

# functions of sympy by name: sympy itself is imported only where an expression is given
_UNARY = {
    "sin": tf.SIN, "cos": tf.COS, "tan": tf.TAN, "exp": tf.EXP, "log": tf.LOG, "Abs": tf.ABS,
    "sign": tf.SIGN, "tanh": tf.TANH, "sinh": tf.SINH, "cosh": tf.COSH, "asin": tf.ASIN,
    "acos": tf.ACOS, "atan": tf.ATAN, "Heaviside": tf.HEAVISIDE,
}  # fmt: skip
_NARY = {"Add": tf.ADD, "Mul": tf.MULTIPLY, "Max": tf.MAX, "Min": tf.MIN}
_BINARY = (tf.ADD, tf.MULTIPLY, tf.POWER, tf.MAX, tf.MIN)


def _of_time(call: Callable[[float], float], t: float, _v: float, _x: float) -> float:
    """Call a function of time alone."""
    return call(t)


def _depth(instructions: list[int]) -> int:
    """Deepest stack a program needs."""
    depth = deepest = 0
    for op in instructions:
        depth += 1 if op in (tf.PUSH, tf.VARIABLE) else (-1 if op in _BINARY else 0)
        deepest = max(deepest, depth)
    return deepest


@dataclass(slots=True)
class FunctionTable:
    """Functions packed so far. Keeps the C functions alive as long as the packed model lives.

    Attributes
    ----------
    time : of the model, s: what differences of users' functions are measured by.
    signals : signals by the index of the function that follows them.
    """

    time: float = 1.0
    records: list[tuple[int, int, int, tuple[int, ...]]] = field(default_factory=list)
    data: list[float] = field(default_factory=list)
    program: list[int] = field(default_factory=list)
    callbacks: list[Any] = field(default_factory=list)
    raised: list[BaseException] = field(default_factory=list)
    owners: list[tuple[str, int]] = field(default_factory=list)
    signals: dict[int, Any] = field(default_factory=dict)

    def held(self, model: Model, values: Array, factor: float, loads: Collection[str]) -> Model:
        """The packed model with every function held at its value; loads are multiplied by a factor."""
        functions = model.functions.copy()
        functions["kind"] = np.where(functions["kind"] == tf.SIGNAL, tf.SIGNAL, tf.CONSTANT)
        functions["count"], functions["refs"] = 1, 0
        functions["start"] = len(model.data) + np.arange(len(functions))
        times = np.array([factor if owner in loads else 1.0 for owner, _ in self.owners])
        data = np.concatenate([model.data, times * values[: len(functions)]])
        weight = factor if GRAVITY in loads else 1.0
        return model._replace(
            functions=functions, data=data, weights=weight * model.weights, gravity=weight * model.gravity
        )

    def exchange(self, model: Model, owner: str, function: TimeFunction) -> None:
        """Give the one function of a component, a polynomial, other coefficients, in place."""
        index = [name for name, _ in self.owners].index(owner)
        record = model.functions[index]
        start, count = int(record["start"]), int(record["count"])
        given = np.asarray(function.parameters, dtype=float)
        assert len(given) <= count, f"the function of {owner!r} has {count} coefficients"
        model.data[start : start + count] = 0.0
        model.data[start : start + len(given)] = given

    def add(self, function: TimeFunction, owner: str, is_motion: bool) -> int:
        """Pack a function of time; return its index.

        Parameters
        ----------
        owner : name of the component, for error messages.
        is_motion : whether its derivatives are used too.
        """
        self.owners.append((owner, 3 if is_motion else 1))
        start = len(self.data)
        self.data += function.parameters
        refs = [0] * 6
        if function.kind == "expression":
            import sympy as sp

            t = sp.Symbol("t")
            # whatever assumptions the user's symbol carries, it is the time
            f = function.expression.subs(dict.fromkeys(function.expression.free_symbols, t))
            # a force may have corners, where it has no derivatives: they are not asked for
            rates = (sp.diff(f, t), sp.diff(f, t, 2)) if is_motion else (sp.Integer(0), sp.Integer(0))
            for k, g in enumerate((f, *rates)):
                refs[2 * k], refs[2 * k + 1] = self.compile(g)
        elif function.kind == "callable":
            # the derivatives of a load are not used
            calls = with_derivatives(function, self.time) if is_motion else function.call[:1] * 3
            for k, call in enumerate(calls):
                refs[2 * k] = self.address(partial(_of_time, call))
        elif function.kind == "signal":
            if is_motion:
                raise ModelError(f"{owner!r} needs the rate of its signal, which is not known")
            self.signals[len(self.records)] = function.expression
        kind = _KINDS[function.kind]
        self.records.append((kind, start, len(function.parameters), tuple(refs)))
        return len(self.records) - 1

    def compile(self, expression: Any) -> tuple[int, int]:
        """Append the postfix program of an expression; return (start, count) in instructions."""
        import sympy as sp

        start = len(self.program) // 2
        self._emit(sp.sympify(expression))
        if _depth(self.program[2 * start :: 2]) > tf.STACK:
            raise ModelError("an expression is nested too deeply; use a Python callable")
        return start, len(self.program) // 2 - start

    def _emit(self, e: Any) -> None:
        if e.is_Number or e.is_NumberSymbol:
            self.program += [tf.PUSH, len(self.data)]
            self.data.append(float(e))
        elif e.is_Symbol:
            self.program += [tf.VARIABLE, 2]
        elif e.is_Pow and 2 * e.exp == 1:
            self._emit(e.base)
            self.program += [tf.SQRT, 0]
        elif e.is_Pow:
            self._emit(e.base)
            self._emit(e.exp)
            self.program += [tf.POWER, 0]
        elif e.func.__name__ in _NARY:
            first, *rest = e.args
            self._emit(first)
            for arg in rest:
                self._emit(arg)
                self.program += [_NARY[e.func.__name__], 0]
        elif e.func.__name__ in _UNARY:
            self._emit(e.args[0])
            self.program += [_UNARY[e.func.__name__], 0]
        else:
            raise ModelError(f"expression contains {e.func}, which cannot be compiled; use a Python callable")

    def guarded(self, call: Callable[..., float]) -> Callable[..., float]:
        """``call`` that answers NaN where it raises, and keeps what it raised."""

        def answer(*args: float) -> float:
            try:
                return float(call(*args))
            except Exception as error:  # carried over the C boundary, raised again by the engine
                self.raised.append(error)
                return math.nan

        return answer

    def address(self, call: Callable[..., float], arity: int = 3) -> int:
        """Address of a C function that calls ``call`` with so many numbers: x, v and t unless told."""
        pointer = ctypes.CFUNCTYPE(*[ctypes.c_double] * (1 + arity))(self.guarded(call))
        self.callbacks.append(pointer)
        return int(ctypes.cast(pointer, ctypes.c_void_p).value or 0)

    def callback(self, call: Callable[..., float], arity: int = 3) -> Any:
        """What the kernels call: its address, or where they are interpreted itself."""
        return self.guarded(call) if is_interpreted() else self.address(call, arity)

    def packed(self) -> tuple[AnyArray, Array, IntArray]:
        """Record array of functions, their numbers, and the programs."""
        records = np.zeros(len(self.records), dtype=FUNCTION)
        for i, record in enumerate(self.records):
            records[i] = record
        return (
            records,
            np.array(self.data or [0.0], dtype=float),
            np.array(self.program or [0, 0], dtype=np.int64),
        )
