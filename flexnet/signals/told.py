"""What signals measure and compute, as text by which they are known again in another process."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from flexnet.signals.block import Block
from flexnet.signals.signal import Signal

#: what of a function's surroundings is the same in another process
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def told(signals: Sequence[Signal]) -> str:
    """One line for every signal that these are computed of, each after those it needs."""
    numbers: dict[int, int] = {}
    lines: list[str] = []
    stack = list(reversed(signals))
    while stack:
        s = stack[-1]
        missing = [x for x in s.needs if id(x) not in numbers]
        stack += reversed(missing)
        if missing:
            continue
        stack.pop()
        if id(s) not in numbers:
            numbers[id(s)] = len(numbers)
            its = [_plain(getattr(s, f.name)) for f in fields(s) if f.name != "needs"]  # type: ignore[arg-type]
            lines.append(f"{type(s).__name__} {its} {[numbers[id(x)] for x in s.needs]}")
    return "\n".join([*lines, str([numbers[id(s)] for s in signals])])


def function_told(call: Callable[..., Any]) -> str:
    """What a function does, wherever it stands: its instructions and the numbers it was made with."""
    call = getattr(call, "__func__", call)  # of a method
    if not isinstance(call, FunctionType):
        return f"function {type(call).__name__}"
    cells = [cell.cell_contents for cell in call.__closure__ or ()]
    defaults = call.__defaults__ or ()
    return f"function {_written(call.__code__)} {[x for x in (*cells, *defaults) if isinstance(x, _PLAIN)]}"


def _written(code: CodeType) -> tuple[Any, ...]:
    consts = [_written(x) if isinstance(x, CodeType) else repr(x) for x in code.co_consts]
    return code.co_code, code.co_names, consts


def _plain(value: Any) -> str:
    """A field of a signal."""
    if isinstance(value, Block):
        return f"{value.kind} {value.name} {value.starts}"
    if isinstance(value, np.ndarray):
        return f"{value.shape} {value.tolist()}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    if isinstance(value, Signal):
        return told([value])
    if is_dataclass(value):
        return f"{type(value).__name__} {[_plain(getattr(value, f.name)) for f in fields(value)]}"
    return (
        repr(value) if isinstance(value, _PLAIN) else function_told(value) if callable(value) else str(value)
    )
