"""Call a C function by its address from compiled code: how users' Python laws are reached."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _call(typingctx: Any, address: Any, x: Any, v: Any, t: Any) -> Any:
    """Return ``f(x, v, t)`` of the C function ``double f(double, double, double)`` at ``address``."""
    signature = types.float64(types.int64, types.float64, types.float64, types.float64)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number = ir.DoubleType()
        function = ir.FunctionType(number, [number, number, number])
        pointer = builder.inttoptr(args[0], function.as_pointer())
        return builder.call(pointer, args[1:])

    return signature, codegen


call: Any = intrinsic(_call)
