"""What a region recovers of a displaced body: the contract that peaks, pictures and channels rely on."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AbstractRecovered(ABC):
    """Section forces or strains of the elements of a region; the first axis of every array is the row."""

    by_row: ClassVar[tuple[str, ...]]
    """Fields (rows, places, …), the first told at elements."""
    by_place: ClassVar[tuple[str, ...]] = ("cells",)
    """Fields (places, …) that tell where."""

    cells: IntArray
    """(n_e, nodes) nodes of the elements."""

    def __repr__(self) -> str:
        kinds, rows = list(self.quantities()), ""
        if kinds and kinds[0][2].ndim > 2:
            rows = f" at {len(kinds[0][2])} times"
        known = [(name, unit, values[np.isfinite(values)]) for name, unit, values in kinds]
        most = ", ".join(f"{n} {v[np.abs(v).argmax()]:.4g} {u}" for n, u, v in known if v.size)
        return f"{type(self).__name__} of {len(self.cells)} elements{rows}; largest {most or 'unknown'}"

    def combined(self, weights: Array) -> Self:
        """Return sums of the rows with weights (n, rows)."""
        summed: dict[str, Any] = {name: np.tensordot(weights, x, 1) for name, x in self._by_row()}
        return replace(self, **summed)

    def chosen(self, rows: IntArray) -> Self:
        """Return some of the rows."""
        few: dict[str, Any] = {name: np.ascontiguousarray(x[rows]) for name, x in self._by_row()}
        return replace(self, **few)

    def sizes(self) -> Array:
        """Return the largest magnitude of every row, of what is told at elements."""
        _, first = next(self._by_row())
        return np.asarray(np.abs(first).reshape(len(first), -1).max(axis=1, initial=0.0))

    def with_elements(self, others: Sequence[Self]) -> Self:
        """Return these elements and those of other parts of the region as one."""
        parts, axes = [self, *others], dict.fromkeys(self.by_place, 0) | dict.fromkeys(self.by_row, 1)
        whole = {name: np.concatenate([getattr(p, name) for p in parts], axis) for name, axis in axes.items()}
        return replace(self, **whole)

    def without(self, free: Self, rows: IntArray) -> Self:
        """Return what is elastic where some rows strain freely, as they would element by element."""
        less: dict[str, Any] = {name: x.copy() for name, x in self._by_row()}
        for name, x in free._by_row():
            less[name][rows] -= x
        return replace(self, **less)

    def _by_row(self) -> Iterator[tuple[str, Array]]:
        return ((name, getattr(self, name)) for name in self.by_row)

    @abstractmethod
    def largest_strain(self) -> Array:
        """Return the largest magnitude of a normal strain of every element, (rows, n_e, …) [-]."""

    @abstractmethod
    def largest_stress(self) -> Array:
        """Return the stress of every element that pictures show, (rows, n_e) [Pa]."""

    @abstractmethod
    def corner_stress(self) -> Array:
        """Return the stress that pictures show at every node of every element, (rows, n_e, nodes) [Pa]."""

    @abstractmethod
    def critical_stress(self, worst: Self, element: int, place: int) -> Array:
        """Return one linear normal stress (rows,) [Pa]: that which has the largest magnitude in ``worst``.

        Parameters
        ----------
        worst : one row of the same elements.
        element, place : where: which element, which of its ends, faces or corners. At an end of a beam it is
            the stress of one point of the outline, elsewhere that on one plane, normal to a principal axis.
        """

    @abstractmethod
    def quantities(self) -> Iterator[tuple[str, str, Array]]:
        """Yield name, unit and values (rows, n_e, places) of the quantities worth watching."""
