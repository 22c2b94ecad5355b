"""Nodes, node sets and faces of an input deck of Abaqus or CalculiX (``.inp``).

A deck is lines; ``*WORD, KEY=VALUE`` begins a block. Read are ``*NODE``, ``*NSET`` (also ``GENERATE``) and
``*ELEMENT`` of the types below; everything else is passed over. No other file is opened.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.typing import Array, IntArray
from flexnet.validation import existing_file

LONGEST = 100_000  # characters of a line
#: corners of the faces of a cell, outward, by the number of its corners
FACES = {
    "C3D4": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
    "C3D6": ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "C3D8": ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    "S3": ((0, 1, 2),),
    "S4": ((0, 1, 2, 3),),
}
#: corners, and nodes in all, of the types that begin so
TYPES = {
    "C3D10": ("C3D4", 10), "C3D15": ("C3D6", 15), "C3D20": ("C3D8", 20), "C3D4": ("C3D4", 4),
    "C3D6": ("C3D6", 6), "C3D8": ("C3D8", 8), "S3": ("S3", 3), "S4": ("S4", 4), "S6": ("S3", 6),
    "S8": ("S4", 8),
}  # fmt: skip


@dataclass(slots=True)
class Deck:
    """What a deck says of nodes.

    Attributes
    ----------
    points : position by number.
    sets : numbers of nodes by name.
    faces : corners of the cells' faces.
    """

    points: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    sets: dict[str, list[int]] = field(default_factory=dict)
    faces: list[tuple[int, ...]] = field(default_factory=list)

    def numbered(self) -> tuple[IntArray, Array]:
        """Return the numbers (n,) in ascending order and positions (n, 3)."""
        numbers = sorted(self.points)
        nodes = np.array([self.points[k] for k in numbers], dtype=float).reshape(-1, 3)
        return np.array(numbers, dtype=np.int64), nodes

    def skin(self) -> list[tuple[int, int, int]]:
        """Return the faces that belong to one cell only, as triangles of node numbers."""
        count: dict[tuple[int, ...], int] = {}
        for face in self.faces:
            key = tuple(sorted(face))
            count[key] = count.get(key, 0) + 1
        outer = [face for face in self.faces if count[tuple(sorted(face))] == 1]
        return [(f[0], f[i], f[i + 1]) for f in outer for i in range(1, len(f) - 1)]


def read_deck(path: Path) -> Deck:
    """Read a deck.

    Raises
    ------
    FileFormatError
        If a line is not what its block wants; file and line are named.
    """
    deck, word = Deck(), ""
    keys: dict[str, str] = {}
    pending: list[str] = []
    path = existing_file(path, FileFormatError)
    for number, line in _lines(path):
        try:
            if line.startswith("*"):
                word, keys = _keyword(line)
                pending = []
                if word == "*INCLUDE":
                    raise ValueError("another file is to be included; put all into one")
            elif word:
                pending = _data(deck, word, keys, pending + _values(line))
        except (ValueError, IndexError, OverflowError) as error:
            raise FileFormatError(f"{path}, line {number}: {error}") from error
    if not deck.points:
        raise FileFormatError(f"{path}: it has no nodes (*NODE)")
    return deck


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        for number, raw in enumerate(iter(lambda: file.readline(LONGEST), b""), start=1):
            line = raw.decode("latin-1").strip()
            if line and not line.startswith("**"):
                yield number, line


def _keyword(line: str) -> tuple[str, dict[str, str]]:
    word, *rest = (part.strip() for part in line.split(","))
    keys = {}
    for part in rest:
        key, _, value = part.partition("=")
        keys[key.strip().upper()] = value.strip()
    return word.upper().replace(" ", ""), keys


def _values(line: str) -> list[str]:
    return [part.strip() for part in line.split(",") if part.strip()]


def _data(deck: Deck, word: str, keys: dict[str, str], values: list[str]) -> list[str]:
    """Take in a data line; return the values that wait for the next line."""
    if word == "*NODE":
        if "SYSTEM" in keys and keys["SYSTEM"].upper() != "R":
            raise ValueError("nodes in another than a rectangular system")
        x, y, z = (float(v) for v in [*values[1:4], "0", "0"][:3])
        if not all(map(np.isfinite, (x, y, z))):
            raise ValueError("a coordinate is no number")
        deck.points[int(values[0])] = (x, y, z)
        if "NSET" in keys:
            deck.sets.setdefault(keys["NSET"], []).append(int(values[0]))
    elif word == "*NSET" and "NSET" in keys:
        deck.sets.setdefault(keys["NSET"], []).extend(_members(deck, keys, values))
    elif word == "*ELEMENT":
        return _element(deck, keys, values)
    return []


def _members(deck: Deck, keys: dict[str, str], values: list[str]) -> list[int]:
    if "GENERATE" in keys:
        first, last, step = (int(v) for v in [*values, "1"][:3])
        if step < 1 or (last - first) // step > len(deck.points):
            raise ValueError(f"a set from {first} to {last} by {step} has more than the deck's nodes")
        return list(range(first, last + 1, step))
    found: list[int] = []
    for value in values:
        found += [int(value)] if value.lstrip("-").isdigit() else deck.sets.get(value, [])
    return found


def _element(deck: Deck, keys: dict[str, str], values: list[str]) -> list[str]:
    name = keys.get("TYPE", "").upper()
    known = next((TYPES[t] for t in TYPES if name.startswith(t) and not name[len(t) :][:1].isdigit()), None)
    if known is None:
        return []
    shape, nodes = known
    if len(values) < nodes + 1:
        return values
    corners = [int(v) for v in values[1:]]
    deck.faces += [tuple(corners[i] for i in face) for face in FACES[shape]]
    return []
