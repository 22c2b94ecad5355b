"""Checks a mesh must pass before anything is computed on it; every error names the element."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from flexnet.errors import MeshError
from flexnet.mesh.mesh import KINDS, Mesh
from flexnet.mesh.simplify import EDGES
from flexnet.typing import AnyArray, IntArray

SLENDERNESS = 1e-6  # height / longest edge below which a triangle is a line


def check_mesh(mesh: Mesh) -> None:
    """Raise MeshError for a degenerate, folded, duplicate or inverted element, naming it."""
    check_degenerate(mesh)
    check_folded(mesh)
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
    _raise_first(_hollow(mesh), mesh.quadrilaterals, "quadrilateral", "is not convex or has no area")
    X = mesh.nodes[mesh.tetrahedra[:, :4]]
    a, b, c = X[:, 1] - X[:, 0], X[:, 2] - X[:, 0], X[:, 3] - X[:, 0]
    size3 = np.linalg.norm(np.stack([a, b, c]), axis=2).max(axis=0, initial=0.0) ** 3
    volume = np.einsum("ei,ei->e", np.cross(a, b), c)
    _raise_first(
        volume <= SLENDERNESS * size3, mesh.tetrahedra, "tetrahedron", "has no volume or is inverted"
    )


def check_folded(mesh: Mesh) -> None:
    """Raise MeshError for a tetrahedron that folds over itself at a corner, naming its place.

    The edge from corner i to j, with the node m in its middle, leaves i along t = 4 m - 3 x_i - x_j; the
    element is turned inside out there where the three t of a corner are left-handed.
    """
    x, ends = mesh.nodes[mesh.tetrahedra], [set(edge) for edge in EDGES]
    for i, around in enumerate(((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))):
        middle = [4 + ends.index({i, j}) for j in around]
        t = 4.0 * x[:, middle] - 3.0 * x[:, [i]] - x[:, around]
        bad = np.flatnonzero(np.linalg.det(t) <= 0.0)
        if bad.size:
            place = ", ".join(f"{c:.4g}" for c in x[bad[0], i])
            raise MeshError(
                f"tetrahedron {bad[0]} folds over itself at ({place}) m: a node in the middle of an edge is"
                " displaced; mesh finer there, or straighten it (in Gmsh Mesh.HighOrderOptimize = 1 or"
                " Mesh.SecondOrderLinear = 1)"
            )


def _hollow(mesh: Mesh) -> AnyArray:
    """Which quadrilaterals have a corner that is straight, or turns the other way."""
    X = mesh.nodes[mesh.quadrilaterals]
    side, normal = np.roll(X, -1, axis=1) - X, np.cross(X[:, 2] - X[:, 0], X[:, 3] - X[:, 1])
    corner = np.einsum("eci,ei->ec", np.cross(np.roll(side, 1, axis=1), side), normal)
    size = np.linalg.norm(side, axis=2).max(axis=1, initial=0.0)
    return np.asarray(corner.min(axis=1, initial=np.inf) <= SLENDERNESS * size**4)


def check_duplicate(mesh: Mesh) -> None:
    """Raise MeshError for two elements on the same nodes."""
    for kind in KINDS:
        cells = mesh.cells(kind)
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
    """Raise MeshError if two neighbouring facets have opposite normals.

    Two triangles or quadrilaterals on one edge must walk along it in opposite directions. Edges of more than
    two (a stiffener on a plate) have no such rule and are skipped.
    """
    parts, owners = [], []
    for cells in (mesh.triangles, mesh.quadrilaterals):
        parts.append(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2))  # directed
        owners.append(np.repeat(np.arange(len(cells)), cells.shape[1]))
    n = len(mesh.triangles)
    edges, owner = np.concatenate(parts), np.concatenate([owners[0], n + owners[1]])
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
        kind, number = ("triangle", guilty) if guilty < n else ("quadrilateral", guilty - n)
        raise MeshError(
            f"{kind} {number} is inverted: its normal is opposite to that of its neighbour"
            f" {other if other < n else other - n}"
            f" across nodes {undirected[wrong[0]].tolist()}; reverse its node order"
        )


def connected_parts(mesh: Mesh, links: IntArray | None = None) -> IntArray:
    """Return the number of the connected part each node belongs to.

    Parameters
    ----------
    mesh : elements connect their nodes.
    links : (n, 2) array
        Further pairs of connected nodes (rigid links, interfaces).
    """
    pairs = [mesh.cells(kind)[:, [i, i + 1]] for kind, width in KINDS.items() for i in range(width - 1)]
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
    for kind in KINDS:
        cells = mesh.cells(kind)
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
