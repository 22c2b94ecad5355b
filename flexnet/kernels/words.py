"""Words of the kernels' language: functions of Python that are written as instructions."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flexnet.kernels import arithmetic, indexing
from flexnet.kernels.kinds import BOOL, COMPLEX, FLOAT, INT, Array, Value, unify


@dataclass(frozen=True, slots=True)
class Word:
    """A function that a kernel may call and that is written in place.

    Attributes
    ----------
    write : given the function that is written and the arguments, the result.
    changes : places of the arguments to whose arrays it, or whoever it hands their addresses to, may write.
    """

    write: Callable[[Any, list[Value]], Value]
    changes: tuple[int, ...] = ()


def raise_to(a: float, n: int) -> float:
    """``a**n`` by squaring."""
    out, left = 1.0, abs(n)
    while left != 0:
        if left % 2 == 1:
            out *= a
        left //= 2
        a *= a
    return out if n >= 0 else 1.0 / out


def quotient(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """``(a + ib)/(c + id)``, divided by the larger part first, so that nothing overflows (Smith 1962)."""
    if abs(c) >= abs(d):
        ratio = d / c
        bottom = c + d * ratio
        return (a + b * ratio) / bottom, (b - a * ratio) / bottom
    ratio = c / d
    bottom = c * ratio + d
    return (a * ratio + b) / bottom, (b * ratio - a) / bottom


def _call(w: Any, name: str, arguments: list[Value]) -> Value:
    """Call a function of real numbers."""
    kinds = ", ".join(["double"] * len(arguments))
    w.program.declare(name, f"declare double @{name}({kinds}) nounwind willreturn memory(none)")
    values = [arithmetic.convert(w, a, FLOAT) for a in arguments]
    words = ", ".join(f"double {v.parts[0]}" for v in values)
    return Value(FLOAT, (w.do(f"call double @{name}({words})"),))


def _function(name: str) -> Word:
    return Word(lambda w, arguments: _call(w, name, arguments))


def _absolute(w: Any, arguments: list[Value]) -> Value:
    (a,) = arguments
    if a.kind == COMPLEX:
        return _call(w, "hypot", [Value(FLOAT, (x,)) for x in a.parts])
    if a.kind == FLOAT:
        return _call(w, "llvm.fabs.f64", [a])
    a = arithmetic.convert(w, a, INT)
    is_negative = w.do(f"icmp slt i64 {a.parts[0]}, 0")
    turned = w.do(f"sub nsw i64 0, {a.parts[0]}")
    return Value(INT, (w.do(f"select i1 {is_negative}, i64 {turned}, i64 {a.parts[0]}"),))


def _extreme(op: str) -> Word:
    """The first of the largest, as Python has it: what is not a number is taken only if it is the first."""

    def write(w: Any, arguments: list[Value]) -> Value:
        best, *others = arguments
        for other in others:
            kind = unify(best.kind, other.kind)
            if kind not in (INT, FLOAT):
                raise TypeError(f"kernels cannot compare {best.kind} with {other.kind}")
            a, b = arithmetic.convert(w, best, kind), arithmetic.convert(w, other, kind)
            bit, leaf = arithmetic.compare(w, op, b, a), kind.leaves[0]
            best = Value(kind, (w.do(f"select i1 {bit}, {leaf} {b.parts[0]}, {leaf} {a.parts[0]}"),))
        return best

    return Word(write)


def _whole(name: str) -> Word:
    """A whole number nearby."""

    def write(w: Any, arguments: list[Value]) -> Value:
        return arithmetic.convert(w, _call(w, name, arguments), INT)

    return Word(write)


def _length(w: Any, arguments: list[Value]) -> Value:
    (a,) = arguments
    if not isinstance(a.kind, Array):
        raise TypeError(f"{a.kind} has no length")
    return Value(INT, (indexing.lengths(a)[0],))


def _conversion(kind: Any) -> Word:
    return Word(lambda w, arguments: arithmetic.convert(w, arguments[0], kind))


WORDS: dict[Any, Word] = {
    abs: Word(_absolute),
    max: _extreme("Gt"),
    min: _extreme("Lt"),
    float: _conversion(FLOAT),
    int: _conversion(INT),
    bool: Word(lambda w, arguments: Value(BOOL, (arithmetic.truth(w, arguments[0]),))),
    len: Word(_length),
    round: _whole("llvm.rint.f64"),
    math.floor: _whole("llvm.floor.f64"),
    **{f: _function(f"llvm.{f.__name__}.f64") for f in (math.sin, math.cos, math.exp, math.log, math.sqrt)},
    **{
        f: _function(f.__name__)
        for f in (math.tan, math.asin, math.acos, math.atan, math.atan2, math.sinh, math.cosh, math.tanh)
    },
}
