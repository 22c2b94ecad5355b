"""What kernels compute with: kinds of values, and the LLVM words each is made of.

A value of a kind is so many words in registers: a number is one, an array is where it begins and its lengths,
a record or a packed tuple is where it is. A function of the compiled program takes and returns such words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, a place in memory, or nothing."""

    name: str
    leaves: tuple[str, ...]
    bytes: int = 8


FLOAT = Scalar("float", ("double",))
INT = Scalar("int", ("i64",))
BOOL = Scalar("bool", ("i1",), 1)
COMPLEX = Scalar("complex", ("double", "double"), 16)
PLACE = Scalar("place", ("ptr",))
NOTHING = Scalar("nothing", (), 0)

#: from the narrowest: two that meet become the wider
_NUMBERS = (BOOL, INT, FLOAT, COMPLEX)


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a structured array, where it is."""

    dtype: np.dtype[Any]
    leaves: tuple[str, ...] = field(default=("ptr",), repr=False)

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return int(self.dtype.itemsize)


@dataclass(frozen=True, slots=True)
class Array:
    """An array: where it begins, its lengths, and, unless it is contiguous, its strides in bytes."""

    item: Scalar | Record
    ndim: int
    is_contiguous: bool = True

    @property
    def leaves(self) -> tuple[str, ...]:
        """A place, then whole numbers."""
        return ("ptr",) + ("i64",) * (self.ndim if self.is_contiguous else 2 * self.ndim)


@dataclass(frozen=True, slots=True)
class Tuple:
    """Several values, with names if it is a named tuple.

    Attributes
    ----------
    tails : of each value the lengths of its last axes that are the same in all such tuples, if any are.
    """

    kinds: tuple["Kind", ...]
    names: tuple[str, ...] = ()
    tails: tuple[tuple[int, ...], ...] = ()

    @property
    def leaves(self) -> tuple[str, ...]:
        """Those of all its values."""
        return tuple(leaf for kind in self.kinds for leaf in kind.leaves)

    def find(self, name: str) -> int | None:
        """Number of the value of a name."""
        return self.names.index(name) if name in self.names else None


@dataclass(frozen=True, slots=True)
class Packed:
    """A tuple of arrays, seen through the address of its words."""

    inside: Tuple
    leaves: tuple[str, ...] = field(default=("ptr",), repr=False)

    def offset(self, i: int) -> int:
        """Bytes before the words of value i."""
        return 8 * sum(len(kind.leaves) for kind in self.inside.kinds[:i])


@dataclass(frozen=True, slots=True)
class Function:
    """The address of a function that returns nothing."""

    arguments: tuple["Kind", ...]
    leaves: tuple[str, ...] = field(default=("ptr",), repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Static:
    """Something of Python that is known when a kernel is compiled: a function, a module, a class."""

    thing: Any
    leaves: tuple[str, ...] = ()


Kind = Scalar | Record | Array | Tuple | Packed | Function | Static


class Value(NamedTuple):
    """A value in registers; ``known`` is its number where that is written in the source."""

    kind: Any
    parts: tuple[str, ...]
    known: Any = None


def unify(a: Kind, b: Kind) -> Kind | None:
    """The kind that holds values of both, ``None`` if there is none."""
    if a == b:
        return a
    if a in _NUMBERS and b in _NUMBERS:
        return max(a, b, key=_NUMBERS.index)
    if isinstance(a, Array) and isinstance(b, Array) and (a.item, a.ndim) == (b.item, b.ndim):
        return Array(a.item, a.ndim, False)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.kinds) == len(b.kinds):
        kinds = [unify(x, y) for x, y in zip(a.kinds, b.kinds, strict=True)]
        return None if None in kinds else Tuple(tuple(k for k in kinds if k), a.names)
    return None


_ITEMS: dict[np.dtype[Any], Scalar] = {
    np.dtype(np.float64): FLOAT,
    np.dtype(np.int64): INT,
    np.dtype(np.complex128): COMPLEX,
    np.dtype(np.bool_): BOOL,
}


def item_of(dtype: np.dtype[Any]) -> Scalar | Record:
    """Kind of the items of an array."""
    if (found := _ITEMS.get(dtype)) is not None:
        return found
    if dtype.names:
        return Record(dtype)
    raise TypeError(f"kernels know arrays of float64, int64, complex128, bool and records, not {dtype}")


#: of named tuples, by the names of their arrays
_TAILS: dict[type, dict[str, tuple[int, ...]]] = {}


def know_lengths(of: type, **tails: tuple[int, ...]) -> None:
    """Say which lengths the last axes of arrays of a named tuple always have.

    Kernels that find the tuple behind a handle have them as numbers then: places of entries take no products,
    and loops over such an axis are straight.
    """
    _TAILS[of] = tails


def kind_of(value: Any) -> Kind:
    """Kind of a value of Python."""
    if isinstance(value, np.ndarray):
        return Array(item_of(value.dtype), value.ndim, bool(value.flags.c_contiguous))
    if isinstance(value, tuple):
        names = getattr(value, "_fields", ())
        known = _TAILS.get(type(value))
        tails = tuple(known.get(name, ()) for name in names) if known else ()
        return Tuple(tuple(kind_of(x) for x in value), names, tails)
    if isinstance(value, bool | np.bool_):
        return BOOL
    if isinstance(value, int | np.integer):
        return INT
    if isinstance(value, float | np.floating):
        return FLOAT
    if isinstance(value, complex | np.complexfloating):
        return COMPLEX
    raise TypeError(f"kernels take numbers, arrays and tuples of them, not {type(value).__name__}")


def adapt(function: Callable[..., Any], kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    """Kinds of arguments as a function wants them: a number that it calls float is one."""
    code, wanted = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount]
    if len(names) != len(kinds):
        raise TypeError(f"{function.__name__} takes {len(names)} arguments, not {len(kinds)}")
    pairs = zip(names, kinds, strict=True)
    return tuple(FLOAT if wanted.get(name) is float and kind == INT else kind for name, kind in pairs)


def result_text(kind: Kind) -> str:
    """LLVM's type of a result."""
    leaves = kind.leaves
    return "void" if not leaves else leaves[0] if len(leaves) == 1 else "{" + ", ".join(leaves) + "}"
