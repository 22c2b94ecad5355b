"""What can be measured, in the words of a System: each function gives a signal.

Vectors are in ground axes, or in those of the frame they are seen from; ``along`` picks a component or, left
out, the magnitude is meant.
"""

from flexnet.components import Frame, as_axis
from flexnet.errors import ModelError
from flexnet.signals import (
    BEAM_STRAIN,
    BEAM_STRESS,
    ENERGIES,
    SHELL_STRAIN,
    SHELL_STRESS,
    SOLID_STRESS,
    Measure,
)
from flexnet.system.body import Body
from flexnet.typing import Vector
from flexnet.validation import nearest

#: where in the thickness of a shell
FACES = ("bottom", "middle", "top")


def _of_frame(
    kind: str, frame: Body | Frame, along: str | Vector | None, seen_from: Body | Frame | None = None
) -> Measure:
    name = frame.name
    axis = None if along is None else as_axis(along, f"direction of {kind} of {name!r}")
    return Measure(kind, name, axis, seen_from="" if seen_from is None else seen_from.name)


def position(
    frame: Body | Frame, along: str | Vector | None = None, seen_from: Body | Frame | None = None
) -> Measure:
    """Position of a frame's origin, m.

    Parameters
    ----------
    along : direction in ground axes, or in those of ``seen_from``; the distance if left out.
    seen_from : a frame that moves, from whose origin it is measured; the ground if left out.
    """
    return _of_frame("position", frame, along, seen_from)


def angle(frame: Body | Frame, about: str | Vector = "z", seen_from: Body | Frame | None = None) -> Measure:
    """Angle by which a frame is turned about an axis, rad, within half a turn of zero.

    Of the frame's two directions across the axis the one is followed that lies nearest to the axes of the
    frame: of z it is x. A joint's own coordinate, which counts whole turns, is :func:`joint_coordinate`.

    Parameters
    ----------
    about : axis in the ground, or in the frame ``seen_from``.
    seen_from : a frame that moves, against which it is measured; the ground if left out.
    """
    return _of_frame("angle", frame, about, seen_from)


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
        them, in axes x along the line, y as near to y of the body as can be, z = x × y; where the undeformed
        chord runs along y of the body, z as near to z. Of frames of this body, in ``pieces`` or not, what the
        undeformed body has is taken off; a link that its author cut into several bodies has its ends on
        different ones. Left out: from the undeformed place in the frame of the body.
    """
    where = point if isinstance(point, int) else _frame_name(body, point)
    ends = () if chord is None else (_frame_name(body, chord[0]), _frame_name(body, chord[1]))
    direction = None if along is None else as_axis(along, f"direction of deflection of {body.name!r}")
    return Measure("deflection", body.name, direction, point=where, chord=ends)


def stress(body: Body, point: str | int | Frame, component: str = "von_mises", face: str = "top") -> Measure:
    """Section force of a beam, or stress of a shell or solid, at a point of a flexible body.

    Parameters
    ----------
    body : the flexible body.
    point : name of one of its frames, or number of a node of its mesh. Where beams meet, or shells at a fold
        or of two groups, the largest of them in magnitude; of a shell, a parabola through the facets around.
    component : of a beam ``N``, ``Vy``, ``Vz``, N, ``T``, ``My``, ``Mz``, N m, in section axes, or ``sigma``,
        the largest magnitude of the normal stress over the section, Pa; of a shell ``von_mises``, principal
        ``s1`` ≥ ``s2``, ``sx``, ``sy``, ``sxy`` in facet axes, Pa, or per length ``nx``, ``ny``, ``nxy``,
        N/m, and ``mx``, ``my``, ``mxy``, N m/m; of a solid ``von_mises``, the principal ``s1`` and ``s3``, or
        ``sx``, ``sy``, ``sz``, ``sxy``, ``syz``, ``szx`` in the axes of the body, the mean of the elements
        that meet at a node, Pa.
    face : of a shell: ``bottom``, ``middle`` or ``top``; of a laminate also ``ply 0`` (the lowest), ``ply 1``
        …: in the middle of the ply, ``sx`` along its fibres, ``sy`` across them, ``sxy`` between both.
    """
    return _in_section("stress", BEAM_STRESS | SHELL_STRESS | SOLID_STRESS, body, point, component, face)


def strain(body: Body, point: str | int | Frame, component: str = "epsilon", face: str = "top") -> Measure:
    """Strain of a beam or a shell at a point of a flexible body: what a gauge would read there.

    Parameters
    ----------
    body, point : as of :func:`stress`.
    component : of a beam ``e``, N/EA, the curvatures ``ky``, My/EIy, and ``kz``, Mz/EIz, 1/m, so that a gauge
        at (y, z) of the section reads e + z ky - y kz, or ``epsilon``, the largest magnitude over the
        section; of a shell ``ex``, ``ey``, ``exy`` (γ) in facet axes, or principal ``e1`` ≥ ``e2``.
    face : of a shell: ``bottom``, ``middle`` or ``top``.
    """
    return _in_section("strain", BEAM_STRAIN | SHELL_STRAIN, body, point, component, face)


def _in_section(
    what: str, known: dict[str, str], body: Body, point: str | int | Frame, component: str, face: str
) -> Measure:
    if component not in known:
        hint = nearest(component, known) or f"; there are {', '.join(known)}"
        raise ModelError(f"{what} of {body.name!r}: there is no component {component!r}{hint}")
    is_ply = what == "stress" and face.startswith("ply ") and face[4:].isdecimal()
    if face not in FACES and not is_ply:
        allowed = ", ".join(FACES) + (", ply 0, ply 1 …" if what == "stress" else "")
        raise ModelError(f"{what} of {body.name!r}: face {face!r} is not one of {allowed}")
    where = point if isinstance(point, int) else _frame_name(body, point)
    return Measure("stress", body.name, coordinate=component, point=where, face=face)


def energy(kind: str = "mechanical") -> Measure:
    """Energy of the whole mechanism, J.

    Parameters
    ----------
    kind : ``kinetic``, ``potential`` (gravity, springs), ``strain`` (flexible bodies), or ``mechanical``,
        their sum. States and networks have no part in it.
    """
    if kind not in ENERGIES:
        raise ModelError(f"there is no energy {kind!r}{nearest(kind, ENERGIES)}")
    return Measure("energy", "", coordinate=kind)


def _frame_name(body: Body, frame: str | Frame) -> str:
    return frame.name if isinstance(frame, Frame) else body[frame].name


def velocity(
    frame: Body | Frame, along: str | Vector | None = None, seen_from: Body | Frame | None = None
) -> Measure:
    """Velocity of a frame's origin, m/s: the rate of its position as seen from there."""
    return _of_frame("velocity", frame, along, seen_from)


