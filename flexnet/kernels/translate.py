"""Kernels written in Python as LLVM text: functions that call each other, one for each kinds of arguments.

The language is that of :mod:`flexnet.kernels.statements`.
"""

from collections.abc import Callable
from typing import Any

from flexnet.kernels.kinds import Kind
from flexnet.kernels.statements import Again, Body


class Program:
    """LLVM text of functions that call each other."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], tuple[str, Kind]] = {}
        self._names: set[str] = set()
        self._declared: dict[str, str] = {}
        self._text: list[str] = []

    def add(
        self, function: Callable[..., Any], kinds: tuple[Kind, ...], name: str = "", is_inner: bool = False
    ) -> tuple[str, Kind]:
        """Write a function for kinds of arguments; returns its name and the kind of its result.

        With a name it can be seen from outside.
        """
        key = function, kinds, name
        if key not in self._made:
            words = "" if name else "internal "
            name = name or self._unused(function.__name__)
            hints: dict[Any, Kind] = {}
            while True:
                try:
                    body = Body(self, function, kinds, hints)
                    break
                except Again:
                    continue
            self._made[key] = name, body.result
            self._text.append(body.text(words, name, is_inner))
        return self._made[key]

    def declare(self, name: str, text: str) -> None:
        """A function of outside, or of LLVM."""
        self._declared[name] = text

    @property
    def text(self) -> str:
        """All functions."""
        return "\n".join([*self._declared.values(), *self._text, "!0 = !{}", ""])

    def add_text(self, text: str) -> None:
        """A function that is written already."""
        self._text.append(text)

    def _unused(self, name: str) -> str:
        number = 1
        while f"{name}.{number}" in self._names:
            number += 1
        self._names.add(f"{name}.{number}")
        return f"{name}.{number}"
