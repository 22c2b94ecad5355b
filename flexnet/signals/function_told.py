"""What a function does and reads, as a digest by which it is known again in another process.

It holds the instructions, what was closed over, defaults and the globals that are read, and the same of
every function and class these lead to. Numbers, texts, arrays and containers count by what they hold, other
objects by what they would be pickled as. What an installed package defines counts by its name: it is taken
to stay as it is.
"""

import dis
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

#: what is the same in another process as it is written
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
#: objects that lead to one another are followed as far as this
_DEEPEST = 60
#: attributes of a class by which what stands behind them is reached
_BEHIND = ("fget", "fset", "__func__", "func", "__wrapped__")


def function_told(call: Callable[..., Any]) -> str:
    """What a function does, wherever it stands, with all it reads."""
    call = getattr(call, "__func__", call)  # of a method
    return f"function {_Teller().of(call)}"


class _Teller:
    """Digests of objects that may lead back to themselves."""

    def __init__(self) -> None:
        self._told: dict[int, tuple[str, Any]] = {}  # with the object, whose address is then its own
        self._depth = 0

    def of(self, thing: Any) -> str:
        """Digest of an object."""
        if isinstance(thing, PLAIN):
            return repr(thing)
        if isinstance(thing, ModuleType):
            return f"module {thing.__name__}"
        if id(thing) in self._told:
            return self._told[id(thing)][0]
        if self._depth == _DEEPEST:
            return type(thing).__qualname__
        self._told[id(thing)] = ("above", thing)
        self._depth += 1
        digest = sha256(self._text(thing).encode(errors="surrogatepass")).hexdigest()[:32]
        self._depth -= 1
        self._told[id(thing)] = (digest, thing)
        return digest

    def _text(self, thing: Any) -> str:
        if isinstance(thing, np.ndarray) and thing.dtype != object:
            return f"{thing.dtype} {thing.shape} {sha256(thing.tobytes()).hexdigest()}"
        if isinstance(thing, Mapping):
            return f"{type(thing).__qualname__} {[(self.of(k), self.of(x)) for k, x in thing.items()]}"
        if isinstance(thing, set | frozenset):
            return f"set {sorted(map(self.of, thing))}"
        if isinstance(thing, list | tuple):
            return f"{type(thing).__qualname__} {self._all(thing)}"
        if isinstance(thing, FunctionType):
            return self._function(thing)
        if isinstance(thing, CodeType):
            return f"{thing.co_code!r} {thing.co_names} {self._all(thing.co_consts)}"
        if isinstance(thing, type):
            return self._class(thing)
        if is_dataclass(thing):
            return f"{self.of(type(thing))} {[self.of(getattr(thing, f.name, None)) for f in fields(thing)]}"
        if callable(inner := getattr(thing, "__wrapped__", None)):  # a function that recalls its results
            return self.of(inner)
        return self._pickled(thing)

    def _all(self, things: Any) -> list[str]:
        return [self.of(x) for x in things]

    def _function(self, call: FunctionType) -> str:
        is_ours = _is_installed(call.__module__)
        if is_ours and "<" not in call.__qualname__:
            return f"{call.__module__}.{call.__qualname__}"
        cells = [_content(cell) for cell in call.__closure__ or ()]
        parts = [call.__code__, cells, call.__defaults__, call.__kwdefaults__]
        return f"{self._all(parts)} {[] if is_ours else self._read(call)}"

    def _read(self, call: FunctionType) -> list[tuple[str, str]]:
        """Globals a function reads, and of modules that are not installed the members it names."""
        read: list[tuple[str, str]] = []
        codes = list(_codes(call.__code__))
        members = sorted({name for code in codes for name in code.co_names})
        for name in sorted({name for code in codes for name in _globals(code)} & set(call.__globals__)):
            thing = call.__globals__[name]
            read.append((name, self.of(thing)))
            if isinstance(thing, ModuleType) and not _is_installed(thing.__name__):
                known = vars(thing)
                read += [
                    (f"{name}.{member}", self.of(known[member])) for member in members if member in known
                ]
        return read

    def _class(self, kind: type) -> str:
        """Functions and values of a class of the user."""
        name = f"{kind.__module__}.{kind.__qualname__}"
        if _is_installed(kind.__module__):
            return name
        told = [self._all(kind.__bases__)]
        for key, value in sorted(vars(kind).items()):
            inner = [x for x in (getattr(value, behind, None) for behind in _BEHIND) if x is not None]
            if isinstance(value, FunctionType) or (not inner and not key.startswith("__")):
                inner = [value]
            told.append([key, *self._all(inner)] if inner else [])
        return f"{kind.__qualname__} {told}"

    def _pickled(self, thing: Any) -> str:
        try:
            reduced = thing.__reduce_ex__(4)
        except Exception:  # whatever an object says that cannot be pickled
            return f"{type(thing).__module__}.{type(thing).__qualname__}"
        if isinstance(reduced, str):
            return f"{type(thing).__qualname__} {reduced}"
        first, more = reduced[:3], [list(x) for x in reduced[3:5] if x is not None]
        return f"{self._all(first)} {self._all(more)}"


def _content(cell: Any) -> Any:
    """What a function has closed over; nothing where that is not there yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Instructions and those of the functions in them."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


def _globals(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval


def _is_installed(module: str | None) -> bool:
    """Whether a module belongs to Python, to flexnet or to another package that was installed."""
    top = (module or "").partition(".")[0]
    if top == "__main__":
        return False
    if top in sys.stdlib_module_names or top == __name__.partition(".")[0]:
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    places = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    return file is not None and any(Path(file).is_relative_to(place) for place in places)
