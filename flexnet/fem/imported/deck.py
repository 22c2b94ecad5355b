"""Nodes, sets, elements and what they are made of, of an input deck of Abaqus or CalculiX (``.inp``).

A deck is lines; ``*WORD, KEY=VALUE`` begins a block. Read are ``*NODE``, ``*NSET`` and ``*ELSET`` (also
``GENERATE``), ``*ELEMENT`` of the types below, and, for stresses, ``*ELASTIC`` of every ``*MATERIAL``,
``*SOLID SECTION`` and ``*SHELL SECTION``; everything else is passed over. No other file is opened.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.typing import Array, IntArray
from flexnet.validation import existing_file

LONGEST = 100_000  # characters of a line
MOST = 10_000_000  # elements of a set
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


@dataclass(frozen=True, slots=True)
class Section:
    """What a set of elements is made of.

    Attributes
    ----------
    group : its set of elements.
    material : name of its material.
    thickness : of a shell, in the deck's unit; 0 of a solid.
    trouble : why no stresses follow from it, empty if they do.
    """

    group: str
    material: str
    thickness: float = 0.0
    trouble: str = ""


@dataclass(slots=True)
class Deck:
    """What a deck says of nodes and elements.

    Attributes
    ----------
    points : position by number.
    sets : numbers of nodes by name.
    faces : corners of the cells' faces.
    cells : type and nodes of every element that is known, by number.
    cell_sets : numbers of elements by name.
    unknown : types of elements that are passed over.
    elastic : Young's modulus and Poisson's ratio by material, None where it is not that simple.
    sections : in their order.
    """

    points: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    sets: dict[str, list[int]] = field(default_factory=dict)
    faces: list[tuple[int, ...]] = field(default_factory=list)
    cells: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    cell_sets: dict[str, list[int]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    elastic: dict[str, tuple[float, float] | None] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=list)

    def enter(self, number: int, kind: str, nodes: tuple[int, ...], group: str) -> None:
        """Take in an element of a type in ``TYPES`` and of a set."""
        self.cells[number] = kind, nodes
        self.cell_sets.setdefault(group, []).append(number)
        self.faces += [tuple(nodes[i] for i in face) for face in FACES[TYPES[kind][0]]]

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
    deck, word, material = Deck(), "", ""
    keys: dict[str, str] = {}
    pending: list[str] = []
    path = existing_file(path, FileFormatError)
    for number, line in _lines(path):
        try:
            if line.startswith("*"):
                word, keys = _keyword(line)
                pending = []
                material = keys.get("NAME", "").upper() if word == "*MATERIAL" else material
                if word == "*ELASTIC":
                    keys["MATERIAL"] = material
                elif word == "*SOLIDSECTION":
                    _solid(deck, keys)
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
        keys[key.strip().upper().replace(" ", "")] = value.strip().strip('"')
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
        deck.sets.setdefault(keys["NSET"], []).extend(_members(deck.sets, len(deck.points), keys, values))
    elif word == "*ELSET" and "ELSET" in keys:
        found = _members(deck.cell_sets, MOST, keys, values)
        deck.cell_sets.setdefault(keys["ELSET"].upper(), []).extend(found)
    elif word == "*ELEMENT":
        return _element(deck, keys, values)
    elif word == "*ELASTIC":
        _elastic(deck, keys, values)
    elif word == "*SHELLSECTION":
        _shell(deck, keys, values)
    return []


def _members(sets: dict[str, list[int]], most: int, keys: dict[str, str], values: list[str]) -> list[int]:
    if "GENERATE" in keys:
        first, last, step = (int(v) for v in [*values, "1"][:3])
        if step < 1 or (last - first) // step > most:
            raise ValueError(f"a set from {first} to {last} by {step} has more than {most} members")
        return list(range(first, last + 1, step))
    found: list[int] = []
    for value in values:
        named = sets.get(value, sets.get(value.upper(), []))
        found += [int(value)] if value.lstrip("-").isdigit() else named
    return found


def _element(deck: Deck, keys: dict[str, str], values: list[str]) -> list[str]:
    name = keys.get("TYPE", "").upper()
    kind = next((t for t in TYPES if name.startswith(t) and not name[len(t) :][:1].isdigit()), None)
    if kind is None:
        deck.unknown.add(name)
        return []
    nodes = TYPES[kind][1]
    if len(values) < nodes + 1:
        return values
    number, *corners = (int(v) for v in values[: nodes + 1])
    deck.enter(number, kind, tuple(corners), keys.get("ELSET", "").upper())
    return []


def _elastic(deck: Deck, keys: dict[str, str], values: list[str]) -> None:
    """Take in an isotropic material; a second line would be that of another temperature."""
    name, is_isotropic = keys["MATERIAL"], keys.get("TYPE", "ISO").upper() in ("ISO", "ISOTROPIC")
    is_simple = is_isotropic and name not in deck.elastic and len(values) > 1
    deck.elastic[name] = (float(values[0]), float(values[1])) if is_simple else None


def _solid(deck: Deck, keys: dict[str, str]) -> None:
    deck.sections.append(Section(keys.get("ELSET", "").upper(), keys.get("MATERIAL", "").upper()))


def _shell(deck: Deck, keys: dict[str, str], values: list[str]) -> None:
    """Take in the first line of a section; those that follow are of a composite."""
    group, material = keys.get("ELSET", "").upper(), keys.get("MATERIAL", "").upper()
    if any(section.group == group for section in deck.sections):
        return
    told = next((key.lower() for key in ("COMPOSITE", "OFFSET", "NODALTHICKNESS") if key in keys), "")
    thickness = float(values[0])
    if not told and not 0.0 < thickness < np.inf:
        raise ValueError(f"the thickness of a shell is {values[0]}")
    deck.sections.append(Section(group, material, thickness, f"a shell with {told}" if told else ""))
