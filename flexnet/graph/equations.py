"""Cutset and circuit equations of one edge, written for people to read."""

from collections.abc import Iterable

from flexnet.errors import GraphError
from flexnet.graph.matrices import f_cutset
from flexnet.graph.tree import Tree


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
