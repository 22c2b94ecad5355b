"""What a region recovers of a displaced body: the contract that peaks, pictures and channels rely on."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Self

from flexnet.typing import Array, IntArray


class AbstractRecovered(ABC):
    """Section forces or strains of the elements of a region; the first axis of every array is the row."""

    __slots__ = ()

    cells: IntArray
    """(n_e, nodes) nodes of the elements."""

    @abstractmethod
    def combined(self, weights: Array) -> Self:
        """Return sums of the rows with weights (n, rows)."""

    @abstractmethod
    def chosen(self, rows: IntArray) -> Self:
        """Return some of the rows."""

    @abstractmethod
    def sizes(self) -> Array:
        """Return the largest magnitude of every row."""

    @abstractmethod
    def with_elements(self, others: Sequence[Self]) -> Self:
        """Return these elements and those of other parts of the region as one."""

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
    def quantities(self) -> Iterator[tuple[str, str, Array]]:
        """Yield name, unit and values (rows, n_e, places) of the quantities worth watching."""
