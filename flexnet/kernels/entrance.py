"""How Python calls a kernel: a function of C that looks at Python's objects and takes their words.

It reads numbers, arrays and tuples where CPython and NumPy keep them. An argument that is not of the kind the
kernel was compiled for makes it give back ``NotImplemented``: then the kinds are looked at in Python.
"""

import ctypes
import platform
from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np

from flexnet.errors import FlexnetError
from flexnet.kernels.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NOTHING,
    Array,
    Function,
    Kind,
    Record,
    Tuple,
)
from flexnet.kernels.writer import Writer
from flexnet.machine import name_address

_HEAD = object.__basicsize__
#: where NumPy keeps of an array its data, number of axes, lengths, strides, type and flags
_DATA, _NDIM, _LENGTHS, _STRIDES, _DTYPE, _FLAGS = (_HEAD + k for k in (0, 8, 16, 24, 40, 48))
#: of a type of items its byte order and number; of a type of objects its flags; of a tuple its items, since
#: Python 3.14 behind the tuple's hash
_ORDER, _NUMBER, _TYPE_FLAGS, _TUPLE_ITEMS = _HEAD + 10, _HEAD + 12, _HEAD + 152, tuple.__basicsize__
_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400
_IS_INT, _IS_TUPLE = 1 << 24, 1 << 26
_ITEMS = {FLOAT: 12, INT: 7, COMPLEX: 15, BOOL: 0}

_CALLS = {
    "PyFloat_AsDouble": "double @PyFloat_AsDouble(ptr)",
    "PyLong_AsLongLong": "i64 @PyLong_AsLongLong(ptr)",
    "PyObject_IsTrue": "i32 @PyObject_IsTrue(ptr)",
    "PyErr_Occurred": "ptr @PyErr_Occurred()",
    "PyFloat_FromDouble": "ptr @PyFloat_FromDouble(double)",
    "PyLong_FromLongLong": "ptr @PyLong_FromLongLong(i64)",
    "PyBool_FromLong": "ptr @PyBool_FromLong(i64)",
    "PyTuple_New": "ptr @PyTuple_New(i64)",
    "PyTuple_SetItem": "i32 @PyTuple_SetItem(ptr, i64, ptr)",
    "Py_IncRef": "void @Py_IncRef(ptr)",
}
_OBJECTS = {"flexnet.ndarray": np.ndarray, "flexnet.None": None, "flexnet.NotImplemented": NotImplemented}
_dtypes: dict[str, np.dtype[Any]] = {}


@cache
def make_known() -> None:
    """Tell LLVM where the functions and objects of Python are."""
    if not _probe():
        raise FlexnetError(
            f"Python {platform.python_version()} or NumPy {np.__version__} on {platform.system()} keeps its"
            " objects in another way than compiled kernels read them; FLEXNET_INTERPRETED=1 runs kernels as"
            " plain Python"
        )
    for name in _CALLS:
        found = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        assert found is not None
        name_address(name, found)
    for name, thing in _OBJECTS.items():
        name_address(name, id(thing))


def _probe() -> bool:
    """Whether arrays, tuples and types are kept as they are read here."""
    x, pair = np.zeros((2, 3)), (0.5, "second")

    def read(at: int, kind: Any) -> Any:
        return kind.from_address(at).value

    lengths = read(id(x) + _LENGTHS, ctypes.c_size_t)
    dtype = read(id(x) + _DTYPE, ctypes.c_size_t)
    return bool(
        read(id(x) + _HEAD - 8, ctypes.c_size_t) == id(np.ndarray)
        and read(id(x) + _DATA, ctypes.c_size_t) == x.ctypes.data
        and read(id(x) + _NDIM, ctypes.c_int) == 2
        and (read(lengths, ctypes.c_size_t), read(lengths + 8, ctypes.c_size_t)) == (2, 3)
        and dtype == id(x.dtype)
        and read(dtype + _NUMBER, ctypes.c_int) == x.dtype.num
        and read(id(x) + _FLAGS, ctypes.c_int) & (_CONTIGUOUS | _ALIGNED | _WRITEABLE) == 0x501
        and read(id(pair) + _HEAD, ctypes.c_size_t) == 2
        and [read(id(pair) + _TUPLE_ITEMS + 8 * i, ctypes.c_size_t) for i in (0, 1)] == [id(y) for y in pair]
        and all(read(id(t) + _TYPE_FLAGS, ctypes.c_size_t) == t.__flags__ for t in (np.float64, np.ndarray))
        and [np.dtype(t).num for t in (float, np.int64, complex, bool)] == [12, 7, 15, 0]
    )


