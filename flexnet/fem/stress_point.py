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
from flexnet.typing import Array, IntArray

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
    rows : (k, n) of every linear quantity, its value for each row of what was given.
    form : what the component is of them: ``largest`` in magnitude, with its sign; ``outline``,
        the largest |a| + √(b² + c²) of triples; ``von_mises``, ``s1`` or ``s2`` of
        (σx, σy, τxy), or of (εx, εy, γ/2); ``von_mises``, ``s1`` or ``s3`` of (σx, σy, σz, τxy, τyz, τzx).
    """

    rows: Array
    form: Literal["largest", "outline", "von_mises", "s1", "s2", "s3"]


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
        return StressRows(
            np.concatenate([one.outline_strains() for one in beams_at(groups, node)]), "outline"
        )
    if component in _SECTION:
        rows = [one.section_strain(_SECTION[component]) for one in beams_at(groups, node)]
        return StressRows(np.concatenate(rows), "largest")
    if component == "sigma":
        return StressRows(np.concatenate([one.outline_rows() for one in beams_at(groups, node)]), "outline")
    if component in FORCES:
        ends = [one.forces[:, :, 0, FORCES.index(component)].T for one in beams_at(groups, node)]
        return StressRows(np.concatenate(ends), "largest")
    solid = solid_at(groups, node)
    if solid is not None:
        if component in _SOLID:
            return StressRows(solid[_SOLID.index(component)][None], "largest")
        if component in ("von_mises", "s1", "s3"):
            return StressRows(solid, component)  # type: ignore[arg-type]  # one of the three
    found_shell = shell_at(groups, nodes, node)
    if component in _RESULTANTS:
        return StressRows(found_shell.resultants()[:, 0, _RESULTANTS.index(component)][None], "largest")
    if component in (*_STRAINS, "e1", "e2"):
        strain = found_shell.face_strain(face)[:, 0].T  # type: ignore[arg-type]  # checked when the measure was made
        if component in _STRAINS:
            return StressRows(strain[_STRAINS.index(component)][None], "largest")
        return StressRows(strain * [[1.0], [1.0], [0.5]], "s1" if component == "e1" else "s2")
    stress = found_shell.stress_at(face)[:, 0].T
    if component in _STRESSES:
        return StressRows(stress[_STRESSES.index(component)][None], "largest")
    assert component in ("von_mises", "s1", "s2"), f"a component of stress nobody knows: {component}"
    return StressRows(stress, component)  # type: ignore[arg-type]  # one of the three


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


def shell_at(groups: Mapping[str, Recovered], nodes: Array, node: int) -> ShellStress:
    """Strains of a shell at a node, (…, 1, 6).

    Parameters
    ----------
    groups : strains at the centroids of facets.
    nodes : (n, 3) positions of all nodes [m].
    node : where; at a fold, on the side of the first facet that meets it.

    Notes
    -----
    Centroids are where facets are most accurate. A parabola is laid through their values, by least squares,
    over the facets that meet at the node and as many around them as it takes; a plane where there are few.
    On a flat shell the curvatures are the slopes of cubics through the rotations of the nodes around, which
    holds to the edges (polynomial preserving recovery, Zhang and Naga, SIAM J. Sci. Comput. 26 (2005)).
    """
    for found in groups.values():
        if isinstance(found, ShellStress) and node in found.cells:
            chosen = _around(found.cells, nodes, node)
            weights = _weights(nodes[found.cells[chosen]].mean(axis=1) - nodes[node])
            strains = np.einsum("e,...ec->...c", weights, found.strains[..., chosen, :])
            cubic = _cubic(found, nodes, node)
            if cubic is not None:
                strains[..., 3:] = np.einsum("kna,...na->...k", cubic, found.rotations)
            return replace(found, cells=found.cells[chosen[:1]], strains=strains[..., None, :])
    raise ModelError(f"no element with such a stress meets node {node}")


def _around(cells: IntArray, nodes: Array, node: int) -> IntArray:
    """Facets around a node, of one smooth surface."""
    X = nodes[cells]
    n = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    n /= np.linalg.norm(n, axis=1)[:, None]
    near = (cells == node).any(axis=1)
    is_smooth = n @ n[np.argmax(near)] > np.cos(FOLD_ANGLE)
    near &= is_smooth
    while near.sum() < ENOUGH:
        wider = np.isin(cells, cells[near]).any(axis=1) & is_smooth
        if wider.sum() == near.sum():
            break
        near = wider
    return np.flatnonzero(near)


def _cubic(found: ShellStress, nodes: Array, node: int) -> Array | None:
    """Curvatures at a node by rotations of all nodes of the region, (3, n, 3); none on a curved shell."""
    near = (found.cells == node).any(axis=1)
    X = nodes[found.cells[near][:1]]
    e1, e2, n = found.section.axes(X)[0] if X.shape[1] == 4 else found.section.facets(X).R[0]
    near = np.isin(found.cells, found.cells[near]).any(axis=1)
    while (fitted := _cubics(nodes, members := np.unique(found.cells[near]), node, e1, e2)) is None:
        wider = np.isin(found.cells, members).any(axis=1)
        if wider.sum() == near.sum():
            return None
        near = wider
    X = nodes[found.cells[near]]
    normal = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    if np.any(normal @ n < (1.0 - FLAT) * np.linalg.norm(normal, axis=1)):
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
