"""Ready-made bodies: a straight beam, a rectangular panel, a mesh of one's own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flexnet.errors import ModelError
from flexnet.fem.beam import BeamRegion, BeamSection, RodSection
from flexnet.fem.body import Body
from flexnet.fem.links import Link
from flexnet.fem.material import Damping, Material, Rayleigh
from flexnet.fem.point_mass import PointMass
from flexnet.fem.port import Port
from flexnet.fem.region import AbstractRegion
from flexnet.fem.shell import ShellRegion, ShellSection
from flexnet.mesh import Mesh, NodeRef, beam_mesh, panel_mesh, polyline_mesh
from flexnet.typing import Vector
from flexnet.validation import shown

NEAR = 1e-9
"""How far inside a tapered element the sections of its ends are taken, of its length: sections may jump."""

POINT = 1e-6
"""Area at an end, of that in the middle, below which a beam runs to a point there."""


def beam_body(
    length: float,
    elements: int,
    material: Material | None,
    section: BeamSection | RodSection | Callable[[float], BeamSection | RodSection],
    *,
    direction: Vector = (1.0, 0.0, 0.0),
    frames: Mapping[str, NodeRef | Port] | None = None,
    masses: Sequence[PointMass] = (),
    shear: bool = True,
    rotary_inertia: bool = True,
    damping: Damping | None = None,
) -> Body:
    """Return a straight beam from the origin along ``direction``.

    Parameters
    ----------
    length : [m].
    elements : number of elements.
    material, section : what it is made of; of a section by its (6, 6) matrix, ``RodSection``, the material is
        None. Of a tapered beam the section is a function of the way from the start [m], and every element has
        that of its middle, stresses those of its ends (groups ``piece 0``, ``piece 1`` …).
    direction : of its axis; the section's z axis is as near to the body's z axis as it can be.
    frames : attachment frames; ``start`` and ``end`` if not given. ``Spread("beam")`` is one whose force is
        spread along the beam.
    masses : rigid masses on nodes.
    shear, rotary_inertia : False leaves them out (Euler–Bernoulli).
    damping : ``Rayleigh(…)`` or ``ModalDamping(…)`` besides that of the material.
    """
    mesh = beam_mesh(length, elements, direction)
    ends: Mapping[str, NodeRef | Port] = {"start": "start", "end": "end"}
    kind: dict[str, Any] = {"shear": shear, "rotary_inertia": rotary_inertia}
    if isinstance(section, BeamSection | RodSection):
        regions = [BeamRegion("beam", material, section, **kind)]
    else:
        mesh, h, regions = polyline_mesh(mesh.nodes, 1), length / elements, []
        for k in range(elements):
            middle = _section_at(section, (k + 0.5) * h)
            limits = tuple(_section_near(section, x, middle) for x in ((k + NEAR) * h, (k + 1 - NEAR) * h))
            regions.append(BeamRegion(f"piece {k}", material, middle, **kind, ends=limits))
    placed = ends if frames is None else frames
    return Body(mesh, regions, masses=masses, frames=placed, damping=damping or Rayleigh())


def _section_at(section: Callable[[float], BeamSection | RodSection], x: float) -> BeamSection | RodSection:
    found = section(x)
    if not isinstance(found, BeamSection | RodSection):
        raise ModelError(f"the section of a beam at {x:g} m is {shown(found)}; expected a BeamSection")
    return found


def _section_near(
    section: Callable[[float], BeamSection | RodSection], x: float, middle: BeamSection | RodSection
) -> BeamSection | RodSection:
    """Return the section at an end of an element; that of its middle where a tip runs to a point."""
    try:
        found = _section_at(section, x)
    except ModelError:
        return middle
    is_point = (
        isinstance(found, BeamSection) and isinstance(middle, BeamSection) and found.A < POINT * middle.A
    )
    return middle if is_point or type(found) is not type(middle) else found


def panel_body(
    sides: tuple[float, float],
    cells: tuple[int, int],
    section: ShellSection,
    *,
    points: Mapping[str, Vector] | None = None,
    frames: Mapping[str, NodeRef | Port] | None = None,
    links: Sequence[Link] = (),
    damping: Damping | None = None,
) -> Body:
    """Return a rectangular panel 0 ≤ x ≤ a, 0 ≤ y ≤ b, meshed symmetrically.

    Parameters
    ----------
    sides : a and b [m].
    cells : cells along each, even numbers; two triangles per cell.
    section : thickness and material, or laminate.
    points : extra nodes by name [m], which links tie to the panel.
    frames : attachment frames; none if not given. A hinge on a single node of a thin shell never converges
        with the mesh (a point moment is singular): put a rigid link along the hinge line.
    links : rigid links, such as ``RigidLink(node, "left")`` along an edge.
    damping : ``Rayleigh(…)`` or ``ModalDamping(…)`` besides that of the material.
    """
    region, mesh = ShellRegion("panel", section), panel_mesh(*sides, *cells)
    return mesh_body(mesh, [region], points=points, frames=frames, links=links, damping=damping)


def mesh_body(
    mesh: Mesh,
    regions: Sequence[AbstractRegion],
    *,
    points: Mapping[str, Vector] | None = None,
    frames: Mapping[str, NodeRef | Port] | None = None,
    links: Sequence[Link] = (),
    masses: Sequence[PointMass] = (),
    damping: Damping | None = None,
) -> Body:
    """Return a body meshed elsewhere, such as by ``read_mesh("part.msh")``.

    Parameters
    ----------
    mesh : its nodes and elements; its frame is that of the body [m].
    regions : what the element groups are made of, ``ShellRegion`` and ``BeamRegion``.
    points : extra nodes by name [m], which links tie to the mesh.
    frames : attachment frames, each a node or the name of one; none if not given.
    links : rigid links and averaged edges.
    masses : rigid masses on nodes.
    damping : ``Rayleigh(…)`` or ``ModalDamping(…)`` besides that of the materials.
    """
    for name, point in (points or {}).items():
        mesh = mesh.with_nodes(point, name)
    return Body(mesh, regions, links=links, masses=masses, frames=frames or {}, damping=damping or Rayleigh())
