"""The door of the house: what is handed to a public function is held against its annotations.

Every public name goes through :func:`guarded` when it is first used, so that no argument of any of them can
be forgotten: a text where a number belongs, a number that is not finite, an unknown keyword end in one
sentence with the name, the value and what was expected. What a number must be besides (positive, …) is said
where it is used. Calls within flexnet do not pass through the door.
"""

import ast
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache, wraps
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal, Union

import numpy as np

from flexnet.errors import ModelError
from flexnet.units import in_si
from flexnet.validation import nearest, shown

#: rooms whose classes are answers, made by flexnet itself
_ANSWERS = ("formulation", "analysis", "integrators")


def guarded(thing: Any) -> Any:
    """A public function that checks its arguments, or a class whose methods do; anything else as it is."""
    if inspect.isfunction(thing):
        made = _checked(thing, thing.__name__)
        made.__module__ = "flexnet"  # where it is found again, by pickle for one
        return made
    if inspect.isclass(thing) and not issubclass(thing, BaseException | Enum):
        room = thing.__module__.removeprefix("flexnet.").split(".")[0]
        bases = [base for base in reversed(thing.__mro__) if base.__module__.startswith(f"flexnet.{room}.")]
        for name, member in [item for base in bases for item in vars(base).items()]:
            if not name.startswith("_") or (name == "__init__" and room not in _ANSWERS):
                _guard(thing, name, member)
    return thing


def _guard(owner: type, name: str, member: Any) -> None:
    """Put a checking method in the place of a method."""
    called = owner.__name__ if name == "__init__" else f"{owner.__name__}.{name}"
    if inspect.isfunction(member):
        setattr(owner, name, _checked(member, called))
    elif isinstance(member, classmethod | staticmethod) and inspect.isfunction(member.__func__):
        setattr(owner, name, type(member)(_checked(member.__func__, called)))


def _checked(function: Callable[..., Any], called: str) -> Callable[..., Any]:
    """The same function, its arguments held against its annotations."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__", "").startswith("flexnet."):
            return function(*arguments, **named)  # a method, called within the house
        if "pint" in sys.modules:
            arguments, named = _plain_numbers(arguments, named)
        signature, kinds = promises(function)
        given = _given(function, arguments, named)
        if given is None:
            try:
                given = signature.bind(*arguments, **named).arguments
            except TypeError as error:
                raise ModelError(_misfit(called, signature, arguments, named)) from error
        for name, value in given.items():
            parameter = signature.parameters[name]
            if name != "self" and value is not parameter.default:
                _check(called, given, parameter, imported(kinds[name], function), value)
        return function(*arguments, **named)

    return call


def _plain_numbers(
    arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments in SI; the units they came in are kept with what else a System was built with."""
    seen: set[str] = set()
    arguments, named = in_si(arguments, seen), in_si(named, seen)
    told = getattr(arguments[0], "parameters", None) if seen and arguments else None
    if isinstance(told, dict):
        told["units"] = ", ".join(sorted({*str(told.get("units", "")).split(", "), *seen} - {""}))
    return arguments, named


def _given(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any] | None:
    """Arguments by the names of their parameters; None where that is not plain to see."""
    places, required = _plain(function)
    if len(arguments) > len(places):
        return None
    out = dict(zip(places, arguments, strict=False))
    for name, value in named.items():
        if name not in places or name in out:
            return None
        out[name] = value
    if not required <= out.keys():
        return None
    return {name: out[name] for name in places if name in out} if named else out


