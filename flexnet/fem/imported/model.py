"""What a finite-element program wrote of a model: nodes, freedoms, matrices, sets; checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from flexnet.errors import FileFormatError, MeshError, ModelError, ResultError
from flexnet.fem.imported.elements import ForeignElements
from flexnet.fem.imported.substructure import Substructure
from flexnet.mesh import Mesh
from flexnet.typing import AnyArray, Array, IntArray
from flexnet.units import LENGTH, MASS, TIME, parse_unit

SYMMETRIC = 1e-6  # share of a matrix that may be lost where both triangles are given


@dataclass(frozen=True, slots=True, eq=False)
class ForeignModel:
    """A model in the units and the numbering of its program.

    Attributes
    ----------
    numbers : (n,) numbers of the nodes in the program, ascending.
    nodes : (n, 3) positions.
    freedoms : (f, 2) node, as an index from 0, and direction 0 to 5 of every row of the matrices.
    K, M : (f, f) stiffness and mass.
    C : (f, f) damping, None if there is none.
    sets : nodes by name.
    triangles, lines : (·, 3), (·, 2) nodes of what is drawn.
    frames : nodes of attachment frames by name.
    stress : (6p, f) σx, σy, σz, τxy, τyz, τzx at p points per freedom, None if not known.
    stress_nodes : (p,) nodes of these points, as indices from 0.
    elements : those whose strains tell stresses.
    silent : why others have none.
    """

    numbers: IntArray
    nodes: Array
    freedoms: IntArray
    K: csr_array
    M: csr_array
    C: csr_array | None = None
    sets: Mapping[str, IntArray] = field(default_factory=dict)
    triangles: IntArray = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    lines: IntArray = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    frames: Mapping[str, int] = field(default_factory=dict)
    stress: csr_array | None = None
    stress_nodes: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    elements: tuple[ForeignElements, ...] = ()
    silent: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        node, direction = self.freedoms.T
        n, f = len(self.nodes), len(self.freedoms)
        if f and (self.freedoms.min() < 0 or node.max() >= n or direction.max() > 5):
            raise ModelError(f"a freedom is none of {n} nodes and six directions")
        if len(np.unique(6 * node + direction)) < f:
            raise ModelError("a freedom of a node stands in two rows of the matrices")
        for name, matrix in (("stiffness", self.K), ("mass", self.M), ("damping", self.C)):
            if matrix is not None and matrix.shape != (f, f):
                raise ModelError(
                    f"the {name} is {matrix.shape[0]} by {matrix.shape[1]}; {f} freedoms are named"
                )
        if self.stress is not None and self.stress.shape != (6 * len(self.stress_nodes), f):
            raise ModelError(
                f"the stress matrix is {self.stress.shape[0]} by {self.stress.shape[1]}; expected six rows"
                f" for each of {len(self.stress_nodes)} nodes and {f} columns"
            )
        missing = np.setdiff1d(np.arange(n), node)
        if missing.size:
            raise ModelError(f"node {self.numbers[missing[0]]} has no freedom in the matrices")

    def scaled(self, units: tuple[str, str, str]) -> "ForeignModel":
        """Return the model in SI units, from units of length, mass and time."""
        length, mass, time = _factors(units)
        size = np.where(self.freedoms[:, 1] < 3, 1.0, length)

        def in_si(matrix: csr_array, factor: float) -> csr_array:
            return csr_array(matrix.multiply(factor * size[:, None]).multiply(size))

        K, M = in_si(self.K, mass / time**2), in_si(self.M, mass)
        C = None if self.C is None else in_si(self.C, mass / time)
        S = self.stress
        if S is not None:
            S = csr_array(S.multiply(mass / (length * time) ** 2 * size))
        elements = tuple(one.scaled(length, mass, time) for one in self.elements)
        return replace(self, nodes=self.nodes * length, K=K, M=M, C=C, stress=S, elements=elements)

    def mesh(self) -> Mesh:
        """Return the nodes, their sets and what is drawn."""
        groups = {"skin": np.arange(len(self.triangles))} if len(self.triangles) else {}
        edges = {"wire": np.arange(len(self.lines))} if len(self.lines) else {}
        return Mesh(self.nodes, self.lines, self.triangles, dict(self.sets), edges, groups)

    def substructure(self) -> Substructure:
        """Return the part of a body, checked against rigid motions."""
        n = len(self.nodes)
        place = 6 * self.freedoms[:, 0] + self.freedoms[:, 1]

        def spread(matrix: csr_array) -> csr_array:
            entries = coo_array(matrix)
            where = (place[entries.row], place[entries.col])
            return csr_array(coo_array((entries.data, where), shape=(6 * n, 6 * n)))

        present = np.zeros((n, 6), dtype=bool)
        present[self.freedoms[:, 0], self.freedoms[:, 1]] = True
        turns = np.asarray(present[:, 3:].all(axis=1))
        partial = np.flatnonzero(~present[:, :3].all(axis=1) | (present[:, 3:].any(axis=1) != turns))
        if partial.size:
            raise ModelError(
                f"node {self.numbers[partial[0]]} lacks freedoms in the matrices; write those of a free body"
            )
        C = None if self.C is None else spread(self.C)
        S = self.stress
        if S is not None:
            entries = coo_array(S)
            where = (entries.row, place[entries.col])
            S = csr_array(coo_array((entries.data, where), shape=(S.shape[0], 6 * n)))
        told = (S, self.stress_nodes, *self._told())
        part = Substructure(np.arange(n), spread(self.K), spread(self.M), C, turns, *told)
        part.check(self.nodes)
        return part

    def _told(self) -> tuple[tuple[ForeignElements, ...], tuple[str, ...]]:
        """Elements that have strains, and why others have none."""
        found, why = [], list(self.silent)
        for one in self.elements:
            try:
                found.append(one.checked(self.nodes))
            except (MeshError, ModelError) as error:
                why.append(f"{one.group}: {error}")
        return tuple(found), tuple(why)


ModelReader = Callable[[Path, Path, Path], ForeignModel]
READERS: dict[tuple[str, str], ModelReader] = {}
"""Readers by the endings of deck and matrices; each page enters its own."""


def model_reader(deck: str, matrices: str) -> Callable[[ModelReader], ModelReader]:
    """Enter a reader of decks and matrices with these endings."""

    def enter(read: ModelReader) -> ModelReader:
        READERS[deck, matrices] = read
        return read

    return enter


def symmetric(row: AnyArray, column: AnyArray, value: AnyArray, size: int, where: str) -> csr_array:
    """Return a symmetric matrix of entries of one triangle, or of both.

    Raises
    ------
    FileFormatError
        If an entry lies outside, is no number, or both triangles are given and differ.
    """
    if len(row) and not (np.isfinite(value).all() and min(row.min(), column.min()) >= 0):
        raise FileFormatError(f"{where}: an entry is no number, or before the first row")
    if len(row) and max(row.max(), column.max()) >= size:
        raise FileFormatError(f"{where}: an entry in row {max(row.max(), column.max()) + 1} of {size}")
    entries = (value, (row, column))
    A = csr_array(coo_array(entries, shape=(size, size)))
    if (row >= column).all() or (row <= column).all():
        return csr_array(A + A.T - _diagonal(A))
    lost = np.abs(A - A.T).max() if A.nnz else 0.0
    if lost > SYMMETRIC * np.abs(A).max():
        raise FileFormatError(f"{where}: the matrix is not symmetric, by {lost:.3g}")
    return csr_array(0.5 * (A + A.T))


def _diagonal(A: csr_array) -> csr_array:
    n = A.shape[0]
    return csr_array((A.diagonal(), np.arange(n), np.arange(n + 1)), shape=A.shape)


def _factors(units: tuple[str, str, str]) -> tuple[float, float, float]:
    found = []
    for text, dimension, what in zip(units, (LENGTH, MASS, TIME), ("length", "mass", "time"), strict=True):
        try:
            unit = parse_unit(text)
        except ResultError as error:
            raise ModelError(f"units {units}: {error}") from error
        if unit.dimension != dimension:
            raise ModelError(f"units {units}: {text!r} is no unit of {what}")
        found.append(unit.factor)
    return found[0], found[1], found[2]