def declarations() -> str:
    """What an entrance calls, in LLVM's words."""
    lines = [f"declare {text}" for text in _CALLS.values()]
    return "\n".join([*lines, *(f'@"{name}" = external global i8' for name in _OBJECTS)])


def dtype_names(kind: Kind) -> dict[str, np.dtype[Any]]:
    """Types of records among arguments, by names that their addresses are told under."""
    if isinstance(kind, Array) and isinstance(kind.item, Record):
        name = f"flexnet.dtype.{kind.item.dtype.descr!r}".replace('"', "").replace("\\", "")
        if name not in _dtypes:
            _dtypes[name] = kind.item.dtype
            name_address(name, id(kind.item.dtype))
        return {name: _dtypes[name]}
    if isinstance(kind, Tuple):
        return {n: d for k in kind.kinds for n, d in dtype_names(k).items()}
    return {}


class _Entrance(Writer):
    """Text of one entrance."""

    def __init__(self) -> None:
        Writer.__init__(self)
        self.other, self.failed = self.label(), self.label()

    def number(self, leaf: str, place: str, offset: int) -> str:
        """Read a word of an object."""
        return self.do(f"load {leaf}, ptr {self.shift(place, offset)}")

    def want(self, bit: str) -> None:
        """Go on only if something holds."""
        further = self.label()
        self.fork(bit, further, self.other)
        self.begin(further)

    def want_flag(self, thing: str, flag: int) -> None:
        flags = self.number("i64", self.number("ptr", thing, _HEAD - 8), _TYPE_FLAGS)
        self.want(self.do(f"icmp ne i64 {self.do(f'and i64 {flags}, {flag}')}, 0"))

    def take(self, kind: Kind, thing: str, is_written: bool = False) -> tuple[str, ...]:
        """Words of an argument; arrays of one that is written to must be such as may be."""
        if kind == FLOAT:
            x = self.do(f"call double @PyFloat_AsDouble(ptr {thing})")
            self._look_for_error(self.do(f"fcmp oeq double {x}, -1.0"))
            return (x,)
        if kind == INT or isinstance(kind, Function):
            self.want_flag(thing, _IS_INT)
            i = self.do(f"call i64 @PyLong_AsLongLong(ptr {thing})")
            self._look_for_error(self.do(f"icmp eq i64 {i}, -1"))
            return (i,) if kind == INT else (self.do(f"inttoptr i64 {i} to ptr"),)
        if kind == BOOL:
            bit = self.do(f"call i32 @PyObject_IsTrue(ptr {thing})")
            return (self.do(f"icmp sgt i32 {bit}, 0"),)
        if isinstance(kind, Array):
            return self._take_array(kind, thing, is_written)
        if isinstance(kind, Tuple):
            self.want_flag(thing, _IS_TUPLE)
            size = self.number("i64", thing, _HEAD)
            self.want(self.do(f"icmp eq i64 {size}, {len(kind.kinds)}"))
            items = (
                self.take(k, self.number("ptr", thing, _TUPLE_ITEMS + 8 * i), is_written)
                for i, k in enumerate(kind.kinds)
            )
            return tuple(part for item in items for part in item)
        raise TypeError(f"Python cannot hand over {kind}")

    def _look_for_error(self, may_be: str) -> None:
        look, fine = self.label(), self.label()
        self.fork(may_be, look, fine)
        self.begin(look)
        found = self.do("call ptr @PyErr_Occurred()")
        self.fork(self.do(f"icmp eq ptr {found}, null"), fine, self.failed)
        self.begin(fine)

    def _take_array(self, kind: Array, thing: str, is_written: bool) -> tuple[str, ...]:
        self.want(self.do(f'icmp eq ptr {self.number("ptr", thing, _HEAD - 8)}, @"flexnet.ndarray"'))
        self.want(self.do(f"icmp eq i32 {self.number('i32', thing, _NDIM)}, {kind.ndim}"))
        flags = _ALIGNED | (_CONTIGUOUS if kind.is_contiguous else 0) | (_WRITEABLE if is_written else 0)
        got = self.do(f"and i32 {self.number('i32', thing, _FLAGS)}, {flags}")
        self.want(self.do(f"icmp eq i32 {got}, {flags}"))
        dtype = self.number("ptr", thing, _DTYPE)
        if isinstance(kind.item, Record):
            (name,) = dtype_names(kind)
            self.want(self.do(f'icmp eq ptr {dtype}, @"{name}"'))
        else:
            self.want(self.do(f"icmp eq i32 {self.number('i32', dtype, _NUMBER)}, {_ITEMS[kind.item]}"))
            self.want(self.do(f"icmp ne i8 {self.number('i8', dtype, _ORDER)}, {ord('>')}"))
        places = [_LENGTHS] if kind.is_contiguous else [_LENGTHS, _STRIDES]
        lists = [self.number("ptr", thing, place) for place in places]
        words = (self.number("i64", numbers, 8 * i) for numbers in lists for i in range(kind.ndim))
        return self.number("ptr", thing, _DATA), *words

    def give(self, kind: Kind, parts: tuple[str, ...]) -> str:
        """Python's object of a result."""
        if kind == NOTHING:
            self.say('call void @Py_IncRef(ptr @"flexnet.None")')
            return '@"flexnet.None"'
        if kind == FLOAT:
            return self.do(f"call ptr @PyFloat_FromDouble(double {parts[0]})")
        if kind == INT:
            return self.do(f"call ptr @PyLong_FromLongLong(i64 {parts[0]})")
        if kind == BOOL:
            return self.do(f"call ptr @PyBool_FromLong(i64 {self.do(f'zext i1 {parts[0]} to i64')})")
        if isinstance(kind, Tuple):
            out, at = self.do(f"call ptr @PyTuple_New(i64 {len(kind.kinds)})"), 0
            for i, k in enumerate(kind.kinds):
                item = self.give(k, parts[at : at + len(k.leaves)])
                self.do(f"call i32 @PyTuple_SetItem(ptr {out}, i64 {i}, ptr {item})")
                at += len(k.leaves)
            return out
        raise TypeError(f"a kernel cannot give {kind} to Python")


