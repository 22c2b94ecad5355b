"""Nastran: grid points of a bulk data file (``.bdf``) and formatted OUTPUT4 matrices (``.op4``) of the g-set.

Read are ``GRID`` cards in the basic system, ``CTRIA3``, ``CQUAD4``, ``CTETRA`` for drawings, and, for
stresses, ``PSHELL``, ``PSOLID`` and ``MAT1``. The matrices have six rows a grid point, ascending by number:
KGG and MGG. No other file is opened.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.fem.imported.deck import LONGEST, Deck, Section
from flexnet.fem.imported.model import ForeignModel, model_reader
from flexnet.fem.imported.numbering import Numbering
from flexnet.fem.imported.op4 import read_op4
from flexnet.validation import existing_file

CELLS = {"CTRIA3": ("S3", 3), "CQUAD4": ("S4", 4), "CTETRA": ("C3D4", 4)}
OTHERS = ("CHEXA", "CPENTA", "CBAR", "CBEAM", "CROD", "CTRIA6", "CQUAD8", "CTRIAR", "CQUADR", "CSHEAR")
STIFFNESSES, MASSES = ("KGG", "K", "STIF"), ("MGG", "M", "MASS")
EXPONENT = re.compile(r"(?<=[0-9.])([+-]\d+)$")  # 1.5-3 means 1.5e-3


@model_reader(".bdf", ".op4")
def read_nastran(deck: Path, stiffness: Path, mass: Path) -> ForeignModel:
    """Read a model of Nastran; both matrices may stand in one file."""
    told = _bulk(deck)
    numbers, _ = told.numbered()
    size, places = 6 * len(numbers), np.arange(6 * len(numbers))
    K = read_op4(stiffness, STIFFNESSES, size)
    M = read_op4(mass, MASSES, size)
    # nodes of solids have no stiffness about them: these rows are no freedoms
    turning = (np.abs(K.diagonal()) > 0.0).reshape(-1, 6)[:, 3:].any(axis=1)
    kept = np.repeat(turning[:, None], 6, axis=1)
    kept[:, :3] = True
    rows = np.flatnonzero(kept.reshape(-1))
    numbering = Numbering.of(told, numbers, deck)
    freedoms = np.column_stack([places // 6, places % 6])[rows]
    return numbering.model(freedoms, K[rows][:, rows], M[rows][:, rows])


def _bulk(path: Path) -> Deck:
    deck = Deck()
    path = existing_file(path, FileFormatError)
    for number, card in _cards(path):
        try:
            name = card[0].rstrip("*")
            if name == "GRID":
                _grid(deck, card)
            elif name in CELLS:
                _cell(deck, name, card)
            elif name in OTHERS:
                deck.unknown.add(name)
            elif name in CARDS:
                CARDS[name](deck, [*card, *[""] * 9])
        except (ValueError, IndexError) as error:
            raise FileFormatError(f"{path}, line {number}: {error}") from error
    if not deck.points:
        raise FileFormatError(f"{path}: it has no GRID")
    return deck


def _cell(deck: Deck, name: str, card: list[str]) -> None:
    """An element; a shell whose nodes are not in its middle joins a set that has no section."""
    kind, corners = CELLS[name]
    nodes = [int(v) for v in card[3:] if v] if name == "CTETRA" else [int(v) for v in card[3 : 3 + corners]]
    if name == "CTETRA" and len(nodes) >= 10:
        kind, corners = "C3D10", 10
    is_offset = name != "CTETRA" and any(_real(v) != 0.0 for v in card[4 + corners : 5 + corners])
    deck.enter(int(card[1]), kind, tuple(nodes[:corners]), f"property {card[2]}" + is_offset * ", offset")


def _material(deck: Deck, card: list[str]) -> None:
    """MAT1, whose E, G and ν follow from each other."""
    E, G, nu = (_real(v) if v else np.nan for v in card[2:5])
    E = 2.0 * G * (1.0 + nu) if np.isnan(E) else E
    nu = E / (2.0 * G) - 1.0 if np.isnan(nu) else nu
    deck.elastic[card[1]] = None if np.isnan(E) or np.isnan(nu) else (E, nu)


def _shell(deck: Deck, card: list[str]) -> None:
    is_plain = card[4] == card[2] and (not card[5] or _real(card[5]) == 1.0)
    trouble = "" if is_plain else "bending of another material or thickness than the membrane's"
    deck.sections.append(Section(f"property {card[1]}", card[2], _real(card[3]), trouble))


def _solid(deck: Deck, card: list[str]) -> None:
    deck.sections.append(Section(f"property {card[1]}", card[2]))


CARDS = {"MAT1": _material, "PSHELL": _shell, "PSOLID": _solid}


def _real(text: str) -> float:
    """Return a number as Nastran writes it, 0 of an empty field."""
    return float(EXPONENT.sub(r"e\1", text.upper().replace("D", "E"))) if text else 0.0


def _grid(deck: Deck, card: list[str]) -> None:
    fields = [*card[1:7], *[""] * 6][:6]
    if fields[1] not in ("", "0") or fields[5] not in ("", "0"):
        raise ValueError(f"grid point {fields[0]} in another than the basic system")
    x, y, z = (_real(v) for v in fields[2:5])
    if not all(map(np.isfinite, (x, y, z))):
        raise ValueError("a coordinate is no number")
    deck.points[int(fields[0])] = (x, y, z)


def _cards(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of every card: free, small or large fields, continuation lines joined."""
    card: list[str] = []
    begun = 0
    with path.open("rb") as file:
        for number, raw in enumerate(iter(lambda: file.readline(LONGEST), b""), start=1):
            line = raw.decode("latin-1").split("$")[0].rstrip()
            if not line:
                continue
            fields = _fields(line)
            if fields[0] in ("", "+", "*") or fields[0][:1] in "+*":
                card += fields[1:]
                continue
            if card:
                yield begun, card
            card, begun = [fields[0].upper(), *fields[1:]], number
    if card:
        yield begun, card


def _fields(line: str) -> list[str]:
    if "," in line:
        return [part.strip() for part in line.split(",")][:9]
    width = 16 if "*" in line[:8] else 8
    return [
        line[:8].strip(),
        *(line[8 + i * width : 8 + (i + 1) * width].strip() for i in range(64 // width)),
    ]
