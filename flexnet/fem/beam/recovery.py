"""Section forces and normal stresses of displaced beams."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.beam.rod_section import RodSection
from flexnet.fem.beam.section import BeamSection
from flexnet.fem.recovered import AbstractRecovered
from flexnet.typing import Array, IntArray

log = logging.getLogger("flexnet.stress")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BeamForces(AbstractRecovered):
    r"""Forces on the sections at both ends of the beams of a region, in section axes.

    A section force acts on the face whose normal is the beam's axis, about the centroid. With
    :math:`M_y = \int zσ\,dA` and :math:`M_z = -\int yσ\,dA`,

    .. math:: σ = \frac{N}{A} + \frac{M_y}{I_y} z - \frac{M_z}{I_z} y .                  \tag{1}

    Attributes
    ----------
    cells : (n_e, 2) nodes of the beams.
    section : their section.
    forces : (…, n_e, 2, 6) N, Vy, Vz [N], T, My, Mz [N·m].
    E : Young's modulus [Pa], for strains.
    ends : sections at the first and the second end of tapered beams, which have their stresses.
    """

    by_row: ClassVar[tuple[str, ...]] = ("forces",)

    cells: IntArray
    section: BeamSection | RodSection
    forces: Array
    E: float = float("nan")
    ends: tuple[BeamSection | RodSection, ...] = ()

    def _at_ends(self, function: Callable[[BeamSection | RodSection, Array], Array]) -> Array:
        """Return a function of section and forces (…, n_e, 6) at every end, (…, n_e, 2)."""
        if not self.ends:
            return np.asarray(function(self.section, self.forces))
        values = [function(s, self.forces[..., k, :]) for k, s in enumerate(self.ends)]
        return np.stack(values, axis=-1)

    def at_end(self, elements: IntArray, end: int) -> Self:
        """Return one end of some elements, which then has the only forces (…, elements, 1, 6)."""
        section = self.ends[end] if self.ends else self.section
        forces = self.forces[:, elements, end][:, :, None]
        return replace(self, cells=self.cells[elements], section=section, forces=forces, ends=())

    def largest_strain(self) -> Array:
        """Return the largest normal strain at the outline of both ends, (…, n_e, 2) [-]."""
        if isinstance(self.section, RodSection):
            return self._at_ends(lambda s, f: np.abs(f @ s.strain_rows().T).max(axis=-1))  # type: ignore[union-attr]
        return np.asarray(self.outer_stress() / self.E)

    def largest_stress(self) -> Array:
        """Return the largest normal stress over section and ends, (…, n_e) [Pa]."""
        return np.asarray(self.corner_stress().max(axis=-1))

    def corner_stress(self) -> Array:
        """Return the largest normal stress over the section at both ends, (…, n_e, 2) [Pa].

        Where a section was given by its matrix without rows of stress it is zero, and a warning says so.
        """
        if self.has_stress:
            return self.outer_stress()
        log.warning("a beam has its section by a matrix without rows of stress: it is shown without stress")
        return np.zeros(self.forces.shape[:-1])

    def quantities(self) -> Iterator[tuple[str, str, Array]]:
        """Yield the section forces and, where it is known, the largest normal stress at both ends."""
        for k, name in enumerate(("N", "Vy", "Vz", "T", "My", "Mz")):
            yield name, "N" if k < 3 else "N*m", self.forces[..., k]
        if self.has_stress:
            yield "sigma", "Pa", self.outer_stress()

    @property
    def has_stress(self) -> bool:
        """Whether stresses follow from the section forces."""
        return not (isinstance(self.section, RodSection) and self.section.stress is None)

    def normal_stress(self, y: float, z: float) -> Array:
        """Return σ by (1) at a point of the section, (…, n_e, 2) [Pa]; y, z from the centroid [m]."""
        if isinstance(self.section, RodSection):
            raise ModelError("the section was given by its matrix: stresses are known at its own points only")
        return self._at_ends(lambda s, f: f @ s.stress_row(y, z))  # type: ignore[union-attr]

    def largest_normal_stress(self) -> Array:
        """Return the largest magnitude of σ over the section, (…, n_e, 2) [Pa].

        Raises
        ------
        ModelError
            If the section was given by numbers: its outline is not known.
        """
        s = self.section
        if isinstance(s, BeamSection) and not (s.radius > 0.0 or s.corners):
            raise ModelError("the section has no outline; make it by a shape, or give corners or radius")
        return self.outer_stress()

    def outer_stress(self) -> Array:
        """Return the largest magnitude of σ, (…, n_e, 2) [Pa], whether an outline is known or not.

        A section without one counts as a rectangle of the same area and second moments, √3 radii of gyration
        each way, and a warning says so once: a round bar would have 15 % more.
        """
        return self._at_ends(_outer_stress)

    def critical_stress(self, worst: "BeamForces", element: int, place: int) -> Array:
        """Return σ at the point of the outline of an end where it is largest in ``worst``, (rows,) [Pa]."""
        f, s = worst.forces[0, element, place], self.ends[place] if self.ends else self.section
        if isinstance(s, BeamSection) and s.radius > 0.0:
            y, z = -f[5] / s.Iz, f[4] / s.Iy
            r = np.copysign(s.radius, f[0]) / (np.hypot(y, z) or 1.0)
            row = s.stress_row(r * y, r * z)
        else:
            rows = s.stress_rows()
            row = rows[np.abs(rows @ f).argmax()]
        return np.asarray(self.forces[:, element, place] @ row)

    def outline_rows(self) -> Array:
        """Return what :meth:`outer_stress` at the first end of every beam is made of, (k, rows) [Pa].

        It is the largest |a| + √(b² + c²) of triples: N/A, r My/Iy, r Mz/Iz of a round section, of others σ
        at a corner and nothing.
        """
        s, f = self.section, self.forces[:, :, 0]
        _tell_of_rectangle(s)
        if isinstance(s, BeamSection) and s.radius > 0.0:
            three = [f[..., 0] / s.A, s.radius * f[..., 4] / s.Iy, s.radius * f[..., 5] / s.Iz]
            return np.stack(three, axis=-1).reshape(len(f), -1).T
        return _alone(f @ s.stress_rows().T)

    def outline_strains(self) -> Array:
        """Return the same of strains: those of :meth:`largest_strain`, (k, rows) [-]."""
        if isinstance(self.section, RodSection):
            return _alone(self.forces[:, :, 0] @ self.section.strain_rows().T)
        return np.asarray(self.outline_rows() / self.E)

    def section_strain(self, k: int) -> Array:
        """Return Γx (k = 0) or a curvature κy, κz (4, 5) at the first end of every beam, (ends, rows)."""
        s, f = self.section, self.forces[:, :, 0]
        if isinstance(s, RodSection):
            return np.asarray((f @ s.flexibility[k]).T)
        return np.asarray(f[..., k].T / (self.E * {0: s.A, 4: s.Iy, 5: s.Iz}[k]))


@lru_cache(maxsize=256)
def _tell_of_rectangle(s: BeamSection | RodSection) -> None:
    """Say, once of every section, that its outline is not known: a round bar would have 15 % more."""
    if isinstance(s, BeamSection) and not (s.radius > 0.0 or s.corners):
        log.warning(
            "a beam's section, A = %.4g m², has no outline: its largest stress is that of a rectangle of the"
            " same A, Iy and Iz; give it corners or a radius, or make it by a shape such as circle(…)",
            s.A,
        )


def _outer_stress(s: BeamSection | RodSection, f: Array) -> Array:
    """Return the largest magnitude of σ of section forces (…, 6) [Pa]."""
    _tell_of_rectangle(s)
    if isinstance(s, BeamSection) and s.radius > 0.0:
        bending = np.hypot(f[..., 4] / s.Iy, f[..., 5] / s.Iz)
        return np.asarray(np.abs(f[..., 0]) / s.A + s.radius * bending)
    return np.asarray(np.abs(f @ s.stress_rows().T).max(axis=-1))


def _alone(values: Array) -> Array:
    """Return triples of which only the first is not zero, of values (rows, …), (k, rows)."""
    none = np.zeros_like(values)
    return np.stack([values, none, none], axis=-1).reshape(len(values), -1).T
