"""What an annotation asks of a value: whether the value fits, and what was expected, in words."""

import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal, Union

import numpy as np

from flexnet.validation import is_finite

#: whole numbers are kept in 64 bits
_LARGEST = 2**63 - 1


def meant(kind: Any) -> Any:
    """What an alias stands for; NumPy's ``NDArray`` is one from Python 3.12 and NumPy 2.5 on."""
    alias = getattr(typing, "TypeAliasType", ())  # Python 3.11 has none
    while isinstance(kind, alias) or isinstance(typing.get_origin(kind), alias):
        inner = typing.get_args(kind)
        kind = typing.get_origin(kind).__value__[inner] if inner else kind.__value__
    return kind


def alternatives(kind: Any) -> tuple[Any, ...]:
    """The kinds of which an annotation allows any."""
    kind = meant(kind)
    is_union = typing.get_origin(kind) in (Union, types.UnionType)
    return tuple(map(meant, typing.get_args(kind))) if is_union else (kind,)


def is_mapping(kind: Any) -> bool:
    """Whether an annotation is a mapping of something to something."""
    origin = typing.get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of the kind an annotation names."""
    return test_of(kind)(value)


#: says whether a value is of a kind
Test = Callable[[Any], bool]


@cache
def test_of(kind: Any) -> Test:
    """What an annotation asks of a value, read once."""
    if kind in (Any, object) or isinstance(kind, str | typing.ForwardRef):
        return lambda value: True
    if isinstance(kind, typing.TypeVar):
        return _any_of(kind.__constraints__ or (kind.__bound__ or Any,))
    kind = meant(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return _any_of(inner)
    if origin is Literal:
        return lambda value: any(type(value) is type(one) and value == one for one in inner)
    if origin is np.ndarray:
        wanted = typing.get_args(inner[1])[:1] if len(inner) > 1 else ()
        return lambda value: _is_array(value, wanted)
    return _plain_test(kind) if origin is None else _container_test(origin, inner)


def _any_of(kinds: Sequence[Any]) -> Test:
    tests = [test_of(one) for one in kinds]

    def is_one(value: Any) -> bool:
        for test in tests:  # noqa: SIM110  (any() takes twice as long, and every argument passes here)
            if test(value):
                return True
        return False

    return is_one


def _plain_test(kind: Any) -> Test:
    if kind is None or kind is type(None):
        return lambda value: value is None
    tests: dict[Any, Test] = {
        bool: lambda value: isinstance(value, bool | np.bool_),
        int: _is_whole,
        float: _is_number,
        str: lambda value: isinstance(value, str) and value.isprintable(),
    }
    if kind in tests:
        return tests[kind]
    if isinstance(kind, type) and issubclass(kind, PathLike):
        return lambda value: isinstance(value, PathLike) and "\0" not in str(value)
    return lambda value: _is_instance(value, kind)


def _is_whole(value: Any) -> bool:
    is_one = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    return is_one and -_LARGEST <= value <= _LARGEST


def _is_number(value: Any) -> bool:
    if type(value) is float:
        return isfinite(value)
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and is_finite(value)


def _is_instance(value: Any, kind: Any) -> bool:
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol that is for the type checker alone
        return True


def _container_test(origin: Any, inner: tuple[Any, ...]) -> Test:
    if origin is Callable:
        return callable
    tests = [test_of(one) for one in inner if one is not ...]
    if issubclass(origin, Mapping):
        return lambda value: (
            isinstance(value, Mapping) and all(map(tests[0], value)) and all(map(tests[1], value.values()))
        )
    if not issubclass(origin, Sequence):
        return lambda value: isinstance(value, origin)
    if origin is tuple and not (len(inner) == 2 and inner[1] is ...):
        return lambda value: (
            _is_listed(value)
            and (len(value) == len(tests) and all(test(x) for test, x in zip(tests, value, strict=True)))
        )
    return lambda value: _is_listed(value) and all(map(tests[0], value))


def _is_listed(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, list | tuple) or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes)
    )


def _is_array(value: Any, wanted: tuple[Any, ...]) -> bool:
    """Whether a value can be taken as an array of finite numbers, of whole ones where those are asked for."""
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    masked = sys.modules.get("numpy.ma")  # where nobody has loaded it nothing is masked
    if masked is not None and masked.is_masked(value):
        return False  # what it hides would be taken for numbers
    if wanted == (np.int64,):
        return array.dtype.kind in "iu" or array.size == 0
    if wanted == (np.float64,):
        return array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    return array.dtype.kind in "biufc"


#: how a list of one kind of things begins in words
_EACH = "a list, each "


def words(kind: Any) -> str:
    """An annotation in words."""
    kind = meant(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, typing.TypeVar):
        inner = kind.__constraints__ or (kind.__bound__,)
    if origin in (Union, types.UnionType) or isinstance(kind, typing.TypeVar):
        several = dict.fromkeys(words(one) for one in inner)
        if "a list of finite numbers" in several:
            several.pop("an array of finite numbers", None)
        return " or ".join(_once(list(several)))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is np.ndarray:
        return "an array of finite numbers"
    if origin is Callable:
        return "a function"
    return _plain_words(kind) if origin is None else _container_words(kind, origin, inner)


def _once(several: list[str]) -> list[str]:
    """Alternatives, in which a list of what is an alternative by itself is one of such."""
    out = [one for one in several if not one.startswith(_EACH)]
    for one in several:
        if one.startswith(_EACH):
            is_such = all(inner in out for inner in one.removeprefix(_EACH).split(" or "))
            out.append("a list of such" if is_such else one)
    return out


def _container_words(kind: Any, origin: Any, inner: tuple[Any, ...]) -> str:
    if issubclass(origin, Mapping):
        return f"a mapping of {words(inner[0])} to what it stands for"
    if kind == Sequence[float]:
        return "a list of finite numbers"
    if origin is tuple and ... not in inner:
        return f"({', '.join(map(words, inner))})"
    inside = [one for one in inner if one not in (..., Any)]
    return (_EACH if inside else "a list") + " or ".join(map(words, inside))


def _plain_words(kind: Any) -> str:
    plain = {
        bool: "True or False", int: "a whole number", float: "a finite number",
        str: "a text without control characters", None: "None", type(None): "None", Any: "anything",
    }  # fmt: skip
    if kind in plain:
        return plain[kind]
    if not isinstance(kind, type):
        return str(kind)
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def kept(value: Any, kind: Any) -> Any:
    """A list as the tuple, and a fraction as the number of floating point, that an annotation asks for."""
    if isinstance(value, list | np.ndarray) and (as_tuple := _tuple_of(kind, isinstance(value, np.ndarray))):
        return _as_tuple(value, as_tuple)
    if isinstance(value, Real) and not isinstance(value, int | float | np.number | np.bool_):
        inner = typing.get_args(kind) or (kind,)
        return float(value) if float in inner and type(value) not in inner else value
    return value


@cache
def _tuple_of(kind: Any, is_array: bool) -> Any:
    """The tuple that an annotation asks for where a list or an array is given that it does not name."""
    origins = {typing.get_origin(one): one for one in alternatives(kind)}
    return None if is_array and np.ndarray in origins else origins.get(tuple)


def _as_tuple(value: Any, kind: Any) -> tuple[Any, ...]:
    """What is kept in a frozen thing can neither be changed afterwards nor fail to be compared."""
    inner, items = typing.get_args(kind), value.tolist() if isinstance(value, np.ndarray) else value
    kinds = inner[:1] * len(items) if inner[1:] == (...,) else inner
    deeper = [_tuple_of(k, False) if isinstance(x, list) else None for x, k in zip(items, kinds, strict=True)]
    return tuple(_as_tuple(x, k) if k else x for x, k in zip(items, deeper, strict=True))
