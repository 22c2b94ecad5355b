"""Virtual joint: coordinates without a constraint (Léger §3.3, after Redmond and McPhee)."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.components.frame import Frame
from flexnet.components.joint import AbstractBorrowed
from flexnet.components.registry import builder, component, joint_like, joints_by_axes
from flexnet.components.terminal import Terminal, Translation
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class VirtualJoint(AbstractBorrowed):
    """The motion space of a joint that is not there.

    As a branch it brings the unknowns of ``joint``; as a chord it imposes nothing. The motion must
    lie in its motion space by virtue of the rest of the mechanism, as a virtual planar joint does in
    a mechanism that moves in a plane.

    Attributes
    ----------
    joint : the joint whose coordinates are borrowed.
    """

    symbol: ClassVar[str] = "v"
    kind: ClassVar[Kind] = Kind.VIRTUAL
    noun: ClassVar[str] = "virtual joint"

    @property
    def terminal(self) -> Terminal:
        """Motion space of the joint, no reaction space."""
        t = self.joint.terminal.translation
        return Terminal(None if t is None else Translation(t.free), self.joint.terminal.rotation)


@builder
def virtual(name: str, like: str, tail: Frame, head: Frame, **axes: str | Vector) -> VirtualJoint:
    """Add a virtual joint: the coordinates of a joint ``like`` ("planar", …), no constraint."""
    joint = joint_like(like, name, tail, head, axes)
    if joint is None or sum(joint.branch_coordinates) == 0:
        kinds = ", ".join(joints_by_axes())
        raise ModelError(f"virtual joint {name!r} can be like {kinds}, as far as these move, not {like!r}")
    return VirtualJoint(joint)
