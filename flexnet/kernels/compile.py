"""One decorator for every kernel: compiled on first use, cached on disk, IEEE arithmetic kept."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers; the machine code is cached on disk."""
    return cast(F, njit(cache=True, error_model="numpy")(function))
