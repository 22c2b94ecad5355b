"""Call a C function by its address from compiled code: how users' Python laws are reached."""

import ctypes
from typing import Any

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
