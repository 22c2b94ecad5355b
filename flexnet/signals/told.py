"""What signals measure and compute, as text by which they are known again in another process."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from flexnet.signals.block import Block
from flexnet.signals.function_told import PLAIN, function_told
from flexnet.signals.signal import Signal


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
        repr(value) if isinstance(value, PLAIN) else function_told(value) if callable(value) else str(value)
    )
