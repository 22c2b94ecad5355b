"""A flexible body: a mesh, what its elements are, and what is fastened to it."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from flexnet.errors import MeshError, ModelError
from flexnet.fem.links import Link, RigidLink, link_map, linked_pairs
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.material import Damping, Rayleigh
from flexnet.fem.point_mass import PointMass
from flexnet.fem.port import Port, port_rows
from flexnet.fem.region import AbstractRegion
from flexnet.fem.shell.region import ShellRegion
from flexnet.mesh import Mesh, NodeRef, check_connected, check_mesh
from flexnet.mesh.mesh import KINDS, find_group
from flexnet.typing import AnyArray, Array, IntArray

if TYPE_CHECKING:
    from flexnet.fem.imported.substructure import Substructure

logger = logging.getLogger(__name__)

#: elements treated at once, whose mass points fit in the cache of a processor; fewer of those with so many
#: numbers in the geometric stiffness of their internal forces
BATCH, NUMBERS = 128, 2**21
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
    frames : attachment frames by name, each a node, where joints and loads act; or ``Spread(group)``,
        ``Pressure(group)`` and their kin, whose loads are spread over elements.
    damping : ``Rayleigh(…)`` or ``ModalDamping(…)``, added to the Kelvin–Voigt damping of the materials.
    parts : matrices of other programs; cells between their nodes are drawn and need no region.

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
    frames: Mapping[str, NodeRef | Port] = field(default_factory=dict)
    damping: Damping = field(default_factory=Rayleigh)
    parts: Sequence["Substructure"] = ()
    ports: Mapping[str, Port] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("regions", "links", "masses", "parts"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "regions", tuple(_on_all_cells(self.mesh, self.regions)))
        object.__setattr__(self, "mesh", _without_edges(self.mesh, self.regions))
        check_mesh(self.mesh)
        _check_regions(self.mesh, self.regions, self.parts)
        inside = [np.column_stack([np.full_like(p.nodes, p.nodes[0]), p.nodes]) for p in self.parts]
        check_connected(self.mesh, np.concatenate([linked_pairs(self.mesh, self.links), *inside]))
        link_map(self.mesh, self.links)
        for mass in self.masses:
            self.mesh.find_node(mass.node)
        spread = {name: x for name, x in self.frames.items() if isinstance(x, Port)}
        object.__setattr__(self, "ports", MappingProxyType(spread))
        found = {
            name: self.mesh.find_node(node)
            for name, node in self.frames.items()
            if not isinstance(node, Port)
        }
        object.__setattr__(self, "frames", MappingProxyType(found))
        unturned = self.without_rotations()
        for name, node in found.items():
            if unturned[node]:
                raise ModelError(
                    f"frame {name!r} sits on node {node} of a solid, which has no rotations; put it on a"
                    " point of its own, tied to a face by a RigidLink or an AverageLink"
                )
        for name in self.ports:
            port_rows(self, name)

    @property
    def attachments(self) -> tuple[str, ...]:
        """Names of all attachment frames: those on nodes, then those that spread their loads."""
        return (*self.frames, *self.ports)

    @property
    def has_stresses(self) -> bool:
        """Whether sections, or matrices or elements of imported parts, tell its stresses."""
        return bool(self.regions) or any(part.has_stresses for part in self.parts)

    def frame_node(self, name: str) -> int:
        """Return the node of an attachment frame that is on one."""
        return int(self.frames[name])  # type: ignore[arg-type]  # found when the body was made

    def elements(self, region: AbstractRegion) -> IntArray:
        """Return the node indices (n_e, nodes) of the elements of a region."""
        found = find_group(self.mesh.groups(region.kind), region.group, f"{region.kind} group")
        return self.mesh.cells(region.kind)[found]

    def region_names(self) -> tuple[str, ...]:
        """Return a name for each region: its group, and its kind where a group has several."""
        groups = [region.group for region in self.regions]
        return tuple(
            r.group if groups.index(r.group) == i else f"{r.group} ({r.kind}s)"
            for i, r in enumerate(self.regions)
        )

    def is_bare_shell(self, frame: str) -> bool:
        """Whether a frame sits on a node of shell elements alone, neither on a beam nor on a link."""
        node = self.frame_node(frame)
        linked = [self.mesh.find_node(link.master) for link in self.links if isinstance(link, RigidLink)]
        facets = ("triangle", "quadrilateral")
        is_shell = any(node in self.elements(r) for r in self.regions if r.kind in facets)
        return is_shell and node not in self.mesh.lines and node not in linked

    def without_rotations(self) -> AnyArray:
        """Return which nodes (n,) have no rotations: those of solids that carry or follow nothing else."""
        solid, turning = (
            np.zeros(len(self.mesh.nodes), dtype=bool),
            np.zeros(len(self.mesh.nodes), dtype=bool),
        )
        for region in self.regions:
            (turning if region.has_rotations else solid)[self.elements(region)] = True
        for part in self.parts:
            solid[part.nodes] = True
            turning[part.nodes[np.asarray(part.has_rotations, dtype=bool)]] = True
        for link in self.links:
            if isinstance(link, RigidLink):
                turning[self.mesh.find_node(link.master)] = True
                if link.rotations:
                    turning[self.mesh.find_nodes(link.slaves)] = True
            else:
                turning[self.mesh.find_node(link.reference)] = True
        return solid & ~turning

    def batches(self) -> Iterator[tuple[AbstractRegion, IntArray, Array]]:
        """Yield region, node indices (n_e, nodes) and geometry (n_e, ·, 3) of batches of elements."""
        for region in self.regions:
            cells = self.elements(region)
            X = region.geometry(self.mesh.nodes, cells)
            size = min(BATCH, NUMBERS // (region.n_state * (6 * cells.shape[1]) ** 2))
            for start in range(0, len(cells), size):
                batch = slice(start, start + size)
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


def _on_all_cells(mesh: Mesh, regions: Sequence[AbstractRegion]) -> Iterator[AbstractRegion]:
    """Regions, those of shells over the triangles and the quadrilaterals of their groups."""
    for region in regions:
        is_quads = isinstance(region, ShellRegion) and region.group in mesh.quadrilateral_groups
        if not is_quads or region.group in mesh.triangle_groups:
            yield region
        if is_quads and not any(r.group == region.group and r.kind == "quadrilateral" for r in regions):
            assert isinstance(region, ShellRegion)
            yield region.on_quadrilaterals()


def _without_edges(mesh: Mesh, regions: Sequence[AbstractRegion]) -> Mesh:
    """Return the mesh in which groups of lines and facets that are edges and faces are groups of nodes."""
    for kind in ("triangle", "quadrilateral", "line"):
        mesh = _without_borders(mesh, regions, kind)
    return mesh


def _without_borders(mesh: Mesh, regions: Sequence[AbstractRegion], kind: str) -> Mesh:
    """The same of one kind of elements."""
    cells, groups = mesh.cells(kind), mesh.groups(kind)
    kept = np.zeros(len(cells), dtype=bool)
    for name in {region.group for region in regions if region.kind == kind} & set(groups):
        kept[groups[name]] = True
    others = ("triangle", "quadrilateral", "tetrahedron") if kind == "line" else ("tetrahedron",)
    own = cells[kept].reshape(-1) if kind == "line" else cells[:0].reshape(-1)
    carried = np.unique(np.concatenate([own, *(mesh.cells(k).reshape(-1) for k in others)]))
    borders = {
        name: members
        for name, members in groups.items()
        if len(members) and not kept[members].any() and np.isin(cells[members], carried).all()
    }
    if not borders:
        return mesh
    word = "edge" if kind == "line" else "face"
    for name in borders:
        if name in mesh.node_groups:
            raise MeshError(f"{name!r} names nodes and an {word}; give one of them another name")
    logger.info("groups of %ss without a region name %ss: %s", kind, word, ", ".join(borders))
    left = np.ones(len(cells), dtype=bool)
    left[np.concatenate(list(borders.values()))] = False
    number = np.cumsum(left) - 1
    named = {name: np.unique(cells[members]) for name, members in borders.items()}
    rest = {name: number[x[left[x]]] for name, x in groups.items() if name not in borders}
    return mesh.with_cells(kind, cells[left], rest, {**mesh.node_groups, **named})


def _check_regions(
    mesh: Mesh, regions: Sequence[AbstractRegion], parts: Sequence["Substructure"] = ()
) -> None:
    foreign = np.concatenate([np.empty(0, np.int64), *(part.nodes for part in parts)])
    for kind in KINDS:
        groups, cells = mesh.groups(kind), mesh.cells(kind)
        owners = np.zeros(len(cells), dtype=np.int64)
        for region in regions:
            if region.kind == kind:
                owners[find_group(groups, region.group, f"{kind} group")] += 1
        owners[(owners == 0) & np.isin(cells, foreign).all(axis=1)] = 1
        if (owners != 1).any():
            element = int(np.flatnonzero(owners != 1)[0])
            raise MeshError(
                f"{kind} {element} belongs to {owners[element]} regions, expected one"
                f" (regions: {', '.join(repr(r.group) for r in regions if r.kind == kind) or 'none'})"
            )
