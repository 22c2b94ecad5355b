"""What events change in a system: attachments that close and open, joints that are locked, drivers let go.

A joint is locked by a motion driver that is there while it is.
"""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from flexnet.components import Component, FlexibleBody, Frame, TimeFunction
from flexnet.components.attachment import Attachment
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.signals import ANGLES, Attach, Detach, Event, Lock, Measure, Release, Slip, Stick
from flexnet.typing import Array
from flexnet.validation import nearest

if TYPE_CHECKING:
    from flexnet.system.system import System


#: place (3,) and orientation (3, 3) in ground
Pose: TypeAlias = tuple[Array, Array]


class Grip(NamedTuple):
    """Frames that an attachment holds on one another."""

    tail: Frame
    head: Frame


def check_attachment(what: str, components: Mapping[str, Component], action: Attach | Detach) -> None:
    """Refuse what is no attachment, and one whose bodies cannot be held wherever they are."""
    known = {name: part for name, part in components.items() if isinstance(part, Attachment)}
    part = known.get(action.attachment)
    if part is None:
        hint = nearest(action.attachment, known)
        raise ModelError(
            f"{what}: {action.attachment!r} is no attachment; make it by System.attachment(…){hint}"
        )
    if isinstance(action, Attach) and all(_is_elastic(components, end) for end in (part.tail, part.head)):
        raise ModelError(
            f"{what}: {part.name!r} lies between two flexible bodies, which cannot be attached wherever they"
            " are; put a small rigid body on one of them"
        )


def grips_at_start(system: "System") -> dict[str, Grip]:
    """Attachments that hold at the start, by name."""
    found = [part for part in system.components.values() if isinstance(part, Attachment)]
    return {part.name: Grip(part.tail, part.head) for part in found if not part.is_open}


def _is_elastic(components: Mapping[str, Component], frame: Frame) -> bool:
    return isinstance(components.get(frame.body), FlexibleBody)


def grip(system: "System", name: str, frames: Mapping[str, Pose], bodies: Mapping[str, Pose]) -> Grip:
    """Frames that hold the bodies of an attachment as they are: one of its own, and one where that is.

    Parameters
    ----------
    frames, bodies : place (3,) and orientation (3, 3) in ground of its two frames, and of their bodies.
    """
    part = system.components[name]
    assert isinstance(part, Attachment)
    stays, goes = part.tail, part.head
    if _is_elastic(system.components, goes):
        stays, goes = goes, stays
    (x, R), (x_B, R_B) = frames[stays.name], bodies[goes.body]
    moved = Frame(f"{goes.body}.{name}@held", goes.body, R_B.T @ (x - x_B), R_B.T @ R)
    return Grip(moved, stays) if goes is part.tail else Grip(stays, moved)


def with_grips(system: "System", grips: Mapping[str, Grip]) -> "System":
    """The system with these attachments holding and all others open; it itself is not changed."""
    out = copy(system)
    out.components, out.bodies, out.ground = dict(system.components), dict(system.bodies), system.ground
    for name, part in system.components.items():
        if not isinstance(part, Attachment):
            continue
        if name not in grips:
            out.components[name] = replace(part, is_open=True)
            continue
        out.components[name] = part.between(*grips[name])
        for frame in grips[name]:
            _add_frame(out, frame)
    return out


def _add_frame(system: "System", frame: Frame) -> None:
    """Give a body of a copied system a frame, where it does not have it."""
    body = system.ground if frame.body == "ground" else system.bodies[frame.body]
    if body.owns(frame):
        return
    made = copy(body)
    made.frames = body.frames | {frame.name.split(".", 1)[1]: frame}
    if frame.body == "ground":
        system.ground = made
    else:
        system.bodies[frame.body] = made


def freed_drivers(events: Iterable[Event], components: Mapping[str, Component]) -> set[str]:
    """Motion drivers that events let go: chords of every tree, since they go."""
    asked = {event.action.joint for event in events if isinstance(event.action, Release)}
    return {name for name in asked if components[name].kind is Kind.DRIVER}


def without_drivers(system: "System", freed: Iterable[str]) -> "System":
    """The system in which some of its drivers hold nothing; it itself is not changed."""
    out = copy(system)
    gone = {name: Attachment(system.components[name], is_open=True) for name in freed}
    out.components = system.components | gone
    return out


def check_lock(what: str, joint: Component, action: Lock | Release) -> None:
    """Refuse a joint without one coordinate of its own, or of another kind than is asked for."""
    translation, about = joint.terminal.translation, joint.terminal.single_axis
    slides = () if translation is None else translation.free
    if (about is not None) == (len(slides) == 1) or len(slides) > 1:
        raise ModelError(f"{what}: joint {joint.name!r} has no single coordinate to lock")
    own = "angle" if about is not None else "displacement"
    if isinstance(action, Lock) and action.coordinate != own:
        raise ModelError(f"{what}: joint {joint.name!r} has no {action.coordinate!r}; it has {own!r}")


def lock_name(joint: str) -> str:
    """Name of the driver that holds a joint."""
    return f"lock_{joint}"


def with_locks(system: "System", locks: Mapping[str, tuple[Lock | Stick, TimeFunction]]) -> "System":
    """The system with drivers that hold some of its joints; it itself is not changed."""
    out = copy(system)
    out.components = dict(system.components)
    out.events = [_strained(event) if _is_strained(event, locks) else event for event in system.events]
    for joint, (action, held) in locks.items():
        if action.coordinate in ANGLES:
            out.motion(lock_name(joint), joint=joint, angle=held)
        else:
            out.motion(lock_name(joint), joint=joint, displacement=held)
    return out


def _is_strained(event: Event, locks: Mapping[str, object]) -> bool:
    """Whether an event is that of a joint that sticks now."""
    return isinstance(event.action, Slip) and event.action.joint in locks


def _strained(event: Event) -> Event:
    """The event at which a joint that sticks is let go: its load has reached what friction can hold."""
    action = event.action
    assert isinstance(action, Slip)
    effort = Measure("effort", lock_name(action.joint), coordinate=action.coordinate)
    return replace(event, signal=action.level - abs(effort), action=replace(action, effort=effort))
