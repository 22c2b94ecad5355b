"""Incidence, fundamental cutset and fundamental circuit matrices, in exact integers.

Both seeds agree on the fundamental matrices; they differ in the sign of the incidence matrix:
GTM (2) writes +1 where an edge leaves a node, FlexNet (1) where it enters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from flexnet.errors import GraphError
from flexnet.graph.linear_graph import LinearGraph
from flexnet.graph.tree import Tree
from flexnet.typing import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class TopologicalMatrix:
    """An integer matrix whose rows and columns are named.

    Attributes
    ----------
    rows, columns : names of rows (nodes, branches or chords) and columns (edges).
    values : (len(rows), len(columns)) integer array.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: IntArray

    def ordered(self, columns: Sequence[str]) -> "TopologicalMatrix":
        """Return the matrix with its columns in another order."""
        if sorted(columns) != sorted(self.columns):
            raise GraphError("the new order of columns must name every edge once")
        index = [self.columns.index(name) for name in columns]
        return TopologicalMatrix(self.rows, tuple(columns), self.values[:, index])

    def __str__(self) -> str:
        width = max(len(name) for name in (*self.columns, "-1")) + 1
        margin = max(len(name) for name in self.rows)
        head = " " * margin + "".join(f"{name:>{width}}" for name in self.columns)
        body = (
            f"{name:<{margin}}" + "".join(f"{value:>{width}d}" for value in row)
            for name, row in zip(self.rows, self.values, strict=True)
        )
        return "\n".join([head, *body])


def incidence(graph: LinearGraph, convention: Literal["gtm", "flexnet"] = "gtm") -> TopologicalMatrix:
    """Incidence matrix, one row a node and one column an edge.

    Parameters
    ----------
    convention : ``"gtm"``: +1 where the edge leaves the node (GTM eq. 2);
        ``"flexnet"``: +1 where it enters (FlexNet eq. 1).
    """
    if convention not in ("gtm", "flexnet"):
        raise GraphError(f"convention is 'gtm' or 'flexnet', not {convention!r}")
    away = 1 if convention == "gtm" else -1
    row = {node: i for i, node in enumerate(graph.nodes)}
    values = np.zeros((len(graph.nodes), len(graph.edges)), dtype=np.int64)
    for k, edge in enumerate(graph.edges):
        values[row[edge.tail], k] = away
        values[row[edge.head], k] = -away
    return TopologicalMatrix(graph.nodes, tuple(e.name for e in graph.edges), values)


def f_circuit(tree: Tree) -> TopologicalMatrix:
    """Fundamental circuit matrix ``[B_b 1_c]``, columns branches then chords (GTM eq. 9, 10)."""
    chords = tree.chords
    columns = (*tree.names, *(c.name for c in chords))
    place = {name: k for k, name in enumerate(columns)}
    values = np.zeros((len(chords), len(columns)), dtype=np.int64)
    for i, chord in enumerate(chords):
        for name, sign in tree.circuit(chord):
            values[i, place[name]] = sign
    return TopologicalMatrix(tuple(c.name for c in chords), columns, values)


def f_cutset(tree: Tree) -> TopologicalMatrix:
    """Fundamental cutset matrix ``[1_b A_c]``, with ``A_c = -B_bᵀ`` (GTM eq. 6, 7, 13)."""
    circuits = f_circuit(tree)
    b = len(tree.names)
    A_c = -circuits.values[:, :b].T
    values = np.hstack([np.eye(b, dtype=np.int64), A_c])
    return TopologicalMatrix(tree.names, circuits.columns, values)


def cutset_equation(tree: Tree, branch: str, through: str = "δW") -> str:
    """Through variables of the f-cutset of a branch sum to zero.

    >>> # DynaFlex eq. (4):  δW(e62) + δW(e73) + δW(e12) + δW(e74) - δW(e63) = 0
    """
    if branch not in tree.names:
        raise GraphError(f"edge {branch!r} is not a branch, so it has no f-cutset")
    matrix = f_cutset(tree)
    row = matrix.values[matrix.rows.index(branch)]
    terms = [(name, int(sign)) for name, sign in zip(matrix.columns, row, strict=True) if sign]
    return _sum(terms, through)


def circuit_equation(tree: Tree, chord: str, across: str = "r") -> str:
    """Across variables round the f-circuit of a chord sum to zero, in the order they are met.

    >>> # DynaFlex eq. (5):  r(e12) + r(e23) - r(e62) - r(e22) + r(e21) - r(e61) = 0
    """
    return _sum(_circuit(tree, chord), across)


def rotation_circuit_equation(tree: Tree, chord: str) -> str:
    """Ordered product of rotation matrices round the f-circuit of a chord (DynaFlex eq. 6)."""
    factors = (f"[R({name})]" + ("" if sign > 0 else "ᵀ") for name, sign in _circuit(tree, chord))
    return "".join(factors) + " = [1]"


def _circuit(tree: Tree, chord: str) -> list[tuple[str, int]]:
    edge = tree.graph.edge(chord)
    if chord in tree.names:
        raise GraphError(f"edge {chord!r} is a branch, so it has no f-circuit")
    return tree.circuit(edge)


def _sum(terms: Iterable[tuple[str, int]], symbol: str) -> str:
    first, *rest = terms
    head = f"{'' if first[1] > 0 else '-'}{symbol}({first[0]})"
    tail = "".join(f" {'+' if sign > 0 else '-'} {symbol}({name})" for name, sign in rest)
    return f"{head}{tail} = 0"
