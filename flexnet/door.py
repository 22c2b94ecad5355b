"""The door of the house: what is handed to a public function is held against its annotations.

Every public name goes through :func:`guarded` when it is first used, so that no argument of any of them can
be forgotten: a text where a number belongs, a number that is not finite, an unknown keyword end in one
sentence with the name, the value and what was expected. What a number must be besides (positive, …) is said
where it is used. Calls within flexnet do not pass through the door.
"""

import ast
import inspect
import re
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache, wraps
from typing import Any

import numpy as np

from flexnet.annotation import Test, alternatives, fits, is_mapping, kept, test_of, words
from flexnet.errors import ModelError
from flexnet.units import in_si
from flexnet.validation import OVERFLOW, nearest, shown

#: rooms whose classes are answers, made by flexnet itself
_ANSWERS = ("formulation", "analysis", "integrators")
#: what is kept as it is given
_PLAIN = (float, int, str, bool, tuple, dict)


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
        given = _given(function, arguments, named)
        if given is None:
            signature = promises(function)[0]
            try:
                given = signature.bind(*arguments, **named).arguments
            except TypeError as error:
                raise ModelError(_misfit(called, signature, arguments, named)) from error
        if taken := _taken(function, called, given):
            bound = promises(function)[0].bind(*arguments, **named)
            bound.arguments.update(taken)
            arguments, named = bound.args, bound.kwargs
        try:
            return function(*arguments, **named)
        except MemoryError as error:
            raise ModelError(f"{called}(): what is asked for takes more memory than there is") from error
        except (ArithmeticError, np.linalg.LinAlgError) as error:
            raise ModelError(f"{called}(): {OVERFLOW} ({type(error).__name__}: {error})") from error

    return call


def _taken(function: Callable[..., Any], called: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check all that is given; what is kept otherwise than it is given."""
    asked, out = _asked(function), {}
    for name, value in given.items():
        parameter, kind, test = asked[name]
        if value is parameter.default or name == "self":
            continue
        if test is None or not test(value):
            kind = imported(kind, function)
            _check(called, given, parameter, kind, value)
        if type(value) not in _PLAIN and (as_kept := kept(value, kind)) is not value:
            out[name] = as_kept
    return out


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
def _asked(function: Callable[..., Any]) -> dict[str, tuple[inspect.Parameter, Any, Test | None]]:
    """Parameters, kinds and tests by name; no test where there are several values, or a kind is not read."""
    signature, kinds = promises(function)
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: (p, kind, None if p.kind in several or isinstance(kind, str) else test_of(kind))
        for (name, kind), p in zip(kinds.items(), signature.parameters.values(), strict=True)
    }


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
        if kind is typing.Self:
            kind = function.__globals__[function.__qualname__.partition(".")[0]]
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
            name, item, kind = _inside(name, item, kind)
            raise ModelError(
                f"{place}: {name} is {shown(item)}; expected {words(kind)}"
                f"{_call_it(item, kind) or _write_it(item, kind) or _make_it(item, kind)}"
            )


def _inside(name: str, value: Any, kind: Any) -> tuple[str, Any, Any]:
    """What is wrong in a mapping of the right names: its name, the value and the kind that was expected."""
    for one in alternatives(kind) if isinstance(value, Mapping) else ():
        inner = typing.get_args(one)
        if is_mapping(one) and all(map(test_of(inner[0]), value)):
            key = next(key for key, item in value.items() if not fits(item, inner[1]))
            return f"{name}[{key!r}]", value[key], inner[1]
    return name, value, kind


def _call_it(item: Any, kind: Any) -> str:
    """The hint to call a function of ours that was handed over itself, or by its name, for what it makes."""
    found = getattr(sys.modules["flexnet"], item, None) if isinstance(item, str) else item
    if not inspect.isfunction(found) or found.__module__ != "flexnet":
        return ""
    makes = inspect.signature(found).return_annotation
    bases = makes.__mro__ if isinstance(makes, type) else ()
    is_maker = any(one in bases for one in typing.get_args(kind) if one is not object)
    return f"; call it: fx.{found.__name__}()" if is_maker or item is found else ""


def _make_it(item: Any, kind: Any) -> str:
    """The hint to make what is expected of what was handed over."""
    names = {getattr(one, "__name__", "") for one in alternatives(kind)}
    if type(item).__name__ == "System" and "Equations" in names:
        return "; fx.formulate(…) makes them"
    if type(item).__name__ == "Poses" and "State" in names:
        return (
            "; equations begin there by fx.formulate(…, poses=…), and their start is meant if it is left out"
        )
    return ""


def _write_it(item: Any, kind: Any) -> str:
    """The hint to write out a class that a text names, or that was handed over itself, as its page does."""
    said = item.partition(":")[0].lower() if isinstance(item, str) else None
    for one in alternatives(kind):
        name = one.__name__ if isinstance(one, type) else ""
        if (item is one or said == name.lower()) and getattr(sys.modules["flexnet"], name, None):
            example = re.search(rf"such as ``({name}\(.*?\))``", one.__doc__ or "")
            return f"; write fx.{example[1] if example else name + '(…)'}"
    return ""
