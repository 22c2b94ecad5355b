"""How kernels are compiled: on first use, cached on disk, IEEE arithmetic kept.

A kernel is a Python function in the small language of :mod:`flexnet.kernels.statements`. Kernels never
allocate and never raise; all that a kernel calls is compiled with it, into one piece of object code.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, update_wrapper
from hashlib import sha256
from typing import Any, TypeVar, cast

import numpy as np

from flexnet.errors import FlexnetError
from flexnet.kernels import entrance
from flexnet.kernels.code_cache import CodeCache
from flexnet.kernels.kinds import PLACE, Function, Kind, Packed, adapt, kind_of, result_text
from flexnet.kernels.written import written

typeof: Callable[[Any], Kind] = kind_of

F = TypeVar("F", bound=Callable[..., Any])


@cache
def optimisation() -> int:
    """How much LLVM optimises, 0 to 3 (FLEXNET_OPTIMISE): 3 unless told, from which loops over arrays gain.

    At 1 kernels compile in half the time; what they compute is the same to the last bit.
    """
    given = os.environ.get("FLEXNET_OPTIMISE") or "3"
    if given not in ("0", "1", "2", "3"):
        raise FlexnetError(f"FLEXNET_OPTIMISE is 0, 1, 2 or 3, not {given!r}")
    return int(given)


@cache
def is_interpreted() -> bool:
    """Whether kernels run as plain Python, for a debugger or coverage (FLEXNET_INTERPRETED=1)."""
    return os.environ.get("FLEXNET_INTERPRETED", "0") not in ("", "0")


@dataclass(frozen=True, slots=True)
class _Made:
    """A kernel for one list of kinds: where its code is, and what Python calls."""

    address: int
    entrance: Any


def _is_fixed(thing: Any) -> bool:
    """Whether something is an array that may not be written to, or has one in it."""
    if isinstance(thing, tuple):
        return any(map(_is_fixed, thing))
    return isinstance(thing, np.ndarray) and not thing.flags.writeable


def _nothing(*arguments: Any) -> Any:
    return NotImplemented


class Kernel:
    """A function of arrays and numbers that is compiled for the kinds it is called with.

    Attributes
    ----------
    function : what it is in Python.
    is_inner : whether it is to be part of whatever calls it.
    found : kinds it was compiled for whose code was in the cache.
    """

    def __init__(self, function: Callable[..., Any], is_inner: bool = False) -> None:
        self.function, self.is_inner = function, is_inner
        self.found = 0
        self._made: dict[tuple[Kind, ...], _Made] = {}
        self.loops: dict[Any, Callable[..., Any]] = {}  # what :func:`specialise` made with it
        self._latest: Callable[..., Any] = _nothing
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code for these kinds of arguments; arrays with gaps go in and out as copies."""
        result = self._latest(*arguments)
        if result is NotImplemented:
            self._refuse_read_only(arguments)
            gapless = [entrance.gapless(x) for x in arguments]
            kinds = adapt(self.function, [kind_of(x) for x in gapless])
            self._latest = self.made(kinds).entrance
            result = self._latest(*(entrance.normal(x, k) for x, k in zip(gapless, kinds, strict=True)))
            assert result is not NotImplemented, f"{self.function.__name__} cannot take {kinds}"
            for given, copy in zip(arguments, gapless, strict=True):
                if copy is not given and given.flags.writeable:
                    given[...] = copy
        return result

    def _refuse_read_only(self, arguments: Sequence[Any]) -> None:
        code = self.function.__code__
        fixed = [i for i, x in enumerate(arguments) if _is_fixed(x)]
        # to read the source takes long: not where all may be written to
        for i in written(self.function).intersection(fixed) if fixed else ():
            raise ValueError(f"{code.co_name} writes to {code.co_varnames[i]!r}: it is read-only")

    def made(self, kinds: tuple[Kind, ...]) -> _Made:
        """The machine code for kinds of arguments."""
        if kinds not in self._made:
            kept = CodeCache(self.function, optimisation())
            name = f"{self.function.__name__}.{sha256(repr(kinds).encode()).hexdigest()[:16]}"
            entrance.make_known()
            for kind in kinds:
                entrance.dtype_names(kind)
            names = [name, f"{name}.python"][: 2 if self._is_called_from_python(kinds) else 1]
            loaded = kept.load(kinds, names)
            self.found += loaded is not None
            if loaded is None:
                kept.announce()
                loaded = kept.make(kinds, names, self._text(name, kinds, len(names) > 1))
            calls = entrance.make_callable(self.function.__name__, loaded[names[1]]) if names[1:] else None
            self._made[kinds] = _Made(loaded[name], calls)
        return self._made[kinds]

    def _is_called_from_python(self, kinds: tuple[Kind, ...]) -> bool:
        """Whether Python has something for every argument."""
        return not any(isinstance(k, Packed) or k == PLACE for k in kinds)

    def _text(self, name: str, kinds: tuple[Kind, ...], has_entrance: bool) -> str:
        from flexnet.kernels.translate import Program

        program = Program()
        _, result = program.add(self.function, kinds, name)
        if has_entrance:
            places = written(self.function)
            program.add_text(entrance.write_entrance(name, kinds, result, result_text(result), places))
        return program.text


