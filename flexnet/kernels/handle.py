"""One array instead of fifty: the packed model and its workspace behind a single handle.

A compiled function receives every array of its arguments by value, some two hundred words for a model
and its workspace. :func:`store` writes those words into an array once. :func:`make_restore` makes the
function that gives them back inside a kernel, not as tuples but as their addresses: ``work.force`` then loads
that one array. What a handle holds never changes, and the loads say so: the compiler moves them out of loops.

Whoever stores must keep the arrays alive.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from flexnet.kernels import arithmetic
from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.kinds import Packed, Tuple, Value, words_of
from flexnet.kernels.words import Word
from flexnet.typing import IntArray


def make_restore(kind: Any) -> Callable[[IntArray], Any]:
    """Make the kernel function that gives the tuples behind a handle; ``kind`` is the kind of their tuple."""
    if is_interpreted():
        return lambda handle: handle
    assert isinstance(kind, Tuple)
    whole = Packed(kind)

    def write(w: Any, arguments: list[Value]) -> Value:
        place = arguments[0].parts[0]
        parts = (
            Value(Packed(inside), (w.shift(place, whole.offset(i)),))
            for i, inside in enumerate(kind.kinds)
            if isinstance(inside, Tuple)
        )
        return arithmetic.join(parts)

    return cast(Callable[[IntArray], Any], Word(write))


def store(value: Any) -> IntArray:
    """Write a tuple of tuples of arrays into a handle; the arrays must outlive it.

    Interpreted kernels take the tuple itself.
    """
    if is_interpreted():
        return cast(IntArray, value)
    return np.array(list(words_of(value)), dtype=np.int64)
