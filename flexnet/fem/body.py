"""A flexible body: a mesh, what its elements are, and what is fastened to it."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from flexnet.errors import MeshError, ModelError
from flexnet.fem.links import Link, RigidLink, link_map, linked_pairs
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.material import Rayleigh
from flexnet.fem.point_mass import PointMass
from flexnet.fem.region import AbstractRegion
from flexnet.mesh import Mesh, NodeRef, check_connected, check_mesh
from flexnet.mesh.mesh import find_group
from flexnet.typing import Array, IntArray

logger = logging.getLogger(__name__)

BATCH = 256  # elements treated at once: their mass points fit in the cache of a processor
INERTIAS = ("consistent", "linear", "lumped")


@dataclass(frozen=True, slots=True)
class Body:
    """A finite-element body in its own frame, the frame of the mesh. Units are SI.

    Parameters
    ----------
    mesh : nodes and elements.
    regions : element group → section; every element belongs to exactly one. A group of lines without a region
        whose nodes all belong to other elements is an edge: it names these nodes, as Gmsh's physical curves
        do, and its lines are no elements.
    links : rigid links and averaging interfaces.
    masses : rigid masses on nodes.
    frames : attachment frames by name, each a node; joints and loads act there.
    damping : Rayleigh damping, added to the Kelvin–Voigt damping of the materials.

    Raises
    ------
    MeshError, ModelError
        If the mesh fails a check, a group is missing, an element has no region or two, parts are not
        connected, or links contradict each other.
    """

    mesh: Mesh
    regions: Sequence[AbstractRegion]
    links: Sequence[Link] = ()
    masses: Sequence[PointMass] = ()
    frames: Mapping[str, NodeRef] = field(default_factory=dict)
    damping: Rayleigh = field(default_factory=Rayleigh)

    def __post_init__(self) -> None:
        for name in ("regions", "links", "masses"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "mesh", _without_edges(self.mesh, self.regions))
        check_mesh(self.mesh)
        _check_regions(self.mesh, self.regions)
        check_connected(self.mesh, linked_pairs(self.mesh, self.links))
        link_map(self.mesh, self.links)
        for mass in self.masses:
            self.mesh.find_node(mass.node)
        found = {name: self.mesh.find_node(node) for name, node in self.frames.items()}
        object.__setattr__(self, "frames", MappingProxyType(found))

    def elements(self, region: AbstractRegion) -> IntArray:
        """Return the node indices (n_e, nodes) of the elements of a region."""
        groups, cells = _cells(self.mesh, region.kind)
        return cells[find_group(groups, region.group, f"{region.kind} group")]

    def is_bare_shell(self, frame: str) -> bool:
        """Whether a frame sits on a node of shell elements alone, neither on a beam nor on a link."""
        node = self.mesh.find_node(self.frames[frame])
        linked = [self.mesh.find_node(link.master) for link in self.links if isinstance(link, RigidLink)]
        return node in self.mesh.triangles and node not in self.mesh.lines and node not in linked

    def batches(self) -> Iterator[tuple[AbstractRegion, IntArray, Array]]:
        """Yield region, node indices (n_e, nodes) and geometry (n_e, ·, 3) of batches of elements."""
        for region in self.regions:
            cells = self.elements(region)
            X = region.geometry(self.mesh.nodes, cells)
            for start in range(0, len(cells), BATCH):
                batch = slice(start, start + BATCH)
                yield region, cells[batch], X[batch]

    def mass_batches(self, inertia: str = "consistent") -> Iterator[tuple[IntArray, MassPoints]]:
        """Yield node indices and mass points of batches of elements, then of the point masses.

        Parameters
        ----------
        inertia : ``consistent``, ``linear`` (Richard 2012, eqs 50-51) or ``lumped``.
        """
        if inertia not in INERTIAS:
            raise ModelError(f"no inertia {inertia!r}; there are: {', '.join(INERTIAS)}")
        for region, cells, X in self.batches():
            yield cells, points_of(region, X, inertia)
        for mass in self.masses:
            node = self.mesh.find_node(mass.node)
            yield np.array([[node]]), mass.mass_points(self.mesh.nodes[node])


def points_of(region: AbstractRegion, X: Array, inertia: str) -> MassPoints:
    """Return the mass points of elements of a region in the chosen inertia."""
    match inertia:
        case "linear":
            return region.linear_mass_points(X)
        case "lumped":
            return region.lumped_mass_points(X)
        case _:
            return region.mass_points(X)


def freedoms(cells: IntArray) -> IntArray:
    """Return the (n_e, 6·nodes) freedoms of elements."""
    return (6 * cells[:, :, None] + np.arange(6)).reshape(len(cells), -1)


def _cells(mesh: Mesh, kind: str) -> tuple[Mapping[str, IntArray], IntArray]:
    return (mesh.line_groups, mesh.lines) if kind == "line" else (mesh.triangle_groups, mesh.triangles)


def _without_edges(mesh: Mesh, regions: Sequence[AbstractRegion]) -> Mesh:
    """Return the mesh in which groups of lines that are edges are groups of nodes."""
    of_beams = {region.group for region in regions if region.kind == "line"}
    kept = np.zeros(len(mesh.lines), dtype=bool)
    for name in of_beams & set(mesh.line_groups):
        kept[mesh.line_groups[name]] = True
    carried = np.unique(np.concatenate([mesh.triangles.reshape(-1), mesh.lines[kept].reshape(-1)]))
    edges = {
        name: lines
        for name, lines in mesh.line_groups.items()
        if len(lines) and not kept[lines].any() and np.isin(mesh.lines[lines], carried).all()
    }
    if not edges:
        return mesh
    for name in edges:
        if name in mesh.node_groups:
            raise MeshError(f"{name!r} names nodes and an edge; give one of them another name")
    logger.info("groups of lines without a region name edges: %s", ", ".join(edges))
    left = np.ones(len(mesh.lines), dtype=bool)
    left[np.concatenate(list(edges.values()))] = False
    number = np.cumsum(left) - 1
    named = {name: np.unique(mesh.lines[lines]) for name, lines in edges.items()}
    groups = {
        name: number[lines[left[lines]]] for name, lines in mesh.line_groups.items() if name not in edges
    }
    return replace(
        mesh, lines=mesh.lines[left], line_groups=groups, node_groups={**mesh.node_groups, **named}
    )


def _check_regions(mesh: Mesh, regions: Sequence[AbstractRegion]) -> None:
    for kind in ("line", "triangle"):
        groups, cells = _cells(mesh, kind)
        owners = np.zeros(len(cells), dtype=np.int64)
        for region in regions:
            if region.kind == kind:
                owners[find_group(groups, region.group, f"{kind} group")] += 1
        if (owners != 1).any():
            element = int(np.flatnonzero(owners != 1)[0])
            raise MeshError(
                f"{kind} {element} belongs to {owners[element]} regions, expected one"
                f" (regions: {', '.join(repr(r.group) for r in regions if r.kind == kind) or 'none'})"
            )
