"""Attachments that events close and open: the system with other ones holding."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from flexnet.components import Component, FlexibleBody, Frame
from flexnet.components.attachment import Attachment
from flexnet.errors import ModelError
from flexnet.signals import Attach, Detach
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
