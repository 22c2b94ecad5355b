"""Hashes by which a model is known again: in a result file, in a cache, in another process."""

import hashlib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.signals.block import Block
from flexnet.signals.function_told import PLAIN, function_told
from flexnet.signals.signal import Signal


def _digest(equations: Equations) -> "hashlib._Hash":
    """Digest of coordinates, laws and every number: of functions what they do, not their addresses."""
    digest = hashlib.sha256(repr(equations.coordinates.q_names).encode())
    digest.update(equations.packer.families.digest.encode())
    model = equations.model
    for field, array in zip(model._fields, model, strict=True):
        if field in ("families", "laws", "flex_code"):
            continue
        value = np.array(array)
        if field == "functions":
            value["refs"] = 0
        digest.update(field.encode() + value.tobytes())
    return digest


def equations_hash(equations: Equations) -> str:
    """Hash of the equations: the model and its trees, but not where a run starts."""
    return _digest(equations).hexdigest()


def model_hash(equations: Equations) -> str:
    """Hash of the model, its trees, its events and its start."""
    digest = _digest(equations)
    for event in equations.system.events:
        digest.update(repr((event.name, event.action, event.direction)).encode())
    start = equations.initial
    digest.update(start.q.tobytes() + start.v.tobytes() + equations.z_of(start).tobytes())
    return digest.hexdigest()


def channels_hash(equations: Equations) -> str:
    """Hash of what the channels that were asked for record; empty where there are none."""
    asked = equations.system.asked
    text = f"{[(c.name, c.factor) for c in asked]} {told([c.measure for c in asked])}"
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16] if asked else ""


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
