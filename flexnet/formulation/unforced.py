"""What of equations rests on frames, joints and trees alone: mechanisms with other forces share it."""

from collections.abc import Sequence
from dataclasses import dataclass

from flexnet.algebra import FamilyTable
from flexnet.formulation.coordinates import Coordinates, number_coordinates
from flexnet.formulation.description import Description
from flexnet.formulation.rows import ConstraintRow, chord_rows
from flexnet.graph import Tree
from flexnet.typing import AnyArray


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """What of a packed model rests on its frames, its joints and the trees alone.

    Attributes
    ----------
    arrays : t_edges, r_edges, rows and row_data of the model.
    numbers, families, places : of the branches and rows, as they are before those of bodies come.
    """

    arrays: dict[str, AnyArray]
    numbers: list[float]
    families: FamilyTable
    places: dict[object, int]


@dataclass(frozen=True, slots=True, eq=False)
class Unforced:
    """Coordinates and rows of equations, and how they are packed.

    Attributes
    ----------
    coordinates, rows, redundant : as of :class:`~flexnet.formulation.Equations`.
    geometry : branches and rows as they are packed; None before that, and where some are driven.
    """

    coordinates: Coordinates
    rows: tuple[ConstraintRow, ...]
    redundant: tuple[str, ...]
    geometry: Geometry | None = None


def unforced(
    of: Description, T: Tree, R: Tree, counted: Sequence[str], drop: Sequence[str] | Unforced
) -> Unforced:
    """Coordinates, those of counted angles too, and rows but those to drop; as known if none is counted."""
    if isinstance(drop, Unforced) and not counted:
        return drop
    coordinates = number_coordinates(of.parts, of.terminals, T, R, counted)
    rows = chord_rows(of.parts, of.terminals, T, R, coordinates, of.system.is_planar)
    dropped = set(drop.redundant if isinstance(drop, Unforced) else drop)
    redundant = tuple(row.name for row in rows if row.name in dropped)
    return Unforced(coordinates, tuple(row for row in rows if row.name not in dropped), redundant)
