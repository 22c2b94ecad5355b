"""How kernels are compiled: on first use, cached on disk, IEEE arithmetic kept.

Kernels never allocate, so they are compiled without reference counting: counting every array of the
packed model at every call would cost more than the mechanics.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
from numba import njit, types

typeof: Callable[[Any], Any] = numba.typeof

_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers; the machine code is cached on disk."""
    return cast(F, njit(**_OPTIONS)(function))


def inlined(function: F) -> F:
    """Compile a kernel into every kernel that calls it: for long argument lists and single callers."""
    return cast(F, njit(forceinline=True, **_OPTIONS)(function))


_specialised: dict[tuple[Any, ...], Any] = {}


def specialise(
    loop: Callable[..., Any], functions: Sequence[tuple[Any, Sequence[Any]]], arguments: Sequence[Any]
) -> Callable[..., Any]:
    """Compile a loop that receives other kernels as its first arguments.

    The kernels are passed as first-class functions: the machine code of the loop depends on their
    signatures and not on which ones they are, so it is compiled once and cached on disk.

    Parameters
    ----------
    loop : the Python function to compile, not yet compiled.
    functions : the kernels it receives, each with an example of the arguments it will be called with.
    arguments : an example of every further argument.
    """
    signatures = [types.void(*(typeof(x) for x in example)) for _, example in functions]
    kinds = [types.FunctionType(s) for s in signatures] + [typeof(x) for x in arguments]
    key = (loop, *kinds)
    if key not in _specialised:
        _specialised[key] = njit(types.int64(*kinds), **_OPTIONS)(loop)
    return cast(Callable[..., Any], _specialised[key])
