"""System: a mechanism as its author describes it."""

import logging
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from flexnet.components import (
    Component,
    FlexibleArm,
    FlexibleBody,
    ForceElement,
    Frame,
    RigidArm,
    RigidBody,
    Weight,
    as_inertia,
    as_rotation,
    as_vector,
    check_ends,
    check_mass,
)
from flexnet.components.attachment import Attachment
from flexnet.errors import FlexnetError, ModelError
from flexnet.graph import Kind, LinearGraph
from flexnet.networks import DATUM, Element, Network, variables_in
from flexnet.notebook import table
from flexnet.signals import (
    Attach,
    Detach,
    Event,
    Lock,
    Measure,
    Release,
    Signal,
    delay_of,
    sampler,
    states_of,
    watched,
)
from flexnet.signals.event import Action, Direction
from flexnet.signals.signal import SignalLike
from flexnet.system import plane
from flexnet.system.afloat import groups_afloat, words_afloat
from flexnet.system.attachments import check_attachment
from flexnet.system.body import Body, FrameLike, check_name
from flexnet.system.builders import Builders, Part
from flexnet.system.channel import Channel, network_channels, unit_factor
from flexnet.system.damped import words_damped
from flexnet.system.exact_beam import exact_beam
from flexnet.system.graph import derive_graph, terminals_of
from flexnet.system.locks import check_lock, freed_drivers
from flexnet.system.sanity import doubts
from flexnet.system.slots import check_measure, check_slots, signals_in
from flexnet.system.start import Start, wanted_starts
from flexnet.typing import Array, Vector
from flexnet.validation import plain_name, plain_text, shown

log = logging.getLogger("flexnet")

if TYPE_CHECKING:
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import FlexTable
    from flexnet.fem.supports import Support


