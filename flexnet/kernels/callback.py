"""Call a C function by its address from compiled code: users' Python laws, and programs made by LLVM."""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from flexnet.kernels.compile import is_interpreted


def _call(typingctx: Any, address: Any, x: Any, v: Any, t: Any) -> Any:
    """Return ``f(x, v, t)`` of the C function ``double f(double, double, double)`` at ``address``."""
    signature = types.float64(types.int64, types.float64, types.float64, types.float64)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number = ir.DoubleType()
        function = ir.FunctionType(number, [number, number, number])
        pointer = builder.inttoptr(args[0], function.as_pointer())
        return builder.call(pointer, args[1:])

    return signature, codegen


def _call_interpreted(address: int, x: float, v: float, t: float) -> float:
    """The same call from plain Python."""
    number = ctypes.c_double
    function = ctypes.CFUNCTYPE(number, number, number, number)(int(address))
    return float(function(x, v, t))


call: Any = _call_interpreted if is_interpreted() else intrinsic(_call)


def _at(typingctx: Any, array: Any, i: Any) -> Any:
    """Where entry i of the first axis of a contiguous array begins; i is not looked at."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        made = context.make_array(sig.args[0])(context, builder, args[0])
        step = builder.mul(args[1], builder.extract_value(made.strides, 0))
        start = builder.ptrtoint(made.data, step.type)
        return builder.inttoptr(builder.add(start, step), made.data.type)

    return types.CPointer(array.dtype)(array, types.int64), codegen


def _at_interpreted(array: Any, i: int) -> Any:
    """The rest of the array from there."""
    return array[i:]


at: Any = _at_interpreted if is_interpreted() else intrinsic(_at)


def _run(typingctx: Any, address: Any, arguments: Any) -> Any:
    """Call the C function ``void f(…)`` at an address with float64, contiguous arrays and places in them."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = []
        for i, kind in enumerate(sig.args[1]):
            value = builder.extract_value(args[1], i)
            is_array = isinstance(kind, types.Array)
            values.append(context.make_array(kind)(context, builder, value).data if is_array else value)
        function = ir.FunctionType(ir.VoidType(), [value.type for value in values])
        builder.call(builder.inttoptr(args[0], function.as_pointer()), values)
        return context.get_dummy_value()

    return types.void(address, arguments), codegen


def _run_interpreted(function: Any, arguments: tuple[Any, ...]) -> None:
    """Call a Python function of the same arguments, arrays by their entries in memory."""
    function(*(x.reshape(-1) if isinstance(x, np.ndarray) else x for x in arguments))


run: Any = _run_interpreted if is_interpreted() else intrinsic(_run)
