"""Written by ``make stubs`` from the pages of the components."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from flexnet.components.box_contact import BoxContact
from flexnet.components.cable import Cable
from flexnet.components.component import Component
from flexnet.components.constant_velocity import ConstantVelocity
from flexnet.components.cylinder_contact import CylinderContact
from flexnet.components.cylindrical import Cylindrical
from flexnet.components.distance_rod import DistanceRod
from flexnet.components.end_stop import SlideStop, TurnStop
from flexnet.components.frame import Frame
from flexnet.components.free import Free
from flexnet.components.gear import GearPair, RackPair
from flexnet.components.joint_friction import SlideFriction, TurnFriction
from flexnet.components.loads import Force
from flexnet.components.motion_driver import RotationDriver, TranslationDriver
from flexnet.components.one_way_clutch import OneWayClutch
from flexnet.components.pin_in_slot import PinInSlot
from flexnet.components.planar import Planar
from flexnet.components.plane_contact import PlaneContact
from flexnet.components.point_on_curve import PointOnCurve
from flexnet.components.point_on_surface import PointOnSurface
from flexnet.components.prismatic import Prismatic
from flexnet.components.revolute import Revolute
from flexnet.components.screw import Screw
from flexnet.components.sphere_contact import SphereContact
from flexnet.components.spherical import Spherical
from flexnet.components.spring_damper import Bushing, TorsionalSpring, TranslationalSpring, UserLaw
from flexnet.components.time_function import TimeLike
from flexnet.components.translational import Translational
from flexnet.components.universal import Universal
from flexnet.components.virtual_joint import VirtualJoint
from flexnet.components.weld import Weld
from flexnet.signals.signal import SignalLike
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
    def box_contact(
        self,
        name: str,
        tail: End,
        head: End,
        stiffness: float,
        size: Vector,
        hollow: bool = False,
        radius: float = 0.0,
        damping: float = 0.0,
        exponent: float = 1.0,
        friction: float = 0.0,
        slip_speed: float = 0.001,
    ) -> BoxContact:
        """Let a ball about the origin of ``head`` touch a box about the origin of ``tail``.

        Parameters
        ----------
        size : the three edges of the box along the axes of the tail, m.
        hollow : whether the ball is inside the box.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps.
        """
    def cable(
        self, name: str, tail: End, head: End, length: float, stiffness: float, damping: float = 0.0
    ) -> Cable:
        """Tie two frames together by a cable, which pulls where it is taut and is slack otherwise.

        Parameters
        ----------
        length, stiffness, damping : m, N/m, s/m of N = k δ (1 + c δ̇), δ the stretch.
        """
    def constant_velocity(
        self, name: str, tail: End, head: End, axis: str | Vector = "z"
    ) -> ConstantVelocity:
        """Add a constant-velocity joint of two shafts along ``axis``, given in both frames."""
    def cylinder_contact(
        self,
        name: str,
        tail: End,
        head: End,
        stiffness: float,
        size: float,
        axis: str | Vector = "z",
        length: float | None = None,
        hollow: bool = False,
        radius: float = 0.0,
        damping: float = 0.0,
        exponent: float = 1.0,
        friction: float = 0.0,
        slip_speed: float = 0.001,
    ) -> CylinderContact:
        """Let a ball about the origin of ``head`` touch a cylinder about an axis of ``tail``.

        Parameters
        ----------
        size : radius of the cylinder, m.
        axis, length : of the cylinder, about the origin of the tail; without a length it never ends.
        hollow : whether the ball is inside.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps.
        """
    def cylindrical(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Cylindrical:
        """Add a cylindrical joint: translation along and rotation about ``axis``."""
    def distance_rod(self, name: str, tail: End, head: End, length: TimeLike) -> DistanceRod:
        """Add a massless rod between two frames: their origins keep the distance ``length`` [m]."""
    def end_stop(
        self,
        name: str,
        joint: str,
        lower: float = float("-inf"),
        upper: float = float("inf"),
        stiffness: float = 0.0,
        damping: float = 0.0,
        exponent: float = 1.0,
    ) -> SlideStop | TurnStop:
        """Stop the one coordinate of a joint at ``lower`` and at ``upper``, either of which may be left out.

        Parameters
        ----------
        lower, upper : ends of its travel, m or rad.
        stiffness, damping, exponent : N/mⁿ or N m/radⁿ, s/m or s/rad, n of N = k δⁿ (1 + c δ̇).
        """
    def backlash(
        self, name: str, joint: str, play: float, stiffness: float, damping: float = 0.0, centre: float = 0.0
    ) -> SlideStop | TurnStop:
        """Couple the two sides of a joint after a free play: teeth, splines, a fork.

        Parameters
        ----------
        play : the whole of it, m or rad.
        stiffness, damping : N/m or N m/rad, s/m or s/rad.
        centre : coordinate in the middle of the play, m or rad.
        """
    def free(self, name: str, tail: End, head: End) -> Free:
        """Add a free joint: six coordinates, no constraint."""
    def gear_pair(self, name: str, joint_1: str, joint_2: str, ratio: float, phase: float = 0.0) -> GearPair:
        """Let two wheels mesh: the angle of ``joint_2`` is ``ratio`` times that of ``joint_1``.

        Parameters
        ----------
        joint_1, joint_2 : names of the joints the wheels turn in, each with one angle.
        ratio : turns of the second wheel in a turn of the first: -N₁/N₂ of two spur gears on parallel axes.
        phase : angle of the second where that of the first is zero, rad.
        """
    def rack_pair(self, name: str, pinion: str, rack: str, radius: float, phase: float = 0.0) -> RackPair:
        """Let a pinion drive a rack: the displacement of joint ``rack`` is ``radius`` times the pinion's angle.

        Parameters
        ----------
        pinion, rack : names of the joints they move in: one with one angle, one with one displacement.
        radius : of the pinion's pitch circle, m; negative where the rack goes the other way.
        phase : displacement where the angle is zero, m.
        """
    def one_way_clutch(
        self, name: str, joint: str, capacity: float, slip_speed: float = 0.001
    ) -> OneWayClutch:
        """Let the one angle of a joint grow and hold it from falling.

        Parameters
        ----------
        capacity : largest torque it holds, N m.
        slip_speed : speed [rad/s] about which it creeps while it holds.
        """
    def pin_in_slot(
        self, name: str, tail: End, head: End, axis: str | Vector = "z", slot: str | Vector = "x"
    ) -> PinInSlot:
        """Add a pin about ``axis`` that slides along ``slot`` of the tail frame."""
    def planar(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Planar:
        """Add a planar joint: two translations normal to ``axis`` and the rotation about it."""
    def plane_contact(
        self,
        name: str,
        tail: End,
        head: End,
        stiffness: float,
        axis: str | Vector = "z",
        radius: float = 0.0,
        damping: float = 0.0,
        exponent: float = 1.0,
        friction: float = 0.0,
        slip_speed: float = 0.001,
    ) -> PlaneContact:
        """Let a ball about the origin of ``head`` touch a plane of the tail frame.

        Parameters
        ----------
        axis : outward normal of the plane, which goes through the origin of the tail.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps.
        """
    def point_on_curve(
        self, name: str, tail: End, head: End, y: Any = None, z: Any = 0.0, radius: Any = None
    ) -> PointOnCurve:
        """Keep the origin of ``head`` on a curve of the tail frame, such as a slot, a wire or a cam.

        Parameters
        ----------
        y, z : heights of the curve over x [m]: a number, a sympy expression of ``x``, or points (n, 2), through
            which a cubic spline is laid.
        radius : instead of y: distance from the z axis over the angle ``phi`` from x [m], an expression or points
            (n, 2) from -π to π, through which a closed cubic spline is laid.
        """
    def point_on_surface(self, name: str, tail: End, head: End, surface: Any) -> PointOnSurface:
        """Keep the origin of ``head`` on a surface of the tail frame.

        Parameters
        ----------
        surface : a sympy expression of ``x``, ``y``, ``z`` [m] that vanishes on it; or points (n, 2) of a surface
            of revolution: heights z over the distance from the z axis, through which a cubic spline is laid.
        """
    def prismatic(self, name: str, tail: End, head: End, axis: str | Vector = "x") -> Prismatic:
        """Add a slider: one translation along ``axis`` of the tail frame."""
    def revolute(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Revolute:
        """Add a pin: one rotation about ``axis``, given in both frames."""
    def screw(self, name: str, tail: End, head: End, pitch: float, axis: str | Vector = "z") -> Screw:
        """Add a screw: rotation about ``axis`` and translation along it, ``pitch`` [m] to the turn."""
    def sphere_contact(
        self,
        name: str,
        tail: End,
        head: End,
        stiffness: float,
        size: float,
        hollow: bool = False,
        radius: float = 0.0,
        damping: float = 0.0,
        exponent: float = 1.0,
        friction: float = 0.0,
        slip_speed: float = 0.001,
    ) -> SphereContact:
        """Let a ball about the origin of ``head`` touch a sphere about the origin of ``tail``.

        Parameters
        ----------
        size : radius of the sphere, m.
        hollow : whether the ball is inside the sphere.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps.
        """
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
    def actuator(self, name: str, joint: str, effort: SignalLike) -> Component:
        """Let a torque [N m] or force [N] act along the one freedom of a joint, on its head and back on its tail.

        Parameters
        ----------
        joint : a joint with one angle, or one displacement.
        effort : signal, function of time or number; positive along the coordinate of the joint.
        """
    def servo(
        self,
        name: str,
        joint: str,
        wanted: SignalLike,
        kp: float,
        ki: float = 0.0,
        kd: float = 0.0,
        wanted_rate: SignalLike = 0.0,
        limit: float | None = None,
    ) -> Component:
        """Hold the one coordinate of a joint at a wanted value by a PID controller and an actuator.

        Parameters
        ----------
        wanted, wanted_rate : of the coordinate [rad or m] and of its rate.
        kp, ki, kd : N m or N, over rad or m, over that and s, times s over that; kd acts on the measured rate.
        limit : largest effort, N m or N; none if left out.
        """
    def motor(
        self,
        name: str,
        joint: str,
        voltage: SignalLike,
        constant: float,
        resistance: float,
        inductance: float = 0.0,
        gear: float = 1.0,
    ) -> Component:
        """Turn a joint by a direct-current motor and a gear: L di/dt = u - R i - k n ω, T = n k i.

        The inertia of its rotor is not included: give it to a body, or add n² times it to the one that turns.

        Parameters
        ----------
        voltage : u, V, as a signal of pure numbers.
        constant : k, N m/A or V s/rad.
        resistance, inductance : R, ohm, and L, H; without inductance the current follows at once.
        gear : n, turns of the motor to one of the joint.
        """
    def joint_friction(
        self,
        name: str,
        joint: str,
        force: SignalLike = 0.0,
        slip: float = 0.0,
        static: float = 1.0,
        stribeck: float | None = None,
        damping: float = 0.0,
        coefficient: float = 0.0,
        radius: float = 0.0,
        sticks: bool = False,
    ) -> SlideFriction | TurnFriction:
        """Let the one coordinate of a joint rub: Coulomb and Stribeck, sticking by events or as good as.

        The level of sliding is ``force`` plus ``coefficient`` times the force of the joint itself, |F| across a
        slide and r |F| in a pin, whatever the trees. With ``sticks`` a joint that comes to rest is locked, and
        let go where its lock carries ``static`` times that level; without, it creeps at about ``slip``.

        Parameters
        ----------
        force : of sliding, N, or torque, N m: a number, a function of time or a signal, such as of a brake.
        slip : rate about which sticking creeps, m/s or rad/s; none where it sticks.
        static : force of sticking over that of sliding, at least 1.
        stribeck : rate at which their difference has gone, m/s or rad/s; ten times ``slip`` if left out, and at
            once where it sticks.
        damping : viscous part, N s/m or N m s/rad.
        coefficient : μ of the joint's own load.
        radius : r of a pin, m.
        sticks : whether it sticks by events, named ``<name>_sticks`` and ``<name>_slips``.
        """
