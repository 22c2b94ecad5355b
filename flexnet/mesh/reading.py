"""Read meshes of other programs: Gmsh, Abaqus, Nastran, VTK, XDMF, STL.

Groups come from what the format has: Gmsh physical names (points become node groups), Abaqus ``*NSET`` and
``*ELSET``, Nastran property numbers (``property 7``), and in the VTK family an integer cell array named like
:data:`CELL_TAGS` (``tag 7``). Nothing in a file is executed and no other file is opened, but the HDF5 file
beside an XDMF file. A file that is not what it should be, or that keeps its parser busier than its size
allows, raises an error that names it.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from flexnet.errors import MeshError
from flexnet.mesh.guard import RawMesh, read_guarded
from flexnet.mesh.mesh import KINDS as CELLS
from flexnet.mesh.mesh import Mesh
from flexnet.mesh.simplify import simplified
from flexnet.typing import AnyArray, IntArray
from flexnet.validation import existing_file

logger = logging.getLogger(__name__)

SUFFIXES = (".msh", ".inp", ".bdf", ".nas", ".fem", ".vtk", ".vtu", ".xdmf", ".stl")
CELL_TAGS = {"nastran:ref": "property", "tag": "tag", "medit:ref": "tag"}
KINDS = {
    "vertex": "node", "line": "line", "triangle": "triangle", "quad": "quadrilateral",
    "tetra10": "tetrahedron",
}  # fmt: skip
WIDTH = {"node": 1, **CELLS}
DIMENSION = {"node": 0, "line": 1, "triangle": 2, "quadrilateral": 2, "tetrahedron": 3}  # of Gmsh's groups

Block: TypeAlias = tuple[str, IntArray]  # kind and node indices of the elements of one block


def read_mesh(path: str | Path) -> Mesh:
    """Read a mesh file; the format follows from its suffix.

    Nodes that no element, group or set refers to (construction points) are dropped. Lines and facets of
    second order are reduced to their corners. Tetrahedra of four nodes get nodes in the middle of edges; what
    lies on them is cut there. The log of ``flexnet`` says so. Any group of elements also names
    its nodes; lines without a region are edges, facets without one on tetrahedra are faces
    (:class:`~flexnet.fem.Body`).

    Raises
    ------
    MeshError
        If the file is missing, unreadable or truncated, or has elements other than lines, triangles,
        quadrilaterals and tetrahedra; the file and the element type are named.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise MeshError(f"{path}: suffix {Path(path).suffix!r} is not one of {', '.join(SUFFIXES)}")
    path = existing_file(path, MeshError)
    try:
        raw = read_guarded(path)
    except MeshError as error:
        raise MeshError(f"{path}: cannot be read as a {path.suffix} mesh ({error})") from error
    try:
        return to_mesh(simplified(raw))
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from error


def to_mesh(raw: RawMesh) -> Mesh:
    """Make a mesh of what a parser found.

    Raises
    ------
    MeshError
        If the parts do not fit each other.
    """
    blocks = list(_blocks(raw))
    groups: dict[str, dict[str, list[IntArray]]] = {kind: {} for kind in KINDS.values()}
    for kind, name, members in _named_members(raw, blocks):
        groups[kind].setdefault(name, []).append(members)
    for name, members in raw.point_sets.items():
        groups["node"].setdefault(name, []).append(_indices(members, len(raw.points), f"node set {name!r}"))
    joined = {
        kind: {name: np.unique(np.concatenate(parts)) for name, parts in named.items()}
        for kind, named in groups.items()
    }
    if raw.points.ndim != 2 or raw.points.shape[1] > 3 or raw.points.dtype.kind not in "fiu":
        raise MeshError(f"its nodes form a {raw.points.dtype} array of shape {raw.points.shape}")
    nodes = np.zeros((len(raw.points), 3))
    nodes[:, : raw.points.shape[1]] = raw.points
    cells = {kind: _stacked(blocks, kind, width) for kind, width in CELLS.items()}
    if "gmsh:physical" in raw.cell_data:
        for kind in cells:
            cells[kind], number = _without_copies(cells[kind])
            joined[kind] = {name: np.unique(number[members]) for name, members in joined[kind].items()}
    return _without_unused_nodes(nodes, cells, joined)


