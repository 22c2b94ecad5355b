"""Laws that were traced before: a mechanism with other numbers has the same ones.

A law sees the numbers of its element as arguments, so that what it answers rests on the other fields alone,
and on whatever it reads of ``self``. That is watched while it is traced: an element that agrees in it, and in
which of its numbers are zero, has the law of the first.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from flexnet.algebra import Node, TracedFunction
from flexnet.components import comes_with_flexnet
from flexnet.components.force_element import ForceElement

if TYPE_CHECKING:
    from flexnet.formulation.traced_law import TracedLaw

#: structures that are remembered, and laws of each
_MOST, _MOST_LAWS = 1024, 64
Element = TypeVar("Element", bound=ForceElement)


@dataclass(slots=True, eq=False)
class _Laws:
    """Laws of elements that differ in numbers, by what is read of the elements themselves."""

    read: tuple[str, ...] = ()
    by_values: dict[tuple[Any, ...], "TracedLaw"] = field(default_factory=dict)


_known: dict[tuple[Any, ...], _Laws] = {}


def remembered_law(
    element: ForceElement, seen: tuple[Any, Any], make: Callable[[ForceElement], "TracedLaw"]
) -> "TracedLaw":
    """The law of an element, traced if none before it was the same.

    Parameters
    ----------
    seen : what the law is called with: fields of the element as expressions, and orientations of its frames.
    make : traces the law, called with an element to read from.
    """
    if not comes_with_flexnet(type(element)):
        return make(element)
    key = _key(element, *seen)
    try:
        laws = _known.setdefault(key, _Laws())
    except TypeError:  # a field that cannot be compared
        return make(element)
    if len(_known) > _MOST:
        del _known[next(iter(_known))]
    values = _values(element, laws.read)
    if values not in laws.by_values:
        spied, read = _spied(element)
        made = make(spied)
        if not read <= set(laws.read):
            laws.read = tuple(sorted(read | set(laws.read)))
            laws.by_values.clear()
        if len(laws.by_values) >= _MOST_LAWS:
            laws.by_values.clear()
        values = _values(element, laws.read)
        laws.by_values[values] = made
    return laws.by_values[values]


def _key(element: ForceElement, p: Any, ends: Any) -> tuple[Any, ...]:
    """Structure of an element: numbers stand for the arguments they are, traced functions for their traces.

    A function that could not be traced is called in every step: it stands for itself.
    """
    kinds = Node, TracedFunction
    items = [
        (name, type(x), getattr(element, name) if callable(x) and type(x) not in kinds else x)
        for name, x in vars(p).items()
    ]
    return type(element), ends, *items


def _values(element: ForceElement, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Fields that a law has read, as they are compared: to the last bit."""
    return tuple(_exact(getattr(element, name)) for name in names)


def _exact(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return value.hex() if isinstance(value, float) else value


def _spied(element: Element) -> tuple[Element, set[str]]:
    """An element like another one, and the names of its fields that have been read of it so far."""
    read, names, kind = set[str](), {f.name for f in fields(element)}, type(element)

    def look(self: Any, name: str) -> Any:
        if name in names:
            read.add(name)
        return kind.__getattribute__(self, name)

    made: Element = object.__new__(type(kind.__name__, (kind,), {"__slots__": (), "__getattribute__": look}))
    for name, value in getattr(element, "__dict__", {}).items():
        object.__setattr__(made, name, value)
    for name in names:
        object.__setattr__(made, name, getattr(element, name))
    read.clear()
    return made, read
