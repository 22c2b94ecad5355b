"""Pack known functions of time and users' formulas into numbers the kernels read; what they gave last.

What is a formula of time becomes a family with its numbers for arguments; a Python callable becomes a C
function whose address the kernels call. A callable that raises, or answers something that is no number,
answers NaN to the kernel and keeps its exception for the error message.
"""

import ctypes
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np

from flexnet.algebra import Arguments, Expr, FamilyTable, Program, forward, mapped
from flexnet.components import TimeFunction
from flexnet.components.time_function import FORMULAS, with_derivatives
from flexnet.errors import ModelError
from flexnet.kernels import time_function as tf
from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.model import FUNCTION, Model
from flexnet.kernels.work import Work
from flexnet.typing import AnyArray, Array

#: what the loads of a System call its weights
GRAVITY = "gravity"

#: kinds that the kernels know by themselves
_TABLED = {"constant": tf.CONSTANT, "spline": tf.SPLINE}


def _of_time(call: Callable[[float], float], t: float, _v: float, _x: float) -> float:
    """Call a function of time alone."""
    return call(t)


@cache
def _of_kind(kind: str, count: int) -> list[Program]:
    """The family of a kind with so many numbers: f, f', f''."""
    arguments = Arguments()
    t, c = arguments.number("t"), arguments.array("c", count)
    f = FORMULAS[kind](t, c)
    (first,) = forward([f], {t: 1})
    return [arguments.program("known", [f, first, *forward([first], {t: 1})])]


def _of_expression(formula: Any, is_motion: bool) -> tuple[list[Program], list[float]]:
    """The family of an expression of sympy and its numbers; a load has no derivatives: it may have corners.

    Raises
    ------
    ModelError
        If it has no code, or jumps while it is a motion.
    """
    import sympy as sp

    from flexnet.algebra.exchange import from_sympy

    arguments, numbers = Arguments(), list[float]()
    t, _ = arguments.number("t"), arguments.array("c")
    # whatever assumptions the user's symbol carries, it is the time
    time = sp.Symbol("t")
    f = formula.subs(dict.fromkeys(formula.free_symbols, time))
    if is_motion and f.has(sp.Piecewise):
        raise ModelError("a motion may not be chosen by a Piecewise, whose jumps are not seen")

    def argument(x: float) -> Expr:
        numbers.append(float(x))
        return arguments.more("c")

    rates = (sp.diff(f, time), sp.diff(f, time, 2)) if is_motion else ()
    found = mapped([from_sympy(g, {"t": t}) for g in (f, *rates)], lambda node: None, argument)
    return [arguments.program("known", [*found, *[0] * (3 - len(found))])], numbers


@dataclass(slots=True)
class FunctionTable:
    """Functions packed so far. Keeps the C functions alive as long as the packed model lives.

    Attributes
    ----------
    time : of the model, s: what differences of users' functions are measured by.
    families : of functions that are formulas, by their index.
    signals : signals by the index of the function that follows them.
    known : all of them, as they were given.
    """

    time: float = 1.0
    records: list[tuple[int, int, int, tuple[int, int, int]]] = field(default_factory=list)
    data: list[float] = field(default_factory=list)
    families: dict[int, list[Program]] = field(default_factory=dict)
    callbacks: list[Any] = field(default_factory=list)
    raised: list[BaseException] = field(default_factory=list)
    owners: list[tuple[str, int]] = field(default_factory=list)
    signals: dict[int, Any] = field(default_factory=dict)
    known: list[TimeFunction] = field(default_factory=list)

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
        self.known.append(function)
        index, start, numbers = len(self.records), len(self.data), list(function.parameters)
        kind, refs = tf.FORMULA, (0, 0, 0)
        if function.kind == "callable":
            # the derivatives of a load are not used
            calls = with_derivatives(function, self.time) if is_motion else function.call[:1] * 3
            f, d, dd = (self.address(partial(_of_time, call)) for call in calls)
            kind, refs = tf.CALLABLE, (f, d, dd)
        elif function.kind == "signal":
            if is_motion:
                raise ModelError(f"{owner!r} needs the rate of its signal, which is not known")
            kind, self.signals[index] = tf.SIGNAL, function.expression
        elif function.kind == "expression":
            try:
                self.families[index], numbers = _of_expression(function.expression, is_motion)
            except ModelError as error:
                raise ModelError(f"function of time of {owner!r}: {error}; use a Python callable") from error
        elif function.kind in _TABLED:
            kind = _TABLED[function.kind]
        else:
            self.families[index] = _of_kind(function.kind, len(numbers))
        self.data += numbers
        self.records.append((kind, start, len(numbers), refs))
        return index

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

    def packed(self, families: FamilyTable) -> tuple[AnyArray, Array]:
        """Record array of functions, and their numbers; families are added to a table."""
        records = np.zeros(len(self.records), dtype=FUNCTION)
        for i, record in enumerate(self.records):
            records[i] = (*record[:3], 0, record[3])
            if i in self.families:
                records[i]["family"] = families.add(self.families[i])
        return records, np.array(self.data or [0.0], dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class LawValues:
    """Values that drivers and forces with a function of time or a law gave in the last residual.

    Attributes
    ----------
    table : functions of time, and what users' ones raised.
    elements : names of the force elements.
    work : where the values are.
    """

    table: FunctionTable
    elements: Sequence[str]
    work: Work

    def largest(self) -> list[tuple[str, float]]:
        """Every driver or force with a function of time or a law, and the largest value that gave."""
        functions = zip(self.table.owners, self.work.f, strict=True)
        laws = zip(self.elements, self.work.loads, strict=True)
        found = [(str(owner), float(np.abs(x[:used]).max())) for (owner, used), x in functions]
        return found + [(name, float(np.abs(x).max())) for name, x in laws]

    @property
    def failed(self) -> str:
        """Name of the driver or force whose function or law gave no number; empty if all did."""
        if np.isfinite(self.work.f).all() and np.isfinite(self.work.loads).all():
            return ""  # asked after every residual: one by one they would take longer than it
        return next((name for name, value in self.largest() if not np.isfinite(value)), "")

    @property
    def error(self) -> BaseException | None:
        """What a user's law raised last, if one did."""
        return self.table.raised[-1] if self.table.raised else None

    @property
    def why(self) -> str:
        """What the law that gave no number is called, and what it raised; empty if all gave one."""
        name, cause = self.failed, self.error
        told = f" ({type(cause).__name__}: {cause})" if cause is not None else ""
        return f"law of {name}{told}" if name else ""

    def check(self) -> None:
        """Refuse a function or law that gave no number, by name."""
        name, cause = self.failed, self.error
        if name:
            told = f": {cause}" if cause is not None else ""
            self.work.loads[:] = 0.0
            raise ModelError(f"the law of {name!r} gave a value that is not a number{told}") from cause
