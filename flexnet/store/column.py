"""What one growing dataset of a record file holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from flexnet.errors import StorageError

Attribute = str | int | float | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One dataset with one entry per row.

    Parameters
    ----------
    path : place in the file, such as ``"frames/A/position"``.
    shape : shape of one row; ``()`` for a number, ``(3,)`` for a vector.
    dtype : ``"f8"`` or ``"i8"``.
    attributes : unit, description, names of components and the like.
    """

    path: str
    shape: tuple[int, ...] = ()
    dtype: str = "f8"
    attributes: Mapping[str, Attribute] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = self.path.split("/")
        if not all(parts) or "." in parts or ".." in parts:
            raise StorageError(f"column path {self.path!r} is not of the form 'group/name'")
        if any(n < 1 for n in self.shape):
            raise StorageError(f"column {self.path!r} has an empty row of shape {self.shape}")
        if self.dtype not in ("f8", "i8"):
            raise StorageError(f"column {self.path!r} has dtype {self.dtype!r}; expected 'f8' or 'i8'")
