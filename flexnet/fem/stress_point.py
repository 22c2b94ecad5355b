"""Stresses at a node: of the beams that meet there, or of the shell around it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.beam.recovery import BeamForces
from flexnet.fem.imported.recovery import NodalStress
from flexnet.fem.recovery import Recovered
from flexnet.fem.shell.drilling import FOLD_ANGLE
from flexnet.fem.shell.recovery import ShellStress
from flexnet.fem.solid.recovery import SolidStress
from flexnet.typing import AnyArray, Array, IntArray

FORCES = ("N", "Vy", "Vz", "T", "My", "Mz")
_RESULTANTS = ("nx", "ny", "nxy", "mx", "my", "mxy")
_STRESSES = ("sx", "sy", "sxy")
_SOLID = ("sx", "sy", "sz", "sxy", "syz", "szx")
_STRAINS = ("ex", "ey", "exy")
#: strains of a beam, by their places among those of its section
_SECTION = {"e": 0, "ky": 4, "kz": 5}
ENOUGH = 12  # facets that a parabola is laid through, twice its coefficients
TURNED = 15  # nodes that a cubic is laid through, half as many again as its coefficients
FLAT = 1e-9  # 1 - cos of the angle between facets of a plane


@dataclass(frozen=True, slots=True, eq=False)
class StressRows:
    """A component of stress at a point, before what is not linear in it.

    Attributes
    ----------
    rows : (sides, k, n) of every linear quantity, its value for each row of what was given. The component
        is that of the side where it is largest in magnitude: of ends of beams, corners of their outlines,
        shells that meet.
    form : what the component is of the k of a side: ``value`` of one; ``outline``, |a| + √(b² + c²) of three;
        ``von_mises``, ``s1`` or ``s2`` of (σx, σy, τxy), or of (εx, εy, γ/2); ``von_mises``, ``s1`` or ``s3``
        of (σx, σy, σz, τxy, τyz, τzx).
    """

    rows: Array
    form: Literal["value", "outline", "von_mises", "s1", "s2", "s3"]


def stress_rows(
    groups: Mapping[str, Recovered], nodes: Array, node: int, component: str, face: str
) -> StressRows:
    """What a component of stress or strain at a node is made of.

    Parameters
    ----------
    groups : section forces and strains, such as stress modes.
    nodes : (n, 3) positions of all nodes [m].
    node, component, face : where and what, as in ``fx.stress`` and ``fx.strain``.
    """
    if component == "epsilon":
        return _outline([one.outline_strains() for one in beams_at(groups, node)])
    if component in _SECTION:
        return _values([one.section_strain(_SECTION[component]) for one in beams_at(groups, node)])
    if component == "sigma":
        return _outline([one.outline_rows() for one in beams_at(groups, node)])
    if component in FORCES:
        ends = [one.forces[:, :, 0, FORCES.index(component)].T for one in beams_at(groups, node)]
        return _values(ends)
    solid = solid_at(groups, node)
    if solid is not None:
        if component in _SOLID:
            return _values([solid[_SOLID.index(component)][None]])
        if component in ("von_mises", "s1", "s3"):
            return StressRows(solid[None], component)  # type: ignore[arg-type]  # one of the three
    return _of_shells(shells_at(groups, nodes, node), component, face)


def _values(rows: list[Array]) -> StressRows:
    """Numbers that stand for themselves, each (ends, n)."""
    return StressRows(np.concatenate(rows)[:, None], "value")


def _outline(rows: list[Array]) -> StressRows:
    """Triples of the corners of outlines, each (3 corners, n)."""
    found = np.concatenate(rows)
    return StressRows(found.reshape(-1, 3, found.shape[1]), "outline")


def _of_shells(sides: list[ShellStress], component: str, face: str) -> StressRows:
    """A component of what shells that meet at a node have there."""
    if component in _RESULTANTS:
        return _values([x.resultants()[:, 0, _RESULTANTS.index(component)][None] for x in sides])
    if component in (*_STRAINS, "e1", "e2"):
        # the face was checked when the measure was made
        strains = [x.face_strain(face)[:, 0].T for x in sides]  # type: ignore[arg-type]
        if component in _STRAINS:
            return _values([strain[_STRAINS.index(component)][None] for strain in strains])
        tensor = np.stack([strain * [[1.0], [1.0], [0.5]] for strain in strains])
        return StressRows(tensor, "s1" if component == "e1" else "s2")
    stresses = [x.stress_at(face)[:, 0].T for x in [x for x in sides if x.has_face(face)] or sides]
    if component in _STRESSES:
        return _values([stress[_STRESSES.index(component)][None] for stress in stresses])
    assert component in ("von_mises", "s1", "s2"), f"a component of stress nobody knows: {component}"
    return StressRows(np.stack(stresses), component)  # type: ignore[arg-type]  # one of the three


def beams_at(groups: Mapping[str, Recovered], node: int) -> list[BeamForces]:
    """Section forces of the ends that meet at a node, (…, ends, 1, 6), group by group."""
    out = []
    for found in groups.values():
        if isinstance(found, BeamForces):
            meet = found.cells == node
            out += [found.at_end(np.flatnonzero(meet[:, end]), end) for end in (0, 1) if meet[:, end].any()]
    if not out:
        raise ModelError(f"no beam ends at node {node}")
    return out


def solid_at(groups: Mapping[str, Recovered], node: int) -> Array | None:
    """Stresses of solids at a node, the mean of the elements that meet there, (6, rows); None of shells."""
    if any(isinstance(found, ShellStress) and node in found.cells for found in groups.values()):
        return None
    solids = [x for x in groups.values() if isinstance(x, SolidStress | NodalStress)]
    found = [x.at_node(node) for x in solids if node in x.cells]
    return np.concatenate(found, axis=1).mean(axis=1).T if found else None


def shells_at(groups: Mapping[str, Recovered], nodes: Array, node: int) -> list[ShellStress]:
    """Strains (…, 1, 6) at a node of the shells that meet there: of regions, of both sides of a fold.

    Parameters
    ----------
    groups : strains at the centroids of facets.
    nodes : (n, 3) positions of all nodes [m].
    node : where.

    Notes
    -----
    Centroids are where facets are most accurate. A parabola is laid through their values, by least squares,
    over the facets that meet at the node and as many around them as it takes; a plane where there are few.
    On a flat shell the curvatures are the slopes of cubics through the rotations of the nodes around, which
    holds to the edges (polynomial preserving recovery, Zhang and Naga, SIAM J. Sci. Comput. 26 (2005)).
    Slopes are those of the whole curvature: what is free of it, under a voltage or a temperature, is known of
    every element and comes off by the parabola.
    """
    shells = [x for x in groups.values() if isinstance(x, ShellStress) and node in x.cells]
    out = [_at(found, nodes, node, side) for found in shells for side in _sides(found.cells, nodes, node)]
    if not out:
        raise ModelError(f"no element with such a stress meets node {node}")
    return out


def _at(found: ShellStress, nodes: Array, node: int, side: "_Side") -> ShellStress:
    """Strains at a node on one side."""
    chosen = _around(found.cells, side)
    weights = _weights(nodes[found.cells[chosen]].mean(axis=1) - nodes[node])
    strains = np.einsum("e,...ec->...c", weights, found.strains[..., chosen, :])
    cubic = _cubic(found, nodes, node, side)
    if cubic is not None:
        strains[..., 3:] = np.einsum("kna,...na->...k", cubic, found.rotations)
        if found.free.shape[-2]:
            strains[..., 3:] -= np.einsum("e,...ec->...c", weights, found.free[..., chosen, :])
    return replace(found, cells=found.cells[chosen[:1]], strains=strains[..., None, :])


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Facets that meet at a node without a fold between them, and all that lie as they do.

    Attributes
    ----------
    near, smooth : (n_e,) which facets these are.
    normals : (n_e, 3) of all facets.
    """

    near: AnyArray
    smooth: AnyArray
    normals: Array