def _compiled(function: F, is_inner: bool = False) -> F:
    return function if is_interpreted() else cast(F, Kernel(function, is_inner))


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers; the machine code is cached on disk."""
    return _compiled(function)


def shared(function: F) -> F:
    """Compile a kernel that only kernels call."""
    return _compiled(function)


def inner(function: F) -> F:
    """Compile a shared kernel into every kernel that calls it: for single callers."""
    return _compiled(function, True)


_loops: dict[Callable[..., Any], Kernel] = {}


def specialise(
    loop: Callable[..., Any], functions: Sequence[tuple[Any, Sequence[Any]]], arguments: Sequence[Any]
) -> Callable[..., Any]:
    """Compile a loop that receives other kernels as its first arguments.

    The kernels are passed by their addresses: the machine code of the loop depends on their
    signatures and not on which ones they are, so it is compiled once and cached on disk.

    Parameters
    ----------
    loop : the Python function to compile, not yet compiled.
    functions : the kernels it receives, each with an example of the arguments it will be called with.
    arguments : an example of every further argument.
    """
    if is_interpreted():
        return loop
    # to name all kinds takes as long as a short run: what was made is found by what the arguments look like
    known = functions[0][0].loops
    # kernels receive numbers, arrays of numbers, and models that are among the arguments of the loop
    key = loop, *(f for f, _ in functions), _outline(arguments)
    if key in known:
        return cast(Callable[..., Any], known[key])
    made = _loops.setdefault(loop, Kernel(loop))
    signatures = [tuple(kind_of(x) for x in example) for _, example in functions]
    kinds = (*map(Function, signatures), *(kind_of(x) for x in arguments))
    code = made.made(kinds).entrance
    addresses = [f.made(kinds).address for (f, _), kinds in zip(functions, signatures, strict=True)]
    first = len(addresses)

    def run(*given: Any) -> Any:
        result = code(*addresses, *given[first:])
        if result is NotImplemented:
            made._refuse_read_only(given)
            raise TypeError(
                f"{made.function.__name__} was given other kinds of arguments than it is made for"
            )
        return result

    known[key] = run
    return run


def _outline(x: Any) -> Any:
    """What tells kinds apart, at little cost."""
    if isinstance(x, np.ndarray):
        return x.dtype, x.ndim, x.flags.c_contiguous
    return (type(x), *map(_outline, x)) if isinstance(x, tuple) else type(x)


def address_of(function: Callable[..., Any], kinds: Sequence[Kind]) -> int:
    """Address of a function compiled for kinds of arguments, for machine code that calls it as one of C."""
    return Kernel(function).made(tuple(kinds)).address
