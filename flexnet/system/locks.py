"""Joints that events lock: a motion driver that is there while they are."""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from flexnet.components import Component, TimeFunction
from flexnet.components.attachment import Attachment
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.signals import ANGLES, Event, Lock, Measure, Release, Slip, Stick

if TYPE_CHECKING:
    from flexnet.system.system import System


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
