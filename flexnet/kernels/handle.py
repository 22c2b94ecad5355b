"""One array instead of fifty: the packed model and its workspace behind a single handle.

A compiled function receives every array of its arguments by value, some four hundred words for a model
and its workspace; every call copies them, and the compiler has to read all those copies. :func:`store`
writes those words into an array once. :func:`make_restore` makes the function that gives them back inside a
kernel, not as tuples but as their addresses: ``work.force`` then loads that one array. What a handle
holds never changes, and the loads say so: the compiler moves them out of loops.

Whoever stores must keep the arrays alive.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.registry import default_manager
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, models, register_model

from flexnet.kernels.compile import is_interpreted
from flexnet.typing import IntArray


class Packed(types.Type):
    """A named tuple of arrays, seen through the address of its words."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        types.Type.__init__(self, name=f"Packed({kind})")


register_model(Packed)(models.OpaqueModel)


@infer_getattr
class _PackedAttributes(AttributeTemplate):
    """The attributes of a packed tuple are its fields."""

    key = Packed

    def generic_resolve(self, value: Any, attr: str) -> Any:  # type: ignore[override]  # declared as missing
        """Type of a field."""
        fields = value.kind.fields
        return value.kind.types[fields.index(attr)] if attr in fields else None


@lower_getattr_generic(Packed)
def _field(context: Any, builder: Any, packed: Any, value: Any, name: str) -> Any:
    """Load one field."""
    words = context.data_model_manager[packed.kind].get_data_type()
    pointer = builder.bitcast(value, words.as_pointer())
    return _load(builder, cgutils.gep_inbounds(builder, pointer, 0, packed.kind.fields.index(name)))


def _load(builder: Any, pointer: Any) -> Any:
    """Load a value word by word, each marked as one that never changes."""
    kind = pointer.type.pointee
    if isinstance(kind, ir.Aggregate):
        out = ir.Constant(kind, ir.Undefined)
        for i in range(len(kind)):
            word = _load(builder, cgutils.gep_inbounds(builder, pointer, 0, i))
            out = builder.insert_value(out, word, i)
        return out
    out = builder.load(pointer)
    out.set_metadata("invariant.load", builder.module.add_metadata([]))
    return out


def make_restore(kind: Any) -> Callable[[IntArray], Any]:
    """Make the kernel function that gives the tuples behind a handle; ``kind`` is the type of their tuple."""
    if is_interpreted():
        return lambda handle: handle

    def _restore(typingctx: Any, handle: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            words = context.data_model_manager[kind].get_data_type()
            pointer = builder.bitcast(array.data, words.as_pointer())
            parts = [
                builder.bitcast(cgutils.gep_inbounds(builder, pointer, 0, i), cgutils.voidptr_t)
                for i in range(len(kind.types))
            ]
            return context.make_tuple(builder, signature.return_type, parts)

        return types.Tuple([Packed(part) for part in kind.types])(handle), codegen

    made: Any = intrinsic(_restore)
    return cast(Callable[[IntArray], Any], made)


def _words(value: Any) -> list[int]:
    """The words of an array as compiled code sees it, or those of all arrays of a tuple."""
    if isinstance(value, tuple):
        return [word for part in value for word in _words(part)]
    # no owner is told: whoever stores keeps the array alive
    return [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]


#: what numba writes of an array, in this order
_LAYOUT = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")


def store(value: Any) -> IntArray:
    """Write a tuple of tuples of arrays into a handle; the arrays must outlive it.

    Interpreted kernels take the tuple itself.
    """
    if is_interpreted():
        return cast(IntArray, value)
    found = default_manager.lookup(types.Array(types.float64, 1, "C"))._fields
    assert found == _LAYOUT, f"this version of numba lays arrays out as {found}"
    return np.array(_words(value), dtype=np.int64)
