"""Measures: what a channel records, as data. Any tree and any engine can answer them.

All vectors are in ground axes; ``along`` picks a component or, left out, the magnitude is recorded.
"""

from dataclasses import dataclass

from flexnet.components import Frame, as_axis
from flexnet.errors import ModelError
from flexnet.system.body import Body
from flexnet.typing import Array, Vector
from flexnet.validation import nearest

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
FACES = ("bottom", "middle", "top")


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One scalar to record.

    Attributes
    ----------
    kind : ``position``, ``velocity``, ``acceleration``, ``angular_velocity`` of a frame; ``coordinate``
        or ``rate`` of a joint; ``force`` or ``torque`` of a joint or driver; ``node``, ``deflection`` or
        ``stress`` of a point of a flexible body.
    target : name of the frame, joint, driver or flexible body.
    along : (3,) direction in ground axes (of a deflection: in those of its body or chord); None for the
        magnitude.
    coordinate : which coordinate of the joint, or component of the stress.
    point : of a flexible body: full name of a frame, or number of a node of its mesh.
    chord : names of two frames a deflection is measured from; none for the frame of the body.
    face : of a shell, where its stress is recorded.
    """

    kind: str
    target: str
    along: Array | None = None
    coordinate: str = ""
    point: str | int = ""
    chord: tuple[str, str] | tuple[()] = ()
    face: str = ""


def si_unit(measure: Measure) -> str:
    """SI unit of what a measure gives."""
    if measure.kind in ("coordinate", "rate"):
        of = "rad" if measure.coordinate in ANGLES else "m"
        return of if measure.kind == "coordinate" else f"{of}/s"
    if measure.kind == "stress":
        return (BEAM_STRESS | SHELL_STRESS)[measure.coordinate]
    return _UNITS[measure.kind]


def _of_frame(kind: str, frame: Body | Frame, along: str | Vector | None) -> Measure:
    name = frame.name
    return Measure(kind, name, None if along is None else as_axis(along, f"direction of {kind} of {name!r}"))


def position(frame: Body | Frame, along: str | Vector | None = None) -> Measure:
    """Position of a frame's origin, m."""
    return _of_frame("position", frame, along)


def node_position(body: Body, node: int, along: str | Vector | None = None) -> Measure:
    """Position of a node of a flexible body's mesh, frame or not, to first order in its deformation, m."""
    direction = None if along is None else as_axis(along, f"direction at node {node} of {body.name!r}")
    return Measure("node", body.name, direction, point=int(node))


def deflection(
    body: Body,
    point: str | int | Frame,
    along: str | Vector | None = "y",
    chord: tuple[str | Frame, str | Frame] | None = None,
) -> Measure:
    """Deflection of a point of a flexible body, m.

    Parameters
    ----------
    body : the flexible body.
    point : name of one of its frames, or number of a node of its mesh.
    along : direction in the axes of the body frame or of the chord; None for the magnitude.
    chord : two frames, of this body or of others; the deflection is then measured from the line between
        them, in axes x along the line, y as near to y of the body as can be, z = x × y. A link cut into
        several bodies has its ends on different ones. Left out: from the undeformed place in the frame of
        the body.
    """
    where = point if isinstance(point, int) else _frame_name(body, point)
    ends = () if chord is None else (_frame_name(body, chord[0]), _frame_name(body, chord[1]))
    direction = None if along is None else as_axis(along, f"direction of deflection of {body.name!r}")
    return Measure("deflection", body.name, direction, point=where, chord=ends)


def stress(body: Body, point: str | int | Frame, component: str = "von_mises", face: str = "top") -> Measure:
    """Section force of a beam, or stress of a shell, at a point of a flexible body.

    Parameters
    ----------
    body : the flexible body.
    point : name of one of its frames, or number of a node of its mesh. Where beams meet, the largest of
        them in magnitude; of a shell, a parabola through the facets around.
    component : of a beam ``N``, ``Vy``, ``Vz``, N, ``T``, ``My``, ``Mz``, N m, in section axes, or ``sigma``,
        the largest magnitude of the normal stress over the section, Pa; of a shell ``von_mises``, principal
        ``s1`` ≥ ``s2``, ``sx``, ``sy``, ``sxy`` in facet axes, Pa, or per length ``nx``, ``ny``, ``nxy``,
        N/m, and ``mx``, ``my``, ``mxy``, N m/m.
    face : of a shell: ``bottom``, ``middle`` or ``top``.
    """
    known = BEAM_STRESS | SHELL_STRESS
    if component not in known:
        raise ModelError(
            f"stress of {body.name!r}: there is no component {component!r}{nearest(component, known)}"
        )
    if face not in FACES:
        raise ModelError(f"stress of {body.name!r}: face {face!r} is not one of {', '.join(FACES)}")
    where = point if isinstance(point, int) else _frame_name(body, point)
    return Measure("stress", body.name, coordinate=component, point=where, face=face)


def _frame_name(body: Body, frame: str | Frame) -> str:
    return frame.name if isinstance(frame, Frame) else body[frame].name


def velocity(frame: Body | Frame, along: str | Vector | None = None) -> Measure:
    """Velocity of a frame's origin, m/s."""
    return _of_frame("velocity", frame, along)


def acceleration(frame: Body | Frame, along: str | Vector | None = None) -> Measure:
    """Acceleration of a frame's origin, m/s²."""
    return _of_frame("acceleration", frame, along)


def angular_velocity(frame: Body | Frame, along: str | Vector | None = None) -> Measure:
    """Angular velocity of a frame, rad/s."""
    return _of_frame("angular_velocity", frame, along)


def joint_coordinate(joint: str, coordinate: str = "angle") -> Measure:
    """Coordinate of a joint (``angle``, ``displacement``, …), rad or m, continuous over whole turns."""
    return Measure("coordinate", joint, coordinate=coordinate)


def joint_rate(joint: str, coordinate: str = "angle") -> Measure:
    """Rate of a coordinate of a joint, rad/s or m/s."""
    return Measure("rate", joint, coordinate=coordinate)


def force(component: str, along: str | Vector | None = None) -> Measure:
    """Force of a joint or driver on its head, N."""
    return Measure(
        "force", component, None if along is None else as_axis(along, f"direction at {component!r}")
    )


def torque(component: str, along: str | Vector | None = None) -> Measure:
    """Torque of a joint or driver on its head about the head's origin, N m."""
    return Measure(
        "torque", component, None if along is None else as_axis(along, f"direction at {component!r}")
    )