def _sides(cells: IntArray, nodes: Array, node: int) -> list[_Side]:
    """Both sides of a fold, or the one of a smooth surface, whatever the order of the facets."""
    X = nodes[cells]
    n = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    n /= np.linalg.norm(n, axis=1)[:, None]
    left, out = (cells == node).any(axis=1), []
    while left.any():
        near = np.zeros(len(cells), dtype=bool)
        near[np.argmax(left)] = True
        while (wider := left & (n @ n[near].T > np.cos(FOLD_ANGLE)).any(axis=1)).sum() > near.sum():
            near = wider
        mean = n[near].sum(axis=0)
        out.append(_Side(near, near | (n @ mean > np.cos(FOLD_ANGLE) * np.linalg.norm(mean)), n))
        left &= ~near
    return out


def _around(cells: IntArray, side: _Side) -> IntArray:
    """Facets around a node, of one smooth surface."""
    near = side.near
    while near.sum() < ENOUGH:
        wider = np.isin(cells, cells[near]).any(axis=1) & side.smooth
        if wider.sum() == near.sum():
            break
        near = wider
    return np.flatnonzero(near)


def _cubic(found: ShellStress, nodes: Array, node: int, side: _Side) -> Array | None:
    """Curvatures at a node by rotations of all nodes of the region, (3, n, 3); none on a curved shell."""
    near = side.near
    X = nodes[found.cells[near][:1]]
    e1, e2, n = found.section.axes(X)[0] if X.shape[1] == 4 else found.section.facets(X).R[0]
    near = np.isin(found.cells, found.cells[near]).any(axis=1) & side.smooth
    while (fitted := _cubics(nodes, members := np.unique(found.cells[near]), node, e1, e2)) is None:
        wider = np.isin(found.cells, members).any(axis=1) & side.smooth
        if wider.sum() == near.sum():
            return None
        near = wider
    if np.any(side.normals[near] @ n < 1.0 - FLAT):
        return None
    by_x, by_y = fitted[..., None]
    out = np.zeros((3, len(found.nodes), 3))
    # β_x = θ·e2, β_y = -θ·e1; κ = (∂β_x/∂x, ∂β_y/∂y, ∂β_x/∂y + ∂β_y/∂x)
    known, place = np.unique(found.nodes, return_index=True)
    out[:, place[np.searchsorted(known, members)]] = [by_x * e2, -by_y * e1, by_y * e2 - by_x * e1]
    return out


