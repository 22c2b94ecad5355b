"""The mesh of a body: nodes, lines, triangles, quadrilaterals, tetrahedra, and names for parts of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from flexnet.errors import MeshError
from flexnet.typing import AnyArray, Array, IntArray, Vector
from flexnet.validation import shown

NodeRef: TypeAlias = int | str | Sequence[int] | IntArray
"""A node by its index, a list of indices, or nodes by the name of their group or of a group of elements."""

Groups: TypeAlias = Mapping[str, IntArray]

KINDS = {"line": 2, "triangle": 3, "quadrilateral": 4, "tetrahedron": 10}
"""Kinds of elements and their nodes: corners, then the middles of the edges of a tetrahedron."""
_CELLS = {
    "line": "lines", "triangle": "triangles", "quadrilateral": "quadrilaterals", "tetrahedron": "tetrahedra"
}  # fmt: skip
_FACES = ((0, 2, 1, 6, 5, 4), (0, 1, 3, 4, 8, 7), (1, 2, 3, 5, 9, 8), (2, 0, 3, 6, 7, 9))
"""Faces of a tetrahedron, outward: three corners, then the middles of their sides."""
_QUARTERS = ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5))
"""Four triangles of a triangle with six nodes."""


def _no(kind: str) -> Callable[[], IntArray]:
    return lambda: np.empty((0, KINDS[kind]), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Mesh:
    """Nodes and elements with named groups. Immutable; arrays are read-only.

    Parameters
    ----------
    nodes : (n, 3) array
        Positions [m] in the body frame.
    lines : (m, 2) array
        Node indices of the line elements.
    triangles : (k, 3) array
        Node indices of the triangles; the normal follows the right-hand rule.
    quadrilaterals : (m, 4) array
        Node indices of the quadrilaterals, in turn; the normal follows the right-hand rule.
    tetrahedra : (m, 10) array
        Node indices of the tetrahedra of second order: four corners, then the middles of the edges 12, 23,
        31, 14, 24, 34.
    node_groups, line_groups, triangle_groups, quadrilateral_groups, tetrahedron_groups : name to indices
        Named parts: attachment nodes and edges, regions of one section.

    Raises
    ------
    MeshError
        If an array has a wrong shape, a coordinate is not finite, or an index points nowhere.
    """

    nodes: Array
    lines: IntArray = field(default_factory=_no("line"))
    triangles: IntArray = field(default_factory=_no("triangle"))
    node_groups: Groups = field(default_factory=dict)
    line_groups: Groups = field(default_factory=dict)
    triangle_groups: Groups = field(default_factory=dict)
    quadrilaterals: IntArray = field(default_factory=_no("quadrilateral"))
    tetrahedra: IntArray = field(default_factory=_no("tetrahedron"))
    quadrilateral_groups: Groups = field(default_factory=dict)
    tetrahedron_groups: Groups = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = _frozen_array(self.nodes, np.float64, 3, "nodes")
        if not np.isfinite(nodes).all():
            raise MeshError(
                f"node {int(np.argwhere(~np.isfinite(nodes))[0, 0])} has a coordinate that is not finite"
            )
        object.__setattr__(self, "nodes", nodes)
        _freeze_groups(self, "node_groups", len(nodes))
        for kind, width in KINDS.items():
            cells = _frozen_array(getattr(self, _CELLS[kind]), np.int64, width, _CELLS[kind])
            _check_indices(cells, len(nodes), kind)
            object.__setattr__(self, _CELLS[kind], cells)
            _freeze_groups(self, f"{kind}_groups", len(cells))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        sides = np.ptp(self.nodes, axis=0) if len(self.nodes) else np.zeros(3)
        size = " × ".join(f"{x:.4g}" for x in sides)
        groups = {**self.node_groups, **{name: x for kind in KINDS for name, x in self.groups(kind).items()}}
        named = f"; groups: {', '.join(groups)}" if groups else ""
        cells = f"{len(self.lines)} lines and {len(self.triangles)} triangles"
        for kind in ("quadrilateral", "tetrahedron"):
            cells += f", {len(self.cells(kind))} {_CELLS[kind]}" if len(self.cells(kind)) else ""
        return f"mesh of {len(self.nodes)} nodes, {cells}, {size} m{named}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of elements there can be, in the order they are written and drawn in."""
        return tuple(KINDS)

    def cells(self, kind: str) -> IntArray:
        """Return the node indices of the elements of a kind, one of :data:`KINDS`."""
        found: IntArray = getattr(self, _CELLS[kind])
        return found

    def groups(self, kind: str) -> Groups:
        """Return the named groups of elements of a kind."""
        found: Groups = getattr(self, f"{kind}_groups")
        return found

    @property
    def surface(self) -> IntArray:
        """Triangles (k, 3) to draw: triangles, quadrilaterals in halves, the skin of the tetrahedra."""
        return self._drawn()[0]

    @property
    def surface_owners(self) -> IntArray:
        """Element (k,) each drawn triangle is of, counted over triangles, quadrilaterals and tetrahedra."""
        return self._drawn()[1]

    def _drawn(self) -> tuple[IntArray, IntArray]:
        n, m, k = len(self.triangles), len(self.quadrilaterals), len(self.tetrahedra)
        halves = self.quadrilaterals[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
        faces = np.concatenate([self.tetrahedra[:, face] for face in _FACES])
        # the skin: faces that belong to one tetrahedron only
        _, first, count = np.unique(
            np.sort(faces[:, :3], axis=1), axis=0, return_index=True, return_counts=True
        )
        outer = np.sort(first[count == 1])
        quarters = faces[outer][:, _QUARTERS].reshape(-1, 3)
        owners = (np.arange(n), n + np.repeat(np.arange(m), 2), n + m + np.repeat(outer % max(k, 1), 4))
        return np.concatenate([self.triangles, halves, quarters]), np.concatenate(owners)

    def find_nodes(self, where: NodeRef) -> IntArray:
        """Return the indices a node reference stands for.

        Raises
        ------
        MeshError
            If the group does not exist (the ones that do are listed) or an index is out of range.
        """
        if isinstance(where, str):
            named = [
                self.cells(k)[self.groups(k)[where]].reshape(-1) for k in KINDS if where in self.groups(k)
            ]
            if named and where not in self.node_groups:
                return np.unique(np.concatenate(named))
            return find_group(self.node_groups, where, "node group")
        indices = np.atleast_1d(np.asarray(where))
        if indices.dtype.kind not in "iu" or indices.ndim != 1:
            raise MeshError(f"a node reference is {shown(where)}; expected the name of a group, or indices")
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
        if extra.shape[1:] != (3,):
            raise MeshError(f"points of {group!r} are {shown(points)}; expected three coordinates each")
        indices = np.arange(len(self.nodes), len(self.nodes) + len(extra))
        if group in self.node_groups:
            raise MeshError(f"node group {group!r} exists already")
        groups = {**self.node_groups, group: indices}
        return replace(self, nodes=np.vstack([self.nodes, extra]), node_groups=groups)

    def with_node_group(self, name: str, where: NodeRef) -> "Mesh":
        """Return the mesh with one more (or a replaced) node group."""
        return replace(self, node_groups={**self.node_groups, name: self.find_nodes(where)})

    def with_cells(self, kind: str, cells: IntArray, groups: Groups, node_groups: Groups) -> "Mesh":
        """Return the mesh with other elements of a kind, their groups and the groups of nodes."""
        changed: dict[str, Any] = {_CELLS[kind]: cells, f"{kind}_groups": groups, "node_groups": node_groups}
        return replace(self, **changed)

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
    n = len(first.nodes)

    def united(a: Groups, b: Groups, offset: int) -> dict[str, IntArray]:
        names = [*a, *(name for name in b if name not in a)]
        empty = np.empty(0, dtype=np.int64)
        return {n: np.concatenate([a.get(n, empty), b.get(n, empty) + offset]) for n in names}

    return Mesh(
        nodes=np.vstack([first.nodes, second.nodes]),
        node_groups=united(first.node_groups, second.node_groups, n),
        **{_CELLS[k]: np.vstack([first.cells(k), second.cells(k) + n]) for k in KINDS},  # type: ignore[arg-type]  # fields by name
        **{f"{k}_groups": united(first.groups(k), second.groups(k), len(first.cells(k))) for k in KINDS},  # type: ignore[arg-type]  # the same
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


def _freeze_groups(mesh: Mesh, name: str, count: int) -> None:
    groups: Groups = getattr(mesh, name)
    frozen: dict[str, IntArray] = {}
    for key, values in groups.items():
        indices = np.unique(np.asarray(values, dtype=np.int64).reshape(-1))
        if indices.size and (indices[0] < 0 or indices[-1] >= count):
            raise MeshError(f"{name} {key!r} refers to index {indices[-1]}; there are {count}")
        indices.setflags(write=False)
        frozen[str(key)] = indices
    object.__setattr__(mesh, name, MappingProxyType(frozen))