def acceleration(
    frame: Body | Frame, along: str | Vector | None = None, seen_from: Body | Frame | None = None
) -> Measure:
    """Acceleration of a frame's origin, m/s²: the rate of its velocity as seen from there."""
    return _of_frame("acceleration", frame, along, seen_from)


def angular_velocity(
    frame: Body | Frame, along: str | Vector | None = None, seen_from: Body | Frame | None = None
) -> Measure:
    """Angular velocity of a frame, rad/s, as seen from another that turns, and in its axes, if given."""
    return _of_frame("angular_velocity", frame, along, seen_from)


def angular_acceleration(
    frame: Body | Frame, along: str | Vector | None = None, seen_from: Body | Frame | None = None
) -> Measure:
    """Angular acceleration of a frame, rad/s²: the rate of its angular velocity as seen from there."""
    return _of_frame("angular_acceleration", frame, along, seen_from)


def joint_coordinate(joint: str, coordinate: str = "angle") -> Measure:
    """Coordinate of a joint, rad or m, continuous over whole turns.

    Parameters
    ----------
    coordinate : ``"angle"``, or ``"displacement"`` of a joint that slides; ``"alpha"`` and ``"beta"`` of a
        universal joint, ``"x"``, ``"y"``, ``"z"`` of one that slides in several directions.
    """
    return Measure("coordinate", joint, coordinate=coordinate)


def joint_rate(joint: str, coordinate: str = "angle") -> Measure:
    """Rate of a coordinate of a joint, rad/s or m/s: of its angle unless ``coordinate`` names another."""
    return Measure("rate", joint, coordinate=coordinate)


def force(component: str, along: str | Vector | None = None) -> Measure:
    """Force of a joint, driver or force element on its head, N."""
    return Measure(
        "force", component, None if along is None else as_axis(along, f"direction at {component!r}")
    )


def torque(component: str, along: str | Vector | None = None) -> Measure:
    """Torque of a joint, driver or force element on its head about the head's origin, N m."""
    return Measure(
        "torque", component, None if along is None else as_axis(along, f"direction at {component!r}")
    )