def _cubics(nodes: Array, members: IntArray, node: int, e1: Array, e2: Array) -> Array | None:
    """Slopes (2, k) at a node of the cubic through values at nodes; none where these do not determine it.

    Two rows of cells across a strip know no cubic: the least one depended on the axes of the body.
    """
    if len(members) < TURNED:
        return None
    d = nodes[members] - nodes[node]
    size = np.abs(d).max()
    x, y = d @ e1 / size, d @ e2 / size
    powers = [(i, j) for i in range(4) for j in range(4 - i)]
    values = np.column_stack([x**i * y**j for i, j in powers])
    left, sizes, right = np.linalg.svd(values, full_matrices=False)
    if not sizes[-1] > 1e-8 * sizes[0]:
        return None
    fitted = (right.T / sizes) @ left.T / size
    return np.asarray(fitted[[powers.index((1, 0)), powers.index((0, 1))]])


def _weights(d: Array) -> Array:
    """Weights (k,) that give at the origin the surface through values at points d (k, 3)."""
    if len(d) < 3:
        return np.full(len(d), 1.0 / len(d))
    x, y = (d @ np.linalg.svd(d - d.mean(axis=0))[2][:2].T / np.abs(d).max()).T
    powers = [np.ones(len(d)), x, y, x * x, x * y, y * y]
    A = np.column_stack(powers if len(d) >= ENOUGH else powers[:3])
    return np.asarray(np.linalg.pinv(A, rcond=1e-8)[0])
