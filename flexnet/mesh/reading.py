"""Read meshes of other programs: Gmsh, Abaqus, Nastran, VTK, XDMF, STL.

Groups come from what the format has: Gmsh physical names (points become node groups), Abaqus ``*NSET`` and
``*ELSET``, Nastran property numbers (``property 7``), and in the VTK family an integer cell array named like
:data:`CELL_TAGS` (``tag 7``). Nothing in a file is executed, and a file that is not what it should be raises
an error that names it.
"""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import meshio
import numpy as np

from flexnet.errors import MeshError
from flexnet.mesh.mesh import Mesh
from flexnet.typing import AnyArray, IntArray

logger = logging.getLogger(__name__)

READERS: dict[str, Callable[[str], Any]] = {
    ".msh": meshio.gmsh.read,
    ".inp": meshio.abaqus.read,
    ".bdf": meshio.nastran.read,
    ".nas": meshio.nastran.read,
    ".fem": meshio.nastran.read,
    ".vtk": meshio.vtk.read,
    ".vtu": meshio.vtu.read,
    ".xdmf": meshio.xdmf.read,
    ".stl": meshio.stl.read,
}
CELL_TAGS = {"nastran:ref": "property", "tag": "tag", "medit:ref": "tag"}
KINDS = {"vertex": "node", "line": "line", "triangle": "triangle"}

Block: TypeAlias = tuple[str, IntArray]  # kind and node indices of the elements of one block


def read_mesh(path: str | Path) -> Mesh:
    """Read a mesh file; the format follows from its suffix.

    Nodes that no element, group or set refers to (construction points) are dropped.

    Raises
    ------
    MeshError
        If the file is missing, unreadable or truncated, or has elements other than two-node lines and
        three-node triangles; the file and the element type are named.
    """
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise MeshError(f"{path}: suffix {path.suffix!r} is not one of {', '.join(READERS)}")
    if not path.is_file():
        raise MeshError(f"{path}: no such file")
    try:
        raw = READERS[path.suffix.lower()](str(path))
    except (Exception, SystemExit) as error:  # a foreign parser meeting a broken file may raise anything
        raise MeshError(
            f"{path}: cannot be read as a {path.suffix} mesh ({error or type(error).__name__})"
        ) from error
    try:
        return _to_mesh(raw)
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from error


def _to_mesh(raw: Any) -> Mesh:
    blocks = list(_blocks(raw))
    groups: dict[str, dict[str, list[IntArray]]] = {kind: {} for kind in KINDS.values()}
    for kind, name, members in _named_members(raw, blocks):
        groups[kind].setdefault(name, []).append(members)
    for name, members in (raw.point_sets or {}).items():
        groups["node"].setdefault(str(name), []).append(np.asarray(members, dtype=np.int64))
    joined = {
        kind: {name: np.unique(np.concatenate(parts)) for name, parts in named.items()}
        for kind, named in groups.items()
    }
    nodes = np.zeros((len(raw.points), 3))
    nodes[:, : raw.points.shape[1]] = raw.points
    cells = {"line": _stacked(blocks, "line", 2), "triangle": _stacked(blocks, "triangle", 3)}
    if "gmsh:physical" in raw.cell_data:
        for kind in cells:
            cells[kind], number = _without_copies(cells[kind])
            joined[kind] = {name: np.unique(number[members]) for name, members in joined[kind].items()}
    return _without_unused_nodes(nodes, cells, joined)


def _blocks(raw: Any) -> Iterator[Block]:
    for block in raw.cells:
        if block.type not in KINDS:
            raise MeshError(
                f"element type {block.type!r} ({len(block.data)} elements) is not supported;"
                " flexnet takes two-node lines and three-node triangles"
            )
        yield KINDS[block.type], np.asarray(block.data, dtype=np.int64)


def _stacked(blocks: list[Block], kind: str, width: int) -> IntArray:
    return np.concatenate(
        [np.empty((0, width), dtype=np.int64), *(cells for k, cells in blocks if k == kind)]
    )


def _named_members(raw: Any, blocks: list[Block]) -> Iterator[tuple[str, str, IntArray]]:
    """Kind, group name and members (elements numbered within their kind; nodes for vertices)."""
    physical_names = {(int(tag), int(dim)): str(name) for name, (tag, dim) in _physical_names(raw).items()}
    first = {"node": 0, "line": 0, "triangle": 0}
    for number, (kind, cells) in enumerate(blocks):
        members = cells[:, 0] if kind == "node" else first[kind] + np.arange(len(cells))
        first[kind] += len(cells)
        dim = {"node": 0, "line": 1, "triangle": 2}[kind]
        for tag, chosen in _tagged(raw, "gmsh:physical", number):
            yield kind, physical_names.get((tag, dim), f"physical {tag}"), members[chosen]
        for key, word in CELL_TAGS.items():
            for tag, chosen in _tagged(raw, key, number):
                yield kind, f"{word} {tag}", members[chosen]
        for name, sets in (raw.cell_sets or {}).items():
            if not name.startswith("gmsh:") and number < len(sets) and sets[number] is not None:
                yield kind, str(name), members[np.asarray(sets[number], dtype=np.int64)]


def _physical_names(raw: Any) -> dict[str, AnyArray]:
    return {name: value for name, value in (raw.field_data or {}).items() if np.size(value) == 2}


def _tagged(raw: Any, key: str, number: int) -> Iterator[tuple[int, AnyArray]]:
    if key in raw.cell_data:
        tags = np.asarray(raw.cell_data[key][number]).reshape(-1)
        for tag in np.unique(tags):
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
        node_groups={name: number[indices] for name, indices in groups["node"].items()},
        line_groups=groups["line"],
        triangle_groups=groups["triangle"],
    )
