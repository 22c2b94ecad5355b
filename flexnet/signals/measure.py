"""Measures: what the state shows of itself, as data. Any tree and any engine can answer them.

Vectors are in ground axes, or in those of the frame they are seen from; ``along`` picks a component or, left
out, the magnitude is meant.
"""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.signals.signal import Measured, Signal
from flexnet.typing import Array
from flexnet.units import parse_unit

#: coordinates of joints that are angles
ANGLES = ("angle", "alpha", "beta")
_UNITS = {
    "position": "m", "angle": "rad", "node": "m", "deflection": "m", "velocity": "m/s",
    "acceleration": "m/s^2", "angular_velocity": "rad/s", "angular_acceleration": "rad/s^2",
    "force": "N", "torque": "N*m", "energy": "J",
}  # fmt: skip
#: components of stress: of the sections of beams, of shells, of solids, with their units
BEAM_STRESS = {"N": "N", "Vy": "N", "Vz": "N", "T": "N*m", "My": "N*m", "Mz": "N*m", "sigma": "Pa"}
SHELL_STRESS = {
    "nx": "N/m", "ny": "N/m", "nxy": "N/m", "mx": "N", "my": "N", "mxy": "N",
    "sx": "Pa", "sy": "Pa", "sxy": "Pa", "s1": "Pa", "s2": "Pa", "von_mises": "Pa",
}  # fmt: skip
SOLID_STRESS = dict.fromkeys(("sx", "sy", "sz", "sxy", "syz", "szx", "s1", "s3", "von_mises"), "Pa")
#: components of strain, likewise
BEAM_STRAIN = {"e": "1", "ky": "1/m", "kz": "1/m", "epsilon": "1"}
SHELL_STRAIN = {"ex": "1", "ey": "1", "exy": "1", "e1": "1", "e2": "1"}
#: measures of the motion of a frame
OF_FRAMES = ("position", "angle", "velocity", "acceleration", "angular_velocity", "angular_acceleration")
#: energies of a whole mechanism, by the place of their terms among kinetic, potential, strain
ENERGIES = {"kinetic": (0,), "potential": (1,), "strain": (2,), "mechanical": (0, 1, 2)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measure(Signal):
    """One scalar that is measured.

    Attributes
    ----------
    kind : one of :data:`OF_FRAMES` of a frame; ``energy`` of the mechanism; ``coordinate``
        or ``rate`` of a joint; ``force`` or ``torque`` of a joint, driver or force element; ``effort`` of a
        driver along the coordinate it rides on; ``node``,
        ``deflection`` or ``stress`` of a point of a flexible body.
    target : name of the frame, joint, driver, force element or flexible body; empty for the mechanism.
    along : (3,) direction in ground axes (of a deflection: in those of its body or chord); None for the
        magnitude.
    coordinate : which coordinate of the joint, component of stress or strain, or one of :data:`ENERGIES`.
    point : of a flexible body: full name of a frame, or number of a node of its mesh.
    chord : names of two frames a deflection is measured from; none for the frame of the body.
    undeformed : point and ends of the chord in the undeformed whole, m, of a beam in pieces; none elsewhere.
    face : of a shell, where its stress is meant.
    seen_from : name of a frame that moves, relative to which, and in whose axes, a motion is meant; the
        ground if empty.
    """

    kind: str
    target: str
    along: Array | None = None
    coordinate: str = ""
    point: str | int = ""
    chord: tuple[str, str] | tuple[()] = ()
    face: str = ""
    seen_from: str = ""
    undeformed: tuple[tuple[float, ...], ...] = ()
    needs: ClassVar[tuple[Signal, ...]] = ()

    @property
    def dimension(self) -> Measured:
        """Powers of length, mass and time."""
        return parse_unit(si_unit(self)).dimension


def si_unit(measure: Signal) -> str:
    """SI unit of what a signal gives; of a measure, radians are told."""
    if not isinstance(measure, Measure):
        return measure.unit or "1"
    if measure.kind in ("coordinate", "rate"):
        of = "rad" if measure.coordinate in ANGLES else "m"
        return of if measure.kind == "coordinate" else f"{of}/s"
    if measure.kind == "effort":
        return "N*m" if measure.coordinate in ANGLES else "N"
    if measure.kind == "stress":
        return (BEAM_STRESS | SHELL_STRESS | SOLID_STRESS | BEAM_STRAIN | SHELL_STRAIN)[measure.coordinate]
    return _UNITS[measure.kind]
