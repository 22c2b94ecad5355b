"""Written by ``make stubs`` from the pages of the components."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from flexnet.components.attachment import Attachment
from flexnet.components.box_contact import BoxContact
from flexnet.components.cable import Cable
from flexnet.components.component import Component
from flexnet.components.constant_velocity import ConstantVelocity
from flexnet.components.curve import CurveLike
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
from flexnet.components.spread_loads import FreeStrain, PressureLoad
from flexnet.components.spring_damper import Bushing, TorsionalSpring, TranslationalSpring, UserLaw
from flexnet.components.time_function import TimeLike
from flexnet.components.translational import Translational
from flexnet.components.universal import Universal
from flexnet.components.virtual_joint import VirtualJoint
from flexnet.components.weld import Weld
from flexnet.networks.element import Drive, Element, NodeLike
from flexnet.signals.signal import SignalLike
from flexnet.system.body import Body
from flexnet.typing import Array, Vector

End: TypeAlias = Body | Frame
Part = TypeVar("Part", Component, Element)

def as_frame(end: object) -> Frame: ...
def stub() -> str: ...

class Builders:
    def _add(self, part: Part) -> Part: ...
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
    def attachment(
        self, name: str, like: str, tail: End, head: End, holds: bool = True, **axes: str | Vector
    ) -> Attachment:
        """Add a joint that events attach and detach: a gripper, a hook, a bolt between two stages.

        Parameters
        ----------
        like : the joint it is while it holds: ``"weld"``, ``"revolute"``, …
        holds : whether it does so at the start.
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
        slip_speed: float = 0.0,
    ) -> BoxContact:
        """Let a ball about the origin of ``head`` touch a box about the origin of ``tail``.

        Parameters
        ----------
        size : the three edges of the box along the axes of the tail, m.
        hollow : whether the ball is inside the box.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
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
        slip_speed: float = 0.0,
    ) -> CylinderContact:
        """Let a ball about the origin of ``head`` touch a cylinder about an axis of ``tail``.

        Parameters
        ----------
        size : radius of the cylinder, m.
        axis, length : of the cylinder, about the origin of the tail; without a length it never ends.
        hollow : whether the ball is inside.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
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
    def one_way_clutch(self, name: str, joint: str, capacity: float, slip_speed: float) -> OneWayClutch:
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
        slip_speed: float = 0.0,
    ) -> PlaneContact:
        """Let a ball about the origin of ``head`` touch a plane of the tail frame.

        Parameters
        ----------
        axis : outward normal of the plane, which goes through the origin of the tail.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
        """
    def point_on_curve(
        self,
        name: str,
        tail: End,
        head: End,
        y: CurveLike | None = None,
        z: CurveLike = 0.0,
        radius: CurveLike | None = None,
    ) -> PointOnCurve:
        """Keep the origin of ``head`` on a curve of the tail frame, such as a slot, a wire or a cam.

        Parameters
        ----------
        y, z : heights of the curve over x [m]: a number, a sympy expression of ``x``, or points (n, 2), through
            which a cubic spline is laid.
        radius : instead of y: distance from the z axis over the angle ``phi`` from x [m], an expression or points
            (n, 2) from -π to π, through which a closed cubic spline is laid.
        """
    def point_on_surface(self, name: str, tail: End, head: End, surface: CurveLike) -> PointOnSurface:
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
        slip_speed: float = 0.0,
    ) -> SphereContact:
        """Let a ball about the origin of ``head`` touch a sphere about the origin of ``tail``.

        Parameters
        ----------
        size : radius of the sphere, m.
        hollow : whether the ball is inside the sphere.
        stiffness, damping, exponent : N/mⁿ, s/m, n of N = k δⁿ (1 + c δ̇).
        radius : of the ball, m; 0 is a point.
        friction, slip_speed : coefficient, and the speed [m/s] about which sticking creeps; both or none.
        """
    def spherical(self, name: str, tail: End, head: End) -> Spherical:
        """Add a ball joint."""
    def pressure(self, name: str, at: End, pressure: TimeLike) -> PressureLoad:
        """Apply a pressure [Pa] to the shells of a flexible body, along their normals.

        Parameters
        ----------
        at : a frame of the body that was given as ``Pressure(group)``.
        pressure : number, function of time or signal, Pa.
        """
    def heat(self, name: str, at: End, temperature: TimeLike) -> FreeStrain:
        """Change the temperature of elements of a flexible body: they expand, and bend or are strained by it.

        Parameters
        ----------
        at : a frame of the body that was given as ``Temperature(group, expansion, field)``.
        temperature : number, function of time or signal, K, that scales its field.
        """
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
    def voltage_source(self, name: str, tail: NodeLike, head: NodeLike, voltage: Drive) -> Element:
        """Prescribe the voltage v_tail - v_head between two nodes, V; a number, function of time or signal."""
    def current_source(self, name: str, tail: NodeLike, head: NodeLike, current: Drive) -> Element:
        """Prescribe the current from tail to head, A; a number, a function of time or a signal."""
    def resistor(self, name: str, tail: NodeLike, head: NodeLike, resistance: float) -> Element:
        """Resistor: v = R i; R in ohm, not zero, negative where energy is supplied."""
    def nonlinear_resistor(
        self,
        name: str,
        tail: NodeLike,
        head: NodeLike,
        current: Callable[..., Any] | None = None,
        voltage: Callable[..., Any] | None = None,
        controls: Sequence[Drive] = (),
    ) -> Element:
        """Resistor with a law of its own: i = current(v, …) or v = voltage(i, …).

        Parameters
        ----------
        current, voltage : one of them, in arithmetic and functions of ``flexnet.algebra``.
        controls : signals the law takes besides.
        """
    def diode(
        self,
        name: str,
        tail: NodeLike,
        head: NodeLike,
        saturation: float = 1e-12,
        thermal: float = 0.02585,
        leakage: float = 0.0,
    ) -> Element:
        """Diode: i = I_s(exp(v/V_t) - 1) + G v.

        Parameters
        ----------
        saturation : I_s, A.
        thermal : V_t, V: k T/q times the ideality factor.
        leakage : G, 1/ohm, beside the junction.
        """
    def switch(
        self, name: str, tail: NodeLike, head: NodeLike, closed: Drive, on: float = 1e-05, off: float = 1e-05
    ) -> Element:
        """Switch: closed while a signal is above 1/2; v = R_on i then, i = G_off v else.

        Parameters
        ----------
        closed : signal, function of time or number.
        on : R_on, ohm.
        off : G_off, 1/ohm.
        """
    def capacitor(
        self, name: str, tail: NodeLike, head: NodeLike, capacitance: float, start: float | None = None
    ) -> Element:
        """Capacitor: i = C dv/dt; C in F, voltage ``start`` [V] at the start."""
    def inductor(
        self, name: str, tail: NodeLike, head: NodeLike, inductance: float, start: float | None = None
    ) -> Element:
        """Inductor: v = L di/dt; L in H, current ``start`` [A] at the start."""
    def coupled_inductors(
        self,
        name: str,
        windings: Sequence[tuple[NodeLike, NodeLike]],
        inductance: Sequence[Sequence[float]],
        starts: Sequence[float] | None = None,
    ) -> Element:
        """Coils on one core: v_j = Σ L_jk di_k/dt; edges ``name.1``, ``name.2`` and so on.

        Parameters
        ----------
        windings : tail and head of every coil.
        inductance : symmetric positive definite matrix, H.
        """
    def transformer(
        self,
        name: str,
        primary: tuple[NodeLike, NodeLike],
        secondary: tuple[NodeLike, NodeLike],
        ratio: float,
    ) -> Element:
        """Ideal transformer: v₁ = n v₂, i₂ = -n i₁; edges ``name.1`` and ``name.2`` (GTM figure 2)."""
    def gyrator(
        self,
        name: str,
        primary: tuple[NodeLike, NodeLike],
        secondary: tuple[NodeLike, NodeLike],
        resistance: float,
    ) -> Element:
        """Ideal gyrator: v₁ = r i₂, v₂ = -r i₁; r in ohm; edges ``name.1`` and ``name.2``."""
    def op_amp(
        self, name: str, plus: NodeLike, minus: NodeLike, output: NodeLike, reference: NodeLike = "ground"
    ) -> Element:
        """Ideal operational amplifier: no voltage and no current between its inputs, edge ``name.in``.

        Its output, edge ``name.out`` from ``output`` to ``reference``, has the voltage and the current it needs.
        """
    def controlled_source(
        self,
        name: str,
        control: tuple[NodeLike, NodeLike],
        output: tuple[NodeLike, NodeLike],
        gain: float,
        kind: str = "voltage by voltage",
    ) -> Element:
        """Source that follows another edge at once; edges ``name.in`` and ``name.out``.

        Parameters
        ----------
        control : nodes of the edge it follows: open for a voltage, a short for a current.
        gain : of pure numbers, ohm or 1/ohm.
        kind : ``"voltage by voltage"``, ``"current by voltage"``, ``"voltage by current"`` or ``"current by
            current"``.
        """
    def pressure_source(self, name: str, tail: NodeLike, head: NodeLike, pressure: Drive) -> Element:
        """Prescribe the pressure between two nodes: P = P_tail - P_head, Pa."""
    def flow_source(self, name: str, tail: NodeLike, head: NodeLike, flow: Drive) -> Element:
        """Prescribe the flow from tail to head, m³/s: a pump, or what is drawn off."""
    def pipe(
        self,
        name: str,
        tail: NodeLike,
        head: NodeLike,
        resistance: float | None = None,
        conductance: float | None = None,
        exponent: float = 1.0,
        laminar: float = 0.0,
    ) -> Element:
        """Pipe: P = R |q|ᵏ⁻¹ q (GTM table 2), or the same written q = G sign(P) |P|^(1/k) (GTM (39)).

        At rest the one has a derivative of zero, the other none: P = R (q² + q₀²)^((k - 1)/2) q is taken.

        Parameters
        ----------
        resistance : R, Pa/(m³/s)ᵏ.
        conductance : G, (m³/s)/Pa^(1/k); then R = G⁻ᵏ.
        exponent : k: 1 where the flow is laminar, up to 2 where it is turbulent.
        laminar : q₀, m³/s, where k > 1; the pressure is greater by (k - 1)/2 (q₀/q)² of itself.
        """
    def valve(
        self, name: str, tail: NodeLike, head: NodeLike, flow: float, opening: Drive, transition: float
    ) -> Element:
        """Valve: q = u K P/(P² + p₀²)^¼, turbulent (K √P) above a transition pressure and laminar below.

        Parameters
        ----------
        flow : K, m³/s/√Pa: a discharge coefficient times area times √(2/ρ).
        opening : u, 0 closed to 1 open: a number, a function of time or a signal; clipped there.
        transition : p₀, Pa.
        """
    def tank(self, name: str, node: NodeLike, capacity: float, start: float | None = None) -> Element:
        """Tank from a node to the ground: q = C dP/dt, C = A/(ρ g) in m³/Pa; pressure ``start`` [Pa]."""
    def accumulator(
        self, name: str, tail: NodeLike, head: NodeLike, capacity: float, start: float | None = None
    ) -> Element:
        """Compliance between two nodes: q = C dP/dt; a volume V of bulk modulus B has C = V/B, m³/Pa."""
    def inertance(
        self, name: str, tail: NodeLike, head: NodeLike, inertia: float, start: float | None = None
    ) -> Element:
        """Inertia of the fluid in a pipe: P = L dq/dt, L = ρ l/A in kg/m⁴; flow ``start`` [m³/s]."""
    def dc_machine(
        self,
        name: str,
        tail: NodeLike,
        head: NodeLike,
        joint: str,
        constant: float,
        resistance: float,
        inductance: float = 0.0,
        gear: float = 1.0,
        field: str = "",
    ) -> Component:
        """Turn a joint by a direct-current machine between two nodes: v = R i + L di/dt + k n ω, T = n k i.

        Its edges are ``name.R``, ``name.L`` (where L is given) and ``name.emf``; the torque acts on the joint and
        back on its tail. The inertia of the rotor is not included: give it to a body.

        Parameters
        ----------
        joint : a joint with one angle.
        constant : k, N m/A, of a permanent magnet; else κ, N m/A², which the field current multiplies.
        resistance, inductance : of the armature, ohm and H; of a series machine with its field winding.
        gear : n, turns of the machine to one of the joint.
        field : edge whose current excites the machine, such as that of an inductor; ``"series"`` for its own.
        """
    def motor(
        self,
        name: str,
        joint: str,
        voltage: Drive,
        constant: float,
        resistance: float,
        inductance: float = 0.0,
        gear: float = 1.0,
    ) -> Component:
        """Turn a joint by a direct-current machine on a source of its own: edge ``name.source`` to the ground.

        The inertia of its rotor is not included: give it to a body, or add n² times it to the one that turns.

        Parameters
        ----------
        voltage : u, V: a number, a function of time or a signal.
        constant, resistance, inductance, gear : as of ``dc_machine``.
        """
    def hydraulic_motor(
        self, name: str, tail: NodeLike, head: NodeLike, joint: str, displacement: float
    ) -> Component:
        """Turn a joint by a flow between two nodes: q = D ω, T = D (P_tail - P_head); D in m³/rad."""
    def cylinder(
        self,
        name: str,
        piston: NodeLike,
        rod: NodeLike,
        areas: tuple[float, float],
        joint: str = "",
        tail: End | None = None,
        head: End | None = None,
        compliance: tuple[float, float] | None = None,
        start: tuple[float, float] = (0.0, 0.0),
    ) -> Component:
        """Push a prismatic joint, or two frames apart, by pressure: q = A ẋ, F = P₁A₁ - P₂A₂.

        Edges ``name.1`` and ``name.2`` lead from the two chambers to the ground; with a compliance,
        ``name.C1`` and ``name.C2`` beside them.

        Parameters
        ----------
        piston, rod : nodes of the chambers whose pressure pushes out and draws in; one that is open to the ground
            has no edges.
        areas : A₁ and A₂, m².
        joint : a joint with one displacement; or
        tail, head : two frames, on the line between which it acts.
        compliance : V/B of the chambers, m³/Pa; none where the network has its own.
        start : pressures at the start, Pa, where a compliance is given.
        """
    def plate_condenser(
        self,
        name: str,
        plus: NodeLike,
        minus: NodeLike,
        tail: End,
        head: End,
        area: float,
        gap: float,
        resistance: float,
        permittivity: float = 8.8541878128e-12,
        charge: float = 0.0,
    ) -> Component:
        """Draw two frames together by the charge between plates at their origins: v = Q g/(ε A), F = Q²/(2 ε A).

        Edges ``name.R`` and ``name.plates``, in series; the gap g is the distance of the origins. The field is
        that of wide plates: none beside them.

        Parameters
        ----------
        plus, minus : nodes.
        tail, head : frames, a gap apart; the force acts along the line between them.
        area : A, m².
        gap : about as wide as the gap is, m: the state is the voltage the charge would have there.
        resistance : of the leads, ohm.
        permittivity : ε, F/m; that of free space if left out (CODATA 2018).
        charge : Q at the start, C.
        """
    def flexible_condenser(
        self,
        name: str,
        plus: NodeLike,
        minus: NodeLike,
        tail: End,
        points: Sequence[End],
        area: float,
        gap: float,
        resistance: float,
        axis: str | Vector = "z",
        permittivity: float = 8.8541878128e-12,
        charge: float = 0.0,
    ) -> Component:
        """Draw a flexible plate to a flat electrode: C = Σ ε A_p/g_p over points p, F_p = ½ v² ε A_p/g_p².

        Edges ``name.R`` and ``name.plates``, in series; forces ``name``, ``name.2``, ``name.3`` … on the points,
        and back on the electrode. The field is that of wide plates: straight, none beside them.

        Parameters
        ----------
        plus, minus : nodes.
        tail : frame of the electrode, at its surface.
        points : frames on nodes of one flexible body. Each has its share of the beams, or of the shells, whose
            nodes are all among them.
        area : of the plate that faces the electrode, m².
        gap : about as wide as the gap is, m: the state is the voltage the charge would have there.
        resistance : of the leads, ohm.
        axis : normal of the electrode in the axes of ``tail``, towards the plate.
        permittivity : ε, F/m; that of free space if left out (CODATA 2018).
        charge : Q at the start, C.
        """
    def reluctance(
        self, name: str, tail: NodeLike, head: NodeLike, reluctance: float, start: float | None = None
    ) -> Element:
        """Piece of a magnetic circuit: Φ = θ/R, R = l/(μ A) in A/Wb; tension ``start`` [A] at the start."""
    def winding(
        self, name: str, coil: tuple[NodeLike, NodeLike], core: tuple[NodeLike, NodeLike], turns: float
    ) -> Element:
        """Coil on a core: θ = N i, v = -N Φ̇; edges ``name.coil`` and ``name.core``.

        The current drives the flux out of the first node of the core and in at the second, against Φ̇, which
        counts from the first to the second through the coil: so v i + θ Φ̇ = 0.
        """
    def line_mass(
        self, name: str, node: NodeLike, mass: float, start: float | None = None, rate: float = 0.0
    ) -> Element:
        """Mass at a node of a line: F = -m ẍ; m in kg, ``start`` [m] and ``rate`` [m/s] at the start."""
    def shaft_inertia(
        self, name: str, node: NodeLike, inertia: float, start: float | None = None, rate: float = 0.0
    ) -> Element:
        """Inertia on a shaft: T = -J θ̈; J in kg m², ``start`` [rad] and ``rate`` [rad/s] at the start."""
    def line_spring(
        self,
        name: str,
        tail: NodeLike,
        head: NodeLike,
        stiffness: float = 0.0,
        free: float = 0.0,
        force: Callable[[Any], Any] | None = None,
    ) -> Element:
        """Spring on a line: F = -k(x - l₀) on the head, x = x_head - x_tail.

        Parameters
        ----------
        stiffness, free : k, N/m, and l₀, m.
        force : force on the head as a function of x, in functions of ``flexnet.algebra``, instead.
        """
    def shaft_spring(
        self,
        name: str,
        tail: NodeLike,
        head: NodeLike,
        stiffness: float = 0.0,
        free: float = 0.0,
        torque: Callable[[Any], Any] | None = None,
    ) -> Element:
        """Spring of a shaft: T = -k(θ - θ₀) on the head; k in N m/rad, or a law ``torque`` of θ instead."""
    def line_damper(self, name: str, tail: NodeLike, head: NodeLike, damping: float) -> Element:
        """Damper on a line: F = -d ẋ on the head; d in N s/m."""
    def shaft_damper(self, name: str, tail: NodeLike, head: NodeLike, damping: float) -> Element:
        """Damper of a shaft: T = -d θ̇ on the head; d in N m s/rad."""
    def shaft_friction(
        self, name: str, tail: NodeLike, head: NodeLike, torque: Callable[[Any], Any]
    ) -> Element:
        """Friction of a shaft: torque against the motion as a function of the speed of head against tail."""
    def line_force_source(
        self, name: str, node: NodeLike, force: Drive, tail: NodeLike = "ground"
    ) -> Element:
        """Force on a node of a line, and back on ``tail``, N; a number, a function of time or a signal."""
    def shaft_torque_source(
        self, name: str, node: NodeLike, torque: Drive, tail: NodeLike = "ground"
    ) -> Element:
        """Torque on a node of a shaft, and back on ``tail``, N m; a number, a function of time or a signal."""
    def line_motion(
        self, name: str, node: NodeLike, displacement: Drive, tail: NodeLike = "ground"
    ) -> Element:
        """Prescribe the displacement of a node against ``tail``, m; a function of time."""
    def shaft_motion(self, name: str, node: NodeLike, angle: Drive, tail: NodeLike = "ground") -> Element:
        """Prescribe the angle of a node against ``tail``, rad; a function of time."""
    def shaft_gear(
        self, name: str, first: NodeLike, second: NodeLike, ratio: float, housing: NodeLike = "ground"
    ) -> Element:
        """Ideal gear: ω₁ = n ω₂, T₂ = -n T₁ against a housing; edges ``name.1`` and ``name.2``."""
    def rack_and_pinion(self, name: str, shaft: NodeLike, line: NodeLike, radius: float) -> Element:
        """Wheel that rolls on a line: ẋ = r ω, T = -r F; edges ``name.1`` (line) and ``name.2`` (shaft)."""
    def piezo_patch(
        self,
        name: str,
        plus: NodeLike,
        minus: NodeLike,
        tail: End,
        head: End,
        constant: float,
        capacitance: float,
        start: float | None = None,
    ) -> Component:
        """Bend or stretch a flexible body between two of its frames by a voltage; edges ``name.C``, ``name.q``.

        In a planar system the patch bends: a pair of torques Γ v about z. In space it pulls: a pair of forces
        Γ v along the line between the frames, which stand off the middle surface where it is to bend.

        Parameters
        ----------
        plus, minus : nodes.
        tail, head : frames at the ends of the patch.
        constant : Γ, N m/V; in space N/V.
        capacitance : C of the patch where it cannot strain, F.
        start : voltage at the start, V.
        """
    def piezo_layer(
        self,
        name: str,
        plus: NodeLike,
        minus: NodeLike,
        at: End,
        capacitance: float,
        start: float | None = None,
    ) -> FreeStrain:
        """Strain beams or shells of a flexible body by the voltage of a layer; edges ``name.C``, ``name.q``.

        Parameters
        ----------
        plus, minus : nodes.
        at : a frame of the body that was given as ``Piezo(group, e31, offset)``.
        capacitance : C of the layer where it cannot strain, F.
        start : voltage at the start, V.
        """
    def temperature_source(self, name: str, node: NodeLike, temperature: Drive) -> Element:
        """Hold a node at a temperature above that of the ground, K; a number, function of time or signal."""
    def heat_source(self, name: str, node: NodeLike, heat: Drive) -> Element:
        """Bring heat to a node, W: from the ground to the node."""
    def heat_capacity(
        self, name: str, node: NodeLike, capacity: float, start: float | None = None
    ) -> Element:
        """Store heat at a node: Q̇ = C dT/dt; C in J/K, temperature ``start`` [K]."""
    def heat_conductor(self, name: str, tail: NodeLike, head: NodeLike, conductance: float) -> Element:
        """Conduct heat: Q̇ = G (T_tail - T_head); G in W/K."""
