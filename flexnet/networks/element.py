"""What every element of a scalar network declares: its edges and its terminal equations.

An element with v terminals is v - 1 edges and as many equations between the across variables α and the
through variables τ of its edges, of the five kinds of GTM (15)-(19). Inside this room α is always the drop
from tail to head, so that an edge takes the power ατ in every domain (times the rate where α is a place).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, runtime_checkable

from flexnet.components import TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError
from flexnet.graph import Domain
from flexnet.networks.form import Form
from flexnet.signals import Known, Number, Signal
from flexnet.signals.signal import Formula
from flexnet.units import NUMBER, parse_unit
from flexnet.validation import plain_name, shown

Page = TypeVar("Page", bound=type)
#: every kind of element by the name of its class; a page enters itself
ELEMENTS: dict[str, type] = {}
#: the node all domains share
DATUM = "ground"


@runtime_checkable
class Named(Protocol):
    """What has a name, such as the ground."""

    name: str


#: a node of a network: its name, or the ground
NodeLike: TypeAlias = str | Named
#: a nonlinear law: from a signal to what it gives
Law: TypeAlias = Callable[[Signal], Signal]
#: what drives an edge: a number, a function of time, or a signal
Drive: TypeAlias = TimeLike


@dataclass(frozen=True, slots=True)
class Port:
    """An edge of an element, from node ``tail`` to node ``head``."""

    name: str
    tail: str
    head: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class StateName:
    """A state: a variable of an edge.

    Attributes
    ----------
    edge : whose variable it is.
    kind : ``across`` (of a place, its rate), ``through`` or ``place``.
    start : at the start, as the drop from tail to head; None where nobody has said.
    """

    edge: Port
    kind: str
    start: float | None

    @property
    def label(self) -> str:
        """What results call it."""
        d = self.edge.domain
        rate = "_rate" if d.has_places and self.kind == "across" else ""
        word = d.through if self.kind == "through" else f"{d.across}{rate}"
        return f"{self.edge.name}.{word}".replace(" ", "_")


class Tableau(Protocol):
    """What an element writes its terminal equations on, in one tree.

    Attributes
    ----------
    across, through : forms of the variables of every edge; of a place, ``across`` is its rate.
    place : of the edges of domains with places, the place of the tail minus that of the head.
    """

    across: dict[str, Form]
    through: dict[str, Form]
    place: dict[str, Form]

    def is_branch(self, edge: str) -> bool:
        """Whether an edge is in the tree."""

    def state(self, edge: str, kind: str) -> Form:
        """A state, or what it depends on."""

    def rate(self, edge: str, kind: str) -> Form:
        """Rate of a state."""

    def drive(self, signal: Signal | None) -> Form:
        """A signal."""

    def drive_rate(self, signal: Signal, edge: str) -> Form:
        """Rate of a signal that is a known function of time."""

    def parameter(self, edge: str, guess: float) -> Form:
        """An unknown that laws are functions of; a search for it begins at ``guess``."""

    def law(self, edge: str, function: Law, parameter: Form) -> Form:
        """What a law gives for a parameter."""

    def equation(self, edge: str, *parts: tuple[float, Form]) -> None:
        """An equation: a sum of forms is zero."""

    def identity(self, edge: str, kind: str, form: Form) -> None:
        """A state is what the topology says it is."""


class Letters(Protocol):
    """What an element writes its linear terminal equations in, for people to read: sums and products."""

    @property
    def parameter(self) -> Any:
        """Its own letter, which stands for :attr:`Element.parameter`."""

    @property
    def drive(self) -> Any:
        """What it prescribes."""

    def across(self, k: int = 0) -> Any:
        """Drop of edge k; of a place, its rate."""

    def through(self, k: int = 0) -> Any:
        """Through variable of edge k."""

    def across_rate(self, k: int = 0) -> Any:
        """Rate of the drop of edge k."""

    def through_rate(self, k: int = 0) -> Any:
        """Rate of the through variable of edge k."""


@runtime_checkable
class Element(Protocol):
    """The contract of every element.

    Attributes
    ----------
    order : place of its edges in the order of a normal tree (:mod:`flexnet.graph.normal_tree`).
    keeps_place : whether the place across it is a state where it is a branch.
    """

    order: ClassVar[int]
    keeps_place: ClassVar[bool]

    @property
    def role(self) -> str:
        """What its power is: of ``sources``, ``ports`` to a mechanism, ``losses``, or ``stored``."""

    @property
    def place_start(self) -> float | None:
        """Place at the start, the tail's minus the head's; None where nobody has said."""

    @property
    def noun(self) -> str:
        """What messages call it."""

    @property
    def name(self) -> str:
        """Unique name."""

    @property
    def ports(self) -> tuple[Port, ...]:
        """Its edges."""

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Signals it follows."""

    @property
    def states(self) -> tuple[StateName, ...]:
        """What it stores."""

    @property
    def parameter(self) -> float | None:
        """The one number of its linear terminal equation that has a letter; None where there is none."""

    def linear(self, on: Letters) -> list[Any] | None:
        """Write what is zero, an expression for each edge; None where a law is not linear."""

    def place_of(self, on: Tableau) -> Form | None:
        """Place across a branch of the normal tree that keeps none; None where it is unknown."""

    def across_of(self, on: Tableau, k: int) -> Form | None:
        """Across variable of edge k where that is a branch; None where it is unknown."""

    def through_of(self, on: Tableau, k: int) -> Form | None:
        """Through variable of edge k where that is a chord; None where it is unknown."""

    def terminal(self, on: Tableau) -> None:
        """Write the terminal equations that the variables do not hold already."""

    def power(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
        """Power it brings to the network, W, by drops (of places, their rates) and through variables."""

    def energy(self, across: Sequence[Signal], through: Sequence[Signal]) -> Signal | None:
        """Energy stored, J; of drops (of places, their rates) and through variables; None if nothing is."""


def brought(ports: Sequence[Port], across: Sequence[Signal], through: Sequence[Signal]) -> Signal:
    """Power -Σ ατ that edges bring, W.

    Of a thermal edge the through variable itself is a power: it moves energy and turns none into another
    kind, so what counts is what passes between the network and the ground.
    """
    out: Signal = Number(0.0)
    for p, drop, tau in zip(ports, across, through, strict=True):
        heat = float((p.tail == DATUM) - (p.head == DATUM))
        out = out + (heat * tau if p.domain.power == "through" else -drop * tau)
    return out


def element(page: Page) -> Page:
    """Enter a kind of element in the registry."""
    ELEMENTS[page.__name__] = page
    return page


def port(name: str, tail: NodeLike, head: NodeLike, domain: Domain) -> Port:
    """An edge between two nodes, each a name or the ground."""
    ends = [node_name(name, end) for end in (tail, head)]
    if ends[0] == ends[1]:
        raise ModelError(f"{name!r} begins and ends at node {ends[0]!r}; it needs two nodes")
    return Port(name, ends[0], ends[1], domain)


def node_name(name: str, node: NodeLike) -> str:
    """Name of a node at which an edge ends."""
    if isinstance(node, str) and node.strip():
        return plain_name(node, f"a node of {name!r}")
    if isinstance(node, Named) and node.name == DATUM:
        return DATUM
    raise ModelError(f"{name!r} ends at {shown(node)}; expected the name of a node, or the ground")


def drive(value: Drive, unit: str, what: str) -> Signal:
    """What drives an edge as a signal of plain SI numbers, its unit checked."""
    if isinstance(value, Signal):
        wanted = parse_unit(unit).dimension
        if value.dimension not in (None, NUMBER, wanted):
            raise ModelError(f"{what} is given a signal in {value.unit}; expected {unit}")
        return value if value.dimension is None else Formula("add", (value,), None)
    given: TimeFunction = as_time_function(value, what)
    return Number(given.parameters[0]) if given.kind == "constant" else Known(given)


def positive(value: float, what: str, may_be_zero: bool = False) -> float:
    """A positive number, or not less than zero."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be a number, got {shown(value)}") from None
    if not (0.0 < number < float("inf") or (may_be_zero and number == 0.0)):
        least = "a number of at least zero" if may_be_zero else "a positive number"
        raise ModelError(f"{what} must be {least}, got {shown(value)}")
    return number