class System(Builders):
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
        self.elements: dict[str, Element] = {}
        self.starts: list[Start] = []
        self.asked: list[Channel] = []
        self.events: list[Event] = []
        self.delays: dict[str, float] = {}
        self.parameters: dict[str, str | int | float] = {}
        self._gravity = np.zeros(3)
        self._floating: set[str] = set()  # bodies that are said to float
        self._unstiffened: list[str] = []  # flexible bodies whose geometric stiffness nobody knows
        self._bare: set[str] = set()  # frames on a single node of a shell
        self._network: Network | None = None
        self._network_tree: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kinds = Counter(part.kind for part in self.components.values())
        if self.elements:
            kinds[Kind.NETWORK] = len(self.network.ports)
        counted = ", ".join(f"{n} × {kind.value}" for kind, n in kinds.items())
        return f"{'planar ' if self.is_planar else ''}system {self.name!r}: {counted or 'empty'}"

    def _repr_html_(self) -> str:
        rows = [
            (part.name, type(part).__name__, part.tail.name, part.head.name)
            for part in self.components.values()
        ]
        rows += [(p.name, e.noun, p.tail, p.head) for e in self.elements.values() for p in e.ports]
        told = table(rows, ("name", "component", "from", "to"))
        if not self.bodies:
            return told
        try:
            from flexnet.view import draw_graph
            from flexnet.view.figure import figure_as_uri
        except FlexnetError as missing:  # a notebook shows the table, and which extra draws
            return f"<p>{escape(str(missing))}</p>{told}"
        picture = figure_as_uri(draw_graph(self.mechanism, title=self.name))
        return f'<img alt="linear graph" style="max-width:100%" src="{picture}">{told}'

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
        angular_velocity: Vector | float = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a rigid body with its frame at the centre of mass.

        Parameters
        ----------
        mass : kg, positive.
        inertia : about the centre of mass in the body frame, kg m²: a (3, 3) matrix, three principal
            moments, or in a planar system the one moment about z.
        frames : further frames by name: position [m] in the body frame, or (position, rotation).
        position, rotation : rough initial pose in ground; assembly makes it exact.
        velocity, angular_velocity : rough initial rates in ground axes, m/s and rad/s; in a planar system
            one number about z is enough.
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
        start: tuple[Vector, Array | None, Vector, Vector | float],
    ) -> Body:
        body = self._posed(name, *start)
        self._add(RigidBody(name, self.ground.origin, body.origin, mass, inertia))
        self.bodies[name] = body
        body.add_frames(frames or {})
        return body

    def _posed(
        self, name: str, position: Vector, rotation: Array | None, velocity: Vector, omega: Vector | float
    ) -> Body:
        """A body where a user says it begins, without frames."""
        of = f"of body {name!r}"
        place, R = as_vector(position, f"position {of}"), as_rotation(rotation, f"rotation {of}")
        v = as_vector(velocity, f"velocity {of}")
        if not self.is_planar:
            return Body(name, place, R, v, as_vector(omega, f"angular velocity {of}"))
        plane.check_rotation(R, f"rotation {of}")
        plane.check_velocity(v, f"velocity {of}")
        return Body(name, place, R, v, plane.turning(omega, f"angular velocity {of}"))

    def flexible_body(
        self,
        name: str,
        body: "FiniteElementBody | FlexTable",
        support: "Support | None" = None,
        modes: int | Sequence[int] | Literal["auto"] | None = None,
        method: str = "eigenmodes",
        stiffening: bool = True,
        inertia: str = "consistent",
        position: Vector = (0.0, 0.0, 0.0),
        rotation: Array | None = None,
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector | float = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a flexible body: a finite-element body reduced to a few shapes, in a floating frame.

        Parameters
        ----------
        body : mesh, sections and attachment frames, such as ``beam_body(...)``; or a ready table.
        support : the frame deformation is measured from: ``Clamped(node)``, ``Pinned(a, b)`` for the
            chord, ``Free()`` for mean axes (the default; a planar system needs one of the others).
        modes : number of eigenmodes, or a list of their numbers from 1; ``"auto"``, which is taken where
            neither modes nor a method are given, takes at most ten shapes that answer every load on the
            frames, and logs which.
        method : which shapes, the name of a basis: ``"eigenmodes"``, ``"attachment"``, ``"craig_bampton"``,
            ``"craig_chang"``, ``"inertia_relief"``, ``"ritz"``, ``"derivatives"`` or ``"full"``.
        stiffening : include geometric stiffening and foreshortening.
        inertia : ``"consistent"``, ``"linear"`` or ``"lumped"``.
        position, rotation, velocity, angular_velocity : rough initial pose and rates of the body frame.
        """
        # here: a system of rigid bodies needs no finite elements
        from flexnet.fem import FlexTable, Free

        if self.is_planar:
            plane.check_mesh(name, body.mesh.nodes, body.mesh.surface)
        if modes is None and method == "eigenmodes":
            modes = "auto"
        held = None if isinstance(body, FlexTable) else self._held(name, body, support)
        table = (
            body if isinstance(body, FlexTable) else _reduced(body, held or Free(), modes, method, inertia)
        )
        made = self._posed(name, position, rotation, velocity, angular_velocity)
        source = None if isinstance(body, FlexTable) or not body.has_stresses else body
        is_foreign = not isinstance(body, FlexTable) and bool(body.parts)
        if stiffening and table.m and (is_foreign or not table.geometric.is_known):
            self._unstiffened.append(name)
        if modes == "auto" and source is not None:
            log.info("flexible body %r: %s", name, table.modes.summary())
        how = (table, stiffening, source, held, inertia)
        self._add(FlexibleBody(name, self.ground.origin, made.origin, *how))
        self.bodies[name] = made
        for key, place in zip(table.frames.names, table.frames.position, strict=True):
            made.frames[key] = Frame(f"{name}.{key}", name, np.array(place), np.eye(3), is_flexible=True)
        if source is not None:
            self._bare |= {made.frames[key].name for key in source.frames if source.is_bare_shell(key)}
        return made

    def _held(self, name: str, body: "FiniteElementBody", support: "Support | None") -> "Support":
        """What holds the shapes of a flexible body: in a planar system, the plane too."""
        from flexnet.fem import Clamped, Free, Held, Pinned, Tripod

        held = Free() if support is None else support
        for one in held if isinstance(held, list | tuple) else [held]:
            if not isinstance(one, Clamped | Free | Held | Pinned | Tripod):
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
        return held

    exact_beam = exact_beam

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

    # -- components ----------------------------------------------------------------------------

    def add(self, part: Part) -> Part:
        """Add any component or element of a network: one of flexnet's, or a page of your own.

        ``revolute(…)``, ``spring(…)`` and their kin make a component of the registry and add it.
        """
        return self._add(part)

    def floats(self, *bodies: Body) -> None:
        """Say that bodies, and what hangs on them, float on purpose: no joint to the ground is missing.

        The graph stays as it is; a free joint says the same, and brings coordinates of its own.
        """
        for body in bodies:
            self._check_owner(body.origin, "floats")
            self._floating.add(body.name)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is surely not meant: bodies that nothing holds, stiffens or damps so, starts without use."""
        afloat = words_afloat(groups_afloat(self.bodies, self.components.values(), self._floating))
        unstiffened = [
            f"flexible body {name!r} has no geometric stiffness: matrices of another program do not tell it."
            " Rotation and axial loads do not stiffen it; stiffening=False says so on purpose"
            for name in self._unstiffened
        ]
        damped = words_damped(self.components.values())
        return (*afloat, *unstiffened, *damped, *(self.network.warnings if self.elements else ()))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What may not be meant, as questions: millimetres, degrees, gravity that points up."""
        moved = bool(self.elements or self.events or any(s.rate for s in self.starts))
        moved |= any(b.velocity.any() or b.angular_velocity.any() for b in self.bodies.values())
        return doubts(self._gravity, self.starts, self.bodies, self.components.values(), moved)

    @property
    def datum(self) -> Frame:
        """The frame of the ground."""
        return self.ground.origin

    def joint(self, name: str, what: str = "joint") -> Component:
        """The joint of a name, real or virtual.

        Parameters
        ----------
        what : who asks for it, for the message if there is none.
        """
        part = self.components.get(name)
        if part is None or part.kind not in (Kind.JOINT, Kind.VIRTUAL):
            joints = [n for n, c in self.components.items() if c.kind in (Kind.JOINT, Kind.VIRTUAL)]
            near = get_close_matches(name, joints, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ModelError(f"{what}: no joint is called {name!r}{hint}")
        if isinstance(part, Attachment):
            raise ModelError(f"{what}: {name!r} is an attachment, which comes and goes; expected a joint")
        return part

    # -- start and output ----------------------------------------------------------------------

    def start(self, joint: str, rate: float | None = None, **coordinates: float) -> None:
        """Ask for initial values of a joint's coordinates, such as ``start("O", angle=1.0, rate=6.0)``.

        Parameters
        ----------
        coordinates : ``angle``, ``alpha``, ``beta`` [rad], ``displacement``, ``x``, ``y``, ``z`` [m].
        rate : initial rate of the coordinate (rad/s or m/s), where one coordinate is given or the
            joint has only one; rates of several coordinates need several calls.
        """
        terminals = terminals_of([self.joint(joint, "start")], self.is_planar)
        self.starts += wanted_starts(joint, terminals[joint], rate, coordinates)

    def channel(self, name: str, measure: Signal, unit: str = "", description: str = "") -> None:
        """Record a signal under a name.

        Parameters
        ----------
        measure : made by ``position``, ``velocity``, ``joint_coordinate``, ``force``, …, or computed of such.
        unit : unit to record in, such as ``"mm"`` or ``"deg"``; SI if left out.
        """
        plain_name(name, "the name of a channel")
        factor = unit_factor(name, measure, plain_text(unit, f"unit of channel {name!r}"))
        plain_text(description, f"description of channel {name!r}")
        if any(c.name == name for c in self.asked):
            raise ModelError(f"channel {name!r} is defined twice")
        for leaf in states_of([measure])[1]:
            if isinstance(leaf, Measure):
                check_measure(f"channel {name!r}", leaf, self.frames, self.components)
        self.asked.append(Channel(name, measure, unit, description, factor))

    def event(self, name: str, signal: Signal, action: Action, direction: Direction = "either") -> Event:
        """Let something happen where a signal passes zero.

        Parameters
        ----------
        signal : made by ``position``, ``joint_coordinate``, ``time``, …, or computed of such.
        action : ``stop()``, ``record()``, ``impact(restitution)``, ``lock(joint)``, ``release(joint)``,
            ``attach(attachment)``, ``detach(attachment)`` or ``reset(state, value)``.
        direction : in which it passes zero: ``"rising"``, ``"falling"`` or ``"either"``.
        """
        plain_name(name, "the name of an event")
        if not isinstance(signal, Signal):
            raise ModelError(f"event {name!r} watches {signal!r}; expected a signal")
        if any(e.name == name for e in self.events):
            raise ModelError(f"event {name!r} is defined twice")
        for leaf in states_of([signal])[1]:
            if isinstance(leaf, Measure):
                check_measure(f"event {name!r}", leaf, self.frames, self.components)
        made = Event(name, signal, action, direction)
        is_driver = isinstance(action, Release) and self._is_driver(action.joint)
        if isinstance(action, Lock | Release) and not is_driver:
            check_lock(f"event {name!r}", self.joint(action.joint, f"event {name!r}"), action)
        if isinstance(action, Attach | Detach):
            check_attachment(f"event {name!r}", self.components, action)
        self.events.append(made)
        return made

    def _is_driver(self, name: str) -> bool:
        return name in self.components and self.components[name].kind is Kind.DRIVER

    def sampled(self, name: str, signal: SignalLike, period: float, start: float = 0.0) -> Signal:
        """A signal as it was at the last multiple of a period: sampled and held.

        Parameters
        ----------
        signal : that is sampled, first at t = ``period``.
        period : of sampling, s.
        start : value until then, SI.
        """
        states, clock, action = sampler(name, signal, period, 1, start)
        self.event(name, clock, action, "rising")
        return states[1]

    def delayed(
        self, name: str, signal: SignalLike, delay: float, samples: int = 20, start: float = 0.0
    ) -> Signal:
        """A signal as it was some time ago, linear between the samples of it that are kept.

        Parameters
        ----------
        delay : s; not shorter than a fixed step.
        samples : kept over the delay; steps end at each of them.
        start : value before the run, SI.
        """
        if samples < 1:
            raise ModelError(f"signal {name!r} is delayed by {samples} samples; expected one or more")
        period = delay / samples
        states, clock, action = sampler(name, signal, period, samples + 1, start)
        self.event(name, clock, action, "rising")
        self.delays[name] = float(delay)
        return delay_of(states, period)

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
    def acting(self) -> list[Signal]:
        """Every signal a component follows or an event watches."""
        return [*self._applied, *self._watched]

    @property
    def signals(self) -> list[Signal]:
        """Every signal a component follows, a network is made of, a channel records or an event watches."""
        out = [*self._applied, *(channel.measure for channel in self.asked), *self._watched]
        for variable in variables_in(out):
            self.network.check(variable, "a signal")
        return out

    @property
    def _applied(self) -> list[Signal]:
        own = [signal for part in self.components.values() for signal in signals_in(part)]
        return [*own, *self.network.signals] if self.elements else own

    @property
    def _watched(self) -> list[Signal]:
        return watched(self.events)

    @property
    def channels(self) -> list[Channel]:
        """What is recorded: what was asked for, and every variable of every edge of a network."""
        taken = {c.name for c in self.asked}
        edges = network_channels(self.network) if self.elements else []
        return [*self.asked, *(c for c in edges if c.name not in taken)]

    @property
    def network(self) -> Network:
        """What the elements of scalar networks make together."""
        found = self._network
        if found is None or len(found.elements) != len(self.elements):
            found = self._network = Network(tuple(self.elements.values()), self._network_tree)
        return found

    def network_tree(self, *branches: str) -> None:
        """Write the equations of the networks in another tree than the normal one.

        Parameters
        ----------
        branches : every edge of the tree; it spans all nodes, whatever they are of.
        """
        self._network_tree, self._network = tuple(branches), None

    @property
    def mechanism(self) -> LinearGraph:
        """The linear graph of bodies and joints, dependent virtual work edges included."""
        self.check()
        parts = self.parts
        freed = freed_drivers(self.events, self.components)
        return derive_graph(list(self.frames), parts, terminals_of(parts, self.is_planar), freed)

    @property
    def graph(self) -> LinearGraph:
        """The linear graph of all domains, which meet at the datum; ``graph.of(…)`` gives one of them."""
        if not self.elements:
            return self.mechanism
        own, net = self.mechanism, self.network.graph
        twice = set(own.nodes) & set(net.nodes) - {DATUM}
        if twice:
            raise ModelError(f"{min(twice)!r} is a frame and a node of a network; give one another name")
        nodes = (*own.nodes, *(n for n in net.nodes if n != DATUM))
        return LinearGraph(nodes, (*own.edges, *net.edges), DATUM)

    def check(self) -> None:
        """Refuse a mechanism with a body that nothing holds."""
        if not self.bodies and not self.elements:
            raise ModelError(f"system {self.name!r} has no body and no network")
        held = {
            end.body for c in self.components.values() if c.kind is not Kind.BODY for end in (c.tail, c.head)
        }
        for name in self.bodies:
            if name not in held and name not in self._floating:
                raise ModelError(
                    f"body {name!r} is connected to nothing; add a joint (a free joint lets it float)"
                )

    def _check_owner(self, end: Frame, name: str) -> None:
        """Refuse a frame of another system."""
        owner = self.ground if end.body == "ground" else self.bodies.get(end.body)
        if owner is None or not owner.owns(end):
            raise ModelError(
                f"{name!r} ends at a frame of {end.body!r}, which is not in system {self.name!r}"
            )

    def _add(self, part: Part) -> Part:
        check_name(part.name)
        if part.name in self.components or part.name in self.elements or part.name == "ground":
            raise ModelError(f"the name {part.name!r} is used twice in system {self.name!r}")
        given: Any = part
        if _is_component(part):
            self._connect(given)
        else:
            self.elements[part.name] = given
        return part

    def _connect(self, part: Component) -> None:
        """Check a component and keep it."""
        if part.kind is not Kind.BODY:
            for end in (part.tail, part.head):
                self._check_owner(end, part.name)
            is_inside = isinstance(part, ForceElement) and part.is_inside
            if not part.acts_from_datum and not is_inside:
                check_ends(part.noun, part.name, part.tail, part.head)
            self._warn_of_bare_shells(part)
        if self.is_planar:
            plane.check_part(part)
        if any(True for _ in signals_in(part)):
            check_slots(part, self.frames, self.components)
        self.components[part.name] = part

    def _warn_of_bare_shells(self, part: Component) -> None:
        """Say where a joint puts a moment on a single node of a shell."""
        rotation = part.terminal.rotation
        if part.kind is not Kind.JOINT or rotation is None or rotation.unknowns == 3:
            return
        for frame in (part.tail, part.head):
            if frame.name in self._bare:
                warnings.warn(
                    f"joint {part.name!r} puts a moment on a single node of a shell at {frame.name!r}; under"
                    " a point moment a thin shell does not converge with its mesh: put a RigidLink along the"
                    " hinge line",
                    stacklevel=5,
                )


#: whether a class is one of components: a protocol takes long to ask
_components: dict[type, bool] = {}


def _is_component(part: Component | Element) -> bool:
    kind = type(part)
    if kind not in _components:
        _components[kind] = isinstance(part, Component)
    return _components[kind]


def _reduced(
    body: "FiniteElementBody",
    support: "Support",
    modes: int | Sequence[int] | Literal["auto"] | None,
    method: str,
    inertia: str,
) -> "FlexTable":
    """The table of a body; how many modes where nobody has said."""
    from flexnet.fem import Reduction, TableOptions, flex_table

    if modes is None and method != "full":
        modes = 0 if method == "craig_bampton" else 6
    keeps = modes if method != "full" or modes == "auto" else None
    reduction = Reduction(support, keeps, method=method)
    return flex_table(body, reduction, TableOptions(inertia=inertia))