def _blocks(raw: RawMesh) -> Iterator[Block]:
    for kind, data in raw.cells:
        if kind not in KINDS:
            raise MeshError(
                f"element type {kind!r} ({len(data)} elements) is not supported;"
                " flexnet takes lines, triangles, quadrilaterals and tetrahedra"
            )
        width = WIDTH[KINDS[kind]]
        if data.ndim != 2 or data.shape[1] != width or data.dtype.kind not in "iu":
            raise MeshError(f"its {kind} elements form a {data.dtype} array of shape {data.shape}")
        yield KINDS[kind], data.astype(np.int64)


def _indices(found: AnyArray, count: int, name: str) -> IntArray:
    """Members of a set, each of which must be there."""
    members = found.reshape(-1)
    if members.size and (members.dtype.kind not in "iu" or members.min() < 0 or members.max() >= count):
        raise MeshError(f"{name} refers to something that is not among its {count}")
    return members.astype(np.int64)


def _stacked(blocks: list[Block], kind: str, width: int) -> IntArray:
    return np.concatenate(
        [np.empty((0, width), dtype=np.int64), *(cells for k, cells in blocks if k == kind)]
    )


def _named_members(raw: RawMesh, blocks: list[Block]) -> Iterator[tuple[str, str, IntArray]]:
    """Kind, group name and members (elements numbered within their kind; nodes for vertices)."""
    physical_names = {(tag, dim): name for name, (tag, dim) in raw.field_data.items()}
    first = dict.fromkeys(WIDTH, 0)
    for number, (kind, cells) in enumerate(blocks):
        members = cells[:, 0] if kind == "node" else first[kind] + np.arange(len(cells))
        first[kind] += len(cells)
        for tag, chosen in _tagged(raw, "gmsh:physical", number, len(cells)):
            yield kind, physical_names.get((tag, DIMENSION[kind]), f"physical {tag}"), members[chosen]
        for key, word in CELL_TAGS.items():
            for tag, chosen in _tagged(raw, key, number, len(cells)):
                yield kind, f"{word} {tag}", members[chosen]
        for name, sets in raw.cell_sets.items():
            if number < len(sets) and (found := sets[number]) is not None:
                yield kind, name, members[_indices(found, len(cells), f"element set {name!r}")]


def _tagged(raw: RawMesh, key: str, number: int, count: int) -> Iterator[tuple[int, AnyArray]]:
    parts = raw.cell_data.get(key, [])
    if number >= len(parts):
        return
    tags = parts[number].reshape(-1)
    if tags.size != count or tags.dtype.kind not in "iuf":
        raise MeshError(f"its {key!r} numbers do not fit its elements")
    for tag in np.unique(tags[np.isfinite(tags)]):
        if tag > 0:
            yield int(tag), tags == tag


def _without_copies(cells: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct elements in order of appearance, and the new number of each old one.

    Gmsh writes an element once for every physical group it belongs to.
    """
    _, first, inverse = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return cells[first[order]], rank[inverse.reshape(-1)]


def _without_unused_nodes(
    nodes: AnyArray, cells: dict[str, IntArray], groups: dict[str, dict[str, IntArray]]
) -> Mesh:
    used = np.zeros(len(nodes), dtype=bool)
    for indices in (*cells.values(), *groups["node"].values()):
        if indices.size and (indices.min() < 0 or indices.max() >= len(nodes)):
            raise MeshError(f"an element refers to node {indices.max()}; the file has {len(nodes)} nodes")
        used[indices.reshape(-1)] = True
    if not used.all():
        logger.info("dropped %d nodes that belong to no element and no group", np.count_nonzero(~used))
    number = np.cumsum(used) - 1
    return Mesh(
        nodes=nodes[used],
        lines=number[cells["line"]],
        triangles=number[cells["triangle"]],
        quadrilaterals=number[cells["quadrilateral"]],
        tetrahedra=number[cells["tetrahedron"]],
        node_groups={name: number[indices] for name, indices in groups["node"].items()},
        **{f"{kind}_groups": groups[kind] for kind in cells},
    )
