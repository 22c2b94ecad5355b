"""Attachment: a joint that events close and open."""

from dataclasses import dataclass, replace
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.joint import AbstractBorrowed
from flexnet.components.registry import builder, component, joint_like, joints_by_axes
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class Attachment(AbstractBorrowed):
    """A joint that holds, or does not; a chord of every tree, so that coordinates mean the same either way.

    Motion space   that of the joint while it holds, {x, y, z | any rotation} while it does not
    Reaction space that of the joint while it holds, {} while it does not

    Attributes
    ----------
    joint : what it is while it holds.
    is_open : whether it does not hold.
    """

    symbol: ClassVar[str] = "at"
    kind: ClassVar[Kind] = Kind.JOINT
    noun: ClassVar[str] = "attachment"

    is_open: bool

    @property
    def terminal(self) -> Terminal:
        """That of the joint while it holds, nothing else."""
        return Terminal(Translation(free=XYZ), Rotation.ball()) if self.is_open else self.joint.terminal

    def between(self, tail: Frame, head: Frame) -> "Attachment":
        """The same, holding two frames."""
        return replace(self, joint=replace(self.joint, tail=tail, head=head), is_open=False)  # type: ignore[type-var]  # joints are dataclasses


@builder
def attachment(
    name: str, like: str, tail: Frame, head: Frame, holds: bool = True, **axes: str | Vector
) -> Attachment:
    """Add a joint that events attach and detach: a gripper, a hook, a bolt between two stages.

    Parameters
    ----------
    like : the joint it is while it holds: ``"weld"``, ``"revolute"``, …
    holds : whether it does so at the start.
    """
    joint = None if like == "free" else joint_like(like, name, tail, head, axes)
    if joint is None:
        kinds = ", ".join(key for key in joints_by_axes() if key != "free")
        raise ModelError(f"attachment {name!r} can be like {kinds}, not {like!r}")
    return Attachment(joint, not holds)