@cache
def _plain(function: Callable[..., Any]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Parameters that may be given in a row or by name, and those that must be; none if there are others."""
    parameters = promises(function)[0].parameters.values()
    if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters):
        return (), frozenset({""})
    return tuple(p.name for p in parameters), frozenset(p.name for p in parameters if p.default is p.empty)


@cache
def promises(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    """Signature of a function, and its annotations: texts where their names are the type checker's alone."""
    signature = inspect.signature(function)
    kinds = {}
    for name, parameter in signature.parameters.items():
        kind = parameter.annotation
        if isinstance(kind, str):
            with suppress(NameError):  # until such an argument is given
                kind = eval(kind, function.__globals__)  # text of our own source
        kinds[name] = Any if kind is inspect.Parameter.empty else kind
    return signature, kinds


def imported(kind: Any, function: Callable[..., Any]) -> Any:
    """An annotation of a function, its names imported where its page does so for the type checker alone."""
    return _imported(kind, function.__module__) if isinstance(kind, str) else kind


@cache
def _imported(kind: str, page: str) -> Any:
    module = sys.modules[page]
    wanted = [
        line
        for block in ast.parse(inspect.getsource(module)).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for line in block.body
    ]
    names = dict(vars(module))
    try:
        exec(compile(ast.Module(wanted, []), page, "exec"), names)  # imports of our own source
    except ImportError:
        return Any  # of a library that is not here: nothing of it can be meant
    return eval(kind, names)


def _misfit(called: str, signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """What is wrong with the number or the names of arguments."""
    parameters = {name: p for name, p in signature.parameters.items() if name != "self"}
    for name, value in named.items():
        if name not in parameters:
            hint = nearest(name, parameters) or f"; it has {', '.join(parameters) or 'none'}"
            return f"{called}() has no argument {name!r} (given {shown(value)}){hint}"
    required = [n for n, p in parameters.items() if p.default is p.empty and p.kind not in (2, 4)]
    places = [n for n, p in parameters.items() if p.kind in (0, 1)]
    taken = len(given) - ("self" in signature.parameters)
    twice = [name for name in named if name in places[:taken]]
    if twice:
        return f"{called}(): {twice[0]} is given twice"
    missing = [name for name in required if name not in named and name not in places[: max(taken, 0)]]
    if missing:
        return f"{called}() needs {missing[0]}"
    return f"{called}() takes at most {len(places)} arguments in a row, got {taken}"


def _check(
    called: str, given: Mapping[str, Any], parameter: inspect.Parameter, kind: Any, value: Any
) -> None:
    """Refuse an argument that is not of its kind."""
    several: Sequence[tuple[str, Any]] = [(parameter.name, value)]
    if parameter.kind is parameter.VAR_POSITIONAL:
        several = [(parameter.name, item) for item in value]
    elif parameter.kind is parameter.VAR_KEYWORD:
        several = list(value.items())
    fit = test_of(kind)
    for name, item in several:
        if not fit(item):
            whose = given.get("name", given.get("joint"))
            place = (
                f"{called}({whose!r})" if isinstance(whose, str) and whose.isprintable() else f"{called}()"
            )
            raise ModelError(
                f"{place}: {name} is {shown(item)}; expected {words(kind)}{_call_it(item, kind)}"
            )


def _call_it(item: Any, kind: Any) -> str:
    """The hint to call a function of ours that was handed over itself, or by its name, for what it makes."""
    found = getattr(sys.modules["flexnet"], item, None) if isinstance(item, str) else item
    if not inspect.isfunction(found) or found.__module__ != "flexnet":
        return ""
    makes = inspect.signature(found).return_annotation
    bases = makes.__mro__ if isinstance(makes, type) else ()
    is_maker = any(one in bases for one in typing.get_args(kind) if one is not object)
    return f"; call it: fx.{found.__name__}()" if is_maker or item is found else ""


def meant(kind: Any) -> Any:
    """What an alias stands for; NumPy's ``NDArray`` is one from Python 3.12 and NumPy 2.5 on."""
    alias = getattr(typing, "TypeAliasType", ())  # Python 3.11 has none
    while isinstance(kind, alias) or isinstance(typing.get_origin(kind), alias):
        inner = typing.get_args(kind)
        kind = typing.get_origin(kind).__value__[inner] if inner else kind.__value__
    return kind


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
    return lambda value: any(test(value) for test in tests)


def _plain_test(kind: Any) -> Test:
    if kind is None or kind is type(None):
        return lambda value: value is None
    tests: dict[Any, Test] = {
        bool: lambda value: isinstance(value, bool | np.bool_),
        int: lambda value: isinstance(value, Integral) and not isinstance(value, bool | np.bool_),
        float: _is_number,
        str: lambda value: isinstance(value, str) and value.isprintable(),
    }
    if kind in tests:
        return tests[kind]
    if isinstance(kind, type) and issubclass(kind, PathLike):
        return lambda value: isinstance(value, PathLike) and "\0" not in str(value)
    return lambda value: _is_instance(value, kind)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and math.isfinite(value)


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
        # what it holds is checked, by its name, where it is used
        return lambda value: isinstance(value, Mapping) and all(map(tests[0], value))
    if not issubclass(origin, Sequence):
        return lambda value: isinstance(value, origin)
    if origin is tuple and not (len(inner) == 2 and inner[1] is ...):
        return lambda value: (
            _is_listed(value)
            and (len(value) == len(tests) and all(test(x) for test, x in zip(tests, value, strict=True)))
        )
    return lambda value: _is_listed(value) and all(map(tests[0], value))


def _is_listed(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray) or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes)
    )


def _is_array(value: Any, wanted: tuple[Any, ...]) -> bool:
    """Whether a value can be taken as an array of finite numbers, of whole ones where those are asked for."""
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    if wanted == (np.int64,):
        return array.dtype.kind in "iu" or array.size == 0
    if wanted == (np.float64,):
        return array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    return array.dtype.kind in "biufc"


def words(kind: Any) -> str:
    """An annotation in words."""
    kind = meant(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, typing.TypeVar):
        inner = kind.__constraints__ or (kind.__bound__,)
    if origin in (Union, types.UnionType) or isinstance(kind, typing.TypeVar):
        return " or ".join(dict.fromkeys(words(one) for one in inner))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is np.ndarray:
        return "an array of finite numbers"
    if origin is Callable:
        return "a function"
    if origin is not None and issubclass(origin, Mapping):
        return f"a mapping of {words(inner[0])} to what it stands for"
    if origin is not None:
        inside = [one for one in inner if one not in (..., Any)]
        return "a list" + (", each " if inside else "") + " or ".join(map(words, inside))
    plain = {
        bool: "True or False", int: "a whole number", float: "a finite number",
        str: "a text without control characters", None: "None", type(None): "None",
    }  # fmt: skip
    if kind in plain:
        return plain[kind]
    if not isinstance(kind, type):
        return str(kind)
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
