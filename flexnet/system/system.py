"""System: a mechanism as its author describes it."""

import logging
from collections import Counter
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.components import (
    Component,
    ForceElement,
    Frame,
    as_vector,
    check_ends,
    spoken,
)
from flexnet.components.attachment import Attachment
from flexnet.errors import FlexnetError, ModelError
from flexnet.graph import Kind, LinearGraph
from flexnet.networks import DATUM, Element, Network, variables_in
from flexnet.notebook import table
from flexnet.signals import (
    Event,
    Signal,
    watched,
)
from flexnet.system import plane
from flexnet.system.bodies import flexible_body, massless_body, rigid_body
from flexnet.system.body import Body, check_name
from flexnet.system.builders import Builders, Part
from flexnet.system.channel import Channel, channel, network_channels
from flexnet.system.events import delayed, event, sampled
from flexnet.system.exact_beam import exact_beam
from flexnet.system.graph import derive_graph, parts_of, terminals_of
from flexnet.system.holding import freed_drivers
from flexnet.system.pieces import Cut, Whole
from flexnet.system.sanity import doubts
from flexnet.system.slots import check_slots, signals_in
from flexnet.system.start import Start, start
from flexnet.system.warned import surely_wrong, warn_of_bare_shells
from flexnet.typing import Array, Vector
from flexnet.validation import plain_name

log = logging.getLogger("flexnet")

if TYPE_CHECKING:
    pass


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
        self.cuts: dict[str, Cut] = {}
        self.whole: Whole | None = None  # what it was cut from, where beams are in pieces
        self.uncut = ""  # why pieces do not suffice, where they were chosen and do not
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
            (part.name, spoken(part), part.tail.name, part.head.name) for part in self.components.values()
        ]
        rows += [(p.name, e.noun, p.tail, p.head) for e in self.elements.values() for p in e.ports]
        told = table(rows, ("name", "component", "from", "to"))
        if not self.bodies and not self.elements:
            return told
        try:
            from flexnet.view import draw_graph
            from flexnet.view.figure import figure_as_uri
        except FlexnetError as missing:  # a notebook shows the table, and which extra draws
            return f"<p>{escape(str(missing))}</p>{told}"
        beside = self.network.graph if self.elements else None
        picture = figure_as_uri(draw_graph(self.mechanism, title=self.name, network=beside))
        return f'<img alt="linear graph" style="max-width:100%" src="{picture}">{told}'

    # -- bodies and frames ---------------------------------------------------------------------

    rigid_body = rigid_body
    massless_body = massless_body
    flexible_body = flexible_body
    exact_beam = exact_beam

    @property
    def g(self) -> Array:
        """Acceleration of gravity, (3,) m/s²."""
        return self._gravity

    def gravity(self, g: Vector) -> None:
        """Set the acceleration of gravity, (3,) in ground axes, m/s²; two numbers are enough in the plane."""
        if np.ndim(g) == 0:
            down = "[0, -9.81]" if self.is_planar else "[0, 0, -9.81]"
            raise ModelError(f"gravity is {g!r}; it has a direction: write s.gravity({down})")
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
        own = surely_wrong(self.bodies, self.components.values(), self._floating, self._unstiffened)
        uncut = [self.uncut] if self.uncut else []
        return (*uncut, *own, *(self.network.warnings if self.elements else ()))

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

    start = start
    channel = channel
    event = event
    sampled = sampled
    delayed = delayed

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
        return parts_of(self)

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
            warn_of_bare_shells(part, self._bare)
        if self.is_planar:
            plane.check_part(part)
        if any(True for _ in signals_in(part)):
            check_slots(part, self.frames, self.components)
        self.components[part.name] = part


#: whether a class is one of components: a protocol takes long to ask
_components: dict[type, bool] = {}


def _is_component(part: Component | Element) -> bool:
    kind = type(part)
    if kind not in _components:
        _components[kind] = isinstance(part, Component)
    return _components[kind]
