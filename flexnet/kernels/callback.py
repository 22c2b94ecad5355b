"""Call a C function by its address from compiled code: users' Python laws, and programs made by LLVM."""

import ctypes
from typing import Any

import numpy as np

from flexnet.kernels.arithmetic import split
from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.kinds import FLOAT, NOTHING, PLACE, Array, Value
from flexnet.kernels.words import Word


def _word(write: Any, interpreted: Any) -> Any:
    return interpreted if is_interpreted() else Word(write)


def _call(w: Any, arguments: list[Value]) -> Value:
    """``f(x, v, t)`` of the C function ``double f(double, double, double)`` at an address."""
    address, *numbers = arguments
    function = w.do(f"inttoptr i64 {address.parts[0]} to ptr")
    words = ", ".join(f"double {x.parts[0]}" for x in numbers)
    return Value(FLOAT, (w.do(f"call double {function}({words})"),))


def _call_interpreted(address: int, x: float, v: float, t: float) -> float:
    """The same call from plain Python."""
    number = ctypes.c_double
    function = ctypes.CFUNCTYPE(number, number, number, number)(int(address))
    return float(function(x, v, t))


call: Any = _word(_call, _call_interpreted)


def _at(w: Any, arguments: list[Value]) -> Value:
    """Where entry i of the first axis of a contiguous array begins; i is not looked at."""
    array, i = arguments
    if not array.kind.is_contiguous:
        raise TypeError("a place is one of an array without gaps between its entries")
    step = str(array.kind.item.bytes)
    for length in array.parts[2:]:
        step = w.do(f"mul nsw i64 {step}, {length}")
    return Value(PLACE, (w.shift(array.parts[0], w.do(f"mul nsw i64 {i.parts[0]}, {step}")),))


def _at_interpreted(array: Any, i: int) -> Any:
    """The rest of the array from there."""
    return array[i:]


at: Any = _word(_at, _at_interpreted)


#: longer than any array
_MANY = 2**40


def _array_at(w: Any, arguments: list[Value]) -> Value:
    """The array that begins at a place, of any length."""
    return Value(Array(FLOAT, 1), (arguments[0].parts[0], str(_MANY)))


def _matrix_at(w: Any, arguments: list[Value]) -> Value:
    """The (n, n) matrix that begins at a place."""
    place, n = arguments
    return Value(Array(FLOAT, 2), (place.parts[0], n.parts[0], n.parts[0]))


array_at: Any = _word(_array_at, lambda x: x)
matrix_at: Any = _word(_matrix_at, lambda x, n: x[: n * n].reshape(n, n))


def _run(w: Any, arguments: list[Value]) -> Value:
    """Call the C function ``void f(…)`` at an address with numbers, places, and where arrays begin."""
    address, given = arguments
    words = ", ".join(f"{value.kind.leaves[0]} {value.parts[0]}" for value in split(given))
    w.say(f"call void {w.do(f'inttoptr i64 {address.parts[0]} to ptr')}({words})")
    return Value(NOTHING, ())


def _run_interpreted(function: Any, arguments: tuple[Any, ...]) -> None:
    """Call a Python function of the same arguments, arrays by their entries in memory."""
    function(*(x.reshape(-1) if isinstance(x, np.ndarray) else x for x in arguments))


run: Any = _word(_run, _run_interpreted)
