"""Structured meshes: beams, arcs, panels, discs, cylinders and extruded facet curves. Lengths in metres."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexnet.errors import MeshError
from flexnet.mesh.mesh import Mesh
from flexnet.typing import Array, IntArray, Vector
from flexnet.validation import shown


def beam_mesh(length: float, elements: int, direction: Vector = (1.0, 0.0, 0.0)) -> Mesh:
    """Mesh a straight beam from the origin along ``direction``.

    Node groups ``start``, ``end`` and, for an even number of elements, ``middle``; line group ``beam``.
    """
    axis = np.asarray(direction, dtype=float)
    if not length > 0.0 or not np.linalg.norm(axis) > 0.0:
        raise MeshError(f"a beam of length {length} along {axis.tolist()} is no beam")
    return polyline_mesh([np.zeros(3), length * axis / np.linalg.norm(axis)], elements)


def _points(points: Sequence[Vector] | Array) -> Array:
    """Places (n, 3); two coordinates each would be read as fewer points of three."""
    try:
        found = np.asarray(points, dtype=float)
    except ValueError:
        found = np.zeros(0)
    if found.ndim != 2 or found.shape[1] != 3:
        raise MeshError(f"points are {shown(points)}; expected three coordinates each")
    return found


def polyline_mesh(points: Sequence[Vector] | Array, elements: int | Sequence[int]) -> Mesh:
    """Mesh straight pieces between points, each with ``elements`` lines (one number, or one per piece).

    Node groups ``start``, ``end``, ``middle`` (if it is a node) and ``point 0``, ``point 1`` …; line groups
    ``beam`` and ``piece 0``, ``piece 1`` ….
    """
    corners = _points(points)
    pieces = len(corners) - 1
    if pieces < 1:
        raise MeshError(f"a polyline needs at least two points, got {len(corners)}")
    counts = list(elements) if isinstance(elements, Sequence) else [elements] * pieces
    if len(counts) != pieces or not all(isinstance(n, int | np.integer) and n >= 1 for n in counts):
        many = "" if pieces == 1 else f", or one for each of the {pieces} pieces"
        raise MeshError(f"elements is {elements}; expected a whole number from 1 on{many}")
    nodes = [corners[:1]]
    for a, b, n in zip(corners[:-1], corners[1:], counts, strict=True):
        t = np.arange(1, n + 1)[:, None] / n
        nodes.append((1.0 - t) * a + t * b)
    ends = np.concatenate([[0], np.cumsum(counts)])
    total = int(ends[-1])
    groups = {"start": [0], "end": [total]} | {f"point {i}": [int(e)] for i, e in enumerate(ends)}
    if total % 2 == 0:
        groups["middle"] = [total // 2]
    pieces_groups = {f"piece {i}": np.arange(ends[i], ends[i + 1]) for i in range(pieces)}
    return Mesh(
        nodes=np.vstack(nodes),
        lines=np.column_stack([np.arange(total), np.arange(1, total + 1)]),
        node_groups={name: np.array(indices) for name, indices in groups.items()},
        line_groups={"beam": np.arange(total), **pieces_groups},
    )


def arc_mesh(radius: float, angle: float, elements: int) -> Mesh:
    """Mesh by chords a circular arc in the xy plane about the origin, from +x through ``angle`` [rad]."""
    t = angle * np.arange(elements + 1) / elements
    return polyline_mesh(radius * np.column_stack([np.cos(t), np.sin(t), np.zeros_like(t)]), 1)


WHOLE = "quadrilaterals"
DIAGONALS: dict[str, Callable[[IntArray, IntArray, int, int], np.ndarray]] = {
    "symmetric": lambda i, j, nx, ny: (2 * i < nx) == (2 * j < ny),
    "right": lambda i, j, nx, ny: np.ones_like(i, dtype=bool),
    "left": lambda i, j, nx, ny: np.zeros_like(i, dtype=bool),
    "alternate": lambda i, j, nx, ny: (i + j) % 2 == 0,
}
"""Which cells of a grid have a '/' diagonal; the others have '\\\\'."""


def panel_mesh(a: float, b: float, nx: int, ny: int, pattern: str = "symmetric") -> Mesh:
    r"""Mesh the rectangle 0 ≤ x ≤ a, 0 ≤ y ≤ b in the xy plane by 2·nx·ny triangles, normals along +z.

    Parameters
    ----------
    a, b : sides along x and y [m].
    nx, ny : cells along x and y.
    pattern : direction of the diagonals.
        ``symmetric`` mirrors them about both centre lines, so that a symmetric load gives no
        twist (even nx, ny);
        ``right`` is '/', ``left`` is '\', ``alternate`` is the union jack; ``quadrilaterals`` have none.

    Notes
    -----
    Node groups ``left``, ``right`` (x = 0, a), ``bottom``, ``top`` (y = 0, b), ``corners`` and, where it is a
    node, ``centre``; group of elements ``panel``.
    """
    if not (a > 0.0 and b > 0.0 and nx >= 1 and ny >= 1):
        raise MeshError(f"a panel of {a} × {b} m in {nx} × {ny} cells is no panel")
    if pattern == "symmetric" and (nx % 2 or ny % 2):
        raise MeshError(f"the symmetric pattern needs even numbers of cells, got {nx} × {ny}")
    nodes, cells = _grid(nx, ny, pattern)
    ix, iy = nodes[:, 0], nodes[:, 1]
    groups = {"left": ix == 0, "right": ix == nx, "bottom": iy == 0, "top": iy == ny}
    groups["corners"] = (groups["left"] | groups["right"]) & (groups["bottom"] | groups["top"])
    if nx % 2 == 0 and ny % 2 == 0:
        groups["centre"] = (2 * ix == nx) & (2 * iy == ny)
    xyz = np.column_stack([a * ix / nx, b * iy / ny, np.zeros(len(nodes))])
    return Mesh(
        nodes=xyz,
        node_groups={name: np.flatnonzero(mask) for name, mask in groups.items()},
        **_facets(cells, "panel"),
    )


def extruded_mesh(
    points: Sequence[Vector] | Array, along: Vector, cells: int, pattern: str = "right"
) -> Mesh:
    """Mesh the facet surface that a polyline of points sweeps along a vector.

    Parameters
    ----------
    points : (n, 3) corners of the curve [m]; first equal to last closes it.
    along : (3,) vector of the sweep [m].
    cells : number of cells along the sweep.
    pattern : diagonals, as in :func:`panel_mesh` (x along the curve, y along the sweep).

    Notes
    -----
    Node groups ``start``, ``end`` (both ends of the sweep), and for an open curve ``first``, ``last``;
    triangle group ``shell``.
    """
    curve = _points(points)
    n = len(curve) - 1
    if n < 1 or cells < 1:
        raise MeshError(f"{len(curve)} points and {cells} cells do not make a surface")
    ij, facets = _grid(n, cells, pattern)
    closed = bool(np.linalg.norm(curve[0] - curve[-1]) <= 1e-12 * np.ptp(curve, axis=0).max())
    nodes = curve[ij[:, 0]] + ij[:, 1:2] / cells * np.asarray(along, dtype=float)
    if closed:
        # the last column of nodes is the first
        kept = ij[:, 0] < n
        number = np.cumsum(kept) - 1
        number[~kept] = number[ij[~kept, 1] * (n + 1)]
        nodes, ij, facets = nodes[kept], ij[kept], number[facets]
    groups = {"start": ij[:, 1] == 0, "end": ij[:, 1] == cells}
    if not closed:
        groups |= {"first": ij[:, 0] == 0, "last": ij[:, 0] == n}
    return Mesh(
        nodes=nodes,
        node_groups={name: np.flatnonzero(mask) for name, mask in groups.items()},
        **_facets(facets, "shell"),
    )


def cylinder_mesh(
    radius: float,
    length: float,
    around: int,
    along: int,
    *,
    angles: tuple[float, float] = (0.0, 2.0 * np.pi),
    pattern: str = "right",
) -> Mesh:
    """Mesh a cylinder (or a sector of it between two angles [rad]) about the z axis, normals outward."""
    t = angles[0] + (angles[1] - angles[0]) * np.arange(around + 1) / around
    curve = radius * np.column_stack([np.cos(t), np.sin(t), np.zeros_like(t)])
    return extruded_mesh(curve, (0.0, 0.0, length), along, pattern)


def disc_mesh(radius: float, rings: int) -> Mesh:
    """Mesh a disc in the xy plane by 6·rings² triangles of nearly equal size, ring k having 6k nodes.

    Node groups ``centre`` and ``edge``; triangle group ``disc``.
    """
    if not radius > 0.0 or rings < 1:
        raise MeshError(f"a disc of radius {radius} m with {rings} rings is no disc")
    nodes = [np.zeros((1, 3))]
    triangles: list[tuple[int, int, int]] = []
    for k in range(1, rings + 1):
        t = 2.0 * np.pi * np.arange(6 * k) / (6 * k)
        nodes.append(radius * k / rings * np.column_stack([np.cos(t), np.sin(t), np.zeros_like(t)]))
        inner, outer = 3 * (k - 1) * (k - 2) + 1, 3 * k * (k - 1) + 1  # first node of each ring
        for sector in range(6):
            inside = [0] * k if k == 1 else [inner + (sector * (k - 1) + i) % (6 * (k - 1)) for i in range(k)]
            outside = [outer + (sector * k + i) % (6 * k) for i in range(k + 1)]
            triangles += [(inside[i], outside[i], outside[i + 1]) for i in range(k)]
            triangles += [(inside[i], outside[i + 1], inside[i + 1]) for i in range(k - 1)]
    count = 3 * rings * (rings + 1) + 1
    return Mesh(
        nodes=np.vstack(nodes),
        triangles=np.array(triangles),
        node_groups={"centre": np.array([0]), "edge": np.arange(count - 6 * rings, count)},
        triangle_groups={"disc": np.arange(len(triangles))},
    )


def block_mesh(a: float, b: float, c: float, cells: tuple[int, int, int]) -> Mesh:
    """Mesh the block 0 ≤ x ≤ a, 0 ≤ y ≤ b, 0 ≤ z ≤ c by six tetrahedra of ten nodes a cell.

    Node groups ``left``, ``right`` (x = 0, a), ``front``, ``back`` (y = 0, b), ``bottom``, ``top`` (z = 0,
    c); group of tetrahedra ``block``.
    """
    if not (min(a, b, c) > 0.0 and min(cells) >= 1):
        raise MeshError(f"a block of {a} × {b} × {c} m in {cells} cells is no block")
    sizes = 2 * np.array(cells) + 1
    corner = 2 * np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 3)
    tetrahedra = []
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
        # along three edges of the cell from its first corner to its last; odd orders are turned round
        steps = 2 * np.cumsum(np.eye(4, 3, -1, dtype=np.int64)[:, np.argsort(order)], axis=0)
        corners = steps if order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else steps[[0, 2, 1, 3]]
        middles = [
            (corners[i] + corners[j]) // 2 for i, j in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
        ]
        tetrahedra.append(corner[:, None] + np.array([*corners, *middles]))
    ijk = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.concatenate(tetrahedra) @ np.array([sizes[1] * sizes[2], sizes[2], 1])
    ends = (("left", "right"), ("front", "back"), ("bottom", "top"))
    groups = {ends[k][s]: ijk[:, k] == s * (sizes[k] - 1) for k in range(3) for s in range(2)}
    return Mesh(
        nodes=ijk * np.array([a, b, c]) / (sizes - 1),
        tetrahedra=number,
        node_groups={name: np.flatnonzero(mask) for name, mask in groups.items()},
        tetrahedron_groups={"block": np.arange(len(number))},
    )


def _grid(nx: int, ny: int, pattern: str) -> tuple[IntArray, IntArray]:
    """Integer node positions (n, 2), x running fastest, and facets of a grid of nx × ny cells."""
    if pattern not in (*DIAGONALS, WHOLE):
        raise MeshError(f"no diagonal pattern {pattern!r}; there are: {', '.join(DIAGONALS)}, {WHOLE}")
    j, i = np.divmod(np.arange(nx * ny), nx)
    p00 = j * (nx + 1) + i
    p10, p01, p11 = p00 + 1, p00 + nx + 1, p00 + nx + 2
    if pattern == WHOLE:
        return _places(nx, ny), np.column_stack([p00, p10, p11, p01])
    slash = DIAGONALS[pattern](i, j, nx, ny)[:, None]
    lower = np.where(slash, np.column_stack([p00, p10, p11]), np.column_stack([p00, p10, p01]))
    upper = np.where(slash, np.column_stack([p00, p11, p01]), np.column_stack([p10, p11, p01]))
    triangles = np.stack([lower, upper], axis=1).reshape(-1, 3)
    return _places(nx, ny), triangles


def _places(nx: int, ny: int) -> IntArray:
    y, x = np.divmod(np.arange((nx + 1) * (ny + 1)), nx + 1)
    return np.column_stack([x, y])


def _facets(cells: IntArray, group: str) -> dict[str, Any]:
    """Facets and their group, as arguments of a mesh."""
    kind = "triangle" if cells.shape[1] == 3 else "quadrilateral"
    return {f"{kind}s": cells, f"{kind}_groups": {group: np.arange(len(cells))}}