def write_entrance(
    name: str, kinds: tuple[Kind, ...], result: Kind, result_text: str, written: Collection[int]
) -> str:
    """Text of the entrance of a function, and of what it calls; ``written`` are places of its arguments."""
    w = _Entrance()
    w.want(w.do(f"icmp eq i64 %n, {len(kinds)}"))
    words: list[str] = []
    for i, kind in enumerate(kinds):
        parts = w.take(kind, w.number("ptr", "%arguments", 8 * i), i in written)
        words += [f"{leaf} {part}" for leaf, part in zip(kind.leaves, parts, strict=True)]
    call = f"call {result_text} @{name}({', '.join(words)})"
    got: tuple[str, ...] = ()
    if not result.leaves:
        w.say(call)
    elif len(result.leaves) == 1:
        got = (w.do(call),)
    else:
        whole = w.do(call)
        got = tuple(w.do(f"extractvalue {result_text} {whole}, {i}") for i in range(len(result.leaves)))
    w.say(f"ret ptr {w.give(result, got)}")
    w.is_open = False
    w.begin(w.other)
    w.say('call void @Py_IncRef(ptr @"flexnet.NotImplemented")')
    w.say('ret ptr @"flexnet.NotImplemented"')
    w.is_open = False
    w.begin(w.failed)
    w.say("ret ptr null")
    names = {n for kind in kinds for n in dtype_names(kind)}
    outside = "\n".join([declarations(), *(f'@"{n}" = external global i8' for n in sorted(names))])
    head = f"define ptr @{name}.python(ptr %self, ptr %arguments, i64 %n) {{"
    return "\n".join([outside, head, "entry:", *w.slots, *w.lines, "}", ""])


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FASTCALL = 0x80
_kept: list[_Method] = []


def make_callable(name: str, address: int) -> Any:
    """Python's function of an entrance."""
    method = _Method(name.encode(), address, _FASTCALL, None)
    _kept.append(method)  # Python looks at it whenever the function is called
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    return make(ctypes.addressof(method), None, None)


def gapless(value: Any) -> Any:
    """An argument, or a copy of an array with gaps: functions reached by address read entries one by one."""
    has_gaps = isinstance(value, np.ndarray) and not value.flags.c_contiguous
    return np.ascontiguousarray(value) if has_gaps else value


def normal(value: Any, kind: Kind) -> Any:
    """An argument as an entrance knows it, without changing what it holds."""
    if isinstance(kind, Array):
        plain = np.asarray(value).view(np.ndarray)
        return plain.view(*dtype_names(kind).values()) if isinstance(kind.item, Record) else plain
    if isinstance(kind, Tuple):
        return tuple(normal(v, k) for v, k in zip(value, kind.kinds, strict=True))
    return int(value) if kind == INT else value
