"""System: a mechanism as its author describes it."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from flexnet.components import (
    Bushing,
    Component,
    Cylindrical,
    FlexibleArm,
    FlexibleBody,
    Force,
    Frame,
    PinInSlot,
    Planar,
    Prismatic,
    Revolute,
    RigidArm,
    RigidBody,
    Spherical,
    TimeFunction,
    TimeLike,
    Torque,
    TorsionalSpring,
    Translational,
    TranslationalSpring,
    Universal,
    VirtualJoint,
    Weight,
    Weld,
    as_axis,
    as_inertia,
    as_rotation,
    as_time_function,
    as_vector,
    check_ends,
    check_mass,
)
from flexnet.components import Free as FreeJoint
from flexnet.errors import ModelError
from flexnet.graph import Kind, LinearGraph
from flexnet.system import plane
from flexnet.system.afloat import groups_afloat, words_afloat
from flexnet.system.body import Body, FrameLike, check_name
from flexnet.system.channel import Channel, check_points, unit_factor
from flexnet.system.graph import derive_graph
from flexnet.system.measure import Measure
from flexnet.system.motion import check_fight, rotation_driver, translation_driver
from flexnet.system.start import Start, wanted_starts
from flexnet.typing import Array, Vector
from flexnet.validation import plain_name, plain_text, shown

if TYPE_CHECKING:
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import FlexTable
    from flexnet.fem.supports import Support

_FRAME_MEASURES = ("position", "velocity", "acceleration", "angular_velocity")

End: TypeAlias = Body | Frame
UserLaw: TypeAlias = Callable[[float, float, float], float] | Any | None


class System:
    """A mechanism: bodies with frames, joints, drivers, forces; built piece by piece.

    All quantities are in SI units: m, kg, s, rad, N.

    Parameters
    ----------
    name : name of the mechanism.
    planar : restrict every component to the xy plane: a body has x, y and one angle, rotations add,
        a pin has two constraints (GTM §4).

    Attributes
    ----------
    parameters : numbers and texts it was built with, to be written in result files; ``flexnet run`` fills in
        those of ``build``.

    Examples
    --------
    >>> s = System("pendulum", planar=True)
    >>> s.gravity([0, -9.81, 0])
    >>> bob = s.rigid_body("bob", mass=1.0, inertia=0.0, frames={"pivot": [0, 1.0]})
    >>> pivot = s.revolute("pivot", s.ground, bob["pivot"])
    >>> [edge.name for edge in s.graph.edges]
    ['bob', 'bob.pivot', 'pivot', 'bob.weight', 'pivot@bob.pivot']
    """

    def __init__(self, name: str, planar: bool = False) -> None:
        self.name = plain_name(name, "the name of a system")
        self.is_planar = planar
        self.ground = Body("ground")
        self.bodies: dict[str, Body] = {}
        self.components: dict[str, Component] = {}
        self.starts: list[Start] = []
        self.channels: list[Channel] = []
        self.parameters: dict[str, str | int | float] = {}
        self._gravity = np.zeros(3)
        self._floating: set[str] = set()  # bodies that are said to float
        self._bare: set[str] = set()  # frames on a single node of a shell

    # -- bodies and frames ---------------------------------------------------------------------

    def rigid_body(
        self,
        name: str,
        mass: float,
        inertia: Vector | Array | float,
        frames: Mapping[str, FrameLike] | None = None,
        position: Vector = (0.0, 0.0, 0.0),
        rotation: Array | None = None,
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a rigid body with its frame at the centre of mass.

        Parameters
        ----------
        mass : kg, positive.
        inertia : about the centre of mass in the body frame, kg m²: a (3, 3) matrix, three principal
            moments, or in a planar system the one moment about z.
        frames : further frames by name: position [m] in the body frame, or (position, rotation).
        position, rotation : rough initial pose in ground; assembly makes it exact.
        velocity, angular_velocity : rough initial rates in ground axes, m/s and rad/s.
        """
        check_mass(name, mass)
        J = as_inertia(name, inertia, self.is_planar)
        return self._body(name, float(mass), J, frames, (position, rotation, velocity, angular_velocity))

    def massless_body(
        self,
        name: str,
        frames: Mapping[str, FrameLike] | None = None,
        position: Vector = (0.0, 0.0, 0.0),
        rotation: Array | None = None,
    ) -> Body:
        """Add a rigid body without mass or inertia, such as a light shaft between two joints."""
        return self._body(name, 0.0, np.zeros((3, 3)), frames, (position, rotation, np.zeros(3), np.zeros(3)))

    def _body(
        self,
        name: str,
        mass: float,
        inertia: Array,
        frames: Mapping[str, FrameLike] | None,
        start: tuple[Vector, Array | None, Vector, Vector],
    ) -> Body:
        position, rotation, velocity, omega = start
        body = Body(
            name,
            as_vector(position, f"position of body {name!r}"),
            as_rotation(rotation, f"rotation of body {name!r}"),
            as_vector(velocity, f"velocity of body {name!r}"),
            as_vector(omega, f"angular velocity of body {name!r}"),
        )
        if self.is_planar:
            plane.check_rotation(body.rotation, f"rotation of body {name!r}")
        self._add(RigidBody(name, self.ground.origin, body.origin, mass, inertia))
        self.bodies[name] = body
        body.add_frames(frames or {})
        return body

    def flexible_body(
        self,
        name: str,
        body: "FiniteElementBody | FlexTable",
        support: "Support | None" = None,
        modes: int | Sequence[int] | None = None,
        method: str = "eigenmodes",
        stiffening: bool = True,
        inertia: str = "consistent",
        position: Vector = (0.0, 0.0, 0.0),
        rotation: Array | None = None,
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a flexible body: a finite-element body reduced to a few shapes, in a floating frame.

        Parameters
        ----------
        body : mesh, sections and attachment frames, such as ``beam_body(...)``; or a ready table.
        support : the frame deformation is measured from: ``Clamped(node)``, ``Pinned(a, b)`` for the
            chord, ``Free()`` for mean axes (the default; a planar system needs one of the others).
        modes : number of eigenmodes, or a list of their numbers from 1.
        method : ``"eigenmodes"``, ``"attachment"``, ``"craig_bampton"`` or ``"full"``.
        stiffening : include geometric stiffening and foreshortening.
        inertia : ``"consistent"``, ``"linear"`` or ``"lumped"``.
        position, rotation, velocity, angular_velocity : rough initial pose and rates of the body frame.
        """
        # here: a system of rigid bodies needs no finite elements
        from flexnet.fem import Body as FiniteElementBody
        from flexnet.fem import FlexTable

        if not isinstance(body, FlexTable | FiniteElementBody):
            raise ModelError(
                f"flexible body {name!r} is made from a finite-element body, such as beam_body(…), or a"
                f" table, not from {body!r}"
            )
        if self.is_planar:
            plane.check_mesh(name, body.mesh.nodes, body.mesh.triangles)
        how = (support, modes, method, inertia)
        table = body if isinstance(body, FlexTable) else self._table(name, body, *how)
        made = Body(
            name,
            as_vector(position, f"position of body {name!r}"),
            as_rotation(rotation, f"rotation of body {name!r}"),
            as_vector(velocity, f"velocity of body {name!r}"),
            as_vector(angular_velocity, f"angular velocity of body {name!r}"),
        )
        if self.is_planar:
            plane.check_rotation(made.rotation, f"rotation of body {name!r}")
        source = None if isinstance(body, FlexTable) else body
        self._add(FlexibleBody(name, self.ground.origin, made.origin, table, stiffening, source))
        self.bodies[name] = made
        for key, place in zip(table.frames.names, table.frames.position, strict=True):
            made.frames[key] = Frame(f"{name}.{key}", name, np.array(place), np.eye(3), is_flexible=True)
        if source is not None:
            self._bare |= {made.frames[key].name for key in source.frames if source.is_bare_shell(key)}
        return made

    def _table(
        self,
        name: str,
        body: "FiniteElementBody",
        support: "Support | None",
        modes: int | Sequence[int] | None,
        method: str,
        inertia: str,
    ) -> "FlexTable":
        from flexnet.fem import Clamped, Free, Held, Pinned, Reduction, TableOptions, flex_table

        held = Free() if support is None else support
        for one in held if isinstance(held, list | tuple) else [held]:
            if not isinstance(one, Clamped | Free | Held | Pinned):
                raise ModelError(
                    f"flexible body {name!r}: support is {shown(one)}; expected Clamped(node), Pinned(a, b),"
                    " Free() or a list of them and Held(…)"
                )
        if self.is_planar:
            everywhere = np.arange(len(body.mesh.nodes))
            in_plane = Held(everywhere, "z rx ry")
            if isinstance(held, Free):
                raise ModelError(
                    f"flexible body {name!r} of a planar system needs support=Clamped(…) or Pinned(…)"
                )
            held = [*(held if isinstance(held, Sequence) else [held]), in_plane]
        if modes is None and method != "full":
            modes = 0 if method == "craig_bampton" else 6
        reduction = Reduction(held, modes if method != "full" else None, method=method)
        return flex_table(body, reduction, TableOptions(inertia=inertia))

    @property
    def g(self) -> Array:
        """Acceleration of gravity, (3,) m/s²."""
        return self._gravity

    def gravity(self, g: Vector) -> None:
        """Set the acceleration of gravity, (3,) in ground axes, m/s²."""
        given = as_vector(g, "gravity")
        if self.is_planar:
            plane.check_gravity(given)
        self._gravity = given

    # -- joints --------------------------------------------------------------------------------

    def revolute(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Component:
        """Add a pin: one rotation about ``axis``, given in both frames."""
        return self._join(Revolute, name, tail, head, axis=axis)

    def prismatic(self, name: str, tail: End, head: End, axis: str | Vector = "x") -> Component:
        """Add a slider: one translation along ``axis`` of the tail frame."""
        return self._join(Prismatic, name, tail, head, axis=axis)

    def cylindrical(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Component:
        """Add a cylindrical joint: translation along and rotation about ``axis``."""
        return self._join(Cylindrical, name, tail, head, axis=axis)

    def spherical(self, name: str, tail: End, head: End) -> Component:
        """Add a ball joint."""
        return self._join(Spherical, name, tail, head)

    def universal(
        self, name: str, tail: End, head: End, axis_1: str | Vector = "x", axis_2: str | Vector = "y"
    ) -> Component:
        """Add a universal joint: rotation about ``axis_1`` of the tail, then ``axis_2`` of the head."""
        return self._join(Universal, name, tail, head, axis_1=axis_1, axis_2=axis_2)

    def planar(self, name: str, tail: End, head: End, axis: str | Vector = "z") -> Component:
        """Add a planar joint: two translations normal to ``axis`` and the rotation about it."""
        return self._join(Planar, name, tail, head, axis=axis)

    def weld(self, name: str, tail: End, head: End) -> Component:
        """Fix two frames to one another."""
        return self._join(Weld, name, tail, head)

    def free(self, name: str, tail: End, head: End) -> Component:
        """Add a free joint: six coordinates, no constraint."""
        return self._join(FreeJoint, name, tail, head)

    def floats(self, *bodies: Body) -> None:
        """Say that bodies, and what hangs on them, float on purpose: no joint to the ground is missing.

        The graph stays as it is; a free joint says the same, and brings coordinates of its own.
        """
        for body in bodies:
            self._check_owner(body.origin, "floats")
            self._floating.add(body.name)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is surely not meant: bodies that nothing holds and nobody has said to float."""
        return words_afloat(groups_afloat(self.bodies, self.components.values(), self._floating))

    def translational(self, name: str, tail: End, head: End) -> Component:
        """Add a joint with three translations and no rotation."""
        return self._join(Translational, name, tail, head)

    def pin_in_slot(
        self, name: str, tail: End, head: End, axis: str | Vector = "z", slot: str | Vector = "x"
    ) -> Component:
        """Add a pin about ``axis`` that slides along ``slot`` of the tail frame."""
        return self._join(PinInSlot, name, tail, head, axis=axis, slot=slot)

    def virtual(self, name: str, like: str, tail: End, head: End, **axes: str | Vector) -> Component:
        """Add a virtual joint: the coordinates of a joint ``like`` ("planar", …), no constraint."""
        kinds = {
            k.__name__.lower(): k for k in (Revolute, Prismatic, Cylindrical, Spherical, Planar, FreeJoint)
        }
        if like not in kinds:
            raise ModelError(f"virtual joint {name!r} can be like {', '.join(kinds)}, not {like!r}")
        given = {key: as_axis(value, f"{key} of joint {name!r}") for key, value in axes.items()}
        if "axis" in kinds[like].__dataclass_fields__ and "axis" not in given:
            given["axis"] = as_axis("z", "axis")
        joint = kinds[like](name, _frame(tail), _frame(head), **given)
        check_ends("virtual joint", name, joint.tail, joint.head)
        return self._add(VirtualJoint(joint))

    def _join(self, make: Any, name: str, tail: End, head: End, **axes: str | Vector) -> Component:
        unit = {key: as_axis(value, f"{key} of joint {name!r}") for key, value in axes.items()}
        a, b = _frame(tail), _frame(head)
        for frame in (a, b):
            self._check_owner(frame, name)
        check_ends("joint", name, a, b)
        for frame in (a, b):
            if frame.name in self._bare and make not in (Spherical, FreeJoint):
                warnings.warn(
                    f"joint {name!r} puts a moment on a single node of a shell at {frame.name!r}; under a"
                    " point moment a thin shell does not converge with its mesh: put a RigidLink along the"
                    " hinge line",
                    stacklevel=3,
                )
        return self._add(make(name, a, b, **unit))

    # -- motion drivers ------------------------------------------------------------------------

    def motion(
        self,
        name: str,
        joint: str | None = None,
        tail: End | None = None,
        head: End | None = None,
        angle: TimeLike | None = None,
        displacement: TimeLike | Sequence[TimeLike] | None = None,
        axis: str | Vector | None = None,
    ) -> Component:
        """Prescribe a motion: of a joint's own freedom, or of one frame as seen from another.

        Parameters
        ----------
        joint : name of the joint to drive; or give ``tail`` (the ground if left out) and ``head``.
        angle : rad, about the joint's axis or about ``axis`` (z if left out).
        displacement : m, along the joint's free direction or along ``axis``; three functions prescribe
            the whole position of ``head`` in the tail frame.
        axis : direction in the tail frame where it is not the joint's own.
        """
        if (angle is None) == (displacement is None):
            raise ModelError(f"motion driver {name!r} needs either an angle or a displacement")
        carrier = None if joint is None else self._joint(joint, f"motion driver {name!r}")
        if carrier is not None:
            a, b = carrier.tail, carrier.head
        elif head is None:
            raise ModelError(f"motion driver {name!r} needs a joint or a head frame")
        else:
            a, b = _frame(tail or self.ground), _frame(head)
            check_ends("motion driver", name, a, b)
        if angle is not None:
            made = rotation_driver(name, carrier, a, b, as_time_function(angle, f"angle of {name!r}"), axis)
        else:
            made = translation_driver(name, carrier, a, b, displacement, axis)
        check_fight(made, self.components.values())
        return self._add(made)

    # -- forces --------------------------------------------------------------------------------

    def force(self, name: str, at: End, force: Sequence[TimeLike], follows: bool = False) -> Component:
        """Apply a force [N] at a frame; components in ground axes, or in the frame's if it ``follows``."""
        return self._add(Force(name, self.ground.origin, _frame(at), _three(force, name), follows))

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
        if joint is not None:
            self._joint(joint, f"torque {name!r}")
            return self.torsional_spring(name, joint=joint, torque=torque)
        if on is None:
            raise ModelError(f"torque {name!r} needs a body or a joint")
        several = isinstance(torque, list | tuple | np.ndarray)
        components = list(torque) if several else [0.0, 0.0, torque]
        return self._add(Torque(name, self.ground.origin, _frame(on), _three(components, name), follows))

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
    ) -> Component:
        """Add a translational spring-damper-actuator between two frames.

        Parameters
        ----------
        stiffness, damping, free_length : N/m, N s/m, m.
        force : added actuator force, N; positive pushes the ends apart.
        law : ``law(x, xdot, t)`` [N] instead of stiffness and damping.
        axis : act along this direction of the tail frame instead of along the line of the origins.
        """
        given = _answer(name, stiffness, damping, free_length, force, law)
        direction = None if axis is None else as_axis(axis, f"axis of spring {name!r}")
        a, b = _frame(tail), _frame(head)
        check_ends("spring", name, a, b)
        return self._add(TranslationalSpring(name, a, b, *given, direction))

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
    ) -> Component:
        """Add a torsional spring-damper-actuator on a joint, or between two frames about ``axis``.

        Parameters
        ----------
        stiffness, damping, free_angle : N m/rad, N m s/rad, rad.
        torque : added actuator torque on the head, N m.
        law : ``law(theta, omega, t)`` [N m] instead of stiffness and damping.
        """
        given = _answer(name, stiffness, damping, free_angle, torque, law)
        if joint is not None:
            carrier = self._joint(joint, f"torsional spring {name!r}")
            rotation = carrier.terminal.rotation
            if rotation is None or rotation.kind != "axis":
                raise ModelError(f"torsional spring {name!r}: joint {joint!r} has no single angle")
            return self._add(
                TorsionalSpring(name, carrier.tail, carrier.head, *given, rotation.axes[0], joint)
            )
        if head is None:
            raise ModelError(f"torsional spring {name!r} needs a joint or a head frame")
        a, b = _frame(tail or self.ground), _frame(head)
        check_ends("torsional spring", name, a, b)
        return self._add(TorsionalSpring(name, a, b, *given, as_axis(axis, f"axis of {name!r}")))

    def bushing(
        self,
        name: str,
        tail: End,
        head: End,
        stiffness: Array,
        damping: Array | None = None,
        axis: str | Vector | None = None,
    ) -> Component:
        """Add a 6×6 bushing; stiffness and damping (6, 6) in the tail frame, SI units.

        Parameters
        ----------
        axis : of the tail frame, about which the head may turn further than half a turn: whole turns are
            counted. In a planar system it is z.
        """
        about = "z" if axis is None and self.is_planar else axis
        direction = None if about is None else as_axis(about, f"axis of bushing {name!r}")
        K = np.asarray(stiffness, dtype=float)
        C = np.zeros((6, 6)) if damping is None else np.asarray(damping, dtype=float)
        a, b = _frame(tail), _frame(head)
        check_ends("bushing", name, a, b)
        return self._add(Bushing(name, a, b, K, C, direction))

    # -- start and output ----------------------------------------------------------------------

    def start(self, joint: str, rate: float | None = None, **coordinates: float) -> None:
        """Ask for initial values of a joint's coordinates, such as ``start("O", angle=1.0, rate=6.0)``.

        Parameters
        ----------
        coordinates : ``angle``, ``alpha``, ``beta`` [rad], ``displacement``, ``x``, ``y``, ``z`` [m].
        rate : initial rate of the coordinate (rad/s or m/s), where one coordinate is given or the
            joint has only one; rates of several coordinates need several calls.
        """
        part = self._joint(joint, "start")
        terminal = part.terminal.in_plane(f"joint {joint!r}") if self.is_planar else part.terminal
        self.starts += wanted_starts(joint, terminal, rate, coordinates)

    def channel(self, name: str, measure: Measure, unit: str = "", description: str = "") -> None:
        """Record a measure under a name.

        Parameters
        ----------
        measure : made by ``position``, ``velocity``, ``joint_coordinate``, ``force``, ….
        unit : unit to record in, such as ``"mm"`` or ``"deg"``; SI if left out.
        """
        plain_name(name, "the name of a channel")
        factor = unit_factor(name, measure, plain_text(unit, f"unit of channel {name!r}"))
        plain_text(description, f"description of channel {name!r}")
        if any(c.name == name for c in self.channels):
            raise ModelError(f"channel {name!r} is defined twice")
        known = self.frames if measure.kind in _FRAME_MEASURES else self.components
        if measure.target not in known:
            raise ModelError(f"channel {name!r} measures {measure.target!r}, which is not in the system")
        if measure.kind in ("node", "deflection"):
            check_points(name, measure, self.components[measure.target], self.frames)
        self.channels.append(Channel(name, measure, unit, description, factor))

    # -- what follows from the description -------------------------------------------------------

    @property
    def frames(self) -> dict[str, Frame]:
        """Every frame by node name, the ground first."""
        bodies = (self.ground, *self.bodies.values())
        out = {}
        for body in bodies:
            out[body.name] = body.origin
            out |= {frame.name: frame for frame in body.frames.values()}
        return out

    @property
    def parts(self) -> list[Component]:
        """Every edge component in order: bodies, arms, joints and forces as declared, weights."""
        frames = self.frames
        bodies = [c for c in self.components.values() if isinstance(c, RigidBody | FlexibleBody)]
        arms = [self._arm(frames[f.body], f) for f in frames.values() if not f.is_body_frame]
        rest = [c for c in self.components.values() if not isinstance(c, RigidBody | FlexibleBody)]
        weights = [
            Weight(f"{b.name}.weight", self.ground.origin, b.head, b.mass * self._gravity)
            for b in bodies
            if b.mass > 0 and np.any(self._gravity)
        ]
        return [*bodies, *arms, *rest, *weights]

    def _arm(self, tail: Frame, head: Frame) -> Component:
        if not head.is_flexible:
            return RigidArm(head.name, tail, head)
        body = self.components[head.body]
        assert isinstance(body, FlexibleBody)
        return FlexibleArm(head.name, tail, head, body.table.frames.names.index(head.name.split(".", 1)[1]))

    @property
    def graph(self) -> LinearGraph:
        """The linear graph, dependent virtual work edges included."""
        self.check()
        return derive_graph(list(self.frames), self.parts, self.is_planar)

    def check(self) -> None:
        """Refuse a mechanism with a body that nothing holds."""
        if not self.bodies:
            raise ModelError(f"system {self.name!r} has no body")
        held = {
            end.body for c in self.components.values() if c.kind is not Kind.BODY for end in (c.tail, c.head)
        }
        for name in self.bodies:
            if name not in held | self._floating:
                raise ModelError(
                    f"body {name!r} is connected to nothing; add a joint (a free joint lets it float)"
                )

    def _joint(self, name: str, what: str) -> Component:
        part = self.components.get(name)
        if part is None or part.kind not in (Kind.JOINT, Kind.VIRTUAL):
            joints = [n for n, c in self.components.items() if c.kind in (Kind.JOINT, Kind.VIRTUAL)]
            near = get_close_matches(name, joints, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ModelError(f"{what}: no joint is called {name!r}{hint}")
        return part

    def _check_owner(self, end: Frame, name: str) -> None:
        """Refuse a frame of another system."""
        owner = self.ground if end.body == "ground" else self.bodies.get(end.body)
        if owner is None or not owner.owns(end):
            raise ModelError(
                f"{name!r} ends at a frame of {end.body!r}, which is not in system {self.name!r}"
            )

    def _add(self, part: Component) -> Component:
        check_name(part.name)
        if part.name in self.components or part.name == "ground":
            raise ModelError(f"the name {part.name!r} is used twice in system {self.name!r}")
        for end in (part.tail, part.head) if part.kind is not Kind.BODY else ():
            self._check_owner(end, part.name)
        if self.is_planar:
            plane.check_part(part)
        self.components[part.name] = part
        return part


def _frame(end: End) -> Frame:
    if isinstance(end, Body):
        return end.origin
    if isinstance(end, Frame):
        return end
    raise ModelError(f"a component ends at a body or a frame, not at {end!r}")


def _answer(
    name: str, stiffness: float, damping: float, rest: float, actuator: TimeLike, law: UserLaw
) -> tuple[float, float, float, TimeFunction, UserLaw]:
    """What a spring answers to its stretch."""
    added = as_time_function(actuator, f"actuator of {name!r}")
    return float(stiffness), float(damping), float(rest), added, law


def _three(values: Sequence[TimeLike], name: str) -> tuple[TimeFunction, TimeFunction, TimeFunction]:
    if not isinstance(values, list | tuple | np.ndarray):
        raise ModelError(f"{name!r} needs a list of three components, got {values!r}")
    functions = [as_time_function(v, f"component of {name!r}") for v in values]
    if len(functions) == 2:
        functions.append(as_time_function(0.0, name))
    if len(functions) != 3:
        raise ModelError(f"{name!r} needs three components, got {len(functions)}")
    return functions[0], functions[1], functions[2]
