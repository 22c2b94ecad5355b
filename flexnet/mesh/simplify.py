"""Cells of other programs as those flexnet has: straight lines and facets, tetrahedra with ten nodes."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexnet.errors import MeshError
from flexnet.mesh.guard import RawMesh
from flexnet.typing import AnyArray

logger = logging.getLogger(__name__)

#: cells of second order: those of their corners, and the number of these
SECOND_ORDER = {
    "line3": ("line", 2),
    "triangle6": ("triangle", 3),
    "quad8": ("quad", 4),
    "quad9": ("quad", 4),
}


EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
"""Edges of a tetrahedron, in the order of the nodes in their middles."""

#: lines and faces beside tetrahedra: what they are with nodes in the middle of their edges, and these edges
BESIDE = {"line": ("line3", ((0, 1),)), "triangle": ("triangle6", ((0, 1), (1, 2), (2, 0)))}
#: what they are cut into, so that whoever names them names all their nodes
CUT = {
    "line3": ("line", ((0, 2), (2, 1))),
    "triangle6": ("triangle", ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5))),
}


def simplified(raw: RawMesh) -> RawMesh:
    """Reduce cells of second order to their corners, but those of solids; say so.

    Tetrahedra have ten nodes: four-node ones get the middles of their edges. Beside tetrahedra faces are cut
    into four triangles and lines into two, so that a named face or edge names all its nodes. Sets and numbers
    of cells follow; nodes in the middle of sides leave the node sets.

    Raises
    ------
    MeshError
        If such a cell has another number of nodes than its type, or nodes that are not there.
    """
    raw = _with_middles(raw)
    is_solid = any(kind == "tetra10" for kind, _ in raw.cells)
    cells, parts = [], []  # and into how many each cell of a block is cut
    for kind, nodes in raw.cells:
        is_cut = is_solid and kind in CUT
        cells.append(_cut(kind, nodes) if is_cut else _corners(kind, nodes))
        parts.append(len(CUT[kind][1]) if is_cut else 1)
    middles = _middles(raw, cells)
    if middles.size:
        logger.info("cells of second order are reduced to their corners; %d nodes are not used", middles.size)

    def times(found: Sequence[object]) -> list[int]:
        return [parts[i] if i < len(parts) else 1 for i in range(len(found))]

    return replace(
        raw,
        cells=cells,
        cell_data={
            key: [
                np.repeat(x.reshape(-1), n) if n > 1 else x for x, n in zip(found, times(found), strict=True)
            ]
            for key, found in raw.cell_data.items()
        },
        cell_sets={
            name: [_pieces(x, n) for x, n in zip(found, times(found), strict=True)]
            for name, found in raw.cell_sets.items()
        },
        point_sets={name: nodes[~np.isin(nodes, middles)] for name, nodes in raw.point_sets.items()},
    )


def _with_middles(raw: RawMesh) -> RawMesh:
    """Give tetrahedra of four nodes the middles of their edges, which are new nodes."""
    if not any(kind == "tetra" for kind, _ in raw.cells):
        return raw
    blocks = [nodes for kind, nodes in raw.cells if kind == "tetra"]
    for nodes in blocks:
        if nodes.ndim != 2 or nodes.shape[1] != 4 or nodes.dtype.kind not in "iu":
            raise MeshError(f"its tetra elements form a {nodes.dtype} array of shape {nodes.shape}")
        _check_inside(raw, nodes)
    edges = [np.sort(nodes[:, EDGES], axis=2).reshape(-1, 2) for nodes in blocks]
    ends, number = np.unique(np.concatenate(edges), axis=0, return_inverse=True)
    number = len(raw.points) + number.reshape(-1, 6)
    logger.info("tetrahedra of four nodes get %d nodes in the middle of their edges", len(ends))
    keys = ends[:, 0] * len(raw.points) + ends[:, 1]
    cells, at = [], 0
    for kind, nodes in raw.cells:
        if kind == "tetra":
            cells.append(("tetra10", np.hstack([nodes.astype(np.int64), number[at : at + len(nodes)]])))
            at += len(nodes)
        else:
            cells.append(_beside(kind, nodes, keys, len(raw.points)))
    return replace(raw, cells=cells, points=np.vstack([raw.points, raw.points[ends].mean(axis=1)]))


def _beside(kind: str, nodes: AnyArray, keys: AnyArray, n: int) -> tuple[str, AnyArray]:
    """Lines and triangles on edges of tetrahedra, keys a·n + b in order, with the nodes in their middles."""
    if kind not in BESIDE or nodes.ndim != 2 or nodes.dtype.kind not in "iu" or not nodes.size:
        return kind, nodes
    simple, edges = BESIDE[kind]
    if nodes.shape[1] != max(max(edges)) + 1:
        return kind, nodes
    nodes = nodes.astype(np.int64)
    pairs = np.sort(nodes[:, edges], axis=2)
    asked = pairs[..., 0] * n + pairs[..., 1]
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    if not np.array_equal(keys[place], asked):
        return kind, nodes  # not all of them: a shell or a beam that meets the solid elsewhere
    return simple, np.hstack([nodes, n + place])


def _check_inside(raw: RawMesh, nodes: AnyArray) -> None:
    if raw.points.ndim != 2 or raw.points.dtype.kind not in "fiu":
        raise MeshError(f"its nodes form a {raw.points.dtype} array of shape {raw.points.shape}")
    if nodes.size and (nodes.min() < 0 or nodes.max() >= len(raw.points)):
        raise MeshError(f"an element refers to node {nodes.max()}; the file has {len(raw.points)} nodes")


def _cut(kind: str, nodes: AnyArray) -> tuple[str, AnyArray]:
    """Two lines of each line with three nodes, four triangles of each triangle with six."""
    simple, pieces = CUT[kind]
    if nodes.ndim != 2 or nodes.shape[1] != max(map(max, pieces)) + 1 or nodes.dtype.kind not in "iu":
        raise MeshError(f"its {kind} elements form a {nodes.dtype} array of shape {nodes.shape}")
    return simple, nodes[:, pieces].reshape(-1, len(pieces[0]))


def _pieces(members: AnyArray | None, n: int) -> AnyArray | None:
    if members is None or n == 1 or members.dtype.kind not in "iu":
        return members
    # Gmsh's numbers are unsigned, which NumPy adds to signed ones as floats
    return (n * members.astype(np.int64).reshape(-1, 1) + np.arange(n)).reshape(-1)


def _corners(kind: str, nodes: AnyArray) -> tuple[str, AnyArray]:
    """A block with the corners of its cells alone."""
    if kind not in SECOND_ORDER:
        return kind, nodes
    simple, corners = SECOND_ORDER[kind]
    if nodes.ndim != 2 or nodes.shape[1] <= corners or nodes.dtype.kind not in "iu":
        raise MeshError(f"its {kind} elements form a {nodes.dtype} array of shape {nodes.shape}")
    return simple, nodes[:, :corners]


def _middles(raw: RawMesh, cells: list[tuple[str, AnyArray]]) -> AnyArray:
    """Nodes that are in the middle of sides and no corner of any cell."""
    before = [nodes.reshape(-1) for kind, nodes in raw.cells if kind in SECOND_ORDER]
    if not before:
        return np.empty(0, dtype=np.int64)
    corners = [nodes.reshape(-1) for _, nodes in cells if nodes.dtype.kind in "iu"]
    return np.setdiff1d(np.concatenate(before), np.concatenate(corners))
