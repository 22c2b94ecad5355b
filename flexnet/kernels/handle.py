"""One array instead of fifty: the packed model and its workspace behind a single handle.

A compiled function receives every array of its arguments by value, some four hundred words for a model
and its workspace. :func:`store` writes those words into an array once; :func:`restore` reads them back
inside a kernel, where the compiler keeps the few it needs. Whoever stores must keep the arrays alive.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import types
from numba.extending import intrinsic

from flexnet.kernels.compile import is_interpreted, kernel
from flexnet.typing import IntArray


def make_restore(kind: Any) -> Callable[[IntArray], Any]:
    """Make the kernel function that reads a value of a numba type back from a handle."""
    if is_interpreted():
        return lambda handle: handle

    def _restore(typingctx: Any, handle: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            model = context.data_model_manager[kind]
            pointer = builder.bitcast(array.data, model.get_data_type().as_pointer())
            return model.load_from_data_pointer(builder, pointer)

        return kind(handle), codegen

    made: Any = intrinsic(_restore)
    return cast(Callable[[IntArray], Any], made)


def _size(typingctx: Any, value: Any) -> Any:
    """Bytes a value takes in a handle."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = context.data_model_manager[signature.args[0]].get_data_type()
        return context.get_constant(types.int64, context.get_abi_sizeof(kind))

    return types.int64(value), codegen


def _store(typingctx: Any, value: Any, handle: Any) -> Any:
    """Write a value into a handle."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[1])(context, builder, args[1])
        model = context.data_model_manager[signature.args[0]]
        pointer = builder.bitcast(array.data, model.get_data_type().as_pointer())
        builder.store(model.as_data(builder, args[0]), pointer)
        return context.get_dummy_value()

    return types.void(value, handle), codegen


_size_of: Any = intrinsic(_size)
_write: Any = intrinsic(_store)


@kernel
def _measure(value: Any) -> int:
    return int(_size_of(value))


@kernel
def _fill(value: Any, handle: IntArray) -> None:
    _write(value, handle)


def store(value: Any) -> IntArray:
    """Write a tuple of arrays into a handle; the arrays must outlive it.

    Interpreted kernels take the tuple itself.
    """
    if is_interpreted():
        return cast(IntArray, value)
    handle = np.zeros(_measure(value) // 8 + 1, dtype=np.int64)
    _fill(value, handle)
    return handle
