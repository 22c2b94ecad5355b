"""Kernels as plain Python, on numbers of any kind: formulas are found by running what computes numbers.

What a kernel reads and writes may then be arrays of objects that can be added and multiplied, expressions
among them, and records with such objects in their fields. It may not ask which of two of them is larger.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

from flexnet.kernels.compile import Kernel

#: this room, whose functions are kernels where these are interpreted
_ROOM = __name__.rpartition(".")[0]


def in_python(kernel: Any, words: Mapping[str, Any]) -> Callable[..., Any]:
    """A kernel, and all that it calls, as plain Python; its numbers such as 0.5 are exact.

    Parameters
    ----------
    words : what names of functions that are no kernels stand for, such as ``float`` and ``sqrt``.
    """
    return _Opened(words).made_of(kernel)


class _Opened:
    """Kernels opened so far, and what the names in them stand for."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        self.words, self._made = words, dict[Any, FunctionType]()

    def of(self, thing: Any) -> Any:
        """A kernel as plain Python, a module with its kernels such, and anything else as it is."""
        if isinstance(thing, ModuleType):
            return _Module(thing, self)
        is_of_room = isinstance(thing, FunctionType) and thing.__module__.startswith(_ROOM)
        return self.made_of(thing) if is_of_room or isinstance(thing, Kernel) else thing

    def made_of(self, kernel: Any) -> Callable[..., Any]:
        """A kernel as plain Python, made once."""
        function = kernel.function if isinstance(kernel, Kernel) else kernel
        if function not in self._made:
            names, code = dict(function.__globals__), function.__code__
            numbers = tuple(_exact(x) if type(x) is float else x for x in code.co_consts)
            self._made[function] = FunctionType(code.replace(co_consts=numbers), names, function.__name__)
            for name in names.keys() & {*code.co_names}:
                names[name] = self.of(names[name])
            names |= self.words
        return self._made[function]


def _exact(x: float) -> float | Fraction:
    """A whole number or half as it is; any other stays rounded."""
    return Fraction(x) if (2.0 * x).is_integer() else x


class _Module:
    """A module as kernels read it."""

    def __init__(self, module: ModuleType, opened: _Opened) -> None:
        self._module, self._opened = module, opened

    def __getattr__(self, name: str) -> Any:
        return self._opened.of(getattr(self._module, name))
