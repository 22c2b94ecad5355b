"""Measures: what a channel records, as data. Any tree and any engine can answer them.

All vectors are in ground axes; ``along`` picks a component or, left out, the magnitude is recorded.
"""

from dataclasses import dataclass

from flexnet.components import Frame, as_axis
from flexnet.system.body import Body
from flexnet.typing import Array, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One scalar to record.

    Attributes
    ----------
    kind : ``position``, ``velocity``, ``acceleration``, ``angular_velocity`` of a frame; ``coordinate``
        or ``rate`` of a joint; ``force`` or ``torque`` of a joint or driver.
    target : name of the frame, joint or driver.
    along : (3,) direction in ground axes; None for the magnitude.
    coordinate : which coordinate of the joint.
    """

    kind: str
    target: str
    along: Array | None = None
    coordinate: str = ""


def _of_frame(kind: str, frame: Body | Frame, along: str | Vector | None) -> Measure:
    name = frame.name
    return Measure(kind, name, None if along is None else as_axis(along, f"direction of {kind} of {name!r}"))


def position(frame: Body | Frame, along: str | Vector | None = None) -> Measure:
    """Position of a frame's origin, m."""
    return _of_frame("position", frame, along)


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
