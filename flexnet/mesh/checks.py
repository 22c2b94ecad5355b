"""Checks a mesh must pass before anything is computed on it; every error names the element."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from flexnet.errors import MeshError
from flexnet.mesh.mesh import Mesh
from flexnet.typing import IntArray

SLENDERNESS = 1e-6  # height / longest edge below which a triangle is a line


def check_mesh(mesh: Mesh) -> None:
    """Raise MeshError for a degenerate, duplicate or inverted element, naming it."""
    check_degenerate(mesh)
    check_duplicate(mesh)
    check_inverted(mesh)


def check_degenerate(mesh: Mesh) -> None:
    """Raise MeshError for a line without length or a triangle without area."""
    size = float(np.ptp(mesh.nodes, axis=0).max()) if len(mesh.nodes) else 0.0
    length = np.linalg.norm(mesh.nodes[mesh.lines[:, 1]] - mesh.nodes[mesh.lines[:, 0]], axis=1)
    _raise_first(length <= 1e-12 * size, mesh.lines, "line", "has no length")
    corners = mesh.nodes[mesh.triangles]  # (element, corner, xyz)
    edges = corners[:, [1, 2, 0]] - corners
    longest = np.linalg.norm(edges, axis=2).max(axis=1, initial=0.0)
    twice_area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    _raise_first(twice_area <= SLENDERNESS * longest**2, mesh.triangles, "triangle", "has no area")


def check_duplicate(mesh: Mesh) -> None:
    """Raise MeshError for two elements on the same nodes."""
    for cells, kind in ((mesh.lines, "line"), (mesh.triangles, "triangle")):
        keys, first, inverse = np.unique(
            np.sort(cells, axis=1), axis=0, return_index=True, return_inverse=True
        )
        if len(keys) < len(cells):
            twin = first[inverse.reshape(-1)]
            element = int(np.flatnonzero(twin != np.arange(len(cells)))[0])
            raise MeshError(
                f"{kind} {element} repeats {kind} {twin[element]} on nodes {cells[element].tolist()}"
            )


def check_inverted(mesh: Mesh) -> None:
    """Raise MeshError if two neighbouring triangles have opposite normals.

    Two triangles on one edge must walk along it in opposite directions. Edges of more than two triangles
    (a stiffener on a plate) have no such rule and are skipped.
    """
    tri = mesh.triangles
    edges = np.concatenate([tri[:, [0, 1]], tri[:, [1, 2]], tri[:, [2, 0]]])  # directed
    owner = np.tile(np.arange(len(tri)), 3)
    undirected, inverse, count = np.unique(
        np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    inverse = inverse.reshape(-1)
    # +1 and -1 cancel on an edge between two triangles of the same orientation
    balance = np.bincount(inverse, np.sign(edges[:, 1] - edges[:, 0]), len(undirected))
    wrong = np.flatnonzero((count == 2) & (balance != 0))
    if wrong.size:
        pair = owner[inverse == wrong[0]]
        guilty = max(pair, key=lambda e: np.count_nonzero(np.isin(inverse[owner == e], wrong)))
        other = pair[0] if guilty == pair[1] else pair[1]
        raise MeshError(
            f"triangle {guilty} is inverted: its normal is opposite to that of its neighbour {other}"
            f" across nodes {undirected[wrong[0]].tolist()}; reverse its node order"
        )


def connected_parts(mesh: Mesh, links: IntArray | None = None) -> IntArray:
    """Return the number of the connected part each node belongs to.

    Parameters
    ----------
    mesh : lines and triangles connect their nodes.
    links : (n, 2) array
        Further pairs of connected nodes (rigid links, interfaces).
    """
    pairs = [mesh.lines, mesh.triangles[:, :2], mesh.triangles[:, 1:]]
    if links is not None:
        pairs.append(links)
    edges = np.concatenate(pairs)
    n = len(mesh.nodes)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def check_connected(mesh: Mesh, links: IntArray | None = None) -> None:
    """Raise MeshError if the mesh falls apart or a node belongs to no element, naming node and element."""
    part = connected_parts(mesh, links)
    main = np.bincount(part).argmax() if part.size else 0
    loose = np.flatnonzero(part != main)
    if loose.size == 0:
        return
    node = int(loose[0])
    for cells, kind in ((mesh.lines, "line"), (mesh.triangles, "triangle")):
        elements = np.flatnonzero(np.isin(cells, loose).any(axis=1))
        if elements.size:
            raise MeshError(
                f"{kind} {elements[0]} (node {cells[elements[0], 0]}) is not connected to the rest,"
                f" nor are {elements.size - 1} other {kind}s; join the nodes or add a rigid link"
            )
    raise MeshError(f"node {node} belongs to no element and no link")


def _raise_first(bad: np.ndarray, cells: IntArray, kind: str, what: str) -> None:
    if bad.any():
        element = int(np.flatnonzero(bad)[0])
        raise MeshError(f"{kind} {element} on nodes {cells[element].tolist()} {what}")
