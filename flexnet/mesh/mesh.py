"""The mesh of a body: nodes, two-node lines, three-node triangles, and names for parts of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from flexnet.errors import MeshError
from flexnet.typing import AnyArray, Array, IntArray, Vector

NodeRef: TypeAlias = int | str | Sequence[int] | IntArray
"""A node by its index, a list of indices, or nodes by the name of their group or of a group of elements."""

Groups: TypeAlias = Mapping[str, IntArray]


@dataclass(frozen=True, slots=True)
class Mesh:
    """Nodes, lines and triangles with named groups. Immutable; arrays are read-only.

    Parameters
    ----------
    nodes : (n, 3) array
        Positions [m] in the body frame.
    lines : (m, 2) array
        Node indices of the line elements.
    triangles : (k, 3) array
        Node indices of the triangles; the normal follows the right-hand rule.
    node_groups, line_groups, triangle_groups : mapping of name to indices
        Named parts: attachment nodes and edges, regions of one section.

    Raises
    ------
    MeshError
        If an array has a wrong shape, a coordinate is not finite, or an index points nowhere.
    """

    nodes: Array
    lines: IntArray = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    triangles: IntArray = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    node_groups: Groups = field(default_factory=dict)
    line_groups: Groups = field(default_factory=dict)
    triangle_groups: Groups = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = _frozen_array(self.nodes, np.float64, 3, "nodes")
        if not np.isfinite(nodes).all():
            raise MeshError(
                f"node {int(np.argwhere(~np.isfinite(nodes))[0, 0])} has a coordinate that is not finite"
            )
        object.__setattr__(self, "nodes", nodes)
        for name, width in (("lines", 2), ("triangles", 3)):
            cells = _frozen_array(getattr(self, name), np.int64, width, name)
            _check_indices(cells, len(nodes), name[:-1])
            object.__setattr__(self, name, cells)
        for name, count in (
            ("node_groups", len(self.nodes)),
            ("line_groups", len(self.lines)),
            ("triangle_groups", len(self.triangles)),
        ):
            object.__setattr__(self, name, _frozen_groups(getattr(self, name), count, name))

    def __str__(self) -> str:
        sides = np.ptp(self.nodes, axis=0) if len(self.nodes) else np.zeros(3)
        size = " × ".join(f"{x:.4g}" for x in sides)
        groups = {**self.node_groups, **self.line_groups, **self.triangle_groups}
        named = f"; groups: {', '.join(groups)}" if groups else ""
        cells = f"{len(self.lines)} lines and {len(self.triangles)} triangles"
        return f"mesh of {len(self.nodes)} nodes, {cells}, {size} m{named}"

    def find_nodes(self, where: NodeRef) -> IntArray:
        """Return the indices a node reference stands for.

        Raises
        ------
        MeshError
            If the group does not exist (the ones that do are listed) or an index is out of range.
        """
        if isinstance(where, str):
            for groups, cells in ((self.line_groups, self.lines), (self.triangle_groups, self.triangles)):
                if where in groups and where not in self.node_groups:
                    return np.unique(cells[groups[where]])
            return find_group(self.node_groups, where, "node group")
        indices = np.atleast_1d(np.asarray(where, dtype=np.int64))
        bad = indices[(indices < 0) | (indices >= len(self.nodes))]
        if bad.size:
            raise MeshError(
                f"node {int(bad[0])} does not exist; the mesh has nodes 0 to {len(self.nodes) - 1}"
            )
        return indices

    def find_node(self, where: NodeRef) -> int:
        """Return the single node a reference stands for, or raise MeshError if it stands for several."""
        indices = self.find_nodes(where)
        if len(indices) != 1:
            raise MeshError(f"node reference {where!r} stands for {len(indices)} nodes, expected one")
        return int(indices[0])

    def nearest_node(self, point: Vector) -> int:
        """Return the node nearest to a point [m]."""
        return int(np.argmin(np.linalg.norm(self.nodes - np.asarray(point, dtype=float), axis=1)))

    def with_nodes(self, points: Vector | Sequence[Vector], group: str) -> "Mesh":
        """Return the mesh with extra nodes (of links and interfaces) that form a new node group."""
        extra = np.atleast_2d(np.asarray(points, dtype=float))
        indices = np.arange(len(self.nodes), len(self.nodes) + len(extra))
        if group in self.node_groups:
            raise MeshError(f"node group {group!r} exists already")
        groups = {**self.node_groups, group: indices}
        return replace(self, nodes=np.vstack([self.nodes, extra]), node_groups=groups)

    def with_node_group(self, name: str, where: NodeRef) -> "Mesh":
        """Return the mesh with one more (or a replaced) node group."""
        return replace(self, node_groups={**self.node_groups, name: self.find_nodes(where)})

    def moved(self, R: Array | None = None, r: Vector = (0.0, 0.0, 0.0)) -> "Mesh":
        """Return the mesh rotated by ``R`` (3, 3) about the origin, then displaced by ``r`` [m]."""
        turn = np.eye(3) if R is None else np.asarray(R, dtype=float)
        return replace(self, nodes=self.nodes @ turn.T + np.asarray(r, dtype=float))


def find_group(groups: Groups, name: str, kind: str) -> IntArray:
    """Return the indices of a group, or raise a MeshError that lists the groups there are."""
    if name not in groups:
        known = ", ".join(repr(key) for key in groups) or "none"
        raise MeshError(f"no {kind} {name!r} in the mesh; there are: {known}")
    return groups[name]


def merged(first: Mesh, second: Mesh) -> Mesh:
    """Return one mesh that holds both; nodes are not joined, groups of the same name are united."""
    shift = (len(first.nodes), len(first.lines), len(first.triangles))

    def united(a: Groups, b: Groups, offset: int) -> dict[str, IntArray]:
        names = [*a, *(name for name in b if name not in a)]
        empty = np.empty(0, dtype=np.int64)
        return {n: np.concatenate([a.get(n, empty), b.get(n, empty) + offset]) for n in names}

    return Mesh(
        nodes=np.vstack([first.nodes, second.nodes]),
        lines=np.vstack([first.lines, second.lines + shift[0]]),
        triangles=np.vstack([first.triangles, second.triangles + shift[0]]),
        node_groups=united(first.node_groups, second.node_groups, shift[0]),
        line_groups=united(first.line_groups, second.line_groups, shift[1]),
        triangle_groups=united(first.triangle_groups, second.triangle_groups, shift[2]),
    )


def _frozen_array(values: AnyArray, dtype: type, width: int, name: str) -> AnyArray:
    array: AnyArray = np.array(values, dtype=dtype)
    if array.ndim != 2 or array.shape[1] != width:
        raise MeshError(f"{name} have shape {array.shape}, expected (n, {width})")
    array.setflags(write=False)
    return array


def _check_indices(cells: IntArray, n_nodes: int, kind: str) -> None:
    bad = np.argwhere((cells < 0) | (cells >= n_nodes))
    if bad.size:
        element, corner = bad[0]
        raise MeshError(
            f"{kind} {element} refers to node {cells[element, corner]}; the mesh has {n_nodes} nodes"
        )


def _frozen_groups(groups: Groups, count: int, name: str) -> Groups:
    frozen: dict[str, IntArray] = {}
    for key, values in groups.items():
        indices = np.unique(np.asarray(values, dtype=np.int64).reshape(-1))
        if indices.size and (indices[0] < 0 or indices[-1] >= count):
            raise MeshError(f"{name} {key!r} refers to index {indices[-1]}; there are {count}")
        indices.setflags(write=False)
        frozen[str(key)] = indices
    return MappingProxyType(frozen)
