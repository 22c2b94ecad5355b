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
    "position": "m", "node": "m", "deflection": "m", "velocity": "m/s", "acceleration": "m/s^2",
    "angular_velocity": "rad/s", "force": "N", "torque": "N*m",
}  # fmt: skip
#: components of stress: of the sections of beams, then of shells, with their units
BEAM_STRESS = {"N": "N", "Vy": "N", "Vz": "N", "T": "N*m", "My": "N*m", "Mz": "N*m", "sigma": "Pa"}
SHELL_STRESS = {
    "nx": "N/m", "ny": "N/m", "nxy": "N/m", "mx": "N", "my": "N", "mxy": "N",
    "sx": "Pa", "sy": "Pa", "sxy": "Pa", "s1": "Pa", "s2": "Pa", "von_mises": "Pa",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measure(Signal):
    """One scalar that is measured.

    Attributes
    ----------
    kind : ``position``, ``velocity``, ``acceleration``, ``angular_velocity`` of a frame; ``coordinate``
        or ``rate`` of a joint; ``force`` or ``torque`` of a joint, driver or force element; ``effort`` of a
        driver along the coordinate it rides on; ``node``,
        ``deflection`` or ``stress`` of a point of a flexible body.
    target : name of the frame, joint, driver, force element or flexible body.
    along : (3,) direction in ground axes (of a deflection: in those of its body or chord); None for the
        magnitude.
    coordinate : which coordinate of the joint, or component of the stress.
    point : of a flexible body: full name of a frame, or number of a node of its mesh.
    chord : names of two frames a deflection is measured from; none for the frame of the body.
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
        return (BEAM_STRESS | SHELL_STRESS)[measure.coordinate]
    return _UNITS[measure.kind]
