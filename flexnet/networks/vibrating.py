"""Matrix form of a vibrating system in the branch coordinates of any tree (GTM §3.3).

    A_m m A_mᵀ ẍ_b + A_d d A_dᵀ ẋ_b + A_k k A_kᵀ x_b = A_f F_f                                  GTM (68)

A_m, A_d, A_k, A_f are the columns of the fundamental cutset matrix of masses, dampers, springs and forces;
the across variables of all of them follow from those of the branches, x_m = A_mᵀ x_b (65)-(67).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from flexnet.errors import ModelError
from flexnet.graph import ACROSS_STORAGE, BETWEEN, THROUGH_DRIVER, THROUGH_STORAGE, Tree, f_cutset
from flexnet.networks.element import Element
from flexnet.networks.network import Network
from flexnet.typing import Array, IntArray

#: kind of the edge of an element along an axis, by its place in the order of a normal tree
_KINDS = {ACROSS_STORAGE: "m", BETWEEN: "d", THROUGH_STORAGE: "k", THROUGH_DRIVER: "f"}


@dataclass(frozen=True, eq=False)
class Vibrating:
    """Matrices of a vibrating system in branch coordinates.

    Attributes
    ----------
    branches : edges whose across variables are the coordinates x_b.
    A : columns of the cutset matrix by kind: ``m``, ``d``, ``k``, ``f``.
    edges : names of these columns.
    values : m, d, k of the edges, in their order; what drives the forces has none.
    """

    branches: tuple[str, ...]
    A: dict[str, IntArray]
    edges: dict[str, tuple[str, ...]]
    values: dict[str, Array]

    def matrix(self, kind: str) -> Array:
        """M, D or K (kind ``m``, ``d``, ``k``), (b, b)."""
        A = self.A[kind].astype(float)
        out: Array = A @ np.diag(self.values[kind]) @ A.T
        return out

    def symbolic(self, kind: str) -> sp.Matrix:
        """M, D or K with a symbol for every edge, named as it is."""
        A = sp.Matrix(self.A[kind])
        return A * sp.diag(*map(sp.Symbol, self.edges[kind])) * A.T

    def eigenvalues(self) -> Any:
        """Eigenvalues of the whole, 2 b of them."""
        M, D, K = (self.matrix(kind) for kind in "mdk")
        b = len(M)
        system = np.block([[np.zeros((b, b)), np.eye(b)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
        return np.linalg.eigvals(system)


def vibrating(network: Network, tree: Tree | None = None) -> Vibrating:
    """Matrix form (68) of a network of masses, linear dampers and springs, and forces, in a tree.

    Raises
    ------
    ModelError
        Where an element is none of these.
    """
    tree = network.tree if tree is None else tree
    cut = f_cutset(tree)
    edges: dict[str, list[str]] = {"m": [], "d": [], "k": [], "f": []}
    values: dict[str, list[float]] = {"m": [], "d": [], "k": [], "f": []}
    for e in network.elements:
        kind, value = _kind(e)
        edges[kind].append(e.name)
        values[kind].append(value)
    A = {
        kind: cut.values[:, [cut.columns.index(n) for n in names]].reshape(len(cut.rows), -1)
        for kind, names in edges.items()
    }
    return Vibrating(
        cut.rows,
        A,
        {kind: tuple(names) for kind, names in edges.items()},
        {kind: np.array(v) for kind, v in values.items()},
    )


def _kind(e: Element) -> tuple[str, float]:
    """Kind of an element with one edge along an axis, and its number."""
    kind = _KINDS.get(e.order, "")
    is_known = kind == "f" or (kind != "" and e.parameter is not None)
    if is_known and len(e.ports) == 1 and e.ports[0].domain.has_places:
        return kind, e.parameter or 0.0
    raise ModelError(
        f"{e.noun} {e.name!r} is no mass, linear damper, linear spring or force of a vibrating system"
    )
