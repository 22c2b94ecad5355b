"""Geometrically exact beams: sections as bodies of six freedoms, joined by elements of constant strain."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.components import Frame, as_axis, as_rotation, as_vector
from flexnet.components.rod_element import RodElement
from flexnet.errors import ModelError
from flexnet.signals import BEAM_STRESS, Measure, Signal
from flexnet.system.body import Body
from flexnet.system.measure import position
from flexnet.system.rod_geometry import Rod, curved, straight
from flexnet.typing import Array, Vector
from flexnet.validation import nearest

if TYPE_CHECKING:
    from flexnet.fem import BeamSection, Material, RodSection


@dataclass(frozen=True, slots=True, eq=False)
class ExactBeam:
    """A geometrically exact beam in a system: its sections, numbered from the start, and what joins them.

    ``beam["start"]``, ``beam["end"]`` and ``beam[k]`` are frames: x along the beam, y and z in the section.

    Attributes
    ----------
    name : of the beam; section k is the body ``name_k``, element k the force ``name_k_k+1``.
    sections : bodies, one more than elements.
    elements : between neighbours.
    """

    name: str
    sections: tuple[Body, ...]
    elements: tuple[RodElement, ...]

    def __getitem__(self, point: str | int) -> Frame:
        return self.sections[self._number(point)].origin

    def _number(self, point: str | int) -> int:
        """Number of a section that is named ``start``, ``middle``, ``end`` or by its number."""
        n = len(self.elements)
        named = {"start": 0, "end": n} | ({"middle": n // 2} if n % 2 == 0 else {})
        k = named.get(point, -1) if isinstance(point, str) else int(point)
        if not 0 <= k <= n:
            raise ModelError(
                f"exact beam {self.name!r} has no section {point!r}; it has 0 to {n}, {', '.join(named)}"
            )
        return k

    def deflection(self, point: str | int, about: str | Vector = "z") -> Signal:
        """Distance of a section from the chord from start to end, m, as seen along ``about`` (ground axes).

        It is positive to the left of the chord where ``about`` points at who looks.
        """
        n = as_axis(about, f"direction of the deflection of {self.name!r}")
        a, b, p = (
            [position(self[k], axis) for axis in np.eye(3)] for k in ("start", "end", self._number(point))
        )
        chord, way = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, p))
        area = sum(float(n[i]) * (chord[i - 2] * way[i - 1] - chord[i - 1] * way[i - 2]) for i in range(3))
        return area / sum(x * x for x in chord) ** 0.5

    def section_force(self, component: str, point: str | int) -> Signal:
        """Force or moment of a section in its own axes, on the face that looks along the beam.

        Parameters
        ----------
        component : ``N``, ``Vy``, ``Vz``, N, ``T``, ``My``, ``Mz``, N m.
        point : section; within the beam it is the mean of the two sides, between which inertia and loads of
            the section lie.
        """
        known = [c for c in BEAM_STRESS if c != "sigma"]
        if component not in known:
            raise ModelError(
                f"section force of {self.name!r}: there is no component {component!r}"
                f"{nearest(component, known)}"
            )
        k = self._number(point)
        sides = self.elements[max(k - 1, 0) : k + 1]
        found = [Measure("stress", e.name, coordinate=component, point=self[k].name) for e in sides]
        return found[0] if len(found) == 1 else 0.5 * (found[0] + found[1])


def exact_beam(
    self: Any,  # a System, whose method it is
    name: str,
    line: float | Array,
    elements: int | None,
    material: "Material | None",
    section: "BeamSection | RodSection",
    position: Vector = (0.0, 0.0, 0.0),
    rotation: Array | None = None,
    velocity: Vector = (0.0, 0.0, 0.0),
    angular_velocity: Vector = (0.0, 0.0, 0.0),
    shear: bool = True,
) -> ExactBeam:
    """Add a geometrically exact beam: displacements and rotations of any size, small strains.

    Its sections are bodies with six freedoms, its elements forces between them; joints, loads and sensors
    attach to its frames ``beam["start"]``, ``beam["end"]`` and ``beam[k]`` as to any other.

    Parameters
    ----------
    line : length of a straight beam along x [m], or points (n + 1, 3) of its axis at rest [m], in its frame.
    elements : number of elements; None where points are given.
    material : what it is made of; None with a ``RodSection``.
    section : y and z axes as near to those of the frame as they can be at the start, then without twist.
    position, rotation : of its frame in ground.
    velocity, angular_velocity : of its frame, in ground axes; it moves as a rigid body at first [m/s, rad/s].
    shear : False leaves the flexibility in shear out.
    """
    what = f"exact beam {name!r}"
    rod = _rod_section(what, material, section)
    at = straight(what, line, elements) if np.ndim(line) == 0 else curved(what, line, elements)
    R0, r0 = as_rotation(rotation, f"rotation of {what}"), as_vector(position, f"position of {what}")
    v0 = as_vector(velocity, f"velocity of {what}")
    omega = as_vector(angular_velocity, f"angular velocity of {what}")
    sections = []
    for k, (x, R, share) in enumerate(zip(at.points, at.rotations, at.shares, strict=True)):
        inertia = share * rod.inertia
        made = self.rigid_body(
            f"{name}_{k}", share * rod.mass, inertia[2, 2] if self.is_planar else inertia,
            position=r0 + R0 @ x, rotation=R0 @ R,
            velocity=v0 + np.cross(omega, R0 @ x), angular_velocity=omega,
        )  # fmt: skip
        made.shape("box", _look(rod, share))
        sections.append(made)
    parts = [_element(f"{name}_{k}_{k + 1}", sections[k : k + 2], at, k, rod, shear) for k in range(at.n)]
    for part in parts:
        self.add(part)
    return ExactBeam(name, tuple(sections), tuple(parts))


def _rod_section(
    what: str, material: "Material | None", section: "BeamSection | RodSection"
) -> "RodSection":  # fmt: skip
    """Stiffness and inertia per length."""
    from flexnet.fem import RodSection  # here: a system of rigid bodies needs no finite elements

    if isinstance(section, RodSection):
        if material is not None:
            raise ModelError(f"{what} has a RodSection, which needs no material; give None")
        return section
    if material is None:
        raise ModelError(f"{what} has no material; only a RodSection needs none")
    return RodSection.of(material, section)


def _element(
    name: str, ends: list[Body], at: Rod, k: int, rod: "RodSection", shear: bool
) -> RodElement:  # fmt: skip
    """Element k, at rest where the beam is built."""
    rest = at.strains[k]
    h = float(np.linalg.norm(rest[:3]))
    K = rod.element_stiffness(h, rest[:3] / h, shear)
    return RodElement(name, ends[0].origin, ends[1].origin, h, K, rest, rod.eta)


def _look(rod: "RodSection", length: float) -> Array:
    """Sides of a box with the section's radii of inertia."""
    _, y, z = np.sqrt(12.0 * np.diag(rod.inertia) / rod.mass)
    return np.array([length, z, y])
