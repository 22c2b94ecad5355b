"""Cells of other programs as two-node lines and three-node triangles."""

import logging
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


def simplified(raw: RawMesh) -> RawMesh:
    """Reduce cells of second order to their corners and cut quadrilaterals into two triangles; say so.

    Sets and numbers of cells follow; nodes in the middle of sides leave the node sets.

    Raises
    ------
    MeshError
        If such a cell has another number of nodes than its type, or nodes that are not there.
    """
    cells = [_corners(kind, nodes) for kind, nodes in raw.cells]
    middles = _middles(raw, cells)
    if middles.size:
        logger.info("cells of second order are reduced to their corners; %d nodes are not used", middles.size)
    is_quad = [kind == "quad" for kind, _ in cells]
    out = []
    for kind, nodes in cells:
        out.append(("triangle", _cut(raw.points, nodes)) if kind == "quad" else (kind, nodes))
    if any(is_quad):
        count = sum(len(nodes) for kind, nodes in cells if kind == "quad")
        logger.info("%d quadrilaterals are cut into two triangles each", count)
    return replace(
        raw,
        cells=out,
        cell_data={
            key: [_twice(x, i < len(is_quad) and is_quad[i]) for i, x in enumerate(parts)]
            for key, parts in raw.cell_data.items()
        },
        cell_sets={
            name: [_halves(x, i < len(is_quad) and is_quad[i]) for i, x in enumerate(parts)]
            for name, parts in raw.cell_sets.items()
        },
        point_sets={name: nodes[~np.isin(nodes, middles)] for name, nodes in raw.point_sets.items()},
    )


def _corners(kind: str, nodes: AnyArray) -> tuple[str, AnyArray]:
    """A block with the corners of its cells alone."""
    if kind == "quad" and (nodes.ndim != 2 or nodes.shape[1] != 4 or nodes.dtype.kind not in "iu"):
        raise MeshError(f"its {kind} elements form a {nodes.dtype} array of shape {nodes.shape}")
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


def _cut(points: AnyArray, quads: AnyArray) -> AnyArray:
    """Triangles (2n, 3) of quadrilaterals (n, 4), cut along the shorter diagonal, their orientation kept."""
    if points.ndim != 2 or points.dtype.kind not in "fiu":
        raise MeshError(f"its nodes form a {points.dtype} array of shape {points.shape}")
    if quads.size and (quads.min() < 0 or quads.max() >= len(points)):
        raise MeshError(f"an element refers to node {quads.max()}; the file has {len(points)} nodes")
    x = points[quads]
    is_first = np.linalg.norm(x[:, 2] - x[:, 0], axis=1) <= np.linalg.norm(x[:, 3] - x[:, 1], axis=1) * (
        1 + 1e-9
    )
    first, second = quads[:, [0, 1, 2, 0, 2, 3]], quads[:, [0, 1, 3, 1, 2, 3]]
    return np.where(is_first[:, None], first, second).reshape(-1, 3)


def _twice(numbers: AnyArray, is_quad: bool) -> AnyArray:
    return np.repeat(numbers.reshape(-1), 2) if is_quad else numbers


def _halves(members: AnyArray | None, is_quad: bool) -> AnyArray | None:
    if members is None or not is_quad or members.dtype.kind not in "iu":
        return members
    return (2 * members.reshape(-1, 1) + np.arange(2)).reshape(-1)
