"""Written by ``make stubs`` from the pages of the components."""

from collections.abc import Sequence
from typing import TypeAlias

from flexnet.components.component import Component
from flexnet.components.cylindrical import Cylindrical
from flexnet.components.frame import Frame
from flexnet.components.free import Free
from flexnet.components.loads import Force
from flexnet.components.motion_driver import RotationDriver, TranslationDriver
from flexnet.components.pin_in_slot import PinInSlot
from flexnet.components.planar import Planar
from flexnet.components.prismatic import Prismatic
from flexnet.components.revolute import Revolute
from flexnet.components.spherical import Spherical
from flexnet.components.spring_damper import Bushing, TorsionalSpring, TranslationalSpring, UserLaw
from flexnet.components.time_function import TimeLike
from flexnet.components.translational import Translational
from flexnet.components.universal import Universal
from flexnet.components.virtual_joint import VirtualJoint
from flexnet.components.weld import Weld
from flexnet.system.body import Body
from flexnet.typing import Array, Vector

End: TypeAlias = Body | Frame

def as_frame(end: object) -> Frame: ...
def stub() -> str: ...

class Builders:
    def _add(self, part: Component) -> Component: ...
    def force(self, name: str, at: End, force: Sequence[TimeLike], follows: bool = False) -> Force:
        """Apply a force [N] at a frame; components in ground axes, or in the frame's if it ``follows``."""
    def torque(
        self,
        name: str,
        on: End | None = None,
        torque: Sequence[TimeLike] | TimeLike = 0.0,
        follows: bool = False,
        joint: str | None = None,
    ) -> Component:
        """Apply a torque [N m] to a body, or between the two bodies of a joint about its axis.

        Parameters
        ----------
        on : body or frame; components in ground axes, or in the frame's if it ``follows``.
        joint : name of a joint with one angle; ``torque`` is then one function, acting on its head
            (and the opposite on its tail).
        """
    def motion(
        self,
        name: str,
        joint: str | None = None,
        tail: End | None = None,
        head: End | None = None,
        angle: TimeLike | None = None,
        displacement: TimeLike | Sequence[TimeLike] | None = None,
        axis: str | Vector | None = None,
    ) -> RotationDriver | TranslationDriver:
        """Prescribe a motion: of a joint's own freedom, or of one frame as seen from another.

        Parameters
        ----------
        joint : name of the joint to drive; or give ``tail`` (the ground if left out) and ``head``.
        angle : rad, about the joint's axis or about ``axis`` (z if left out).
        displacement : m, along the joint's free direction or along ``axis``; three functions prescribe
            the whole position of ``head`` in the tail frame.
        axis : direction in the tail frame where it is not the joint's own.
        """
    def spring(
        self,
        name: str,
        tail: End,
        head: End,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_length: float = 0.0,
        force: TimeLike = 0.0,
        law: UserLaw = None,
        axis: str | Vector | None = None,
    ) -> TranslationalSpring:
        """Add a translational spring-damper-actuator between two frames.

        Parameters
        ----------
        stiffness, damping, free_length : N/m, N s/m, m.
        force : added actuator force, N; positive pushes the ends apart.
        law : ``law(x, xdot, t)`` [N] instead of stiffness and damping.
        axis : act along this direction of the tail frame instead of along the line of the origins.
        """
    def torsional_spring(
        self,
        name: str,
        joint: str | None = None,
        tail: End | None = None,
        head: End | None = None,
        axis: str | Vector = "z",
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float = 0.0,
        torque: TimeLike = 0.0,
        law: UserLaw = None,
    ) -> TorsionalSpring:
        """Add a torsional spring-damper-actuator on a joint, or between two frames about ``axis``.

        Parameters
        ----------
        stiffness, damping, free_angle : N m/rad, N m s/rad, rad.
        torque : added actuator torque on the head, N m.
        law : ``law(theta, omega, t)`` [N m] instead of stiffness and damping.
        """
    def bushing(
        self,
        name: str,
        tail: End,
        head: End,
        stiffness: Array,
        damping: Array | None = None,
        axis: str | Vector | None = None,
    ) -> Bushing:
        """Add a 6×6 bushing; stiffness and damping (6, 6) in the tail frame, SI units.

        Parameters
        ----------
        axis : of the tail frame, about which the head may turn further than half a turn: whole turns are
            counted. In a planar system it is z.
        """
    def cylindrical(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Cylindrical:
        """Add a cylindrical joint: translation along and rotation about ``axis``."""
    def free(self, name: str, tail: End, head: End) -> Free:
        """Add a free joint: six coordinates, no constraint."""
    def pin_in_slot(
        self, name: str, tail: End, head: End, axis: str | Vector = "z", slot: str | Vector = "x"
    ) -> PinInSlot:
        """Add a pin about ``axis`` that slides along ``slot`` of the tail frame."""
    def planar(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Planar:
        """Add a planar joint: two translations normal to ``axis`` and the rotation about it."""
    def prismatic(self, name: str, tail: End, head: End, axis: str | Vector = "x") -> Prismatic:
        """Add a slider: one translation along ``axis`` of the tail frame."""
    def revolute(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Revolute:
        """Add a pin: one rotation about ``axis``, given in both frames."""
    def spherical(self, name: str, tail: End, head: End) -> Spherical:
        """Add a ball joint."""
    def translational(self, name: str, tail: End, head: End) -> Translational:
        """Add a joint with three translations and no rotation."""
    def universal(
        self, name: str, tail: End, head: End, axis_1: str | Vector = "x", axis_2: str | Vector = "y"
    ) -> Universal:
        """Add a universal joint: rotation about ``axis_1`` of the tail, then ``axis_2`` of the head."""
    def virtual(self, name: str, like: str, tail: End, head: End, **axes: str | Vector) -> VirtualJoint:
        """Add a virtual joint: the coordinates of a joint ``like`` ("planar", …), no constraint."""
    def weld(self, name: str, tail: End, head: End) -> Weld:
        """Fix two frames to one another."""
