"""One array instead of fifty: the packed model and its workspace behind a single handle.

A compiled function receives every array of its arguments by value, some two hundred words for a model
and its workspace. :func:`make_store` makes the function that writes those words into an array once,
:func:`make_restore` the one that gives them back inside a kernel, not as tuples but as their addresses:
``work.force`` then loads that one array. What a handle holds never changes, and the loads say so: the
compiler moves them out of loops.

Whoever stores must keep the arrays alive. Kernels write to what is behind a handle and do not look whether
they may: the function that stores does, once.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from flexnet.kernels import arithmetic
from flexnet.kernels.compile import Kernel, is_interpreted, kernel
from flexnet.kernels.kinds import INT, NOTHING, Array, Packed, Tuple, Value
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


def _write(w: Any, arguments: list[Value]) -> Value:
    """Write the words of a tuple of tuples of arrays, one after the other."""
    value, out = arguments
    for i, (leaf, word) in enumerate(zip(value.kind.leaves, value.parts, strict=True)):
        w.say(f"store {leaf} {word}, ptr {w.shift(out.parts[0], 8 * i)}")
    return Value(NOTHING, ())


_write_words = Word(_write, changes=(0, 1))


@kernel
def _words(value: Any, out: IntArray) -> None:
    """Write the words of all arrays of a tuple."""
    _write_words(value, out)  # type: ignore[operator]  # it is called in machine code


def _check_lengths(value: Any, kind: Tuple) -> None:
    """See that arrays have the lengths that kernels take for known."""
    for x, inside in zip(value, kind.kinds, strict=True):
        if isinstance(inside, Tuple):
            _check_lengths(x, inside)
    for x, name, tail in zip(value, kind.names, kind.tails, strict=False):
        assert not tail or x.shape[-len(tail) :] == tail, f"{name} has the shape {x.shape}, not (…, {tail})"


def _why_not(value: Any) -> str:
    """Which array cannot be in a handle."""
    arrays = [(name, x) for part in value for name, x in zip(part._fields, part, strict=True)]
    fixed = [name for name, x in arrays if isinstance(x, np.ndarray) and not x.flags.writeable]
    return f"{fixed[0]} is read-only" if fixed else "an array of the tuple has an unexpected type"


def make_store(kind: Any) -> Callable[[Any], IntArray]:
    """Make the function that writes tuples of a kind into a handle; the arrays must outlive it.

    Interpreted kernels take the tuple itself.
    """
    if is_interpreted():
        return lambda value: cast(IntArray, value)

    @cache
    def entrance() -> Callable[[Any, IntArray], Any]:
        return cast(Callable[[Any, IntArray], Any], cast(Kernel, _words).made((kind, Array(INT, 1))).entrance)

    length = len(kind.leaves)

    def store(value: Any) -> IntArray:
        _check_lengths(value, kind)
        out = np.empty(length, dtype=np.int64)
        if entrance()(value, out) is not None:
            raise TypeError(_why_not(value))
        return out

    return store
